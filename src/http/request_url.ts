/**
 * The URL of a request in the one form that routing, checks and protocols see (auth 9).
 *
 * @module
 */

import { ServiceError } from "../errors/service_error.ts";

const BROKEN_PERCENT = /%(?![0-9a-f]{2})/i;
const ESCAPED = /%[0-9a-f]{2}/gi;
const UNRESERVED = /^[\w.~-]$/;

/**
 * Parses and normalizes: dot segments and backslashes are resolved, characters that need no escape are unescaped
 * (RFC 3986, 6.2.2), the fragment is dropped.
 *
 * @param raw the URL as it arrived
 * @throws ServiceError 400 when it cannot be parsed, or a percent sign begins no code
 */
export function requestUrl(raw: string): URL {
  let url: URL;
  try {
    url = new URL(raw);
  } catch (cause) {
    throw new ServiceError({ status: 400, message: "The URL is malformed", cause });
  }
  if (!raw.includes("%")) return url;
  const offset = (url.pathname + url.search).search(BROKEN_PERCENT);
  if (offset >= 0) {
    throw new ServiceError({
      status: 400,
      message: `Expected two hexadecimal digits after "%" at offset ${offset} of the URL`,
    });
  }
  url.pathname = url.pathname.replace(ESCAPED, (code) => {
    const char = String.fromCharCode(parseInt(code.slice(1), 16));
    return UNRESERVED.test(char) ? char : code;
  });
  return url;
}
