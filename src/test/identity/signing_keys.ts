/**
 * The keys an identity service of a test signs with, and what it signs.
 *
 * @module
 */

import { encodeBase64urlNoPadding } from "@oslojs/encoding";
import { toPem } from "./certificate.ts";

/** How a token is signed. */
export type TokenAlgorithm = "RS256" | "ES256";

/** A key with its name. */
export interface SigningKey {
  readonly kid: string;
  readonly algorithm: TokenAlgorithm;
  readonly keys: CryptoKeyPair;
}

const PARAMETERS: Readonly<Record<TokenAlgorithm, RsaHashedKeyGenParams | EcKeyGenParams>> = {
  RS256: {
    name: "RSASSA-PKCS1-v1_5",
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
    hash: "SHA-256",
  },
  ES256: { name: "ECDSA", namedCurve: "P-256" },
};

/**
 * Makes keys for an algorithm.
 *
 * @param algorithm what they are for
 */
export async function createSigningKeys(algorithm: TokenAlgorithm): Promise<CryptoKeyPair> {
  return await crypto.subtle.generateKey(PARAMETERS[algorithm], true, ["sign", "verify"]);
}

/** The keys of one identity service: one per algorithm, made when first needed. */
export class SigningKeys {
  readonly #current: Map<TokenAlgorithm, Promise<SigningKey>> = new Map();
  #former: readonly Promise<SigningKey>[] = [];
  #generation = 0;

  /** @param first keys for `RS256` to begin with */
  constructor(first?: CryptoKeyPair) {
    if (first) this.#take("RS256", Promise.resolve(first));
  }

  /**
   * The key in use for an algorithm.
   *
   * @param algorithm how the token is signed
   */
  current(algorithm: TokenAlgorithm): Promise<SigningKey> {
    return this.#current.get(algorithm) ?? this.#take(algorithm, createSigningKeys(algorithm));
  }

  #take(algorithm: TokenAlgorithm, pair: Promise<CryptoKeyPair>): Promise<SigningKey> {
    const kid = `${algorithm.toLowerCase()}-${this.#generation}`;
    const key = pair.then((keys) => ({ kid, algorithm, keys }));
    this.#current.set(algorithm, key);
    return key;
  }

  /**
   * Takes new keys from now on.
   *
   * @param keepsFormer whether the key set still holds the former ones
   */
  rotate(keepsFormer: boolean): void {
    this.#former = keepsFormer ? [...this.#former, ...this.#current.values()] : [];
    this.#current.clear();
    this.#generation += 1;
  }

  /** The key set (RFC 7517): public keys of those in use, and of the former ones that are kept. */
  async keySet(): Promise<{ readonly keys: readonly JsonWebKey[] }> {
    const used = this.#current.size > 0 ? [...this.#current.values()] : [this.current("RS256")];
    const keys = await Promise.all([...this.#former, ...used]);
    return { keys: await Promise.all(keys.map(toJwk)) };
  }

  /**
   * The public key in use as PEM.
   *
   * @param algorithm which one
   */
  async pem(algorithm: TokenAlgorithm): Promise<string> {
    const { keys } = await this.current(algorithm);
    return toPem("PUBLIC KEY", new Uint8Array(await crypto.subtle.exportKey("spki", keys.publicKey)));
  }
}

async function toJwk({ kid, algorithm, keys }: SigningKey): Promise<JsonWebKey> {
  const { key_ops: _, ext: __, ...jwk } = await crypto.subtle.exportKey("jwk", keys.publicKey);
  return { ...jwk, kid, alg: algorithm, use: "sig" } as JsonWebKey;
}

/** The parts of a token to be signed. */
export interface TokenParts {
  /** Its header; a text is taken as it is. */
  readonly header: object | string;
  /** Its claims; a text is taken as it is, so that it may hold what no object can. */
  readonly payload: object | string;
  /** The private key. */
  readonly key: CryptoKey;
}

/**
 * Writes and signs a token in compact form (RFC 7515 7.1); nothing in it is checked.
 *
 * @param parts header, claims, key
 */
export async function signToken({ header, payload, key }: TokenParts): Promise<string> {
  const signed = [header, payload].map((part) =>
    encodeBase64urlNoPadding(new TextEncoder().encode(typeof part === "string" ? part : JSON.stringify(part)))
  ).join(".");
  const algorithm = { name: key.algorithm.name, hash: "SHA-256" };
  const signature = await crypto.subtle.sign(algorithm, key, new TextEncoder().encode(signed));
  return `${signed}.${encodeBase64urlNoPadding(new Uint8Array(signature))}`;
}
