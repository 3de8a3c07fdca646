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
  encodeASN1,
  encodeObjectIdentifier,
  parseASN1NoLeftoverBytes,
} from "@oslojs/asn1";
import { sha256 } from "@oslojs/crypto/sha2";
import { encodeBase64, encodeBase64urlNoPadding } from "@oslojs/encoding";
import { TokenRefused } from "../tokens/token.ts";

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

/** Short names of attribute types (RFC 4514, 3). */
const SHORT_NAMES = new Map([
  ["2.5.4.3", "CN"],
  ["2.5.4.7", "L"],
  ["2.5.4.8", "ST"],
  ["2.5.4.10", "O"],
  ["2.5.4.11", "OU"],
  ["2.5.4.6", "C"],
  ["2.5.4.9", "STREET"],
  ["0.9.2342.19200300.100.1.25", "DC"],
  ["0.9.2342.19200300.100.1.1", "UID"],
].map(([id, name]) => [hex(encodeObjectIdentifier(id!)), name!]));

/**
 * Writes a name: the most specific part first, special characters escaped. Attribute types without a short name are
 * written as the hexadecimal form of their identifier, so that different names give different texts.
 *
 * @param name the `RDNSequence`
 * @throws Error when it is none
 */
function distinguishedName(name: ASN1Value): string {
  const parts = name.sequence().elements.map((set) => set.set().elements.map(attribute).join("+"));
  return parts.reverse().join(",");
}

function attribute(pair: ASN1Value): string {
  const [type, value, ...more] = pair.sequence().elements;
  if (more.length > 0) throw new TypeError("Expected a type and a value");
  const identifier = hex(type!.objectIdentifier().encoded);
  const short = SHORT_NAMES.get(identifier);
  const text = short && textOf(value!);
  return text === undefined
    ? `${short ?? `#${identifier}`}=#${hex(encodeASN1(value!))}`
    : `${short}=${escape(text)}`;
}

function textOf(value: ASN1Value): string | undefined {
  switch (value.universalType()) {
    case ASN1UniversalType.UTF8String:
    case ASN1UniversalType.PrintableString:
    case ASN1UniversalType.IA5String:
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(value.contents());
    default:
      return undefined;
  }
}

/** RFC 4514, 2.4. Control characters are escaped too. */
function escape(text: string): string {
  return text
    .replace(/[\\"+,;<>=]|^[ #]| $/g, "\\$&")
    .replace(/\p{Cc}/gu, (char) => hex(new TextEncoder().encode(char)).replace(/../g, "\\$&"));
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
