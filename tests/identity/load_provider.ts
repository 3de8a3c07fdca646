/**
 * Loading `oidc-provider`, with types for what is used of it: its own ones bring those of Node along, which would
 * change the global types of all files.
 *
 * @module
 */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { TLSSocket } from "node:tls";
import type { X509Certificate } from "node:crypto";

/** A provider of OpenID Connect. */
export interface Provider {
  readonly AccessToken: new (members: object) => AccessToken;
  readonly ResourceServer: new (identifier: string, members: ResourceServer) => object;
  callback(): (request: IncomingMessage, response: ServerResponse) => unknown;
  registerGrantType(name: string, handler: (context: Context) => Promise<void>, parameters: string[]): void;
}

/** A request, as koa has it. */
export interface Context {
  readonly socket: TLSSocket;
  readonly oidc: {
    readonly client: { readonly tlsClientCertificateBoundAccessTokens?: boolean };
    readonly params: Readonly<Record<string, string | undefined>>;
  };
  status: number;
  body: unknown;
}

/** A token of a named user. */
export interface AccessToken {
  readonly expiration: number;
  setThumbprint(kind: "x5t", certificate: string): void;
  save(): Promise<string>;
}

/** What a token says of itself while it is made. */
export interface TokenModel {
  readonly clientId: string;
  /** Set for named users. */
  readonly accountId?: string;
}

/** Who tokens are for. */
export interface ResourceServer {
  readonly audience: string;
  readonly scope: string;
  readonly accessTokenFormat: "jwt";
  readonly jwt: { readonly sign: { readonly alg: string } };
}

/** The part of its configuration that differs from service to service. */
export interface Configuration {
  readonly clients: readonly Readonly<Record<string, unknown>>[];
  readonly routes: { readonly token: string; readonly jwks: string };
  readonly extraTokenClaims?: (context: Context, token: TokenModel) => object;
  readonly formats?: {
    readonly customizers: {
      jwt(
        context: Context,
        token: TokenModel,
        jwt: { header?: object; readonly payload: object },
      ): void;
    };
  };
}

/** The rest of it. */
export interface CommonConfiguration {
  readonly adapter: new () => object;
  readonly clientAuthMethods: readonly string[];
  readonly jwks: { readonly keys: readonly JsonWebKey[] };
  readonly cookies: { readonly keys: readonly string[] };
  readonly ttl: Readonly<Record<string, number>>;
  readonly features: {
    readonly devInteractions: { readonly enabled: boolean };
    readonly clientCredentials: { readonly enabled: boolean };
    readonly mTLS: {
      readonly enabled: boolean;
      readonly tlsClientAuth: boolean;
      readonly certificateBoundAccessTokens: boolean;
      getCertificate(context: Context): X509Certificate | undefined;
      certificateAuthorized(context: Context): boolean;
      certificateSubjectMatches(context: Context, member: string, expected: string): boolean;
    };
    readonly resourceIndicators: {
      readonly enabled: boolean;
      defaultResource(): string;
      getResourceServerInfo(): ResourceServer;
    };
  };
}

/** The class of providers. */
export type ProviderClass = new (
  issuer: string,
  configuration: Configuration & CommonConfiguration,
) => Provider;

let loaded: Promise<ProviderClass> | undefined;

/** Imports the package once. */
export function loadProvider(): Promise<ProviderClass> {
  return loaded ??= importProvider();
}

/** The package says on the console that it is made for Node, which is no news here: this line is dropped. */
async function importProvider(): Promise<ProviderClass> {
  const { warn } = console;
  console.warn = (...args: unknown[]) => {
    if (!String(args[0]).includes("oidc-provider WARNING: Unsupported runtime")) warn(...args);
  };
  try {
    return (await import("oidc-provider")).default as ProviderClass;
  } finally {
    console.warn = warn;
  }
}
