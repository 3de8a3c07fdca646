/**
 * Certificates of clients that come again and again.
 *
 * @module
 */

import type { ClientCertificate } from "./client_certificate.ts";
import { readForwardedCertificate } from "./forwarded_certificate.ts";

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
