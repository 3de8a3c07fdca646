/**
 * An ingress proxy as its configuration in the example describes it.
 *
 * @module
 */

import type { Runtime } from "../../src/fw/runtime.ts";
import type { Certificate } from "../../src/test/mod.ts";

/** `proxy.json`. */
export interface ProxyConfiguration {
  readonly loginCallback: string;
  readonly logoutPage: string;
  readonly destinations: readonly ProxyDestination[];
  readonly routes: readonly { readonly path: string; readonly destination: string }[];
}

/** A backend. */
export interface ProxyDestination {
  readonly name: string;
  readonly url: string;
  readonly forwardAuthToken: boolean;
  readonly forwardAuthCertificates: boolean;
}

/** Where the proxy's requests come from. */
export const PROXY_ADDRESS = "10.1.2.3";

/** What the proxy got at login. */
export interface ProxySession {
  readonly token: string;
  readonly certificate?: Certificate;
}

/**
 * Answers a request of a browser that has logged in: pages of its own, or what the backend of the route answers.
 *
 * @param url what the browser asks for
 * @param configuration `proxy.json`
 * @param parts the session and the backends by URL
 */
export async function throughProxy(
  url: string,
  configuration: ProxyConfiguration,
  parts: { readonly session: ProxySession; readonly backends: Readonly<Record<string, Runtime>> },
): Promise<Response> {
  const { pathname, search } = new URL(url);
  if (matches(configuration.loginCallback, pathname)) return new Response("logged in");
  if (matches(configuration.logoutPage, pathname)) return new Response("logged out");
  const route = configuration.routes.find(({ path }) => matches(path, pathname));
  const destination = configuration.destinations.find(({ name }) => name === route?.destination);
  const backend = parts.backends[destination?.url ?? ""];
  if (!destination || !backend) return new Response("no such route", { status: 404 });
  const headers = new Headers();
  const { token, certificate } = parts.session;
  if (destination.forwardAuthToken) headers.set("authorization", `Bearer ${token}`);
  if (destination.forwardAuthCertificates && certificate) {
    headers.set("x-forwarded-client-cert", certificate.header);
  }
  return await backend.fetch(new Request(`${destination.url}${pathname}${search}`, { headers }), {
    remoteAddr: { hostname: PROXY_ADDRESS },
  });
}

/**
 * Whether a path matches a pattern: `*` stands for a segment, `**` for any number of them.
 *
 * @param pattern such as `/odata/**`
 * @param path the path of a URL
 */
export function matches(pattern: string, path: string): boolean {
  const source = pattern.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replace(
    /\*\*|\*/g,
    (stars) => stars === "**" ? ".*" : "[^/]+",
  );
  return new RegExp(`^${source}$`).test(path);
}
