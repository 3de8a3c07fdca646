/**
 * The grant type `password` (RFC 6749 4.3), which `oidc-provider` leaves to its users.
 *
 * @module
 */

import { X509Certificate } from "node:crypto";
import type { Provider } from "./load_provider.ts";
import type { NamedUser } from "./providers.ts";

/** The password of every user. */
export const PASSWORD = "secret";

/** Who can log in, and what for. */
export interface PasswordGrant {
  readonly users: Readonly<Record<string, NamedUser>>;
  readonly resource: () => object;
}

/**
 * Lets named users log in by name and password.
 *
 * @param provider gets the grant type
 * @param grant who can log in, and what for
 */
export function registerPasswordGrant(provider: Provider, { users, resource }: PasswordGrant): void {
  provider.registerGrantType("password", async (context) => {
    const { username, password } = context.oidc.params as { username?: string; password?: string };
    if (username === undefined || !Object.hasOwn(users, username) || password !== PASSWORD) {
      context.status = 400;
      context.body = { error: "invalid_grant" };
      return;
    }
    const token = new provider.AccessToken({
      client: context.oidc.client,
      accountId: username,
      resourceServer: resource(),
      gty: "password",
    });
    const { raw } = context.socket.getPeerCertificate();
    if (raw && context.oidc.client.tlsClientCertificateBoundAccessTokens) {
      token.setThumbprint("x5t", new X509Certificate(raw).toString());
    }
    context.body = { access_token: await token.save(), expires_in: token.expiration, token_type: "Bearer" };
  }, ["username", "password"]);
}
