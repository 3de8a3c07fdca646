/**
 * A token endpoint on this machine: plain, or with mutual TLS.
 *
 * @module
 */

import { createServer as createPlainServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { type Certificate, createCertificate } from "../../../src/test/identity/certificate.ts";
import { ANSWER } from "./service_keys.ts";

/** A request that came. */
export interface TokenCall {
  readonly path: string;
  readonly form: Readonly<Record<string, string>>;
  /** Subject of the certificate that the client showed. */
  readonly subject: string | undefined;
}

/** A running endpoint. */
export interface TokenServer {
  readonly url: string;
  readonly calls: readonly TokenCall[];
  /** What it answers from now on. */
  answer: { readonly status: number; readonly body: unknown };
}

/** The certificates of a test with mutual TLS. */
export interface TestCertificates {
  readonly authority: Certificate;
  readonly client: Certificate;
  readonly stranger: Certificate;
}

/** Runs a test with an endpoint that answers everybody who sends a form. */
export async function withPlainServer(test: (server: TokenServer) => Promise<void>): Promise<void> {
  const state = newState();
  await listening(createPlainServer(state.listener), "http", { state, test });
}

/** Runs a test with an endpoint that takes the certificates of its authority only. */
export async function withMutualTlsServer(
  test: (server: TokenServer, certificates: TestCertificates) => Promise<void>,
): Promise<void> {
  const authority = await createCertificate({ subject: "CN=Test authority", isCa: true });
  const own = await createCertificate({ subject: "CN=localhost", names: ["localhost"], issuer: authority });
  const client = await createCertificate({ subject: "CN=bookshop", issuer: authority });
  const stranger = await createCertificate({ subject: "CN=stranger" });
  const state = newState();
  const server = createServer(
    { cert: own.pem, key: own.key, ca: [authority.pem], requestCert: true, rejectUnauthorized: true },
    state.listener,
  );
  await listening(server, "https", {
    state,
    test: (running) => test(running, { authority, client, stranger }),
  });
}

type State = ReturnType<typeof newState>;

function newState() {
  const calls: TokenCall[] = [];
  const state = {
    calls,
    answer: { status: 200, body: ANSWER as unknown },
    listener: async (request: IncomingMessage, response: ServerResponse) => {
      let body = "";
      for await (const chunk of request.setEncoding("utf8")) body += chunk;
      const socket = request.socket as Partial<TLSSocket>;
      const subject = socket.getPeerCertificate?.()?.subject?.CN as string | undefined;
      calls.push({ path: request.url ?? "", form: Object.fromEntries(new URLSearchParams(body)), subject });
      response.writeHead(state.answer.status, {
        "content-type": "application/json",
        "connection": "close",
        "location": "/elsewhere",
      });
      response.end(JSON.stringify(state.answer.body));
    },
  };
  return state;
}

async function listening(
  server: ReturnType<typeof createPlainServer>,
  protocol: string,
  { state, test }: { readonly state: State; readonly test: (server: TokenServer) => Promise<void> },
): Promise<void> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const running = Object.assign(state, { url: `${protocol}://localhost:${port}` });
  try {
    await test(running);
  } finally {
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  }
}
