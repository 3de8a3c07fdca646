/**
 * Requests of a batch as both formats give them (OData Protocol 11.7).
 *
 * @module
 */

import { ServiceError } from "../../errors/service_error.ts";
import type { WireHeaders } from "../../service/wire/wire_request.ts";
import type { JsonValue } from "../payload/parse_json.ts";
import { stringify } from "../payload/write_value.ts";

/** A body that was read together with the batch. */
export class JsonBody {
  /** The body. */
  readonly value: JsonValue;
  #text: string | undefined;

  /** @param value the body */
  constructor(value: JsonValue) {
    this.value = value;
  }

  /** Its JSON, for who does not take values. */
  get text(): string {
    return this.#text ??= stringify(this.value);
  }
}

/** A request of a batch. */
export interface BatchPart {
  /** `id` or `Content-ID`; `r1`, `r2`, … for parts without. */
  readonly id: string;
  /** Whether the client gave the id. */
  readonly named: boolean;
  readonly method: string;
  readonly url: string;
  /** Parts with the same headers may share the object. */
  readonly headers: WireHeaders;
  readonly body: string | Uint8Array<ArrayBuffer> | JsonBody | undefined;
  /** Change set or `atomicityGroup`. */
  readonly group?: string;
  /** Ids of requests and groups that must have succeeded before. */
  readonly dependsOn: readonly string[];
  /** Condition in place of the success of what it depends on (`if`). */
  readonly condition?: string;
}

const METHODS = new Set(["GET", "POST", "PATCH", "PUT", "DELETE"]);

/**
 * The method of a part in upper case.
 *
 * @throws ServiceError 400 when it is unknown
 */
export function batchMethod(method: string): string {
  if (METHODS.has(method)) return method;
  const upper = method.toUpperCase();
  if (METHODS.has(upper)) return upper;
  throw badBatch(`Method "${method}" is not one of ${[...METHODS].join(", ")}`);
}

/**
 * The checks that both formats have in common.
 *
 * @param parts all parts
 * @param limit largest number of parts
 * @throws ServiceError 400 for a broken batch, 429 for too many parts
 */
export function checkParts(parts: readonly BatchPart[], limit: number): void {
  if (parts.length > limit) {
    throw new ServiceError({ status: 429, message: `A batch may hold at most ${limit} requests` });
  }
  const groups = parts.some(({ group }) => group !== undefined)
    ? new Set(parts.map(({ group }) => group))
    : undefined;
  const known = new Set<string>();
  const closed = new Set<string>();
  let group: string | undefined;
  for (const part of parts) {
    assertNoControls(part);
    if (known.has(part.id)) throw badBatch(`Request id "${part.id}" is not unique`);
    if (groups?.has(part.id)) throw badBatch(`"${part.id}" names a request and a group`);
    if (part.url.includes("$batch") && /(?:^|\/)\$batch\/?$/.test(part.url.split(/[?#]/, 1)[0]!)) {
      throw badBatch("A batch must not hold another batch");
    }
    if (part.group !== group) {
      if (group !== undefined) closed.add(group);
      group = part.group;
      if (group !== undefined && closed.has(group)) {
        throw badBatch(`Requests of group "${group}" must follow each other`);
      }
    }
    for (const id of part.dependsOn) {
      if (!known.has(id) && !closed.has(id)) {
        throw badBatch(`Request "${part.id}" depends on "${id}", which is no preceding request or group`);
      }
    }
    known.add(part.id);
  }
}

/** Ids come back in headers, where a line break begins another one. */
const CONTROLS = /[^\x20-\x7e\x80-\uffff]/;

function assertNoControls({ id, group }: BatchPart): void {
  if (CONTROLS.test(id)) throw badBatch(`The id ${JSON.stringify(id)} of a request has a control character`);
  if (group !== undefined && CONTROLS.test(group)) {
    throw badBatch(`The name ${JSON.stringify(group)} of a group has a control character`);
  }
}

/**
 * The error for a part with too many headers.
 *
 * @param most how many there may be
 */
export function tooManyHeaders(most: number): ServiceError {
  return badBatch(`A request of a batch may have at most ${most} headers`);
}

/** The error for a batch that cannot be understood. */
export function badBatch(message: string): ServiceError {
  return new ServiceError({ status: 400, message });
}
