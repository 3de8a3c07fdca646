/**
 * Content negotiation by `$format` and `Accept` (OData Protocol 8.2.1 and 11.2.12, JSON Format 3).
 *
 * @module
 */

import { ServiceError } from "../../errors/service_error.ts";
import { splitQuoted } from "../../util/http_text.ts";
import type { WireRequest } from "../../service/wire/wire_request.ts";
import type { WireSettings } from "../settings.ts";
import type { AnnotationsList, Preferences } from "./prefer.ts";

/** What a resource can be sent as. */
export type FormatKind = "json" | "xml" | "text" | "multipart";

/** How much control information a JSON payload carries (JSON Format 3.1). */
export type MetadataLevel = "minimal" | "full" | "none";

/** The negotiated format of a response. */
export interface Format {
  readonly kind: FormatKind;
  readonly metadata: MetadataLevel;
  /** Int64 and Decimal as text (JSON Format 3.2). */
  readonly ieee754: boolean;
  /** Counts as text: they are numbers of type Int64. */
  readonly countText: boolean;
  /** Leave out members that are null (`omit-values=nulls`). */
  readonly omitNulls?: boolean;
  /** The annotations that the client wants; without it none of those that handlers give are written. */
  readonly annotations?: AnnotationsList;
  /** Value of the `Content-Type` header: the media type plus exactly the parameters asked for. */
  readonly contentType: string;
}

/** A media range of an `Accept` header. */
export interface MediaRange {
  readonly type: string;
  readonly params: readonly (readonly [name: string, value: string])[];
  readonly quality: number;
}

const MEDIA_TYPES: Readonly<Record<FormatKind, string>> = {
  json: "application/json",
  xml: "application/xml",
  text: "text/plain",
  multipart: "multipart/mixed",
};

/**
 * The format a client wants. `$format` overrules `Accept`.
 *
 * @param accept value of the `Accept` header
 * @param formatOption value of `$format`: a short name or a media type
 * @param offered what the resource can be sent as, best first
 * @throws ServiceError 406 when nothing offered is acceptable
 */
export function negotiateFormat(
  accept: string | null | undefined,
  formatOption: string | undefined,
  offered: readonly FormatKind[],
): Format {
  const wanted = formatOption === undefined ? accept : fromShortName(formatOption);
  if (!wanted || wanted.trim() === "") return DEFAULTS[offered[0]!];
  const ranges = parseAccept(wanted);
  for (const range of ranges) {
    if (range.quality === 0) continue;
    const params = knownParameters(range.params);
    if (!params) continue;
    const kind = offered.find((candidate) =>
      matches(range, candidate) && !isExcluded(ranges, range, candidate)
    );
    if (kind) return formatOf(kind, params);
  }
  throw new ServiceError({ status: 406, message: `Not acceptable, available is ${offeredTypes(offered)}` });
}

function offeredTypes(offered: readonly FormatKind[]): string {
  return offered.map((kind) => MEDIA_TYPES[kind]).join(", ");
}

function fromShortName(option: string): string {
  const name = option.trim().toLowerCase();
  if (name === "json") return "application/json";
  if (name === "xml") return "application/xml";
  return option.includes("/") ? option : `unknown/${name}`;
}

/** Ranges, best first: by quality, then by how specific they are, then by position. */
export function parseAccept(text: string): readonly MediaRange[] {
  const ranges = splitQuoted(text, ",").map(parseRange).filter((range) => range.type !== "");
  return ranges.sort((a, b) => b.quality - a.quality || rank(b) - rank(a));
}

function parseRange(text: string): MediaRange {
  const [type = "", ...rest] = splitQuoted(text, ";");
  const params: [string, string][] = [];
  let quality = 1;
  for (const part of rest) {
    const at = `${part}=`.indexOf("=");
    const name = part.slice(0, at).trim().toLowerCase();
    const value = part.slice(at + 1).trim().replace(/^"(.*)"$/, "$1");
    if (name === "q") quality = qualityOf(value);
    else if (name !== "") params.push([name, value]);
  }
  return { type: type.trim().toLowerCase(), params, quality };
}

