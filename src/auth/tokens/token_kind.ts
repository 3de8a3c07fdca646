/**
 * The extension point of identity services.
 *
 * @module
 */

import type { User, UserProperties } from "../../context/user.ts";
import type { ClientCertificate } from "../certificate/client_certificate.ts";
import type { TokenAlgorithm } from "../../config/openid_schema.ts";
import type { IdentityKind } from "../strategy.ts";
import type { ParsedToken } from "./token.ts";
import type { ClientKeyPair } from "../token_client/token_credentials.ts";

/** What of a request a kind may look at. */
export interface TokenRequest {
  /** The certificate of the client, if it has shown one in a way that is trusted. */
  readonly certificate?: ClientCertificate;
  /** Host at which the client reached the application. */
  readonly host?: string;
}

/** Who is calling. */
export interface TokenUser {
  /** The user, with roles, attributes and feature toggles. */
  readonly user: User;
  /** Tenant of the request; undefined outside multitenant operation. */
  readonly tenant?: string;
}

/** What kinds take from the configuration of the application. */
export interface KindSettings {
  /** Whether tenants count. */
  readonly multitenancy: boolean;
  /** Feature toggles of a tenant. */
  readonly features: (tenant: string | undefined) => UserProperties["features"];
}

/**
 * One identity service: its own checks, and the user a verified token gives. What all services have in common (shape,
 * time, signature) is checked around it, in the order of auth 5.
 */
export interface TokenKind {
  /** Name of the kind. */
  readonly kind: IdentityKind;
  /** The one value of `iss` whose tokens are its own; undefined where that is for other checks to say. */
  readonly issuer?: string;
  /** Algorithms of signatures that it accepts. */
  readonly algorithms: ReadonlySet<TokenAlgorithm>;
  /**
   * Before the signature: issuer, shape of the tenant; where the keys are.
   *
   * @param token shape and time are checked, nothing is verified
   * @param request certificate
   * @throws TokenRefused for a foreign issuer, ServiceError 503 when a document of the service cannot be read
   */
  keySource(token: ParsedToken, request: TokenRequest): KeySource | Promise<KeySource>;
  /**
   * After the signature, at every request, whether the token is known already or not: audience, binding to the
   * certificate.
   *
   * @param token a verified token
   * @param request certificate
   * @throws TokenRefused when the token is not for this application or not for this client
   */
  check(token: ParsedToken, request: TokenRequest): void;
  /**
   * The user of a verified and checked token; a new one at every call, since handlers may change it.
   *
   * @param token the token
   */
  user(token: ParsedToken): TokenUser;
}

/** A document of an identity service: configuration, or a set of keys. */
export interface DocumentSource {
  /** Where it is. */
  readonly url: string;
  /** Headers of the request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Certificate and key that the request shows. */
  readonly keyPair?: ClientKeyPair;
  /** Identifies the document: URL and everything else its content depends on. */
  readonly cacheKey: string;
}

/** A set of keys (RFC 7517). */
export interface KeySource extends DocumentSource {
  /** Public key as PEM, used for RS256 while the set cannot be fetched and none is left that may be used. */
  readonly fallback?: string;
}
