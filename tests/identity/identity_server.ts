/**
 * The identity services behind one port: real providers, and in front of them what breaks in operation.
 *
 * @module
 */

import type { IncomingMessage, ServerResponse } from "node:http";
import https from "node:https";
import type { TLSSocket } from "node:tls";
import {
  type Certificate,
  createCertificate,
  createSigningKeys,
  type TokenAlgorithm,
} from "../../src/test/mod.ts";
import { createLocalJWKSet, decodeJwt, type JWK, jwtVerify } from "jose";
import { listen, type Network, stop } from "./network.ts";
import { createOAuth2Provider, createOidcProvider, type NamedUser } from "./providers.ts";

/** What goes wrong: connections are cut, answers are errors, late, never come, or never end. */
export type Fault = "none" | "slow" | "cut" | "error" | "hang" | "huge";

/** A request as it came in. */
export interface Seen {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  /** Whether the connection has shown a certificate that is trusted. */
  readonly hasCertificate: boolean;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** Identifier of the application at the OIDC service. */
export const OIDC_CLIENT = "app-client";
/** Another client there, who logs in by certificate as well. */
export const OTHER_CLIENT = "other-client";
/** A third one, whose tokens are bound to no certificate. */
export const UNBOUND_CLIENT = "unbound-client";
/** Prefix of scopes and identifier of the application at the OAuth 2.0 service. */
export const APP_NAME = "app!t1";
export const OAUTH2_CLIENT = `sb-${APP_NAME}`;
/** Identifier of another application there. */
export const OTHER_OAUTH2_CLIENT = "sb-other!t1";
/** Hosts of the OIDC service and their tenants. */
export const OIDC_TENANTS: Readonly<Record<string, string>> = {
  "tenant.accounts.test": "t1",
  "other.accounts.test": "t2",
};
export const OAUTH2_HOST = "tenant.authentication.test";

const USERS: Readonly<Record<string, NamedUser>> = { alice: { roles: ["admin"] }, bob: {} };
const SLOW_MS = 300;
const KEY_PATHS: ReadonlySet<string> = new Set(["/oauth2/certs", "/token_keys"]);

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

/** The running services. */
export class IdentityServer {
  /** How tokens are signed from now on. */
  algorithm: TokenAlgorithm = "RS256";
  /** What technical users of the OIDC service may call. */
  apis: readonly string[] = [];
  /** Who tokens of the OIDC service are for. */
  audience = OIDC_CLIENT;
  /** What goes wrong from now on. */
  fault: Fault = "none";
  /** The hosts where it does. */
  faultyHosts: RegExp = /./;
  /** Whether the key set of the OIDC service is given only to who proves where the token came from. */
  asksForProof = false;
  /** Requests so far. */
  readonly seen: Seen[] = [];
  readonly #handlers: Map<string, Promise<Handler>> = new Map();
  #server: https.Server | undefined;
  readonly #jwks: Map<string, readonly JsonWebKey[]> = new Map();
  #keySets = 0;

  /**
   * Starts the services.
   *
   * @param network gets their names
   * @param authority signs their certificate, and those of the clients they let in
   */
  static async start(network: Network, authority: Certificate): Promise<IdentityServer> {
    const names = ["*.accounts.test", "*.authentication.test", "authentication.test"];
    const certificate = await createCertificate({ subject: "CN=identity", issuer: authority, names });
    const identity = new IdentityServer();
    const server = https.createServer(
      {
        key: certificate.key,
        cert: certificate.pem,
        ca: [authority.pem],
        requestCert: true,
        rejectUnauthorized: false,
      },
      (request, response) => void identity.#answer(request, response),
    );
    identity.#server = server;
    // now, since applications wait for keys but two seconds
    for (const host of [...Object.keys(OIDC_TENANTS), OAUTH2_HOST]) await identity.#handlerOf(host);
    const port = await listen(server);
    for (const name of names) network.name(name, port);
    return identity;
  }

