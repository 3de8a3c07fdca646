/**
 * Sets of keys as identity services publish them (RFC 7517), and the choice of a key (auth 5 "key").
 *
 * @module
 */

import { importJWK, type JWK } from "jose";
import { isPlainObject } from "../../util/is_plain_object.ts";
import type { Algorithm, TokenHeader } from "./token.ts";
import { TokenRefused } from "./token_refused.ts";

/** A public key of a set; it is imported when it is first used. */
interface PublicKey {
  readonly jwk: JWK;
  /** What it is made for; undefined for keys of a kind that is not in use. */
  readonly algorithm: Algorithm | undefined;
  imported?: Promise<CryptoKey>;
}

/** The keys by their id. */
export type KeySet = ReadonlyMap<string, readonly PublicKey[]>;

/**
 * Reads a set. Symmetric keys and keys without id are ignored.
 *
 * @param json the document
 * @throws TypeError when it is no set of keys
 */
export function readKeySet(json: unknown): KeySet {
  const keys = isPlainObject(json) ? json.keys : undefined;
  if (!Array.isArray(keys)) throw new TypeError("no set of keys");
  const set = new Map<string, PublicKey[]>();
  for (const jwk of keys) {
    if (!isPlainObject(jwk) || typeof jwk.kid !== "string") continue;
    if (jwk.kty !== "RSA" && jwk.kty !== "EC") continue;
    const key = { jwk: publicMembers(jwk), algorithm: algorithmOf(jwk) };
    set.set(jwk.kid, [...set.get(jwk.kid) ?? [], key]);
  }
  return set;
}

/** Certificate chains and members of private keys are not kept. */
function publicMembers({ kty, n, e, crv, x, y }: Readonly<Record<string, unknown>>): JWK {
  return { kty, n, e, crv, x, y } as JWK;
}

/** The type of the key decides; `alg`, `use` and `key_ops` may only narrow it down. */
function algorithmOf(
  { kty, crv, alg, use, key_ops }: Readonly<Record<string, unknown>>,
): Algorithm | undefined {
  if (use !== undefined && use !== "sig") return undefined;
  if (key_ops !== undefined && !(Array.isArray(key_ops) && key_ops.includes("verify"))) return undefined;
  const algorithm = kty === "RSA" ? "RS256" : crv === "P-256" ? "ES256" : undefined;
  return alg === undefined || alg === algorithm ? algorithm : undefined;
}

/**
 * The key that a token names.
 *
 * @param set the keys
 * @param header header of the token
 * @returns undefined for an unknown id
 * @throws TokenRefused when the id is ambiguous, or the key is not made for the algorithm of the token
 */
export function selectKey(set: KeySet, { kid, alg }: TokenHeader): Promise<CryptoKey> | undefined {
  const found = set.get(kid);
  if (!found) return undefined;
  if (found.length > 1) throw new TokenRefused("several keys have the id that the token names");
  const key = found[0]!;
  if (key.algorithm !== alg) throw new TokenRefused("the key is not made for the algorithm of the token");
  key.imported ??= importJWK(key.jwk, key.algorithm).then((imported) => {
    // `importJWK` gives bytes for symmetric keys only
    return imported as CryptoKey;
  }, (cause) => {
    throw new TokenRefused("the key cannot be used", { cause });
  });
  return key.imported;
}
