/**
 * What a trusted proxy tells the kinds of tokens about a request.
 *
 * @module
 */

import type { ForwardedClient } from "../strategy.ts";
import type { TokenRequest } from "../tokens/token_kind.ts";
import type { ClientCertificate } from "./client_certificate.ts";
import { readForwardedCertificate } from "./forwarded_certificate.ts";

/**
 * The certificate is read when a kind asks for it: a header that nobody needs cannot refuse a request.
 */
export class ForwardedTokenRequest implements TokenRequest {
  readonly #client: ForwardedClient;
  readonly #maxLength: number;
  #certificate: ClientCertificate | undefined;

  /**
   * Notes what is known.
   *
   * @param client host, and text of the header
   * @param maxLength characters of the header at most
   */
  constructor(client: ForwardedClient, maxLength: number) {
    this.#client = client;
    this.#maxLength = maxLength;
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
    if (certificate === undefined) return undefined;
    return this.#certificate ??= readForwardedCertificate(certificate, this.#maxLength);
  }
}
