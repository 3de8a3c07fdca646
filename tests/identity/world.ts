/**
 * All that takes part in an end-to-end test: identity services, an application behind its proxy, clients.
 *
 * @module
 */

import { createRuntime, type Implementations } from "../../mod.ts";
import type { SendRequest } from "../../src/auth/token_client/client_key_pair.ts";
import { TokenClient } from "../../src/auth/token_client/token_client.ts";
import type { TokenCredentials } from "../../src/auth/token_client/token_credentials.ts";
import type { TokenResponse } from "../../src/auth/token_client/token_response.ts";
import { compileCdl } from "../../src/model/cdl/compile_cdl.ts";
import { type Certificate, createCertificate } from "../../src/test/mod.ts";
import { CERTIFICATE_ROUTE, ROUTE, serveBehindProxy } from "./app_server.ts";
import { APP_NAME, IdentityServer, OAUTH2_CLIENT, OAUTH2_HOST, OIDC_CLIENT } from "./identity_server.ts";
import { type Network, startNetwork } from "./network.ts";
import { CLIENT_SECRET } from "./providers.ts";
import { PASSWORD } from "./password_grant.ts";

/** Services of the application and who may call them. */
const SERVICES = {
  Members: "authenticated-user",
  Persons: "identified-user",
  Systems: "system-user",
  Internals: "internal-user",
  Admins: "admin",
  Public: "any",
};

const TEXT = Object.entries(SERVICES)
  .map(([name, role]) =>
    `@requires: '${role}' service ${name} { @requires: '${role}' function whoami() returns String; }`
  )
  .join("\n");

const MODEL = compileCdl(["m.cds"], {
  readFile: (path) => path === "m.cds" ? TEXT : undefined,
  isFile: (path) => path === "m.cds",
});

/** Who the application believes is calling. */
export interface Caller {
  readonly id: string;
  readonly tenant?: string;
  /** The certificate header as handlers see it. */
  readonly certificate?: string;
}

/** An answer of the application. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Set when a service answered. */
  readonly caller?: Caller;
}

/** A request to the application. */
export interface Call {
  readonly token?: string;
  /** Shown to the proxy, on the route that asks for it. */
  readonly certificate?: Certificate;
  readonly route?: typeof ROUTE | typeof CERTIFICATE_ROUTE;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Who a token is for; without a name a technical user. */
export interface TokenOf {
  readonly user?: string;
  /** The host that is asked. */
  readonly host?: string;
}

/** Everything that runs. */
export interface World {
  readonly identity: IdentityServer;
  readonly network: Network;
  readonly authority: Certificate;
  /** The certificate of the application. */
  readonly certificate: Certificate;
  /** Lines of the log so far. */
  readonly lines: readonly string[];
  /** Asks a service of the application who is calling. */
  call(service: keyof typeof SERVICES, call?: Call): Promise<Answer>;
  /** Sends requests to the servers by their names. */
  readonly send: SendRequest;
  /** Fetches a token from the OIDC service by our own client. */
  oidcToken(of?: TokenOf): Promise<TokenResponse>;
  /** Fetches a token from the OAuth 2.0 service by our own client. */
  oauth2Token(of?: TokenOf): Promise<TokenResponse>;
  /** Sets the clock of this process forward. */
  pass(ms: number): void;
}

/** What the application is bound to. */
export type Bound = "oidc" | "oauth2" | "both";

/**
 * Runs a test in a world of its own, and ends all that was started.
 *
 * @param bound the identity services in use
 * @param run the test
 * @param auth configuration below `requires.auth` that differs
 */
export async function withWorld(
  bound: Bound,
  run: (world: World) => Promise<void>,
  auth: object = {},
): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const clock = movableClock();
  stack.defer(clock.restore);
  const lines: string[] = [];
  stack.defer(captureConsole(lines));
  const authority = await createCertificate({ subject: "CN=Test authority", isCa: true });
  const certificate = await createCertificate({ subject: `CN=${OIDC_CLIENT}`, issuer: authority });
  const network = await startNetwork(authority);
  stack.defer(network.close);
  const identity = await IdentityServer.start(network, authority);
  stack.defer(() => identity.close());
  const send: SendRequest = (request, keys) =>
    fetch(request, { client: network.client(keys && { pem: keys.certificate, key: keys.key }) });
  const runtime = createRuntime({
    model: MODEL,
    profiles: ["production"],
    env: {
      log: { levels: { default: "debug" } },
      requires: {
        auth: { ...bindingOf(bound, certificate), ...auth },
        db: false,
        messaging: false,
        multitenancy: true,
      },
      server: { trusted_proxies: ["127.0.0.1"] },
    },
    handlers: Object.fromEntries(Object.keys(SERVICES).map((name) => [name, answerWhoami])),
    kinds: { fetch: send },
  });
  stack.defer(await serveBehindProxy(runtime, network, authority));
  const tokens = { send, certificate };
  await run({
    identity,
    network,
    authority,
    certificate,
    lines,
    send,
    pass: clock.pass,
    call: (service, call) => ask(network, service, call),
    oidcToken: (of) => oidcToken(tokens, of),
    oauth2Token: (of) => oauth2Token(tokens, of),
  });
}

