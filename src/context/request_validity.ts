/**
 * The time that a request reads temporal data at: query options `sap-valid-at`, `sap-valid-from` and `sap-valid-to`, and
 * `$at`, `$from`, `$to` and `$toInclusive` of the temporal extension (OData Temporal Data 1.0, section 4.2).
 *
 * @module
 */

import { ServiceError } from "../errors/service_error.ts";
import { isKnownInstant, isRealDay } from "../util/is_real_day.ts";
import type { Validity } from "./event_context.ts";

/** The first instant that there is. */
export const BEGINNING: Date = new Date("0001-01-01T00:00:00.000Z");
/** The last one. */
export const END: Date = new Date("9999-12-31T23:59:59.999Z");
/** A name that may be one of the options: names of system query options have no letter case (URL Conventions 5.1). */
const OPTION = /[?&](?:sap-valid-|(?:\$|%24)(?:at|from|to|toInclusive)=|[^=&]*%[4-7])/i;
const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,12})?)?(?:Z|[+-]\d\d:\d\d)?)?$/i;

/**
 * What the query of a URL says about the time of temporal data. A point in time is the millisecond that begins there;
 * a period without one of its bounds is open on that side.
 *
 * @param rawUrl any part of a URL that holds its query
 * @returns undefined without such an option
 * @throws ServiceError 400 for a value that is no date or time, or a period that ends before it begins
 */
export function requestValidity(rawUrl: string): Validity | undefined {
  const mark = rawUrl.indexOf("?");
  // Most URLs have no such option: the parameters are not parsed for them.
  if (mark < 0 || !OPTION.test(rawUrl)) return undefined;
  const options = optionsIn(rawUrl.slice(mark + 1));
  const at = timeOf(options, "sap-valid-at") ?? timeOf(options, "$at");
  if (at) return { from: at, to: behind(at) };
  const from = timeOf(options, "sap-valid-from") ?? timeOf(options, "$from");
  const last = timeOf(options, "$toInclusive");
  const to = timeOf(options, "sap-valid-to") ?? timeOf(options, "$to") ??
    (last && behind(last, options.get("$toinclusive")!));
  if (!from && !to) return undefined;
  const validity = { from: from ?? BEGINNING, to: to ?? END };
  if (validity.to < validity.from) {
    throw new ServiceError({ status: 400, message: "The end of the period lies before its beginning" });
  }
  return validity;
}

/** Values of options; the first one counts. Only names of system query options are in lower case. */
function optionsIn(query: string): ReadonlyMap<string, string> {
  const options = new Map<string, string>();
  for (const [given, value] of new URLSearchParams(query)) {
    const name = given.startsWith("$") ? given.toLowerCase() : given;
    if (!options.has(name)) options.set(name, value);
  }
  return options;
}

/**
 * The moment behind one, or behind a day; there is none behind the last.
 *
 * @param last the moment, or the beginning of the day
 * @param text as it was given
 */
export function behind(last: Date, text = ""): Date {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
  return new Date(Math.min(last.getTime() + (isDay ? 86_400_000 : 1), END.getTime()));
}

function timeOf(options: ReadonlyMap<string, string>, name: string): Date | undefined {
  const given = options.get(name.toLowerCase());
  if (given === undefined) return undefined;
  if (name[0] === "$" && (given === "min" || given === "max")) return given === "min" ? BEGINNING : END;
  const time = instantOf(given);
  if (time) return time;
  throw new ServiceError({ status: 400, message: `"${given}" is no date or time for ${name}` });
}

/**
 * The instant that a text means.
 *
 * @param given a day, or a day and a time
 * @returns undefined for other texts
 */
export function instantOf(given: string): Date | undefined {
  // OData 2 wrote date'2024-02-29' and the like; a plus sign of a zone may have been read as a blank.
  const text = given.replace(/^[a-z]+'(.*)'$/i, "$1").replace(/ (?=\d\d:\d\d$)/, "+");
  const hasZone = /(?:Z|[+-]\d\d:\d\d)$/i.test(text);
  const time = TIME.test(text) ? new Date(text.includes("T") && !hasZone ? `${text}Z` : text) : undefined;
  return time && isRealDay(text) && isKnownInstant(time) ? time : undefined;
}
