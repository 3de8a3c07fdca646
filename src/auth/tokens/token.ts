/**
 * Tokens in the compact form of a signed JWT (RFC 7515, 7.1; RFC 7519; auth 5 "shape").
 *
 * @module
 */

import { decodeBase64urlIgnorePadding } from "@oslojs/encoding";
import { TOKEN_ALGORITHMS, type TokenAlgorithm } from "../../config/openid_schema.ts";
import { isDeeperThan } from "../../util/json_text.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";

/** A token that is not accepted: answered with 401. The message is the reason, for the log only. */
export class TokenRefused extends Error {
  /**
   * Creates the verdict.
   *
   * @param reason what is wrong, without any value of the token
   * @param options the cause
   */
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = "TokenRefused";
  }
}

/** Members by name, frozen and without prototype on every level: whoever looks one up finds own members only. */
export type Claims = Readonly<Record<string, unknown>>;

/** The algorithms in use unless a kind is configured with others. They come from here, never from a token. */
export const DEFAULT_ALGORITHMS: ReadonlySet<TokenAlgorithm> = new Set(["RS256", "ES256"]);

/** What of the header of a token counts. `jku`, `jwk`, `x5u` and `x5c` are never read (RFC 8725, 3.10). */
export interface TokenHeader {
  /** One that can be in use, as the token names it; kind and key decide whether it is the right one. */
  readonly alg: TokenAlgorithm;
  /** Id of the key; never part of a query or URL. */
  readonly kid: string;
  /** Kind of the token, in lower case and without `application/`. */
  readonly typ?: string;
}

/** A token as sent: decoded, nothing verified. */
export interface ParsedToken {
  /** The compact form. */
  readonly text: string;
  /** The first part. */
  readonly header: TokenHeader;
  /** The second part. */
  readonly claims: Claims;
}

const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
/** Kinds of tokens that say who is calling; others (`logout+jwt`, refresh tokens) are refused. */
const KINDS = new Set(["jwt", "at+jwt"]);
const MAX_DEPTH = 16;

/**
 * Decodes a token and checks its header. Of duplicate members the last one counts, for every reader.
 *
 * @param text the compact form
 * @throws TokenRefused when it has not exactly three parts in base64url without padding, JSON objects in UTF-8, an
 *   algorithm in use, a key id, or when its header asks for anything else
 */
export function parseToken(text: string): ParsedToken {
  if (!COMPACT.test(text)) throw new TokenRefused("not the compact form of a signed token");
  const [header, claims, signature] = text.split(".");
  decodeBytes(signature!);
  return { text, header: readHeader(decodeObject(header!)), claims: decodeObject(claims!) };
}

function readHeader({ alg, kid, typ, crit, b64 }: Claims): TokenHeader {
  if (!isKnown(alg)) throw new TokenRefused("the algorithm is not one of those in use");
  if (typeof kid !== "string" || kid === "") throw new TokenRefused("the key id is no text");
  if (crit !== undefined || b64 !== undefined) {
    throw new TokenRefused("extensions of the header are not known");
  }
  if (typ === undefined) return { alg, kid };
  const kind = typeof typ === "string" ? typ.toLowerCase().replace(/^application\//, "") : "";
  if (!KINDS.has(kind)) throw new TokenRefused("a token of another kind");
  return { alg, kid, typ: kind };
}

function isKnown(alg: unknown): alg is TokenAlgorithm {
  const known: readonly unknown[] = TOKEN_ALGORITHMS;
  return known.includes(alg);
}

function decodeBytes(part: string): Uint8Array {
  try {
    // refuses unused bits as well, so that there is one text for the same bytes
    return decodeBase64urlIgnorePadding(part);
  } catch (cause) {
    throw new TokenRefused("a part is not base64url", { cause });
  }
}

function decodeObject(part: string): Claims {
  let value: unknown;
  try {
    const bytes = decodeBytes(part);
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (cause) {
    throw cause instanceof TokenRefused ? cause : new TokenRefused("a part is not JSON");
  }
  if (!isPlainObject(value)) throw new TokenRefused("a part is no JSON object");
  if (isDeeperThan(value, MAX_DEPTH)) throw new TokenRefused(`nested deeper than ${MAX_DEPTH} levels`);
  return withoutPrototype(value) as Claims;
}

/** Copies a JSON value: frozen, its objects without prototype. */
function withoutPrototype(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(withoutPrototype));
  const copy: Record<string, unknown> = Object.create(null);
  for (const [name, member] of Object.entries(value)) copy[name] = withoutPrototype(member);
  return Object.freeze(copy);
}
