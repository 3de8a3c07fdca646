/**
 * The strategy of all kinds that check tokens: `Authorization: Bearer` (spec 4.1, 5.1; auth 5).
 *
 * @module
 */

import { compactVerify } from "jose";
import type { EventContext } from "../../context/event_context.ts";
import { runWithContext } from "../../context/store.ts";
import { orElse } from "../../util/maybe_promise.ts";
import type { AuthenticationResult, AuthenticationStrategy, ForwardedClient } from "../strategy.ts";
import { assertClaimTypes, assertTime } from "./claim_checks.ts";
import type { KeySets, VerificationKey } from "./key_sets.ts";
import { type ParsedToken, parseToken, TokenRefused } from "./token.ts";
import type { KeySource, TokenKind, TokenRequest, TokenUser } from "./token_kind.ts";
import { BoundedCache } from "../../util/bounded_cache.ts";

/** What tokens are verified with. */
export interface VerifierOptions {
  /**
   * The identity service that a token is from; nothing of the token is verified yet.
   *
   * @throws TokenRefused when it is from none
   */
  readonly kindOf: (token: ParsedToken) => TokenKind;
  /** Finds keys. */
  readonly keys: KeySets;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Bounds in effect. */
  readonly limits: { readonly tokenLength: number; readonly verifiedTokens: number };
}

/** What the strategy is made from. */
export interface TokenStrategyOptions extends VerifierOptions {
  /** Name of the kind, or of the kinds. */
  readonly kind: string;
  /** What kinds may look at of a request with a token; default: nothing. */
  readonly request?: (client: ForwardedClient) => TokenRequest;
  /** The user of a verified token, where it is exchanged for another one; default: the user that the token gives. */
  readonly exchange?: (verified: VerifiedToken) => Promise<TokenUser>;
}

/** Creates the strategy. */
export function createTokenStrategy(options: TokenStrategyOptions): AuthenticationStrategy {
  const { exchange } = options;
  const parts = partsOf(options);
  const identify = (text: string, request: TokenRequest, context: EventContext) => {
    const known = recall(text, request, parts);
    if (known && !exchange) return known.kind.user(known.token);
    return runWithContext(context, async () => {
      const verified = known ?? await verify(text, request, parts);
      return exchange ? await exchange(verified) : verified.kind.user(verified.token);
    });
  };
  return {
    kind: options.kind,
    challenge: "Bearer",
    entersContext: true,
    authenticate: (request, context, client) =>
      orElse<AuthenticationResult>(() => {
        const bearer = bearerToken(request.headers.get("authorization"), options.limits.tokenLength);
        if (bearer === undefined) return { anonymous: true };
        if (bearer === "foreign") return { refused: true, challenge: "Bearer", reason: "foreign scheme" };
        return identify(bearer.text, (client && options.request?.(client)) ?? {}, context);
      }, refuse),
  };
}

function refuse(error: unknown): AuthenticationResult {
  if (!(error instanceof TokenRefused)) throw error;
  return { refused: true, challenge: 'Bearer error="invalid_token"', reason: error.message };
}

/**
 * Creates the checks of tokens; verified ones are kept.
 *
 * @param options kinds, keys, bounds
 * @returns a function of the text of a token and of what kinds may look at beside it; it throws `TokenRefused`, or
 *   `ServiceError` 503 when keys cannot be read
 */
export function createTokenVerifier(
  options: VerifierOptions,
): (text: string, request?: TokenRequest) => VerifiedToken | Promise<VerifiedToken> {
  const parts = partsOf(options);
  return (text, request = {}) => recall(text, request, parts) ?? verify(text, request, parts);
}

interface Parts extends VerifierOptions {
  /**
   * Verified tokens by their text, the longest unused is dropped first; whether one is still valid is looked up at each use.
   *
   * The key is the text and not a digest of it: a digest costs more than a request may (8.5 µs), and would hide nothing,
   * since the entry holds the token anyway, for services it is sent on to. What a digest would protect from does not
   * arise: only tokens with a good signature are kept, so nobody fills the map with texts made to collide; the hash of
   * a text has a seed that is unknown outside of the process and covers all of it, so the time of a miss tells nothing
   * about a token that is kept; and texts are compared as a whole, so a changed token is never taken for a known one.
   * The length of a text is bounded by `limits.tokenLength`.
   */
  readonly verified: BoundedCache<string, VerifiedToken>;
}

function partsOf(options: VerifierOptions): Parts {
  return { ...options, verified: new BoundedCache(options.limits.verifiedTokens) };
}

/** The way of nearly all requests, without waiting: a known token, whose set of keys is still the same. */
function recall(text: string, request: TokenRequest, parts: Parts): VerifiedToken | undefined {
  const known = parts.verified.get(text);
  if (!known || parts.keys.version(known.source) !== known.version) return undefined;
  return checkAgain(known, request, parts);
}

function checkAgain(known: VerifiedToken, request: TokenRequest, { clock }: Parts): VerifiedToken {
  assertTime(known.token.claims, clock());
  known.kind.check(known.token, request);
  return known;
}

/** In this order: shape, time, issuer, signature, audience; a signature that the key in use has verified stays good. */
async function verify(text: string, request: TokenRequest, parts: Parts): Promise<VerifiedToken> {
  const { keys, verified, clock } = parts;
  const known = verified.get(text);
  const token = known?.token ?? parseToken(text);
  if (!known) assertClaimTypes(token.claims);
  assertTime(token.claims, clock());
  const kind = known?.kind ?? parts.kindOf(token);
  if (!kind.algorithms.has(token.header.alg)) {
    throw new TokenRefused("the algorithm is not one of those in use");
  }
  const source = await kind.keySource(token, request);
  const key = await keys.key(source, token.header);
  if (known?.version === key.version) return checkAgain(known, request, parts);
  await verifySignature(token, key);
  kind.check(token, request);
  keys.trust(source);
  const result = { token, kind, source, version: key.version };
  verified.set(text, result);
  return result;
}

async function verifySignature(
  { text, header }: ParsedToken,
  { key, failure }: VerificationKey,
): Promise<void> {
  try {
    await compactVerify(text, key, { algorithms: [header.alg] });
  } catch (cause) {
    throw failure ?? new TokenRefused("the signature does not fit", { cause });
  }
}

/**
 * Takes the token from the header. What the token looks like is not checked here; repeated headers arrive as one, with a
 * comma, which no token has.
 *
 * @param header value of the header
 * @param maxLength characters at most
 * @returns undefined without header, `"foreign"` for another scheme
 * @throws TokenRefused when the header is too long or holds no token
 */
export function bearerToken(
  header: string | null,
  maxLength: number,
): { readonly text: string } | "foreign" | undefined {
  if (header === null) return undefined;
  if (!/^bearer(?: |$)/i.test(header)) return "foreign";
  if (header.length > maxLength) throw new TokenRefused("the header is too long");
  const text = header.slice("bearer ".length).trim();
  if (text === "") throw new TokenRefused("no token");
  return { text };
}

/** A token whose signature was found good. */
export interface VerifiedToken {
  /** The token, with `exp` and `kid`, which count at every use. */
  readonly token: ParsedToken;
  /** Its identity service. */
  readonly kind: TokenKind;
  /** Where its key is from. */
  readonly source: KeySource;
  /** Version of the set of keys that holds the key. */
  readonly version: number;
}
