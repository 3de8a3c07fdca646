/**
 * The keys of identity services: the sets that they publish (RFC 7517), and the choice of a key (auth 5 "key").
 *
 * @module
 */

import { importJWK, importSPKI, type JWK } from "jose";
import { type Document, Documents, type SourceAccess } from "./documents.ts";
import type { KeySource } from "./token_kind.ts";
import { type TokenHeader, TokenRefused } from "./token.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";
import type { TokenAlgorithm } from "../../config/openid_schema.ts";

/** A key, and the version of the set it is from: as long as the set has this version, what the key verified is true. */
export interface VerificationKey {
  /** The public key. */
  readonly key: CryptoKey;
  /** Version of the set. */
  readonly version: number;
  /** Set when the key bridges a failing source: a token that it does not verify may be good, and gets this error. */
  readonly failure?: unknown;
}

/** Finds the keys of tokens; fetches and keeps the sets (auth 6). */
export class KeySets {
  readonly #documents: Documents<KeySet>;
  /** Imported fallback keys; their versions are below zero. */
  readonly #fallbacks = new Map<string, { readonly key: Promise<CryptoKey>; readonly version: number }>();

  /**
   * Creates an empty cache.
   *
   * @param access what sets are read with
   */
  constructor(access: SourceAccess) {
    this.#documents = new Documents(access, readKeySet);
  }

  /**
   * Version of the set in use.
   *
   * @param source where the set is
   * @returns undefined when there is none that needs no waiting
   */
  version(source: KeySource): number | undefined {
    return this.#documents.fresh(source)?.version;
  }

  /**
   * The key of a token. For an unknown id the set is fetched again, but not within 30 seconds.
   *
   * @param source where the set is
   * @param header header of the token
   * @throws TokenRefused when the set has not exactly one key that fits, ServiceError 503 when the source fails
   */
  async key(source: KeySource, header: TokenHeader): Promise<VerificationKey> {
    try {
      return await this.#published(source, header);
    } catch (failure) {
      if (failure instanceof TokenRefused || source.fallback === undefined) throw failure;
      const { key, version } = this.#fallback(source.fallback);
      return { key: await key, version, failure };
    }
  }

  /** Remembers that a token was accepted with a set: it is dropped last. */
  trust(source: KeySource): void {
    this.#documents.trust(source);
  }

  async #published(source: KeySource, header: TokenHeader): Promise<VerificationKey> {
    let document: Document<KeySet> | undefined = await this.#documents.get(source);
    let key = selectKey(document.value, header);
    if (!key) {
      document = await this.#documents.newer(source, document);
      key = document && selectKey(document.value, header);
    }
    if (!document || !key) throw new TokenRefused("no key has the id that the token names");
    return { key: await key, version: document.version };
  }

  #fallback(pem: string): { readonly key: Promise<CryptoKey>; readonly version: number } {
    const known = this.#fallbacks.get(pem);
    if (known) return known;
    const text = pem.replaceAll("\\n", "\n");
    const made = { key: importSPKI(text, "RS256"), version: -1 - this.#fallbacks.size };
    this.#fallbacks.set(pem, made);
    return made;
  }
}

/** A public key of a set; it is imported when it is first used. */
interface PublicKey {
  readonly jwk: JWK;
  /** What it is made for; none for keys that do not verify signatures. */
  readonly algorithms: readonly TokenAlgorithm[];
  /** By algorithm, which is part of an imported key. */
  readonly imported: Map<TokenAlgorithm, Promise<CryptoKey>>;
}

/** Algorithms by the type of the key, of those with a curve by the curve (RFC 7518, 3.1; RFC 8037, 3.1). */
const ALGORITHMS: Readonly<Record<string, readonly TokenAlgorithm[]>> = {
  RSA: ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  "P-256": ["ES256"],
  "P-384": ["ES384"],
  "P-521": ["ES512"],
  Ed25519: ["EdDSA"],
};

const TYPES: ReadonlySet<unknown> = new Set(["RSA", "EC", "OKP"]);

/** The keys by their id. */
type KeySet = ReadonlyMap<string, readonly PublicKey[]>;

/**
 * Reads a set. Symmetric keys and keys without id are ignored.
 *
 * @param json the document
 * @throws TypeError when it is no set of keys
 */
function readKeySet(json: unknown): KeySet {
  const keys = isPlainObject(json) ? json.keys : undefined;
  if (!Array.isArray(keys)) throw new TypeError("no set of keys");
  const set = new Map<string, PublicKey[]>();
  for (const jwk of keys) {
    if (!isPlainObject(jwk) || typeof jwk.kid !== "string") continue;
    if (!TYPES.has(jwk.kty)) continue;
    const key = { jwk: publicMembers(jwk), algorithms: algorithmsOf(jwk), imported: new Map() };
    const known = set.get(jwk.kid);
    if (known) known.push(key);
    else set.set(jwk.kid, [key]);
  }
  return set;
}

/** Certificate chains and members of private keys are not kept. */
function publicMembers({ kty, n, e, crv, x, y }: Readonly<Record<string, unknown>>): JWK {
  return { kty, n, e, crv, x, y } as JWK;
}

/** The type of the key decides; `alg`, `use` and `key_ops` may only narrow it down. */
function algorithmsOf(
  { kty, crv, alg, use, key_ops }: Readonly<Record<string, unknown>>,
): readonly TokenAlgorithm[] {
  if (use !== undefined && use !== "sig") return [];
  if (key_ops !== undefined && !(Array.isArray(key_ops) && key_ops.includes("verify"))) return [];
  const name = kty === "RSA" ? "RSA" : String(crv);
  const possible = Object.hasOwn(ALGORITHMS, name) ? ALGORITHMS[name]! : [];
  return alg === undefined ? possible : possible.filter((one) => one === alg);
}

/**
 * The key that a token names.
 *
 * @param set the keys
 * @param header header of the token
 * @returns undefined for an unknown id
 * @throws TokenRefused when the id is ambiguous, or the key is not made for the algorithm of the token
 */
function selectKey(set: KeySet, { kid, alg }: TokenHeader): Promise<CryptoKey> | undefined {
  const found = set.get(kid);
  if (!found) return undefined;
  if (found.length > 1) throw new TokenRefused("several keys have the id that the token names");
  const key = found[0]!;
  if (!key.algorithms.includes(alg)) {
    throw new TokenRefused("the key is not made for the algorithm of the token");
  }
  const known = key.imported.get(alg);
  if (known) return known;
  const imported = importJWK(key.jwk, alg).then((one) => {
    // `importJWK` gives bytes for symmetric keys only
    return one as CryptoKey;
  }, (cause) => {
    throw new TokenRefused("the key cannot be used", { cause });
  });
  key.imported.set(alg, imported);
  return imported;
}
