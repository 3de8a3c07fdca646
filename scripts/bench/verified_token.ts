/**
 * What a token adds to a request once it is known: microseconds of the strategy for a token in a header of its own.
 *
 * @module
 */

import { createStrategy } from "../../src/auth/create_strategy.ts";
import type { ForwardedClient } from "../../src/auth/strategy.ts";
import { contextFromRequest } from "../../src/context/context_from_request.ts";
import { createCertificate, createIdentity, type Identity } from "../../src/test/mod.ts";

/** Cost of a token. */
export interface TokenRow {
  /** What was measured. */
  readonly name: string;
  /** Unit of the cost. */
  readonly unit: "µs";
  /** Microseconds added to a request, the median of all rounds. */
  readonly added: number;
}

const ROUNDS = 15;
const PER_ROUND = 4000;
const SCOPES = 10;

/** Names of the rows. */
export const TOKEN_NAMES: readonly string[] = ["verified token", "bound token"];

/**
 * Measures tokens of both identity services; those of the OIDC service are bound to a certificate.
 *
 * @param isWanted whether a row is wanted
 */
export async function* tokenRows(isWanted: (name: string) => boolean): AsyncGenerator<TokenRow> {
  const certificate = await createCertificate();
  const roles = Array.from({ length: SCOPES }, (_, index) => `role-${index}`);
  const oauth2 = createIdentity({ kind: "oauth2" });
  const oidc = createIdentity({ kind: "oidc", certificate });
  if (isWanted("verified token")) {
    yield await measure("verified token", oauth2, { token: await oauth2.token({ user: "alice", roles }) });
  }
  if (isWanted("bound token")) {
    const token = await oidc.token({ user: "alice", certificate });
    yield await measure("bound token", oidc, { token, certificate: certificate.header });
  }
}

interface Sent {
  readonly token: string;
  readonly certificate?: string;
}

/** Requests with a token are made and authenticated, and made only, turn by turn; the difference counts. */
async function measure(name: string, identity: Identity, { token, certificate }: Sent): Promise<TokenRow> {
  const strategy = await createStrategy({
    env: { requires: { auth: { kind: identity.kind, credentials: identity.credentials } } },
    production: true,
    warn: (text) => console.error(text),
    fetch: (request) => identity.fetch(request),
  });
  const context = contextFromRequest(new Request("http://localhost/"), {});
  const authorization = new TextEncoder().encode(`Bearer ${token}`);
  const decoder = new TextDecoder();
  // like a server, with a text that is made for each request
  const request = () =>
    ({ headers: new Headers({ authorization: decoder.decode(authorization) }) }) as Request;
  const client: ForwardedClient = { host: "localhost", certificate };
  const first = await strategy.authenticate(request(), context, client);
  if (!("user" in first)) throw new Error(`"${name}": the token was not accepted`);
  const added: number[] = [];
  for (let round = -3; round < ROUNDS; round++) {
    const only = await time(() => Promise.resolve(request().headers.get("authorization")));
    const both = await time(() => strategy.authenticate(request(), context, client));
    if (round >= 0) added.push(both - only);
  }
  return { name, unit: "µs", added: Math.round(added.sort((a, b) => a - b)[ROUNDS >> 1]! * 10) / 10 };
}

async function time(run: () => unknown): Promise<number> {
  const start = performance.now();
  for (let i = 0; i < PER_ROUND; i++) await run();
  return (performance.now() - start) * 1000 / PER_ROUND;
}
