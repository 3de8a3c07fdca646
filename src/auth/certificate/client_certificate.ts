/**
 * The certificate a client has shown.
 *
 * @module
 */

/** A client certificate, taken from the connection or from a header that a trusted proxy has set. */
export interface ClientCertificate {
  /** The certificate in DER. */
  readonly der: Uint8Array;
  /** SHA-256 of the DER as base64url without padding (RFC 8705, 3.1). */
  readonly thumbprint: string;
  /** Distinguished name of the subject. */
  readonly subject: string;
  /** The certificate as PEM. */
  readonly pem: string;
  /** Start of the validity. */
  readonly notBefore: Date;
  /** End of the validity. */
  readonly notAfter: Date;
}
