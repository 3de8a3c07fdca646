import { STATUS_TEXT } from "@std/http/status";

/** Control characters but the tab (RFC 9110, 5.5): a line break begins another header. `Headers` takes some of them. */
const FORBIDDEN = /[^\t\x20-\x7e\x80-\uffff]/;

/**
 * Makes sure that a value can stand in a header.
 *
 * @param name the header
 * @param value its value
 * @throws TypeError when it has a control character
 */
export function assertHeaderValue(name: string, value: string): void {
  if (FORBIDDEN.test(value)) throw new TypeError(`The value of header ${name} has a control character`);
}

/** The standard phrase of an HTTP status (RFC 9110, 15): `statusText(404)` is `Not Found`. */
export function statusText(status: number): string {
  return (STATUS_TEXT as Record<number, string>)[status] ?? "Unknown";
}

/** What differs. */
export interface RequestChanges {
  readonly url?: URL;
  readonly headers?: Headers;
  readonly body?: ReadableStream<Uint8Array<ArrayBuffer>>;
}

/**
 * Copies a request; the body is taken over. The copy has no signal of its own: `new Request(request)` asks for that of
 * the request, whereupon `Deno.serve` writes a notice to the console and aborts it when the answer has been sent.
 *
 * @param request the request, not read yet
 * @param changes what differs
 */
export function copyRequest(request: Request, changes: RequestChanges): Request {
  // Node wants `duplex` for a body that is a stream; the type of Deno does not know it
  const init: RequestInit & { readonly duplex: "half" } = {
    method: request.method,
    headers: changes.headers ?? request.headers,
    body: changes.body ?? request.body,
    redirect: "manual",
    duplex: "half",
  };
  return new Request(changes.url ?? request.url, init);
}

/**
 * A path with its query as a log shows it: the query is unescaped, the path stays as it was sent, and nothing ends the
 * line.
 *
 * @param target path and query of a request
 */
export function readableTarget(target: string): string {
  return unescapedQuery(target).replace(/\p{Cc}/gu, " ");
}

function unescapedQuery(target: string): string {
  const at = target.indexOf("?");
  if (at < 0) return target;
  try {
    return target.slice(0, at) + decodeURIComponent(target.slice(at));
  } catch {
    return target;
  }
}

/**
 * Percent-encodes a text for a path segment or an option value; half surrogates, which no encoding exists for,
 * become U+FFFD. A colon stays readable.
 *
 * @param text any text
 */
export function encodeUriText(text: string): string {
  if (/^[\w.~:-]*$/.test(text)) return text;
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\ufffd")).replaceAll("%3A", ":");
}

/**
 * Whether a text is an https URL, or an http URL of this machine, without user, query and fragment.
 *
 * @param text the text
 */
export function isServiceUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || url.username || url.password || /[?#]/.test(text)) return false;
  return url.protocol === "https:" || isLocalUrl(url);
}

/**
 * Whether a URL is an http URL of this machine: what goes there leaves it on no network.
 *
 * @param url the URL
 */
export function isLocalUrl({ protocol, hostname }: URL): boolean {
  return protocol === "http:" &&
    (hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname));
}

/** Splits at a separator outside of quoted strings. */
export function splitQuoted(text: string, separator: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (quoted && char === "\\") at++;
    else if (char === '"') quoted = !quoted;
    else if (char === separator && !quoted) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}
