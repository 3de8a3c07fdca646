/**
 * Ranges of addresses of the Internet Protocol (CIDR, RFC 4632).
 *
 * @module
 */

import { parseIpAddress } from "./ip_address.ts";

/** Addresses that share their first bits. */
export interface IpRange {
  readonly bytes: Uint8Array;
  readonly bits: number;
}

/**
 * Parses an address, or an address with the number of bits that count: `10.0.0.0/8`, `fd00::/8`.
 *
 * @returns undefined for anything else, also when a bit is set behind those that count
 */
export function parseIpRange(text: string): IpRange | undefined {
  const [address, bitsText, ...more] = text.split("/");
  const bytes = parseIpAddress(address!);
  if (!bytes || more.length > 0) return undefined;
  const size = bytes.length * 8;
  if (bitsText === undefined) return { bytes, bits: size };
  if (!/^(?:0|[1-9]\d{0,2})$/.test(bitsText)) return undefined;
  // an IPv4 range written as IPv6: the 96 bits before it count as well
  const bits = Number(bitsText) - (size === 32 && address!.includes(":") ? 96 : 0);
  if (bits < 0 || bits > size || !endsInZeros(bytes, bits)) return undefined;
  return { bytes, bits };
}

function endsInZeros(bytes: Uint8Array, bits: number): boolean {
  return bytes.every((byte, index) => (byte & 255 >> clamp(bits - index * 8)) === 0);
}

/** Whether an address lies in a range; an IPv4 address never lies in an IPv6 range. */
export function isInIpRange(address: Uint8Array, { bytes, bits }: IpRange): boolean {
  return address.length === bytes.length && bytes.every((byte, index) => {
    const ignored = 255 >> clamp(bits - index * 8);
    return (byte | ignored) === (address[index]! | ignored);
  });
}

function clamp(bits: number): number {
  return Math.min(8, Math.max(0, bits));
}
