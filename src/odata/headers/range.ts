/**
 * `Range` of streams: one range of bytes (RFC 9110, section 14).
 *
 * @module
 */

/** The bytes that are asked for: first and last position. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * The range that a request asks for.
 *
 * @param headers headers of a GET request; with `If-Range` there is none, as our tags are weak
 * @param length bytes there are
 * @returns undefined for the whole (also for several ranges and for units other than bytes), `unsatisfiable` for a
 *   range behind the end
 */
export function requestedRange(
  headers: Pick<Headers, "get">,
  length: number,
): ByteRange | "unsatisfiable" | undefined {
  const value = headers.get("range");
  if (value === null || headers.get("if-range") !== null) return undefined;
  const [, from, to] = /^\s*bytes\s*=\s*(\d{0,15})\s*-\s*(\d{0,15})\s*$/i.exec(value) ?? [];
  if (from === undefined || to === undefined || (from === "" && to === "")) return undefined;
  if (from === "") {
    const wanted = Math.min(Number(to), length);
    return wanted === 0 ? "unsatisfiable" : { first: length - wanted, last: length - 1 };
  }
  const first = Number(from);
  const last = to === "" ? length - 1 : Math.min(Number(to), length - 1);
  if (to !== "" && Number(to) < first) return undefined;
  return first >= length ? "unsatisfiable" : { first, last };
}
