/**
 * Certificates made in a test.
 *
 * @module
 */

import { sha256 } from "@oslojs/crypto/sha2";
import { encodeBase64, encodeBase64urlNoPadding } from "@oslojs/encoding";

/** How a certificate is made. */
export interface CertificateOptions {
  /** Its distinguished name; default: `CN=client`. */
  readonly subject?: string;
  /** Days until it expires, counted from now; negative for one that has expired. Default: 1. */
  readonly days?: number;
  /** Host names and addresses it stands for: those of a server. */
  readonly names?: readonly string[];
  /** Who signs it; default: itself. */
  readonly issuer?: Certificate;
  /** Whether it may sign others. */
  readonly isCa?: boolean;
}

/** A certificate with its private key. */
export interface Certificate {
  /** Distinguished name. */
  readonly subject: string;
  /** The certificate as PEM. */
  readonly pem: string;
  /** The private key as PEM (PKCS #8). */
  readonly key: string;
  /** The certificate as DER. */
  readonly der: Uint8Array<ArrayBuffer>;
  /** base64url of SHA-256 of the DER form, as `cnf["x5t#S256"]` holds it (RFC 8705 3.1). */
  readonly thumbprint: string;
  /** What a proxy puts into `X-Forwarded-Client-Cert`: the DER form as base64. */
  readonly header: string;
  /** The keys for WebCrypto, ECDSA on P-256. */
  readonly keys: CryptoKeyPair;
}

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Makes a certificate. The package that does it, `@peculiar/x509`, is loaded by the first call.
 *
 * @param options subject, lifetime, who signs it
 *
 * @example One signed by an authority, and one that has expired
 * ```ts
 * import { createCertificate } from "@fw/runtime/test";
 *
 * const authority = await createCertificate({ subject: "CN=Test authority", isCa: true });
 * const client = await createCertificate({ subject: "CN=shop", issuer: authority });
 * const expired = await createCertificate({ days: -1 });
 * if (!client.pem.startsWith("-----BEGIN CERTIFICATE-----")) throw new Error(client.pem);
 * if (client.thumbprint === expired.thumbprint) throw new Error("the same certificate");
 * ```
 */
export async function createCertificate(options: CertificateOptions = {}): Promise<Certificate> {
  const x509 = await import("@peculiar/x509");
  const { subject = "CN=client", days = 1, names = [], issuer, isCa = false } = options;
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const end = Date.now() + days * DAY_MS;
  const certificate = await x509.X509CertificateGenerator.create({
    // the first bit is clear: a serial number is positive
    serialNumber: `01${crypto.randomUUID().replaceAll("-", "")}`,
    subject,
    issuer: issuer?.subject ?? subject,
    notBefore: new Date(Math.min(Date.now(), end) - DAY_MS),
    notAfter: new Date(end),
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey: (issuer?.keys ?? keys).privateKey,
    extensions: [
      new x509.BasicConstraintsExtension(isCa, undefined, true),
      ...(names.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(names.map(alternativeName))]),
    ],
  });
  const der = new Uint8Array(certificate.rawData);
  return {
    subject,
    pem: `${certificate.toString("pem")}\n`,
    key: await privateKeyPem(keys.privateKey),
    der,
    thumbprint: encodeBase64urlNoPadding(sha256(der)),
    header: encodeBase64(der),
    keys,
  };
}

function alternativeName(value: string): { readonly type: "ip" | "dns"; readonly value: string } {
  return { type: /^[\d.]+$|:/.test(value) ? "ip" : "dns", value };
}

async function privateKeyPem(key: CryptoKey): Promise<string> {
  return toPem("PRIVATE KEY", new Uint8Array(await crypto.subtle.exportKey("pkcs8", key)));
}

/**
 * Writes DER as PEM.
 *
 * @param label what stands after `BEGIN`
 * @param der the bytes
 */
export function toPem(label: string, der: Uint8Array): string {
  const lines = encodeBase64(der).match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ""].join("\n");
}
