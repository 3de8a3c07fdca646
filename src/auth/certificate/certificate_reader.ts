/**
 * Certificates of clients that come again and again.
 *
 * @module
 */

import { type ClientCertificate, readCertificate } from "./client_certificate.ts";
import { decodeBase64 } from "@oslojs/encoding";
import { TokenRefused } from "../tokens/token.ts";

/** The bounds that matter here; see `config/limits.ts`. */
export interface CertificateLimits {
  readonly certificateLength: number;
  readonly certificates: number;
}

/** Reads headers; the certificates used last are kept, since reading one costs as much as the rest of a token check. */
export class CertificateReader {
  readonly #limits: CertificateLimits;
  /** By the text of the header, the longest unused first. */
  readonly #certificates: Map<string, ClientCertificate> = new Map();

  /**
   * Creates an empty cache.
   *
   * @param limits bounds in effect
   */
  constructor(limits: CertificateLimits) {
    this.#limits = limits;
  }

  /**
   * The certificate in a header.
   *
   * @param text value of the header
   * @throws TokenRefused when it holds anything but one certificate
   */
  read(text: string): ClientCertificate {
    const certificate = this.#certificates.get(text) ??
      readForwardedCertificate(text, this.#limits.certificateLength);
    this.#certificates.delete(text);
    this.#certificates.set(text, certificate);
    if (this.#certificates.size > this.#limits.certificates) {
      this.#certificates.delete(this.#certificates.keys().next().value!);
    }
    return certificate;
  }
}

/** `name=value`, or `name="value"` with escaped quotes. */
const PAIR = /[A-Za-z]+=(?:"(?:[^"\\]|\\.)*"|[^",;]*)/y;
const PEM = /^\s*-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----\s*$/;

/**
 * Reads the header in one of three forms: base64 of the DER form; PEM with line breaks, real or written `\n`; a list
 * `By=…;Cert="<PEM, percent-encoded>";…` as Envoy sends it, of which the element of the nearest proxy, the last one,
 * counts. Reasons of refusals never carry the text.
 *
 * @param text value of the header
 * @param maxLength characters at most
 * @throws TokenRefused for anything else, or anything but one certificate
 */
export function readForwardedCertificate(text: string, maxLength: number): ClientCertificate {
  if (text.length > maxLength) throw new TokenRefused("the header of the client certificate is too long");
  const value = /(?:^|[;,])\s*Cert=/i.test(text) ? lastCertificate(text) : text;
  return readCertificate(decode(bodyOf(value)));
}

/** Base64 of the certificate. */
function bodyOf(value: string): string {
  if (!value.includes("-----")) return value.trim();
  const body = PEM.exec(value.replace(/\\r|\\n/g, "\n"))?.[1];
  if (body === undefined) {
    throw new TokenRefused("the header of the client certificate is no PEM of one certificate");
  }
  return body.replace(/\s+/g, "");
}

function decode(base64: string): Uint8Array {
  try {
    return decodeBase64(base64);
  } catch (cause) {
    throw new TokenRefused("the header of the client certificate is no base64", { cause });
  }
}

/** Elements are read strictly: what a client writes before them must not shift where the last one begins. */
function lastCertificate(text: string): string {
  let certificate: string | undefined;
  for (let at = 0; at <= text.length;) {
    PAIR.lastIndex = at + /^\s*/.exec(text.slice(at))![0].length;
    const pair = PAIR.exec(text)?.[0];
    if (pair === undefined) throw malformed();
    if (/^cert=/i.test(pair)) certificate = pair.slice(5);
    at = PAIR.lastIndex;
    at += /^\s*/.exec(text.slice(at))![0].length;
    if (text[at] === ",") certificate = undefined;
    else if (text[at] !== ";" && at < text.length) throw malformed();
    at++;
  }
  if (certificate === undefined) throw malformed();
  return unquote(certificate);
}

function unquote(value: string): string {
  const plain = value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, "$1") : value;
  try {
    return decodeURIComponent(plain);
  } catch (cause) {
    throw new TokenRefused("the header of the client certificate is malformed", { cause });
  }
}

function malformed(): TokenRefused {
  return new TokenRefused("the header of the client certificate is malformed");
}
