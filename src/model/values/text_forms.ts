/**
 * Texts that are values of types, as patterns that all databases know.
 *
 * @module
 */

const DURATION =
  /^([+-]?)P(?:(\d{1,12})D)?(?:T(?:(\d{1,12})H)?(?:(\d{1,12})M)?(?:(\d{1,12})(?:\.(\d{1,12}))?S)?)?$/;

/**
 * The seconds of a duration as decimal text.
 *
 * @param text as OData writes it
 * @returns undefined when it is no duration
 */
export function durationSeconds(text: string): string | undefined {
  const match = DURATION.exec(text);
  if (!match || /[PT]$/.test(text)) return undefined;
  const [, sign, days = "0", hours = "0", minutes = "0", seconds = "0", fraction = ""] = match;
  const whole = BigInt(days) * 86_400n + BigInt(hours) * 3_600n + BigInt(minutes) * 60n + BigInt(seconds);
  const digits = fraction.replace(/0+$/, "");
  const isZero = whole === 0n && digits === "";
  return `${sign === "-" && !isZero ? "-" : ""}${whole}${digits === "" ? "" : `.${digits}`}`;
}

/**
 * A number of seconds as OData writes a duration.
 *
 * @param seconds a number, or decimal text
 * @returns `PT0S` for nothing; the text itself where it is no number
 */
export function durationText(seconds: unknown): string {
  const text = plain(seconds);
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
  if (!match) return text;
  const [, sign, whole = "0", fraction = ""] = match;
  const total = BigInt(whole);
  const digits = fraction.replace(/0+$/, "");
  const [days, hours, minutes] = [total / 86_400n, total / 3_600n % 24n, total / 60n % 60n];
  const rest = `${total % 60n}${digits === "" ? "" : `.${digits}`}`;
  const time = `${hours ? `${hours}H` : ""}${minutes ? `${minutes}M` : ""}${rest === "0" ? "" : `${rest}S`}`;
  const date = days ? `${days}D` : "";
  if (date === "" && time === "") return "PT0S";
  return `${sign}P${date}${time === "" ? "" : `T${time}`}`;
}

/** Numbers without exponent: the fraction has twelve digits at most. */
function plain(seconds: unknown): string {
  const isSmall = typeof seconds === "number" && /e/.test(String(seconds)) && Math.abs(seconds) < 1e21;
  return isSmall ? (seconds as number).toFixed(12) : String(seconds);
}

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

/**
 * The shortest number that stands for the same value of single precision.
 *
 * @param value any number
 * @returns undefined when it is too great
 */
export function singleValue(value: number): number | undefined {
  const single = Math.fround(value);
  if (!Number.isFinite(single)) return Number.isFinite(value) ? undefined : value;
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(single.toPrecision(digits));
    if (Math.fround(short) === single) return short;
  }
  return Number(single.toPrecision(9));
}
