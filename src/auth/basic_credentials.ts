/**
 * Credentials of HTTP Basic authentication (RFC 7617, auth 3).
 *
 * @module
 */

/** Name and password. */
export interface BasicCredentials {
  readonly name: string;
  readonly password: string;
}

const MAX_LENGTH = 4096;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Reads the value of an `Authorization` header, strictly: base64, UTF-8, no control characters, a name.
 *
 * @returns `undefined` for another scheme or no header, `"malformed"` for a value that breaks a rule
 */
export function parseBasicCredentials(header: string | null): BasicCredentials | "malformed" | undefined {
  if (header === null) return undefined;
  const match = /^basic(?:\s+(.*))?$/i.exec(header.trim());
  if (!match) return undefined;
  const encoded = match[1]?.trim() ?? "";
  if (encoded === "" || encoded.length > MAX_LENGTH || !BASE64.test(encoded)) return "malformed";
  try {
    const bytes = Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0));
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const colon = text.indexOf(":");
    if (colon < 1 || /\p{Cc}/u.test(text)) return "malformed";
    return { name: text.slice(0, colon), password: text.slice(colon + 1) };
  } catch {
    return "malformed";
  }
}
