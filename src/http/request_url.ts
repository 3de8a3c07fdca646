/**
 * The URL of a request in the one form that routing, checks and protocols see (auth 9).
 *
 * @module
 */

import { ServiceError } from "../errors/service_error.ts";

const BROKEN_PERCENT = /%(?![0-9a-f]{2})/i;
const ESCAPED = /%[0-9a-f]{2}/gi;
const UNRESERVED = /^[\w.~-]$/;
/** What parsing and normalizing may change in paths and queries: codes, what needs one, dot segments. */
const UNUSUAL = /[^\w.~!$&()*+,;=:@/?-]|\/\./;

/** The origin of URLs of schemes without servers. */
const OPAQUE = "null";

/** An origin, with what is asked of it for each request. */
export interface Origin {
  /** A URL of it. */
  readonly url: URL;
  /** Its host, without port. */
  readonly hostname: string;
  /** Whether it is reached by https. */
  readonly isSecure: boolean;
}

/** The URL of a request. */
export interface RequestUrl {
  /** Its origin, which others share. */
  readonly origin: Origin;
  /** Normalized path. */
  readonly pathname: string;
  /** The query with its question mark; empty without one. */
  readonly search: string;
}

/** The origin of a URL. */
export function originOf(url: URL): Origin {
  return { url, hostname: url.hostname, isSecure: url.protocol === "https:" };
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
  let origin: Origin | undefined;
  let prefix = "";
  return (raw) => {
    const rest = raw.startsWith(prefix) ? raw.slice(prefix.length) : "";
    // a slash ends the origin
    if (origin !== undefined && rest[0] === "/" && !UNUSUAL.test(rest)) {
      const mark = rest.indexOf("?");
      if (mark < 0) return { origin, pathname: rest, search: "" };
      // a question mark alone begins no query
      if (mark < rest.length - 1) return { origin, pathname: rest.slice(0, mark), search: rest.slice(mark) };
    }
    const url = parseUrl(raw);
    const { pathname, search } = url;
    if (url.origin === OPAQUE) return { origin: originOf(url), pathname, search };
    origin = originOf(new URL(url.origin));
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
  if (url.username !== "" || url.password !== "") {
    throw new ServiceError({ status: 400, message: "The URL must not hold a user name" });
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
