/**
 * The proxy before an application: it ends TLS on two routes. Only the second one, `app.cert.test`, asks for a client
 * certificate and hands it on (spec 4.1).
 *
 * @module
 */

import { encodeBase64 } from "@oslojs/encoding";
import type { IncomingMessage, ServerResponse } from "node:http";
import https from "node:https";
import type { TLSSocket } from "node:tls";
import { type Certificate, createCertificate } from "../../src/test/mod.ts";
import { listen, type Network, stop } from "./network.ts";

/** Routes of the application. */
export const ROUTE = "app.test";
export const CERTIFICATE_ROUTE = "app.cert.test";

const HEADER = "x-forwarded-client-cert";

/**
 * Starts the proxy.
 *
 * @param port where the application listens
 * @param place `network` gets the names of the routes; `authority` signs the certificate of the proxy, and those of the
 *   clients it lets in
 * @returns ends it
 */
export async function startProxy(
  port: number,
  { network, authority }: { readonly network: Network; readonly authority: Certificate },
): Promise<() => Promise<void>> {
  const certificate = await createCertificate({
    subject: "CN=proxy",
    issuer: authority,
    names: [ROUTE, CERTIFICATE_ROUTE],
  });
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
      (request, response) => void forward(request, response, port),
    );
    network.name(host, await listen(proxy));
    proxies.push(proxy);
  }
  return async () => {
    await Promise.all(proxies.map(stop));
  };
}

/** Sends a request on to the application. The header of the certificate is never the client's own. */
async function forward(request: IncomingMessage, response: ServerResponse, port: number): Promise<void> {
  const { raw } = (request.socket as TLSSocket).getPeerCertificate();
  const isTrusted = raw !== undefined && (request.socket as TLSSocket).authorized;
  const { [HEADER]: _, host, connection: __, ...others } = request.headers;
  try {
    const answer = await fetch(`http://127.0.0.1:${port}${request.url}`, {
      method: request.method,
      headers: {
        ...others as Record<string, string>,
        "x-forwarded-host": host!,
        "x-forwarded-proto": "https",
        ...(isTrusted ? { [HEADER]: encodeBase64(raw) } : {}),
      },
    });
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(await answer.bytes());
  } catch {
    response.destroy();
  }
}
