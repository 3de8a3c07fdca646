/**
 * Where services are served: `@path`, `@protocol`, or a path derived from the name.
 *
 * @module
 */

import { placeOf } from "./problems.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import type { LinkedService } from "./linked.ts";
import { unqualified } from "../util/unqualified.ts";

/** One protocol that serves a service, and where. */
export interface ServicePath {
  /** `odata`, `rest`, or a protocol of the application. */
  readonly protocol: string;
  /** Absolute path without trailing slash: `/odata/v4/catalog`. */
  readonly path: string;
}

/** Where the services of a protocol are. */
export const PROTOCOL_ROOTS: Readonly<Record<string, string>> = { odata: "/odata/v4", rest: "/rest" };

const KINDS: ReadonlyMap<unknown, string> = new Map([
  ["odata", "odata"],
  ["odata-v4", "odata"],
  ["rest", "rest"],
]);

/** Protocols that models of the field name, and that are not there unless the application brings them. */
const ELSEWHERE: readonly string[] = [
  "graphql",
  "hcql",
  "mcp",
  "odata-v2",
  "odata-x4",
  "ws",
  "websocket",
  "agent",
];

/**
 * The protocols of a service with their paths; none for `@protocol: 'none'`. Of protocols that share a path the first
 * one has it, the others are below their roots: `/shop`, `/rest/shop`.
 *
 * @param service the service
 * @param others names of further protocols; their root is their name
 * @param at where the service is instead of where the model says, absolute or below the root of each protocol
 * @throws {ConfigurationError} for an unknown protocol
 */
export function servicePaths(
  service: LinkedService,
  others: readonly string[] = [],
  at?: string,
): readonly ServicePath[] {
  const missing = missingProtocols(service, others);
  const paths = protocolsOf(service, others).filter(({ kind }) => !missing.includes(String(kind))).map(
    ({ kind, path: own }) => {
      const protocol = KINDS.get(kind) ?? others.find((other) => other === kind);
      if (!protocol) {
        throw new ConfigurationError(
          `Unknown protocol ${JSON.stringify(kind)} of service "${service.name}", expected ${
            [...KINDS.keys(), ...others].join(", ")
          } or none`,
          placeOf(service),
        );
      }
      return {
        protocol,
        path: absolutePath(at ?? own ?? service["@path"] ?? derivedPath(service.name), protocol),
      };
    },
  );
  return paths.map((one, at) =>
    paths.findIndex(({ path }) => path === one.path) === at
      ? one
      : { ...one, path: absolutePath(one.path.slice(1), one.protocol) }
  );
}

/**
 * The protocols of a service that are known and not there: it is not served by these, nor by another one instead.
 *
 * @param service the service
 * @param others names of further protocols
 */
export function missingProtocols(service: LinkedService, others: readonly string[] = []): readonly string[] {
  return protocolsOf(service, others).map(({ kind }) => String(kind))
    .filter((kind) => ELSEWHERE.includes(kind) && !others.includes(kind));
}

interface Protocol {
  readonly kind: unknown;
  readonly path?: unknown;
}

function protocolsOf(service: LinkedService, others: readonly string[]): readonly Protocol[] {
  const given = service["@protocol"];
  if (given === undefined || given === null) return shorthand(service, others);
  if (given === "none" || given === false) return [];
  return (Array.isArray(given) ? given : [given]).map((entry: unknown): Protocol =>
    typeof entry === "object" && entry !== null ? entry as Protocol : { kind: entry } // kind is checked by the caller
  );
}

/** `@rest`, `@odata` and the like before a service stand for `@protocol`. */
function shorthand(service: LinkedService, others: readonly string[]): readonly Protocol[] {
  const kinds = new Set([...new Set(KINDS.values()), ...ELSEWHERE, ...others]);
  const named = [...kinds].filter((kind) => service[`@${kind}`]);
  if (named.length === 0) return [{ kind: "odata" }];
  return named.map((kind) => {
    const value = service[`@${kind}`];
    return { kind, path: typeof value === "string" ? value : undefined };
  });
}

/** A path without trailing slash, below the root of a protocol unless it begins with a slash. */
export function absolutePath(path: unknown, protocol: string): string {
  const text = String(path).replace(/\/+$/, "");
  if (text.startsWith("/") || path === "/") return text;
  return [PROTOCOL_ROOTS[protocol] ?? `/${protocol}`, text].filter(Boolean).join("/");
}

/** `conf.MyOrder_EntryV2Service` -> `my-order-entry-v2`. */
function derivedPath(name: string): string {
  const last = unqualified(name);
  const base = last.length > "Service".length ? last.replace(/Service$/, "") : last;
  return base.replace(/([a-z0-9])([A-Z])/g, "$1-$2").replaceAll("_", "-").toLowerCase();
}
