/**
 * The URL of a request in the one form that routing, checks and protocols see (auth 9).
 *
 * @module
 */

import { ServiceError } from "../errors/service_error.ts";

const BROKEN_PERCENT = /%(?![0-9a-f]{2})/i;
const ESCAPED = /%[0-9a-f]{2}/gi;
const UNRESERVED = /^[\w.~-]$/;
/** Paths and queries that parsing and normalizing leave as they are: no codes, nothing to encode, no dot segments. */
const NORMAL = /^\/(?:[\w~!$&()*+,;=:@/-]|(?<!\/)\.)*(?:\?[\w.~!$&()*+,;=:@/?-]*)?$/;

/** The origin of URLs of schemes without servers. */
const OPAQUE = "null";

/** The URL of a request. */
export interface RequestUrl {
  /** A URL of its origin, which others share. */
  readonly origin: URL;
  /** Normalized path. */
  readonly pathname: string;
  /** The query with its question mark; empty without one. */
  readonly search: string;
}

/**
 * Creates a function that parses and normalizes: dot segments and backslashes are resolved, characters that need no
 * escape are unescaped (RFC 3986, 6.2.2), the fragment is dropped. Most requests come to the same origin and have
 * nothing to normalize: they are not parsed again.
 *
 * @returns takes the URL as it arrived; throws ServiceError 400 when it cannot be parsed, or a percent sign begins no
 *   code
 */
export function urlReader(): (raw: string) => RequestUrl {
  let origin: URL | undefined;
  let prefix = "";
  return (raw) => {
    const rest = origin !== undefined && raw.startsWith(prefix) ? raw.slice(prefix.length) : "";
    // it begins with the slash that ends the origin
    if (origin !== undefined && NORMAL.test(rest)) {
      const mark = rest.indexOf("?");
      if (mark < 0) return { origin, pathname: rest, search: "" };
      // a question mark alone begins no query
      if (mark < rest.length - 1) return { origin, pathname: rest.slice(0, mark), search: rest.slice(mark) };
    }
    const url = parseUrl(raw);
    const { pathname, search } = url;
    if (url.origin === OPAQUE) return { origin: url, pathname, search };
    origin = new URL("/", url);
    prefix = url.origin;
    return { origin, pathname, search };
  };
}

function parseUrl(raw: string): URL {
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
