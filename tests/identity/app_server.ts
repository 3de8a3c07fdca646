/**
 * An application in production: a runtime that listens on this machine, and before it a proxy that ends TLS on two
 * routes. Only the second one, `app.cert.test`, asks for a client certificate and hands it on (spec 4.1).
 *
 * @module
 */

import { encodeBase64 } from "@oslojs/encoding";
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import https from "node:https";
import type { TLSSocket } from "node:tls";
import { type Certificate, createCertificate } from "../../src/test/mod.ts";
import type { Runtime } from "../../mod.ts";
import { listen, type Network, stop } from "./network.ts";

/** Routes of the application. */
export const ROUTE = "app.test";
export const CERTIFICATE_ROUTE = "app.cert.test";

const HEADER = "x-forwarded-client-cert";

/**
 * Serves a runtime on both routes.
 *
 * @param runtime what answers
 * @param network gets the names of the routes
 * @param authority signs the certificate of the proxy, and those of the clients it lets in
 * @returns ends the proxy and the runtime
 */
export async function serveBehindProxy(
  runtime: Runtime,
  network: Network,
  authority: Certificate,
): Promise<() => Promise<void>> {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, runtime.fetch);
  const certificate = await createCertificate({
    subject: "CN=proxy",
    issuer: authority,
    names: [ROUTE, CERTIFICATE_ROUTE],
  });
  const agent = new http.Agent({ keepAlive: true });
  const proxies: https.Server[] = [];
  for (const host of [ROUTE, CERTIFICATE_ROUTE]) {
    const proxy = https.createServer(
      {
        key: certificate.key,
        cert: certificate.pem,
        ca: [authority.pem],
        requestCert: host === CERTIFICATE_ROUTE,
        rejectUnauthorized: false,
      },
      (request, response) => forward(request, response, { port: server.addr.port, agent }),
    );
    network.name(host, await listen(proxy));
    proxies.push(proxy);
  }
  return async () => {
    await Promise.all(proxies.map(stop));
    agent.destroy();
    await server.shutdown();
    await runtime.close();
  };
}

function forward(
  request: IncomingMessage,
  response: ServerResponse,
  { port, agent }: { readonly port: number; readonly agent: http.Agent },
): void {
  const { [HEADER]: _, ...headers } = request.headers;
  const socket = request.socket as TLSSocket;
  const { raw } = socket.getPeerCertificate();
  const inner = http.request({
    host: "127.0.0.1",
    port,
    agent,
    method: request.method,
    path: request.url,
    headers: {
      ...headers,
      "x-forwarded-host": request.headers.host,
      "x-forwarded-proto": "https",
      ...(raw && socket.authorized ? { [HEADER]: encodeBase64(raw) } : {}),
    },
  }, (answer) => {
    response.writeHead(answer.statusCode!, answer.headers);
    answer.pipe(response);
  });
  inner.on("error", () => response.destroy());
  request.pipe(inner);
}
