/**
 * Certificates and keys of service keys as PEM (spec 5.3.3).
 *
 * @module
 */

import { ConfigurationError } from "../../errors/configuration_error.ts";

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
