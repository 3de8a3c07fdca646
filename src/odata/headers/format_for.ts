/**
 * The format of an answer, by what the client asks for and the project sets.
 *
 * @module
 */

import type { WireRequest } from "../../service/wire/wire_request.ts";
import type { WireSettings } from "../settings.ts";
import { type Format, type FormatKind, negotiateFormat } from "./accept.ts";

/** What a request says of its answer, and what holds where it says nothing. */
interface Asking {
  readonly request: WireRequest;
  readonly scope: { readonly settings: WireSettings };
}

/**
 * The format of an answer. Where the client leaves open how numbers are written that JavaScript may round, the project
 * decides (`fw.features.ieee754compatible`, `fw.features.count_as_string`).
 *
 * @param exchange the request
 * @param formatOption value of `$format`
 * @param offered what the resource can be sent as, best first
 * @throws ServiceError 406 when nothing offered is acceptable
 */
export function formatFor(
  { request, scope: { settings } }: Asking,
  formatOption: string | undefined,
  offered: readonly FormatKind[],
): Format {
  const format = negotiateFormat(request.headers.get("accept"), formatOption, offered);
  if (!settings.numbersAsText && !settings.countsAsText) return format;
  if (format.kind !== "json" || format.contentType.includes("IEEE754Compatible")) return format;
  return { ...format, ieee754: settings.numbersAsText, countText: settings.countsAsText };
}
