/**
 * What a client shows of itself in mutual TLS.
 *
 * @module
 */

import { ConfigurationError } from "../../errors/configuration_error.ts";

/** A certificate and its private key, each as PEM text. */
export interface ClientKeyPair {
  /** The certificate, with the ones that signed it. */
  readonly certificate: string;
  /** The private key. */
  readonly key: string;
}

/**
 * Sends a request; with a key pair, over a connection that shows its certificate.
 *
 * @param request the request
 * @param keyPair certificate and key for mutual TLS
 */
export type SendRequest = (request: Request, keyPair?: ClientKeyPair) => Promise<Response>;

/**
 * Sends by `fetch` of the platform, which has no way to show a certificate.
 *
 * @throws TypeError for a request that needs one
 */
export const sendByFetch: SendRequest = (request, keyPair) => {
  if (keyPair && new URL(request.url).protocol === "https:") {
    return Promise.reject(
      new TypeError("Requests with a client certificate need a function `fetch` in the table of kinds"),
    );
  }
  return fetch(request);
};

/** What a member of credentials holds. */
export type PemKind = "certificate" | "key";

const LABELS: Readonly<Record<PemKind, RegExp>> = {
  certificate: /^-----BEGIN CERTIFICATE-----\n/,
  key: /^-----BEGIN (RSA |EC )?PRIVATE KEY-----\n/,
};

/**
 * Turns the single line of a service key, with literal `\n` in it, into lines; text that has lines stays as it is.
 *
 * @param text the member of the service key
 * @param kind what it must hold
 * @throws ConfigurationError when it is neither; the text is not part of the message
 */
export function toPem(text: string, kind: PemKind): string {
  const pem = `${text.replace(/\\r\\n|\\n|\r\n/g, "\n").trim()}\n`;
  if (LABELS[kind].test(pem) && /\n-----END [A-Z ]+-----\n$/.test(pem)) return pem;
  const expected = kind === "key" ? "an unencrypted private key" : "a certificate";
  throw new ConfigurationError(`"${kind}" of the credentials must be ${expected} in PEM form`);
}
