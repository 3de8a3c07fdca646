import { BoundedCache } from "../util/bounded_cache.ts";
import { maskLogins } from "../util/mask_logins.ts";

const SECRET =
  /^(.*(passw|kennwort|passphrase).*|(.*[_-])?pwd|.*(secret|credential-key)|(.*[_-])?(token|jwt)|.*[a-z](Token|Jwt|Pwd|PrivateKey|ApiKey|AccessKey|AccountKey)|(proxy-)?authorization|(set-)?cookie|assertion|(.*[_-])?(private|api|access|account)[_-]?key|key|certificate|x-forwarded-client-cert)$/i;
/** Parameters of URLs, forms, connection texts (`host=a password='b c'`) and commands whose values are secrets. */
const GIVEN =
  /((?:^|[\s?&;,"'(])[\w-]{0,50}(?:passw\w{0,20}|passphrase|pwd|secret|token|api[_-]?key|assertion)=)(?:'(?:[^'\\]|\\.)*'|[^\s&;"']+)/gim;
/** Credentials as headers carry them. */
const BEARER = /\b(Bearer\s{1,9})[\w.~+/-]{8,}=*/gi;
const HEADER = /\b(authorization["']?\s{0,9}[:=]\s{0,9}["']?)(?:\w{1,20} +)?[^\s"',]+/gi;
const LEVELS = 6;

/**
 * A copy of a value in which everything that stands under the name of a secret is masked, and logins in URLs.
 *
 * @param value any value
 * @param levels what is nested deeper is cut, cycles with it
 */
export function redact(value: unknown, levels = LEVELS): unknown {
  if (typeof value === "string") return redactText(value);
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  if (levels <= 0) return "…";
  if (value instanceof Error) return `${value.name}: ${redactText(value.message)}`;
  if (ArrayBuffer.isView(value)) return `<${value.byteLength} bytes>`;
  if (value instanceof URL) return redactText(value.href);
  if (Array.isArray(value)) return value.map((item) => redact(item, levels - 1));
  if (value instanceof Set) return [...value].map((item) => redact(item, levels - 1));
  const entries = value instanceof Headers || value instanceof Map || value instanceof URLSearchParams
    ? [...value.entries()]
    : Object.entries(value);
  return Object.fromEntries(
    entries.map(([key, member]) => [key, isSecretName(String(key)) ? "***" : redact(member, levels - 1)]),
  );
}

/**
 * A text in which logins of URLs, credentials of headers, and values that stand behind the names of secrets, in JSON and
 * in parameters, are masked.
 *
 * @param text any text
 */
export function redactText(text: string): string {
  const plain = maskLogins(maskJsonMembers(text, isSecretName));
  return plain.replace(GIVEN, "$1***").replace(HEADER, "$1***").replace(BEARER, "$1***");
}

/** Names of members are mostly those of the last ones; the pattern looks at each of their characters many times. */
const KNOWN_NAMES: BoundedCache<string, boolean> = new BoundedCache(500);
/** Longer names are not kept. */
const NAME_LENGTH = 64;

/** Whether what stands under a name is a secret. */
function isSecretName(name: string): boolean {
  const known = KNOWN_NAMES.get(name);
  if (known !== undefined) return known;
  const isSecret = SECRET.test(name);
  if (name.length <= NAME_LENGTH) KNOWN_NAMES.set(name, isSecret);
  return isSecret;
}

/** A name of a member; in JSON that is text in JSON its quotes are escaped. */
const MEMBER = /(\\*)"([\w.-]{1,100})\1"\s*:\s*/g;
const SCALAR = /[^\s,}\]]*/y;

/**
 * Masks the values of members by their names, wherever JSON stands in a text: whole, cut, or as text in other JSON.
 *
 * @param text any text
 * @param isSecret tells which names
 */
function maskJsonMembers(text: string, isSecret: (name: string) => boolean): string {
  if (!text.includes('"')) return text;
  let result = "";
  let done = 0;
  MEMBER.lastIndex = 0;
  for (let match = MEMBER.exec(text); match !== null; match = MEMBER.exec(text)) {
    const [, escapes, name] = match;
    if (!isSecret(name)) continue;
    const start = MEMBER.lastIndex;
    const end = endOfValue(text, start, escapes.length);
    result += `${text.slice(done, start)}${escapes}"***${escapes}"`;
    done = end;
    MEMBER.lastIndex = end;
  }
  return result + text.slice(done);
}

/** Where a value ends; what is cut ends with the text. */
function endOfValue(text: string, start: number, escapes: number): number {
  if (text.startsWith('"', start + escapes)) return endOfString(text, start + escapes + 1, escapes);
  if (text[start] !== "{" && text[start] !== "[") {
    SCALAR.lastIndex = start;
    return start + SCALAR.exec(text)![0].length; // nothing is a scalar, too
  }
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (char === "{" || char === "[") depth++;
    else if ((char === "}" || char === "]") && --depth === 0) return at + 1;
    else if (char === '"') at = endOfString(text, at + 1, escapes) - 1;
  }
  return text.length;
}

/**
 * Where a string ends: JSON in JSON doubles all backslashes and adds one to each quote, so that the number of backslashes in
 * front of a quote tells its level.
 */
function endOfString(text: string, start: number, escapes: number): number {
  for (let at = text.indexOf('"', start); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    // the quote in front of the string ends this
    while (text[at - slashes - 1] === "\\") slashes++;
    if (slashes % (2 * (escapes + 1)) === escapes) return at + 1;
  }
  return text.length;
}

/**
 * A value that should be a URL and is none, for messages. Where it may hold a login it is not shown: no pattern tells
 * where the password ends in what is no URL.
 *
 * @param value of the configuration
 */
export function shownUrl(value: unknown): string {
  return typeof value === "string" && value.includes("@") ? "a text with a login" : JSON.stringify(value);
}
