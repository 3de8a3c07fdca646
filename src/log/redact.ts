/**
 * Keeping secrets out of logs.
 *
 * @module
 */

const SECRET =
  /^(authorization|proxy-authorization|cookie|set-cookie|password|passwd|secret|client_?secret|token|access_token|refresh_token|id_token|assertion|private_?key|key|certificate|x-forwarded-client-cert)$/i;
const DEPTH = 6;

/**
 * A copy of a value in which everything that stands under the name of a secret is masked.
 *
 * @param value any value; cycles and depth beyond six levels are cut
 */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  if (depth >= DEPTH) return "…";
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (ArrayBuffer.isView(value)) return `<${value.byteLength} bytes>`;
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1));
  const entries = value instanceof Headers || value instanceof Map
    ? [...value.entries()]
    : Object.entries(value);
  return Object.fromEntries(
    entries.map(([key, member]) => [key, SECRET.test(key) ? "***" : redact(member, depth + 1)]),
  );
}
