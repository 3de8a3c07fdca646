/**
 * The two identity services: `oidc-provider` configured as auth 10 lays out.
 *
 * @module
 */

import { X509Certificate } from "node:crypto";
import type { TokenAlgorithm } from "../../src/test/mod.ts";
import {
  type Configuration,
  type Context,
  loadProvider,
  type Provider,
  type ResourceServer,
} from "./load_provider.ts";
import { type Grants, JWT_BEARER, registerGrants } from "./grants.ts";

/** A named user, who logs in with the password `secret`. */
export interface NamedUser {
  /** Scopes of the OAuth 2.0 service without prefix. */
  readonly roles?: readonly string[];
}

/** What a provider is made from. */
export interface ProviderOptions {
  /** Its own URL. */
  readonly issuer: string;
  /** The tenant its tokens are for. */
  readonly tenant: string;
  /** Private keys. */
  readonly jwks: readonly JsonWebKey[];
  /** How tokens are signed; asked for each. */
  readonly algorithm: () => TokenAlgorithm;
  /** Who can log in. */
  readonly users: Readonly<Record<string, NamedUser>>;
  /** Who tokens are for; asked for each. */
  readonly audience: () => string;
  /** Identifiers of applications. */
  readonly clientIds: readonly string[];
  /** The user of a token that is exchanged. */
  readonly subjectOf: Grants["subjectOf"];
}

/** The application, as `oidc-provider` calls what tokens are for. */
const RESOURCE = "urn:application";
/** Seconds a token lives. */
export const LIFETIME_S = 600;
/** The secret of the application at the OAuth 2.0 service. */
export const CLIENT_SECRET = "a-secret-of-the-application";

/**
 * The OIDC service: clients log in by certificate, and tokens are bound to it.
 *
 * @param options issuer, keys, users
 */
export async function createOidcProvider(options: ProviderOptions & OidcOptions): Promise<Provider> {
  const { clientIds, unboundClientId, tenant, apis } = options;
  return await createProvider(options, {
    clients: [
      ...clientIds.map((id) => ({
        ...client(id),
        token_endpoint_auth_method: "tls_client_auth",
        tls_client_auth_subject_dn: `CN=${id}`,
        tls_client_certificate_bound_access_tokens: true,
      })),
      {
        ...client(unboundClientId),
        client_secret: CLIENT_SECRET,
        token_endpoint_auth_method: "client_secret_post",
      },
    ],
    routes: { token: "/oauth2/token", jwks: "/oauth2/certs" },
    extraTokenClaims: (_, token) => ({
      azp: token.clientId,
      app_tid: tenant,
      ...(token.accountId !== undefined || apis().length === 0 ? {} : { ias_apis: [...apis()] }),
    }),
  });
}

/** What only the OIDC service has. */
export interface OidcOptions {
  /** A client that logs in by secret and whose tokens are bound to no certificate. */
  readonly unboundClientId: string;
  /** What technical users may call: their roles. */
  readonly apis: () => readonly string[];
}

/**
 * The OAuth 2.0 service: clients log in by secret, and tokens carry scopes.
 *
 * @param options issuer, keys, users
 */
export async function createOAuth2Provider(options: ProviderOptions): Promise<Provider> {
  const { clientIds, tenant, users, issuer } = options;
  return await createProvider(options, {
    clients: clientIds.map((id) => ({
      ...client(id),
      client_secret: CLIENT_SECRET,
      token_endpoint_auth_method: "client_secret_post",
    })),
    routes: { token: "/oauth/token", jwks: "/token_keys" },
    formats: {
      customizers: {
        jwt(_, token, jwt) {
          const { accountId: user, clientId } = token;
          const appName = clientId.replace(/^sb-/, "");
          const roles = user === undefined ? [] : users[user].roles ?? [];
          Object.assign(jwt.payload, {
            iss: `${issuer}/oauth/token`,
            aud: [clientId, appName],
            azp: clientId,
            cid: clientId,
            zid: tenant,
            ext_attr: { enhancer: "XSUAA", zdn: new URL(issuer).hostname.split(".")[0] },
            scope: [
              user === undefined ? "uaa.resource" : "openid",
              ...roles.map((role) => `${appName}.${role}`),
            ],
            grant_type: user === undefined ? "client_credentials" : "password",
            ...(user === undefined ? {} : { user_name: user }),
          });
        },
      },
    },
  });
}

/** What an OpenID provider writes into its tokens. */
export interface OpenidOptions {
  /** Members of the header that differ. */
  readonly header: object;
  /** Claims beside those that every token has; of technical users without a name. */
  readonly claimsOf: (clientId: string, user: string | undefined) => object;
}

/**
 * Any OpenID provider: clients log in by secret, and tokens are access tokens with claims of its own.
 *
 * @param options issuer, keys, users
 */
export async function createOpenidProvider(options: ProviderOptions & OpenidOptions): Promise<Provider> {
  return await createProvider(options, {
    clients: options.clientIds.map((id) => ({
      ...client(id),
      client_secret: CLIENT_SECRET,
      token_endpoint_auth_method: "client_secret_post",
    })),
    routes: { token: "/token", jwks: "/keys" },
    formats: {
      customizers: {
        jwt(_, { clientId, accountId }, jwt) {
          jwt.header = { ...jwt.header, ...options.header };
          Object.assign(jwt.payload, options.claimsOf(clientId, accountId));
        },
      },
    },
  });
}

function client(clientId: string): Readonly<Record<string, unknown>> {
  return {
    client_id: clientId,
    grant_types: ["client_credentials", "password", JWT_BEARER],
    redirect_uris: [],
    response_types: [],
  };
}

async function createProvider(
  { issuer, jwks, algorithm, users, audience, subjectOf }: ProviderOptions,
  configuration: Configuration,
): Promise<Provider> {
  const Provider = await loadProvider();
  const resource = (): ResourceServer => ({
    audience: audience(),
    scope: "",
    accessTokenFormat: "jwt",
    jwt: { sign: { alg: algorithm() } },
  });
  const provider = new Provider(issuer, {
    ...configuration,
    adapter: NoStorage,
    clientAuthMethods: ["tls_client_auth", "client_secret_post"],
    jwks: { keys: jwks },
    cookies: { keys: ["not used: nobody logs in by a page"] },
    ttl: { AccessToken: LIFETIME_S, ClientCredentials: LIFETIME_S },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      mTLS: {
        enabled: true,
        tlsClientAuth: true,
        certificateBoundAccessTokens: true,
        getCertificate: certificateOf,
        certificateAuthorized: (context) => context.socket.authorized,
        certificateSubjectMatches: (context, _, expected) => certificateOf(context)?.subject === expected,
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => RESOURCE,
        getResourceServerInfo: resource,
      },
    },
  });
  registerGrants(provider, {
    users,
    subjectOf,
    resource: () => new provider.ResourceServer(RESOURCE, resource()),
  });
  return provider;
}

/** Tokens are signed, not stored: what a provider wants to keep is forgotten. */
class NoStorage {
  upsert(): Promise<void> {
    return Promise.resolve();
  }
  find(): Promise<undefined> {
    return Promise.resolve(undefined);
  }
}

function certificateOf(context: Context): X509Certificate | undefined {
  const { raw } = context.socket.getPeerCertificate();
  return raw ? new X509Certificate(raw) : undefined;
}
