/**
 * The application of the tests, and how its answers are read.
 *
 * @module
 */

import type { Certificate } from "../../src/test/mod.ts";
import { CERTIFICATE_ROUTE, ROUTE } from "./tls_proxy.ts";
import type { Network } from "./network.ts";

/** Far more than an answer takes: a test fails rather than waiting for ever. */
const BOUND_MS = 60_000;

/** Services of the application and who may call them. */
export const SERVICES = {
  Members: "authenticated-user",
  Persons: "identified-user",
  Systems: "system-user",
  Internals: "internal-user",
  Admins: "admin",
  Public: "any",
  /** Asks the required service `Peer` in place of answering by itself. */
  Callers: "authenticated-user",
} as const;

/** Name of a service. */
export type ServiceName = keyof typeof SERVICES;

/** Its model in CDL. */
export const CDL: string = Object.entries(SERVICES)
  .map(([name, role]) =>
    `@requires: '${role}' service ${name} { @requires: '${role}' function whoami() returns String; }`
  )
  .join("\n");

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

/**
 * Asks a service of the application who is calling.
 *
 * @param network where the routes are
 * @param service which one
 * @param call token, certificate, route
 */
export async function ask(network: Network, service: ServiceName, call: Call = {}): Promise<Answer> {
  const { token, certificate, route = certificate ? CERTIFICATE_ROUTE : ROUTE } = call;
  const response = await fetch(`https://${route}/odata/v4/${service.toLowerCase()}/whoami()`, {
    headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...call.headers },
    client: network.client(certificate),
    signal: AbortSignal.timeout(BOUND_MS),
  });
  const { status, headers } = response;
  const text = await response.text();
  return { status, headers, text, ...(status === 200 ? { caller: JSON.parse(JSON.parse(text).value) } : {}) };
}
