/**
 * Ranges of addresses of the Internet Protocol (CIDR, RFC 4632).
 *
 * @module
 */

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

const OCTET = /^(?:0|[1-9]\d{0,2})$/;
const GROUP = /^[0-9a-f]{1,4}$/i;

/**
 * Parses an address (RFC 4291, 2.2): dotted decimal, or hexadecimal groups with at most one `::`. An IPv4 address
 * mapped into IPv6 (`::ffff:192.0.2.1`) gives the four bytes of the IPv4 address.
 *
 * @param text the address, without brackets; a zone (`%eth0`) is refused
 * @returns 4 or 16 bytes, undefined for anything else
 */
export function parseIpAddress(text: string): Uint8Array | undefined {
  if (!text.includes(":")) return parseIpv4(text);
  const bytes = parseIpv6(text);
  if (!bytes) return undefined;
  return isMapped(bytes) ? bytes.slice(12) : bytes;
}

function isMapped(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255;
}

function parseIpv4(text: string): Uint8Array | undefined {
  const octets = text.split(".");
  if (octets.length !== 4 || !octets.every((octet) => OCTET.test(octet) && Number(octet) < 256)) {
    return undefined;
  }
  return Uint8Array.from(octets, Number);
}

function parseIpv6(text: string): Uint8Array | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map((half, index) => groupsOf(half, index === halves.length - 1));
  if (!head || (halves.length === 2 && !tail)) return undefined;
  const missing = 16 - head.length - (tail?.length ?? 0);
  // `::` stands for at least one group
  if (halves.length === 2 ? missing < 2 : missing !== 0) return undefined;
  return Uint8Array.from([...head, ...new Array(missing).fill(0), ...tail ?? []]);
}

/** Bytes of groups between colons; the last one of an address may be an IPv4 address. */
function groupsOf(text: string, isLast: boolean): readonly number[] | undefined {
  if (text === "") return [];
  const bytes: number[] = [];
  const groups = text.split(":");
  for (const [index, group] of groups.entries()) {
    const embedded = isLast && index === groups.length - 1 && group.includes(".")
      ? parseIpv4(group)
      : undefined;
    if (embedded) bytes.push(...embedded);
    else if (GROUP.test(group)) bytes.push(parseInt(group, 16) >> 8, parseInt(group, 16) & 255);
    else return undefined;
  }
  return bytes;
}
