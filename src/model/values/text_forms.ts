/**
 * Texts that are values of types, as patterns that all databases know.
 *
 * @module
 */

/** Days of the calendar from the year 1 on. */
const DAY = "(([1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])-" +
  "((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|" +
  "([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][48]|[13579][26]|[2468]0)00)-02-29)";
const TIME = "([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]";

/** Patterns by built-in type; the number of digits keeps them in its range. */
export const TEXT_FORMS: Readonly<Record<string, string>> = {
  "cds.UInt8": "^[+]?[0-9]{1,2}$",
  "cds.Int16": "^[+-]?[0-9]{1,4}$",
  "cds.Int32": "^[+-]?[0-9]{1,9}$",
  "cds.Integer": "^[+-]?[0-9]{1,9}$",
  "cds.Int64": "^[+-]?[0-9]{1,18}$",
  "cds.Integer64": "^[+-]?[0-9]{1,18}$",
  "cds.Decimal": "^[+-]?[0-9]{1,18}([.][0-9]{1,18})?$",
  "cds.Double": "^[+-]?[0-9]{1,18}([.][0-9]{1,18})?$",
  "cds.UUID": "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$",
  "cds.Date": `^${DAY}$`,
  "cds.Time": `^${TIME}$`,
  "cds.DateTime": `^${DAY}T${TIME}Z$`,
  "cds.Timestamp": `^${DAY}T${TIME}[.][0-9]{3}Z$`,
};

/** The first and the last value of types of whole numbers of fewer than 64 bits. */
export const WHOLE_RANGES: Readonly<Record<string, readonly [least: number, most: number]>> = {
  "cds.UInt8": [0, 255],
  "cds.Int16": [-32768, 32767],
  "cds.Int32": [-2147483648, 2147483647],
  "cds.Integer": [-2147483648, 2147483647],
};

/**
 * The name of the function that gives a text which is a value of a type, and null for others.
 *
 * @param type one of those that have a form
 */
export function textFormFunction(type: string): string {
  return `$form_of_${type.toLowerCase()}`;
}

/**
 * Something for each function that gives texts which are values of a type.
 *
 * @param make gets the type and its pattern
 * @returns what is made, by the name of the function
 */
export function forTextForms<T>(make: (type: string, pattern: string) => T): Record<string, T> {
  return Object.fromEntries(
    Object.entries(TEXT_FORMS).map(([type, pattern]) => [textFormFunction(type), make(type, pattern)]),
  );
}

const compiled: Readonly<Record<string, RegExp>> = Object.fromEntries(
  Object.entries(TEXT_FORMS).map(([type, pattern]) => [type, new RegExp(pattern)]),
);

/**
 * Whether a text is a value of a type.
 *
 * @param text any text
 * @param type one of those that have a form
 */
export function hasTextForm(text: string, type: string): boolean {
  return compiled[type]!.test(text);
}