interface Tokens {
  readonly send: SendRequest;
  readonly certificate: Certificate;
}

function oidcToken({ send, certificate }: Tokens, of: TokenOf = {}): Promise<TokenResponse> {
  const { host = "tenant.accounts.test" } = of;
  return fetchToken(send, of, {
    kind: "oidc",
    clientId: OIDC_CLIENT,
    keyPair: { certificate: certificate.pem, key: certificate.key },
    tokenUrl: `https://${host}/oauth2/token`,
  });
}

function oauth2Token({ send }: Tokens, of: TokenOf = {}): Promise<TokenResponse> {
  const { host = OAUTH2_HOST } = of;
  return fetchToken(send, of, {
    kind: "oauth2",
    clientId: OAUTH2_CLIENT,
    clientSecret: CLIENT_SECRET,
    tokenUrl: `https://${host}/oauth/token`,
  });
}

function fetchToken(
  send: SendRequest,
  { user }: TokenOf,
  credentials: TokenCredentials,
): Promise<TokenResponse> {
  const client = new TokenClient({ credentials, fetch: send });
  if (user === undefined) return client.fetch({ type: "client_credentials" });
  return client.fetch({ type: "password", username: user, password: PASSWORD });
}

function bindingOf(bound: Bound, { pem, key }: Certificate): object {
  const oidc = {
    clientid: OIDC_CLIENT,
    url: "https://tenant.accounts.test",
    domains: ["accounts.test"],
    app_tid: "t1",
    certificate: pem,
    key,
  };
  const oauth2 = {
    clientid: OAUTH2_CLIENT,
    clientsecret: CLIENT_SECRET,
    url: `https://${OAUTH2_HOST}`,
    uaadomain: "authentication.test",
    xsappname: APP_NAME,
  };
  if (bound === "oidc") return { kind: bound, credentials: oidc };
  if (bound === "oauth2") return { kind: bound, credentials: oauth2 };
  return { kind: ["oidc", "oauth2"], credentials: { oidc, oauth2 } };
}

const answerWhoami: Implementations[string] = (srv) =>
  void srv.on(
    "whoami",
    ({ user, tenant, headers }) =>
      JSON.stringify(
        { id: user.id, tenant, certificate: headers["x-forwarded-client-cert"] },
      ),
  );

async function ask(network: Network, service: keyof typeof SERVICES, call: Call = {}): Promise<Answer> {
  const { token, certificate, route = certificate ? CERTIFICATE_ROUTE : ROUTE } = call;
  const response = await fetch(`https://${route}/odata/v4/${service.toLowerCase()}/whoami()`, {
    headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...call.headers },
    client: network.client(certificate),
  });
  const { status, headers } = response;
  const text = await response.text();
  return { status, headers, text, ...(status === 200 ? { caller: JSON.parse(JSON.parse(text).value) } : {}) };
}

/** A clock that can be set forward: key sets, tokens and pauses all look at it. */
function movableClock(): { readonly pass: (ms: number) => void; readonly restore: () => void } {
  const { now } = Date;
  let ahead = 0;
  Date.now = () => now() + ahead;
  return { pass: (ms) => void (ahead += ms), restore: () => void (Date.now = now) };
}

function captureConsole(lines: string[]): () => void {
  const names = ["log", "debug", "info", "warn", "error"] as const;
  const original = names.map((name) => console[name]);
  for (const name of names) console[name] = (...values: unknown[]) => void lines.push(values.join(" "));
  return () => names.forEach((name, index) => console[name] = original[index]!);
}
