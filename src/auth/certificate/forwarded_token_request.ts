/**
 * What a trusted proxy tells the kinds of tokens about a request.
 *
 * @module
 */

import type { ForwardedClient } from "../strategy.ts";
import type { TokenRequest } from "../tokens/token_kind.ts";
import type { CertificateReader } from "./certificate_reader.ts";
import type { ClientCertificate } from "./client_certificate.ts";

/**
 * The certificate is read when a kind asks for it: a header that nobody needs cannot refuse a request.
 */
export class ForwardedTokenRequest implements TokenRequest {
  readonly #client: ForwardedClient;
  readonly #reader: CertificateReader;

  /**
   * Notes what is known.
   *
   * @param client host, and text of the header
   * @param reader reads the header
   */
  constructor(client: ForwardedClient, reader: CertificateReader) {
    this.#client = client;
    this.#reader = reader;
  }

  /** Host at which the client reached the application. */
  get host(): string {
    return this.#client.host;
  }

  /**
   * The certificate of the client.
   *
   * @throws TokenRefused when the header holds no certificate
   */
  get certificate(): ClientCertificate | undefined {
    const { certificate } = this.#client;
    return certificate === undefined ? undefined : this.#reader.read(certificate);
  }
}
