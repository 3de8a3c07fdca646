/**
 * Defaults that are no values of the type of their element.
 *
 * @module
 */

import type { CsnElement } from "../csn.ts";

const WHOLE = (value: unknown) =>
  Number.isInteger(Number(value)) && typeof value !== "boolean" && value !== "";
const NUMBER = (value: unknown) => typeof value !== "boolean" && value !== "" && !Number.isNaN(Number(value));

/** What a default has to be, by type. */
const FORMS: Readonly<Record<string, readonly [is: (value: unknown) => boolean, expected: string]>> = {
  "cds.Boolean": [(value) => typeof value === "boolean" || value === 0 || value === 1, "true or false"],
  "cds.UInt8": [WHOLE, "a whole number"],
  "cds.Int16": [WHOLE, "a whole number"],
  "cds.Int32": [WHOLE, "a whole number"],
  "cds.Integer": [WHOLE, "a whole number"],
  "cds.Int64": [WHOLE, "a whole number"],
  "cds.Integer64": [WHOLE, "a whole number"],
  "cds.Decimal": [NUMBER, "a number like 12.34"],
  "cds.Double": [NUMBER, "a number like 12.34"],
  "cds.Date": [(value) => /^\d{4}-\d\d-\d\d$/.test(String(value)), "a date like '2026-12-31'"],
  "cds.Time": [(value) => /^\d\d:\d\d(?::\d\d)?$/.test(String(value)), "a time like '13:45:00'"],
};

/**
 * What is wrong with the default of an element.
 *
 * @param element the element, its type known
 * @returns the end of a sentence; undefined where nothing can be said against it
 */
export function defaultProblem({ type, default: given }: CsnElement): string | undefined {
  if (typeof type !== "string" || !Object.hasOwn(FORMS, type)) return undefined;
  const value = typeof given === "object" && given !== null && "val" in given ? given.val : undefined;
  if (value === undefined || value === null) return undefined;
  const [is, expected] = FORMS[type]!;
  return is(value) ? undefined : `is ${JSON.stringify(value)}, expected ${expected}`;
}
