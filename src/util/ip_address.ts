/**
 * Addresses of the Internet Protocol as bytes.
 *
 * @module
 */

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
