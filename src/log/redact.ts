/**
 * Keeping secrets out of logs.
 *
 * @module
 */

const SECRET =
  /^(.*(password|passwd|secret|credential-key)|(.*[_-])?token|(proxy-)?authorization|(set-)?cookie|assertion|(.*[_-])?(private|api|access|account)[_-]?key|key|certificate|x-forwarded-client-cert)$/i;
/** User and password in a URL. */
const USER_INFO = /(\b[a-z][\w+.-]*:\/\/)[^\s/@]+@/gi;
const LEVELS = 6;

/**
 * A copy of a value in which everything that stands under the name of a secret is masked, and logins in URLs.
 *
 * @param value any value
 * @param levels what is nested deeper is cut, cycles with it
 */
export function redact(value: unknown, levels = LEVELS): unknown {
  if (typeof value === "string") return value.replace(USER_INFO, "$1***@");
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  if (levels <= 0) return "…";
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (ArrayBuffer.isView(value)) return `<${value.byteLength} bytes>`;
  if (Array.isArray(value)) return value.map((item) => redact(item, levels - 1));
  const entries = value instanceof Headers || value instanceof Map
    ? [...value.entries()]
    : Object.entries(value);
  return Object.fromEntries(
    entries.map(([key, member]) => [key, SECRET.test(key) ? "***" : redact(member, levels - 1)]),
  );
}
