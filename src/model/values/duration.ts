/**
 * Durations: in rows and columns a number of seconds, so that engines compare, sort and add them by length; in OData
 * `P1DT2H30M` (ABNF `durationValue`).
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
