/**
 * The identity services of a test with their network, and what an application and its clients need of them.
 *
 * @module
 */

import { readTokenCredentials, type SendRequest } from "../../src/auth/token_client/token_credentials.ts";
import { TokenClient } from "../../src/auth/token_client/token_client.ts";
import type { TokenResponse } from "../../src/auth/token_client/token_response.ts";
import { type Certificate, createCertificate } from "../../src/test/mod.ts";
import { APP_NAME, IdentityServer, OAUTH2_CLIENT, OAUTH2_HOST, OIDC_CLIENT } from "./identity_server.ts";
import { type Network, startNetwork } from "./network.ts";
import { CLIENT_SECRET } from "./providers.ts";
import { PASSWORD } from "./grants.ts";

/** Who a token is for; without a name a technical user. */
export interface TokenOf {
  readonly user?: string;
  /** The host that is asked. */
  readonly host?: string;
  /** Another client that asks, and its certificate, if it has one. */
  readonly client?: { readonly id: string; readonly certificate?: Certificate };
}

/** The services and the clients of them. */
export interface Identities {
  readonly identity: IdentityServer;
  readonly network: Network;
  readonly authority: Certificate;
  /** The certificate of the application. */
  readonly certificate: Certificate;
  /** Sends requests to the servers by their names. */
  readonly send: SendRequest;
  /** Fetches a token from the OIDC service by our own client. */
  oidcToken(of?: TokenOf): Promise<TokenResponse>;
  /** Fetches a token from the OAuth 2.0 service by our own client. */
  oauth2Token(of?: TokenOf): Promise<TokenResponse>;
}

/**
 * Starts the services.
 *
 * @param stack ends them
 */
export async function startIdentities(stack: AsyncDisposableStack): Promise<Identities> {
  const authority = await createCertificate({ subject: "CN=Test authority", isCa: true });
  const certificate = await createCertificate({ subject: `CN=${OIDC_CLIENT}`, issuer: authority });
  const network = startNetwork(authority);
  stack.defer(network.close);
  const identity = await IdentityServer.start(network, authority);
  stack.defer(() => identity.close());
  const send: SendRequest = (request, keys) =>
    fetch(request, { client: network.client(keys && { pem: keys.certificate, key: keys.key }) });
  const tokens = { send, certificate };
  return {
    identity,
    network,
    authority,
    certificate,
    send,
    oidcToken: (of) => oidcToken(tokens, of),
    oauth2Token: (of) => oauth2Token(tokens, of),
  };
}

/**
 * What bindings of both services hold.
 *
 * @param certificate the certificate of the application
 */
export function credentialsOf({ pem, key }: Certificate): { readonly oidc: object; readonly oauth2: object } {
  return {
    oidc: {
      clientid: OIDC_CLIENT,
      url: "https://tenant.accounts.test",
      domains: ["accounts.test"],
      app_tid: "t1",
      certificate: pem,
      key,
    },
    oauth2: {
      clientid: OAUTH2_CLIENT,
      clientsecret: CLIENT_SECRET,
      url: `https://${OAUTH2_HOST}`,
      uaadomain: "authentication.test",
      xsappname: APP_NAME,
    },
  };
}

interface Tokens {
  readonly send: SendRequest;
  readonly certificate: Certificate;
}

function oidcToken({ send, certificate }: Tokens, of: TokenOf = {}): Promise<TokenResponse> {
  const { host = "tenant.accounts.test", client = { id: OIDC_CLIENT } } = of;
  const { pem, key } = client.certificate ?? certificate;
  return fetchToken(send, of, { clientid: client.id, url: `https://${host}`, certificate: pem, key });
}

function oauth2Token({ send }: Tokens, of: TokenOf = {}): Promise<TokenResponse> {
  const { host = OAUTH2_HOST, client = { id: OAUTH2_CLIENT } } = of;
  return fetchToken(send, of, { clientid: client.id, url: `https://${host}`, clientsecret: CLIENT_SECRET });
}

function fetchToken(send: SendRequest, { user }: TokenOf, serviceKey: object): Promise<TokenResponse> {
  const client = new TokenClient({ credentials: readTokenCredentials(serviceKey), fetch: send });
  if (user === undefined) return client.fetch({ type: "client_credentials" });
  return client.fetch({ type: "password", username: user, password: PASSWORD });
}
