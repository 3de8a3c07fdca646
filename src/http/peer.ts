/**
 * Who sent a request: its peer, and what a trusted proxy says about the client behind it (auth 12).
 *
 * @module
 */

import { ServiceError } from "../errors/service_error.ts";
import { IncomingRequest } from "../service/wire/wire_request.ts";
import { copyRequest } from "../util/http_text.ts";
import { type IpRange, isInIpRange, parseIpAddress } from "../util/ip_range.ts";
import { type Origin, originOf } from "./request_url.ts";

/** A name or an address with a port: no other character of RFC 9110, 7.2 stands in the names of servers. */
const HOST = /^(?:[a-z0-9_](?:[\w.-]*[\w.])?|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/i;
const HIGHEST_PORT = 65_535;
/** Methods that arrive, but that the platform makes no request with (Fetch, 2.2.1). */
const NOT_TO_COPY = /^(?:CONNECT|TRACE|TRACK)$/i;
const LONGEST_HOST = 261;

/** What decides whom to believe. */
export interface PeerSettings {
  readonly trustedProxies: readonly IpRange[];
  readonly certificateHeader: string;
}

/** A request without the header of the certificate, and what is known of its sender. */
export interface Received {
  readonly request: IncomingRequest;
  /** Text of the certificate header; only from a trusted proxy. */
  readonly certificate: string | undefined;
  /** Address of the peer, or of the client in front of the outermost trusted proxy, where it is known. */
  readonly address: string | undefined;
  /** Proxies on the way whose words count; 0: the peer is not trusted. */
  readonly trustedHops: number;
}

/**
 * Takes the certificate out of a request, so that nothing behind it can mistake a client's header for a proxy's.
 *
 * @param arrived the request as it arrived
 * @param info what the server gives beside it: `remoteAddr` as of `Deno.serve`; anything else means: not trusted
 * @param settings trusted proxies and the name of the header
 */
export function receive(arrived: Request, info: unknown, settings: PeerSettings): Received {
  const { certificateHeader, trustedProxies } = settings;
  const request = new IncomingRequest(arrived);
  const trustedHops = trustedProxies.length === 0 ? 0 : hopsOf(request, info, trustedProxies);
  const address = trustedHops === 0
    ? peerAddress(info)
    : valueAt(request.headers.get("x-forwarded-for"), trustedHops) ?? peerAddress(info);
  const certificate = request.headers.get(certificateHeader);
  if (certificate === null) return { request, certificate: undefined, trustedHops, address };
  return {
    request: new IncomingRequest(withoutHeader(arrived, certificateHeader)),
    certificate: trustedHops > 0 ? certificate : undefined,
    trustedHops,
    address,
  };
}

/**
 * The origin at which the client reached the outermost trusted proxy. `Forwarded` (RFC 7239) is not read: proxies that
 * set the other headers pass on what a client wrote there.
 *
 * @param received the request
 * @param origin its own origin, which counts when no trusted proxy says anything
 * @throws ServiceError 400 when one says what cannot be
 */
export function reachedOrigin({ request, trustedHops }: Received, origin: Origin): Origin {
  if (trustedHops === 0) return origin;
  const host = valueAt(request.headers.get("x-forwarded-host"), trustedHops);
  const proto = valueAt(request.headers.get("x-forwarded-proto"), trustedHops);
  if (host === undefined && proto === undefined) return origin;
  if (host !== undefined && !isHost(host)) throw malformed("x-forwarded-host");
  const { url } = origin;
  if (proto !== undefined && !/^https?$/i.test(proto)) throw malformed("x-forwarded-proto");
  try {
    return originOf(new URL(`${proto ?? url.protocol.slice(0, -1)}://${host ?? url.host}`));
  } catch {
    throw malformed("x-forwarded-host");
  }
}

/**
 * Makes sure that the host which a client names is one. Servers put it in front of the path to get the URL of the request:
 * with a slash, a question mark or a user name in it, that URL has another path than the one that was asked for.
 *
 * @param request the request
 * @throws ServiceError 400 when it is none
 */
export function assertHost({ headers }: IncomingRequest): void {
  const host = headers.get("host");
  // clients of HTTP/2 send none
  if (host !== null && !isHost(host)) throw malformed("host");
}

function isHost(text: string): boolean {
  if (text.length > LONGEST_HOST) return false;
  const found = HOST.exec(text);
  return found !== null && (found[1] === undefined || Number(found[1]) <= HIGHEST_PORT);
}

function malformed(header: string): ServiceError {
  return new ServiceError({ status: 400, message: `The header ${header} is malformed` });
}

/** The peer, and the proxies before it for as long as each is trusted. */
function hopsOf(request: IncomingRequest, info: unknown, trusted: readonly IpRange[]): number {
  const peer = peerAddress(info);
  if (peer === undefined || !isTrusted(peer, trusted)) return 0;
  const before = request.headers.get("x-forwarded-for")?.split(",") ?? [];
  const stranger = before.findLastIndex((address) => !isTrusted(address.trim(), trusted));
  return before.length - stranger;
}

/** `Deno.serve` gives `{remoteAddr: {transport, hostname, port}}`; Workers give their bindings there. */
function peerAddress(info: unknown): string | undefined {
  const address = (info as { readonly remoteAddr?: { readonly hostname?: unknown } } | null | undefined)
    ?.remoteAddr?.hostname;
  return typeof address === "string" ? address : undefined;
}

function isTrusted(text: string, trusted: readonly IpRange[]): boolean {
  const address = parseIpAddress(text.replace(/%.*$/, ""));
  return address !== undefined && trusted.some((range) => isInIpRange(address, range));
}

/** Each proxy appends its value or replaces the list: that of the outermost trusted one counts. */
function valueAt(header: string | null, hops: number): string | undefined {
  if (header === null) return undefined;
  const values = header.split(",");
  return values[Math.max(0, values.length - hops)]!.trim() || undefined;
}

function withoutHeader(request: Request, name: string): Request {
  try {
    request.headers.delete(name);
    return request;
  } catch {
    // the headers of an incoming request cannot be changed
    const headers = new Headers(request.headers);
    headers.delete(name);
    if (!NOT_TO_COPY.test(request.method)) return copyRequest(request, { headers });
    return Object.defineProperty(request, "headers", { value: headers });
  }
}
