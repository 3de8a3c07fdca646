/**
 * Names in certificates as text (RFC 4514).
 *
 * @module
 */

import { ASN1UniversalType, type ASN1Value, encodeASN1, encodeObjectIdentifier } from "@oslojs/asn1";

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
export function distinguishedName(name: ASN1Value): string {
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
