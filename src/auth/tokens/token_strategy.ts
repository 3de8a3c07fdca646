/**
 * The strategy of all kinds that check tokens: `Authorization: Bearer` (spec 4.1, 5.1; auth 5).
 *
 * @module
 */

import { compactVerify } from "jose";
import type { AuthenticationStrategy, ForwardedClient } from "../strategy.ts";
import { bearerToken } from "./bearer.ts";
import { assertClaimTypes, assertTime } from "./claim_checks.ts";
import type { KeySets, VerificationKey } from "./key_sets.ts";
import { type ParsedToken, parseToken } from "./token.ts";
import type { TokenKind, TokenRequest, TokenUser } from "./token_kind.ts";
import { TokenRefused } from "./token_refused.ts";
import { type VerifiedToken, VerifiedTokens } from "./verified_tokens.ts";

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
  const verifyToken = createTokenVerifier(options);
  return {
    kind: options.kind,
    challenge: "Bearer",
    authenticate: async (request, _context, client) => {
      try {
        const bearer = bearerToken(request.headers.get("authorization"), options.limits.tokenLength);
        if (bearer === undefined) return { anonymous: true };
        if (bearer === "foreign") return { refused: true, challenge: "Bearer", reason: "foreign scheme" };
        const verified = await verifyToken(bearer.text, client && options.request?.(client));
        return exchange ? await exchange(verified) : verified.kind.user(verified.token);
      } catch (error) {
        if (!(error instanceof TokenRefused)) throw error;
        return { refused: true, challenge: 'Bearer error="invalid_token"', reason: error.message };
      }
    },
  };
}

/**
 * Creates the checks of tokens; verified ones are kept.
 *
 * @param options kinds, keys, bounds
 * @returns a function of the text of a token and of what kinds may look at beside it
 */
export function createTokenVerifier(
  options: VerifierOptions,
): (text: string, request?: TokenRequest) => Promise<VerifiedToken> {
  const parts = { ...options, verified: new VerifiedTokens(options.limits.verifiedTokens) };
  return (text, request = {}) => verify(text, request, parts);
}

interface Parts extends VerifierOptions {
  readonly verified: VerifiedTokens;
}

/** In this order: shape, time, issuer, signature, audience; for a known token all but the signature again. */
async function verify(text: string, request: TokenRequest, parts: Parts): Promise<VerifiedToken> {
  const { keys, verified } = parts;
  const known = verified.get(text);
  if (known && await isUpToDate(known, parts)) {
    assertTime(known.token.claims, parts.clock());
    known.kind.check(known.token, request);
    return known;
  }
  if (known) verified.drop(text);
  const token = parseToken(text);
  assertClaimTypes(token.claims);
  assertTime(token.claims, parts.clock());
  const kind = parts.kindOf(token);
  const source = await kind.keySource(token, request);
  const key = await keys.key(source, token.header);
  await verifySignature(token, key);
  kind.check(token, request);
  keys.trust(source);
  const result = { token, kind, source, version: key.version };
  verified.add(result);
  return result;
}

/** Whether the set of keys is still the one that verified the token. */
async function isUpToDate(
  { token, source, version }: VerifiedToken,
  { keys, clock }: Parts,
): Promise<boolean> {
  const current = keys.version(source);
  if (current !== undefined) return current === version;
  assertTime(token.claims, clock());
  return (await keys.key(source, token.header)).version === version;
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
