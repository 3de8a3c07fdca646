/**
 * Where issuers publish their keys (OpenID Connect Discovery 1.0, 4).
 *
 * @module
 */

import { isPlainObject } from "../../../util/is_plain_object.ts";
import { Documents, type SourceAccess } from "../documents.ts";
import type { DocumentSource } from "../key_source.ts";
import { TokenRefused } from "../token_refused.ts";

interface Configuration {
  readonly issuer: unknown;
  readonly keysUrl: string;
}

/** Fetches and keeps the configurations of issuers. */
export class Discovery {
  readonly #documents: Documents<Configuration>;

  /**
   * Creates an empty cache.
   *
   * @param access what configurations are read with
   */
  constructor(access: SourceAccess) {
    this.#documents = new Documents(access, readConfiguration);
  }

  /**
   * URL of the keys of an issuer. A configuration of another issuer is asked for again, but not within 30 seconds.
   *
   * @param issuer URL of a trusted issuer, without path
   * @throws TokenRefused when the configuration is that of another issuer (4.3), ServiceError 503 when it cannot be read
   */
  async keysUrl(issuer: string): Promise<string> {
    const source = sourceOf(issuer);
    const document = await this.#documents.get(source);
    if (document.value.issuer === issuer) return document.value.keysUrl;
    const newer = await this.#documents.newer(source, document);
    if (newer?.value.issuer === issuer) return newer.value.keysUrl;
    throw new TokenRefused("the configuration is that of another issuer");
  }

  /** Remembers that a token of an issuer was accepted: its configuration is dropped last. */
  trust(issuer: string): void {
    this.#documents.trust(sourceOf(issuer));
  }
}

function sourceOf(issuer: string): DocumentSource {
  const url = `${issuer}/.well-known/openid-configuration`;
  return { url, headers: {}, cacheKey: url };
}

function readConfiguration(json: unknown): Configuration {
  const { issuer, jwks_uri: keysUrl } = isPlainObject(json) ? json : {};
  const isSafe = typeof keysUrl === "string" && URL.canParse(keysUrl) &&
    new URL(keysUrl).protocol === "https:";
  if (!isSafe) throw new TypeError(`no https URL as "jwks_uri"`);
  return { issuer, keysUrl };
}
