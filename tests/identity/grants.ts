/**
 * The grant types that `oidc-provider` leaves to its users: `password` (RFC 6749 4.3) and JWT bearer (RFC 7523 2.1).
 *
 * @module
 */

import { X509Certificate } from "node:crypto";
import type { Context, Provider } from "./load_provider.ts";
import type { NamedUser } from "./providers.ts";

/** The password of every user. */
export const PASSWORD = "secret";
/** Name of the JWT bearer grant. */
export const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** Who gets tokens, and what for. */
export interface Grants {
  readonly users: Readonly<Record<string, NamedUser>>;
  readonly resource: () => object;
  /** The user of a token that was issued for the application; rejects for any other token. */
  readonly subjectOf: (assertion: string) => Promise<string>;
}

/**
 * Lets named users log in by name and password, and the application exchange their tokens.
 *
 * @param provider gets the grant types
 * @param grants who gets tokens, and what for
 */
export function registerGrants(provider: Provider, { users, resource, subjectOf }: Grants): void {
  const isUser = (name: string | undefined): name is string =>
    name !== undefined && Object.hasOwn(users, name);
  provider.registerGrantType("password", async (context) => {
    const { username, password } = context.oidc.params;
    const user = isUser(username) && password === PASSWORD ? username : undefined;
    await issue(provider, context, { user, resource });
  }, ["username", "password"]);
  provider.registerGrantType(JWT_BEARER, async (context) => {
    const subject = await subjectOf(context.oidc.params.assertion ?? "").catch(() => undefined);
    await issue(provider, context, { user: isUser(subject) ? subject : undefined, resource });
  }, ["assertion"]);
}

async function issue(
  provider: Provider,
  context: Context,
  { user, resource }: { readonly user: string | undefined; readonly resource: () => object },
): Promise<void> {
  if (user === undefined) {
    context.status = 400;
    context.body = { error: "invalid_grant" };
    return;
  }
  const { client } = context.oidc;
  const token = new provider.AccessToken({
    client,
    accountId: user,
    resourceServer: resource(),
    gty: "password",
  });
  const { raw } = context.socket.getPeerCertificate();
  if (raw && client.tlsClientCertificateBoundAccessTokens) {
    token.setThumbprint("x5t", new X509Certificate(raw).toString());
  }
  context.body = { access_token: await token.save(), expires_in: token.expiration, token_type: "Bearer" };
}