function qualityOf(text: string): number {
  const value = Number(text);
  return Number.isFinite(value) ? Math.min(Math.max(value, 0), 1) : 0;
}

function rank(range: MediaRange): number {
  if (range.type === "*/*") return 0;
  return range.type.endsWith("/*") ? 1 : 2;
}

function matches(range: MediaRange, kind: FormatKind): boolean {
  const type = MEDIA_TYPES[kind];
  if (range.type === "*/*" || range.type === type) return true;
  return range.type.endsWith("/*") && type.startsWith(range.type.slice(0, -1));
}

/** Whether a more specific range refuses the kind (`application/*, application/xml;q=0`). */
function isExcluded(ranges: readonly MediaRange[], range: MediaRange, kind: FormatKind): boolean {
  return ranges.some((other) => other.quality === 0 && rank(other) > rank(range) && matches(other, kind));
}

/** The parameters that shape a payload, or undefined when one has a value nobody can serve. */
function knownParameters(params: MediaRange["params"]): MediaRange["params"] | undefined {
  const known: [string, string][] = [];
  for (const [name, value] of params) {
    const short = name.replace(/^odata\./, "");
    const text = value.toLowerCase();
    if (short === "metadata") {
      if (text !== "minimal" && text !== "full" && text !== "none") return undefined;
      known.push([name, text]);
    } else if (name === "ieee754compatible") {
      if (text !== "true" && text !== "false") return undefined;
      known.push(["IEEE754Compatible", text]);
    } else if (name === "charset") {
      if (text !== "utf-8" && text !== "utf8" && text !== "us-ascii") return undefined;
      known.push(["charset", "utf-8"]);
    } else if (short === "streaming" || name === "exponentialdecimals") {
      if (text !== "true" && text !== "false") return undefined;
      if (text === "false") known.push([name === "exponentialdecimals" ? "ExponentialDecimals" : name, text]);
    }
  }
  return known;
}

function formatOf(kind: FormatKind, params: MediaRange["params"]): Format {
  let metadata: MetadataLevel = "minimal";
  let ieee754 = false;
  let contentType = kind === "text" ? `${MEDIA_TYPES.text};charset=utf-8` : MEDIA_TYPES[kind];
  if (kind === "json") {
    for (const [name, value] of params) {
      contentType += `;${name}=${value}`;
      if (name.endsWith("metadata")) metadata = value as MetadataLevel; // checked by knownParameters
      if (name === "IEEE754Compatible") ieee754 = value === "true";
    }
  }
  return { kind, metadata, ieee754, countText: ieee754, contentType };
}

/** The formats of clients that ask for none. */
const DEFAULTS: Readonly<Record<FormatKind, Format>> = {
  json: formatOf("json", []),
  xml: formatOf("xml", []),
  text: formatOf("text", []),
  multipart: formatOf("multipart", []),
};

const JSON_ONLY: readonly FormatKind[] = ["json"];

/** What a request says of its answer, and what holds where it says nothing. */
interface Asking {
  readonly request: WireRequest;
  readonly preferences: Preferences;
  readonly scope: { readonly settings: WireSettings };
}

/**
 * The format of an answer. Where the client leaves open how numbers are written that JavaScript may round, the project
 * decides (`fw.features.ieee754compatible`, `fw.features.count_as_string`).
 *
 * @param exchange the request
 * @param plan holds `$format`
 * @param offered what the resource can be sent as, best first
 * @throws ServiceError 406 when nothing offered is acceptable
 */
export function formatFor(
  { request, preferences, scope: { settings } }: Asking,
  plan: { readonly options: { readonly format?: string } },
  offered: readonly FormatKind[] = JSON_ONLY,
): Format {
  const given = negotiateFormat(request.headers.get("accept"), plan.options.format, offered);
  const { omitValues, annotations } = preferences;
  const format = omitValues === "nulls" || annotations
    ? { ...given, omitNulls: omitValues === "nulls", annotations }
    : given;
  if (!settings.numbersAsText && !settings.countsAsText) return format;
  if (format.kind !== "json" || format.contentType.includes("IEEE754Compatible")) return format;
  return { ...format, ieee754: settings.numbersAsText, countText: settings.countsAsText };
}
