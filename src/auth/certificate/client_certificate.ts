/**
 * Client certificates (X.509, RFC 5280) as far as tokens are bound to them (RFC 8705, 3).
 *
 * @module
 */

import {
  ASN1Class,
  type ASN1Sequence,
  ASN1UniversalType,
  type ASN1Value,
  parseASN1NoLeftoverBytes,
} from "@oslojs/asn1";
import { sha256 } from "@oslojs/crypto/sha2";
import { encodeBase64, encodeBase64urlNoPadding } from "@oslojs/encoding";
import { TokenRefused } from "../tokens/token_refused.ts";
import { distinguishedName } from "./distinguished_name.ts";

/** A certificate; whether the client has its key was checked by whoever ended TLS. */
export interface ClientCertificate {
  /** The certificate itself. */
  readonly der: Uint8Array;
  /** `x5t#S256`: SHA-256 of the DER form as base64url without padding (RFC 8705, 3.1). */
  readonly thumbprint: string;
  /** Subject in the form of RFC 4514. */
  readonly subject: string;
  /** PEM form on several lines. */
  readonly pem: string;
  /** Begin of validity. */
  readonly notBefore: Date;
  /** End of validity. */
  readonly notAfter: Date;
}

/**
 * Reads a certificate.
 *
 * @param der the DER form of exactly one certificate
 * @throws TokenRefused when it is no certificate
 */
export function readCertificate(der: Uint8Array): ClientCertificate {
  try {
    const fields = fieldsOf(parseASN1NoLeftoverBytes(der).sequence());
    const [notBefore, notAfter] = fields.validity.sequence().elements.map(timeOf);
    return {
      der,
      thumbprint: encodeBase64urlNoPadding(sha256(der)),
      subject: distinguishedName(fields.subject),
      pem: toPem(der),
      notBefore: notBefore!,
      notAfter: notAfter!,
    };
  } catch (cause) {
    throw new TokenRefused("the client certificate cannot be read", { cause });
  }
}

/** `TBSCertificate`: `[0] version` (may be missing), serial number, algorithm, issuer, validity, subject, key … */
function fieldsOf(certificate: ASN1Sequence): { readonly validity: ASN1Value; readonly subject: ASN1Value } {
  if (certificate.elements.length !== 3) throw new TypeError("Expected three parts");
  const { elements } = certificate.at(0).sequence();
  const isVersion = elements[0]!.class === ASN1Class.ContextSpecific;
  const [, , , validity, subject, key] = isVersion ? elements.slice(1) : elements;
  key!.sequence();
  return { validity: validity!, subject: subject! };
}

/** Two digits of a year mean 1950 to 2049 (RFC 5280, 4.1.2.5.1). */
function timeOf(value: ASN1Value): Date {
  const isShort = value.universalType() === ASN1UniversalType.UTCTime;
  const time = isShort ? value.utcTime() : value.generalizedTime();
  const year = isShort ? time.year + (time.year < 50 ? 2000 : 1900) : time.year;
  return new Date(Date.UTC(year, time.month - 1, time.date, time.hours, time.minutes, time.seconds));
}

function toPem(der: Uint8Array): string {
  const lines = encodeBase64(der).match(/.{1,64}/g)!;
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}

/**
 * Refuses a certificate outside its validity.
 *
 * @param certificate the certificate
 * @param now milliseconds since the epoch
 * @throws TokenRefused
 */
export function assertValidNow({ notBefore, notAfter }: ClientCertificate, now: number): void {
  if (now < notBefore.getTime()) throw new TokenRefused("the client certificate is not valid yet");
  if (now > notAfter.getTime()) throw new TokenRefused("the client certificate has expired");
}
