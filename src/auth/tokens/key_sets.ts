/**
 * The keys of identity services.
 *
 * @module
 */

import { importSPKI } from "jose";
import { type Document, Documents, type SourceAccess } from "./documents.ts";
import { type KeySet, readKeySet, selectKey } from "./key_set.ts";
import type { KeySource } from "./token_kind.ts";
import { type TokenHeader, TokenRefused } from "./token.ts";

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
