/**
 * Where issuers publish their keys (OpenID Connect Discovery 1.0, 4).
 *
 * @module
 */

import { isPlainObject } from "../../util/is_plain_object.ts";
import { isLocalUrl } from "../../util/is_service_url.ts";
import { type Document, Documents, type SourceAccess } from "./documents.ts";
import type { DocumentSource } from "./token_kind.ts";
import { TokenRefused } from "./token.ts";

/** Issuers whose configuration was told to be that of another one. */
const MAX_TOLD = 100;
const MAX_SHOWN = 200;

interface Configuration {
  readonly issuer: unknown;
  readonly keysUrl: string;
}

/** Fetches and keeps the configurations of issuers. */
export class Discovery {
  readonly #documents: Documents<Configuration>;
  readonly #warn: (text: string) => void;
  /** Versions of configurations of other issuers that were told, by issuer. */
  readonly #told: Map<string, number> = new Map();

  /**
   * Creates an empty cache.
   *
   * @param access what configurations are read with
   */
  constructor(access: SourceAccess) {
    this.#documents = new Documents(access, readConfiguration);
    this.#warn = access.warn;
  }

  /**
   * URL of the keys of an issuer. A configuration of another issuer is asked for again, but not within 30 seconds.
   *
   * @param issuer URL of a trusted issuer
   * @throws TokenRefused when the configuration is that of another issuer (4.3), ServiceError 503 when it cannot be read
   */
  async keysUrl(issuer: string): Promise<string> {
    const source = sourceOf(issuer);
    const document = await this.#documents.get(source);
    if (document.value.issuer === issuer) return document.value.keysUrl;
    const newer = await this.#documents.newer(source, document);
    if (newer?.value.issuer === issuer) return newer.value.keysUrl;
    this.#tell(issuer, newer ?? document);
    throw new TokenRefused("the configuration is that of another issuer");
  }

  /** Says once for each configuration that was read whose it is: most often a slash is missing, or there is one too many. */
  #tell(issuer: string, { value, version }: Document<Configuration>): void {
    if (this.#told.get(issuer) === version) return;
    if (this.#told.size >= MAX_TOLD) this.#told.clear();
    this.#told.set(issuer, version);
    const found = typeof value.issuer === "string" ? `"${value.issuer.slice(0, MAX_SHOWN)}"` : "none";
    this.#warn(`The configuration of issuer "${issuer}" names another issuer: ${found}`);
  }

  /** Remembers that a token of an issuer was accepted: its configuration is dropped last. */
  trust(issuer: string): void {
    this.#documents.trust(sourceOf(issuer));
  }
}

/** A slash at the end of the issuer is not doubled (4.1). */
function sourceOf(issuer: string): DocumentSource {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  return { url, headers: {}, cacheKey: url };
}

/** Keys come by https; by http only on this machine, and only for an issuer there. */
function readConfiguration(json: unknown, source: DocumentSource): Configuration {
  const { issuer, jwks_uri: keysUrl } = isPlainObject(json) ? json : {};
  const isSafe = (url: URL) =>
    url.protocol === "https:" || (isLocalUrl(url) && isLocalUrl(new URL(source.url)));
  if (typeof keysUrl !== "string" || !URL.canParse(keysUrl) || !isSafe(new URL(keysUrl))) {
    throw new TypeError(`no https URL as "jwks_uri"`);
  }
  return { issuer, keysUrl };
}
