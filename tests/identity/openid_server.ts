/**
 * OpenID providers behind one port: `oidc-provider` with issuers and claims as well-known products have them.
 *
 * @module
 */

import type { IncomingMessage, ServerResponse } from "node:http";
import https from "node:https";
import { createRuntime, type Implementations } from "../../mod.ts";
import type { Runtime } from "../../src/fw/runtime.ts";
import { compileCdl } from "../../src/model/cdl/compile_cdl.ts";
import { type Certificate, createCertificate, createSigningKeys } from "../../src/test/mod.ts";
import { PASSWORD } from "./grants.ts";
import { listen, type Network, startNetwork, stop } from "./network.ts";
import { CLIENT_SECRET, createOpenidProvider } from "./providers.ts";

/** A product: how its issuer looks, and what it writes into tokens. */
export interface Product {
  readonly name: string;
  readonly issuer: string;
  readonly audience: string;
  /** `fw.requires.auth.claims` for it. */
  readonly claims: object;
  readonly header: object;
  /** The claims of a token; roles of technical users too. */
  readonly claimsOf: (clientId: string, user: string | undefined, roles: readonly string[]) => object;
}

/** Who can log in, and their roles. */
export const USERS: Readonly<Record<string, { readonly roles?: readonly string[] }>> = {
  alice: { roles: ["admin"] },
  bob: {},
};
const CLIENT = "job";

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

/** The running providers. */
export class OpenidServer {
  /** Whether connections are cut from now on. */
  isAway = false;
  /** Who tokens are for; default: who the product says. */
  audience: string | undefined;
  /** Addresses of the requests so far. */
  readonly seen: string[] = [];
  readonly #products: readonly Product[];
  readonly #handlers: Map<string, Promise<Handler>> = new Map();
  #server: https.Server | undefined;

  /** @param products what runs */
  constructor(products: readonly Product[]) {
    this.#products = products;
  }

