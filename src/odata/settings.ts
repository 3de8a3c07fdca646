/**
 * Configuration of the wire behaviour.
 *
 * @module
 */

import { messagesHeaderName } from "../config/header_names.ts";
import type { LinkedService } from "../model/linked.ts";
import type { ServiceEnvironment } from "../service/service_environment.ts";
import { Deadlines } from "../util/deadlines.ts";
import type { BodyLimits } from "../service/wire/read_body.ts";

/** What of the configuration shapes requests and answers. */
export interface WireSettings {
  /** PATCH of a missing row creates it. */
  readonly patchAsUpsert: boolean;
  /** PUT of a missing row creates it. */
  readonly putAsUpsert: boolean;
  /** PUT sets what it does not mention to the default. */
  readonly putAsReplace: boolean;
  /** Int64 and Decimal are written as text where the client says nothing of it, */
  readonly numbersAsText: boolean;
  /** and counts. */
  readonly countsAsText: boolean;
  /** Requests are answered later if the client prefers that. */
  readonly respondAsync: boolean;
  /** Header that carries messages of handlers. */
  readonly messagesHeader: string;
  /** Characters of a string without declared length. */
  readonly defaultStringLength: number;
  /** Bounds of a JSON body. */
  readonly body: BodyLimits;
}

/**
 * The settings of a service.
 *
 * @param host configuration and limits
 * @param service the service: `@cds.server.body_parser.limit`
 */
export function wireSettings(host: ServiceEnvironment, service: LinkedService): WireSettings {
  const odata = section(host.env.odata);
  const server = section(host.env.server);
  const model = section(host.env.model);
  const features = section(host.env.features);
  const limit = service["@cds.server.body_parser.limit"] ?? section(server.body_parser).limit;
  return {
    patchAsUpsert: odata.patch_as_upsert === true,
    putAsUpsert: odata.put_as_upsert !== false,
    putAsReplace: odata.put_as_replace === true,
    numbersAsText: features.ieee754compatible === true,
    countsAsText: features.count_as_string === true,
    respondAsync: odata.respond_async === true,
    messagesHeader: messagesHeaderName(host.env),
    defaultStringLength: typeof model.default_string_length === "number" ? model.default_string_length : 255,
    body: {
      bytes: byteCount(limit) ?? host.limits.bodyBytes,
      deadlines: new Deadlines(host.limits.readingMs, host.sharedTimers === true),
    },
  };
}

function section(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? value as Record<string, unknown> : {};
}

const UNITS: Readonly<Record<string, number>> = { "": 1, b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 };

/** Bytes of `1048576`, `"100kb"`, `"1mb"`; undefined for anything else. */
function byteCount(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value !== "string") return undefined;
  const match = /^(\d+(?:\.\d+)?)\s*([kmg]?b)?$/i.exec(value.trim());
  return match ? Math.floor(Number(match[1]) * UNITS[(match[2] ?? "").toLowerCase()]!) : undefined;
}
