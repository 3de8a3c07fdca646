/**
 * Sending requests from a server process, with a client certificate where one is given.
 *
 * @module
 */

import type { ClientKeyPair, SendRequest } from "../auth/token_client/token_credentials.ts";

/** Key pairs whose connections are kept. */
const KEPT_CLIENTS = 16;

/** Sends requests, and closes the connections it keeps. */
export interface DenoSender {
  /** Sends a request. */
  readonly send: SendRequest;
  /** Closes the connections that show a certificate. */
  close(): void;
}

/** How connections are made. */
export interface DenoSenderOptions {
  /** Certificates of authorities that are trusted besides those of the process, as PEM. */
  readonly caCerts?: readonly string[];
}

/**
 * A sender: connections are kept per key pair, those of the key pair not used for longest make room.
 *
 * @param options authorities to trust
 */
export function createDenoSender({ caCerts = [] }: DenoSenderOptions = {}): DenoSender {
  const clients = new Map<string, Deno.HttpClient>();
  const clientOf = (keyPair: ClientKeyPair): Deno.HttpClient => {
    const id = `${keyPair.certificate}\n${keyPair.key}`;
    const client = clients.get(id) ??
      Deno.createHttpClient({ cert: keyPair.certificate, key: keyPair.key, caCerts: [...caCerts] });
    clients.delete(id);
    clients.set(id, client);
    if (clients.size > KEPT_CLIENTS) drop(clients.keys().next().value!);
    return client;
  };
  const drop = (id: string) => {
    clients.get(id)?.close();
    clients.delete(id);
  };
  return {
    send: async (request, keyPair) =>
      await (keyPair ? fetch(request, { client: clientOf(keyPair) }) : fetch(request)),
    close: () => [...clients.keys()].forEach(drop),
  };
}