  /**
   * Starts the providers.
   *
   * @param network gets their names
   * @param authority signs their certificate
   */
  async start(network: Network, authority: Certificate): Promise<void> {
    const names = [...new Set(this.#products.map(({ issuer }) => new URL(issuer).hostname))];
    const { key, pem: cert } = await createCertificate({ subject: "CN=openid", issuer: authority, names });
    this.#server = https.createServer({ key, cert }, (request, response) => {
      void this.#answer(request, response);
    });
    // now, since applications wait for keys but two seconds
    for (const product of this.#products) await this.#handlerOf(product);
    const port = await listen(this.#server);
    for (const name of names) network.name(name, port);
  }

  /** Ends the providers. */
  async close(): Promise<void> {
    await stop(this.#server!);
  }

  /** Takes new keys for a product, and forgets the former ones. */
  async rotateKeys(product: Product): Promise<void> {
    this.#handlers.delete(product.issuer);
    await this.#handlerOf(product);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = `https://${request.headers.host}${request.url}`;
    this.seen.push(url);
    const product = this.#products.find(({ issuer }) => url.startsWith(`${withoutSlash(issuer)}/`));
    if (this.isAway) return void response.socket?.destroy();
    if (!product) return void response.writeHead(404).end();
    const handle = await this.#handlerOf(product);
    // how a provider is told that it stands below a path
    const path = new URL(withoutSlash(product.issuer)).pathname.replace(/^\/$/, "");
    Object.assign(request, { originalUrl: request.url, url: request.url!.slice(path.length) });
    handle(request, response);
  }

  #handlerOf(product: Product): Promise<Handler> {
    const known = this.#handlers.get(product.issuer);
    if (known) return known;
    const handler = this.#createHandler(product);
    this.#handlers.set(product.issuer, handler);
    return handler;
  }

  async #createHandler({ issuer, audience, header, claimsOf }: Product): Promise<Handler> {
    const { privateKey } = await createSigningKeys("RS256");
    const { key_ops: _, ext: __, ...jwk } = await crypto.subtle.exportKey("jwk", privateKey);
    const key = { ...jwk, kid: crypto.randomUUID(), alg: "RS256", use: "sig" } as JsonWebKey;
    const provider = await createOpenidProvider({
      ...{ issuer, header, jwks: [key], users: USERS, clientIds: [CLIENT], tenant: "" },
      algorithm: () => "RS256",
      audience: () => this.audience ?? audience,
      subjectOf: () => Promise.reject(new Error("no tokens are exchanged")),
      claimsOf: (clientId, user) =>
        claimsOf(clientId, user, user === undefined ? [] : USERS[user]!.roles ?? []),
    });
    return provider.callback();
  }
}

function withoutSlash(issuer: string): string {
  return issuer.replace(/\/$/, "");
}

const CDL = ["Members:authenticated-user", "Admins:admin", "Systems:system-user"].map((one) => {
  const [name, role] = one.split(":");
  return `@requires: '${role}' service ${name} { function whoami() returns String; }`;
}).join("\n");
const MODEL = compileCdl(["m.cds"], {
  readFile: (path) => path === "m.cds" ? CDL : undefined,
  isFile: (path) => path === "m.cds",
});

const whoami: Implementations[string] = (srv) =>
  void srv.on("whoami", ({ user, tenant }) => `${user.id} ${tenant}`);

/** What a test works with. */
export interface OpenidWorld {
  readonly server: OpenidServer;
  /** Fetches a token from a product, of a technical user without name. */
  token(product: Product, user?: string): Promise<string>;
  /** Starts an application in production; it ends with the test. */
  app(auth: object): Runtime;
}

/**
 * Runs a test with providers, and ends all that was started.
 *
 * @param products what runs
 * @param run the test
 */
export async function withOpenid(
  products: readonly Product[],
  run: (world: OpenidWorld) => Promise<void>,
): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const authority = await createCertificate({ subject: "CN=Test authority", isCa: true });
  const network = startNetwork(authority);
  stack.defer(network.close);
  const server = new OpenidServer(products);
  await server.start(network, authority);
  stack.defer(() => server.close());
  const send = (request: Request) => fetch(request, { client: network.client() });
  const app = (auth: object) => {
    const runtime = createRuntime({
      model: MODEL,
      profiles: ["production"],
      env: {
        log: { levels: { default: "silent" } },
        requires: { auth, db: false, messaging: false, multitenancy: true },
        // providers of tests run on machines that have much else to do
        limits: { keySetMs: 30_000 },
      },
      handlers: { Members: whoami, Admins: whoami, Systems: whoami },
      kinds: { fetch: send },
    });
    stack.defer(() => runtime.close());
    return runtime;
  };
  await run({ server, app, token: (product, user) => fetchToken(send, product, user) });
}

async function fetchToken(
  send: (request: Request) => Promise<Response>,
  { issuer }: Product,
  user: string | undefined,
): Promise<string> {
  const found = await send(new Request(`${withoutSlash(issuer)}/.well-known/openid-configuration`));
  const { token_endpoint: endpoint } = await found.json();
  const body = new URLSearchParams({
    client_id: CLIENT,
    client_secret: CLIENT_SECRET,
    ...user === undefined
      ? { grant_type: "client_credentials" }
      : { grant_type: "password", username: user, password: PASSWORD },
  });
  const response = await send(new Request(endpoint, { method: "POST", body }));
  const answer = await response.json();
  if (response.status !== 200) throw new Error(`${endpoint}: ${JSON.stringify(answer)}`);
  return answer.access_token;
}

/**
 * Calls a service of an application.
 *
 * @param app the application
 * @param token who calls
 * @param service which one
 */
export async function call(
  app: Runtime,
  token: string,
  service = "members",
): Promise<{ readonly status: number; readonly headers: Headers; readonly value?: string }> {
  const headers = { authorization: `Bearer ${token}` };
  const request = new Request(`http://localhost/odata/v4/${service}/whoami()`, { headers });
  const response = await app.fetch(request);
  const { value } = await response.json();
  return { status: response.status, headers: response.headers, value };
}
