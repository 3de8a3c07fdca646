/**
 * Texts without the logins of the URLs in them.
 *
 * @module
 */

/** URLs of these schemes end their authority at the first of `/`, `?` and `#`; passwords of others may hold any. */
const STRICT = /(?:^|[^\w+.-])(?:https?|wss?|file)$/i;
/** Begins the examples by which messages tell the form of a URL. */
const EXAMPLE = "user:password@host";
/** The longest scheme that is looked at, with the character in front of it. */
const SCHEME_LENGTH = 6;

/**
 * Masks user and password of URLs. A password that should have been percent-encoded is masked up to the last `@` of its
 * word.
 *
 * @param text any text
 */
export function maskLogins(text: string): string {
  let at = text.indexOf("://");
  if (at < 0 || !text.includes("@", at)) return text;
  let result = "";
  let done = 0;
  while (at >= 0) {
    const start = at + "://".length;
    const delimiter = STRICT.test(text.slice(Math.max(at - SCHEME_LENGTH, 0), at)) ? /[\s"/?#]/g : /[\s"]/g;
    delimiter.lastIndex = start;
    const end = delimiter.exec(text)?.index ?? text.length;
    const rest = text.slice(start, end);
    const login = rest.lastIndexOf("@");
    if (login >= 0 && !rest.startsWith(EXAMPLE)) {
      result += `${text.slice(done, start)}***`;
      done = start + login;
    }
    at = text.indexOf("://", end);
  }
  return result + text.slice(done);
}