  /** Ends the services, and what hangs there. */
  async close(): Promise<void> {
    await stop(this.#server!);
  }

  /**
   * Takes new keys, and forgets the former ones.
   *
   * @param host whose
   */
  rotateKeys(host: string): void {
    this.#handlers.delete(host);
  }

  /**
   * Requests for key sets so far.
   *
   * @param host at this host
   */
  keyRequests(host: string): readonly Seen[] {
    return this.seen.filter((one) => one.host === host && KEY_PATHS.has(one.path));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const host = request.headers.host!.replace(/:\d+$/, "");
    const path = request.url!.replace(/\?.*$/, "");
    const hasCertificate = (request.socket as TLSSocket).authorized;
    this.seen.push({ method: request.method!, host, path, hasCertificate, headers: request.headers });
    const fault = this.faultyHosts.test(host) ? this.fault : "none";
    if (fault === "slow") await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
    else if (fault !== "none") return fail(fault, response);
    const isProven = hasCertificate && request.headers["x-client_cert"] !== undefined;
    if (this.asksForProof && path === "/oauth2/certs" && !isProven) {
      return void response.writeHead(403).end();
    }
    const handle = await this.#handlerOf(host);
    handle(request, response);
  }

  /** The provider of a host; the OAuth 2.0 service answers for its domain as well. */
  #handlerOf(host: string): Promise<Handler> {
    const owner = host in OIDC_TENANTS ? host : OAUTH2_HOST;
    const known = this.#handlers.get(owner);
    if (known) return known;
    const handler = this.#createHandler(owner);
    this.#handlers.set(owner, handler);
    return handler;
  }

  async #createHandler(host: string): Promise<Handler> {
    const jwks = await privateKeys(this.#keySets++);
    this.#jwks.set(`https://${host}`, jwks);
    const shared = {
      issuer: `https://${host}`,
      jwks,
      users: USERS,
      algorithm: () => this.algorithm,
      audience: () => this.audience,
      subjectOf: (assertion: string) => this.#subjectOf(assertion),
    };
    const provider = host === OAUTH2_HOST
      ? await createOAuth2Provider({
        ...shared,
        tenant: "t1",
        clientIds: [OAUTH2_CLIENT, OTHER_OAUTH2_CLIENT],
      })
      : await createOidcProvider({
        ...shared,
        tenant: OIDC_TENANTS[host],
        clientIds: [OIDC_CLIENT, OTHER_CLIENT],
        unboundClientId: UNBOUND_CLIENT,
        apis: () => this.apis,
      });
    return provider.callback();
  }

  /** The user of a token of the OIDC service for the application. */
  async #subjectOf(assertion: string): Promise<string> {
    const issuer = decodeJwt(assertion).iss ?? "";
    const keys = createLocalJWKSet({ keys: (this.#jwks.get(issuer) ?? []).map(toPublic) });
    const { payload } = await jwtVerify(assertion, keys, { issuer, audience: OIDC_CLIENT });
    return payload.sub!;
  }
}

function toPublic({ kty, n, e, crv, x, y, ...others }: JsonWebKey): JWK {
  const { kid, alg } = others as JWK; // those of `privateJwk`
  return { kty, n, e, crv, x, y, kid, alg } as JWK;
}

const KEYS: Promise<JsonWebKey[]>[] = [];

/** Private keys that are made once in a process, since that is costly; each number stands for others. */
function privateKeys(number: number): Promise<readonly JsonWebKey[]> {
  return KEYS[number] ??= Promise.all((["RS256", "ES256"] as const).map(privateJwk));
}

async function privateJwk(algorithm: TokenAlgorithm): Promise<JsonWebKey> {
  const { privateKey } = await createSigningKeys(algorithm);
  const { key_ops: _, ext: __, ...jwk } = await crypto.subtle.exportKey("jwk", privateKey);
  return { ...jwk, kid: crypto.randomUUID(), alg: algorithm, use: "sig" } as JsonWebKey;
}

function fail(fault: Exclude<Fault, "none" | "slow">, response: ServerResponse): void {
  switch (fault) {
    case "cut":
      response.socket?.destroy();
      return;
    case "error":
      response.writeHead(500).end("Internal Server Error");
      return;
    case "hang":
      return;
    case "huge":
      response.writeHead(200, { "content-type": "application/json" });
      flood(response);
      return;
    default:
      throw new TypeError(`Unknown fault "${fault satisfies never}"`);
  }
}

/** Blanks without end, as fast as they are read. */
function flood(response: ServerResponse): void {
  const chunk = new Uint8Array(64 * 1024).fill(0x20);
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on("drain", more).on("error", () => {});
  more();
}
