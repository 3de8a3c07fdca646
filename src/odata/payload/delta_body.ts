/**
 * Bodies that change collections of entities: delta payloads (JSON Format 4.01, clause 15).
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import type { Exchange } from "../exchange.ts";
import { notAllowed } from "../methods.ts";
import type { JsonValue } from "./parse_json.ts";
import { readPrimitive } from "./read_value.ts";
import { type InputOptions, isJsonObject } from "./reading.ts";
import { checked, relativeUrl, resolveLink } from "./body_input.ts";
import { assertList, readJsonObject } from "./request_body.ts";
import { typeText } from "../../service/validation/check_type.ts";

/** One change of a collection of entities (JSON Format 4.01, clause 15). */
export interface EntityChange {
  /** The object of the body. */
  readonly body: { readonly [name: string]: JsonValue };
  /** Keys that the object names, as members or by its id. */
  readonly keys: Row;
  readonly isRemoved: boolean;
  /** Why it is removed: `deleted`, or `changed` for what only leaves the collection. */
  readonly reason?: JsonValue;
  /** `@odata.etag` of the object. */
  readonly etag?: string;
}

/** An added or deleted link in a delta payload (JSON Format 4.01, clauses 15.4 and 15.5). */
export interface LinkChange {
  /** The instance that the link starts at, and the navigation property: a URL below the service root. */
  readonly url: string;
  /** Keys of the instance that it leads to. */
  readonly target: Row;
  readonly isRemoved: boolean;
  /** The object of the body. */
  readonly link: { readonly [name: string]: JsonValue };
}

/**
 * The changes in the body of a PATCH of a collection.
 *
 * @param exchange the exchange
 * @param entity the entity of the collection
 * @throws ServiceError 400 for what is no delta payload, 405 for a row
 */
export async function readChanges(
  exchange: Exchange,
  entity: LinkedEntity,
): Promise<(EntityChange | LinkChange)[]> {
  const { value } = await readJsonObject(exchange);
  // a row as body of a collection is the wrong method rather than a broken delta
  if (value === undefined) throw notAllowed(["GET", "HEAD", "POST", "OPTIONS"]);
  assertList(exchange, value);
  return value.map((body, index) => {
    const property = `value[${index}]`;
    if (!isJsonObject(body)) {
      throw new ServiceError({ status: 400, message: `"${property}" must be an object`, target: property });
    }
    const context = body["@odata.context"] ?? body["@context"];
    const linked = typeof context === "string" && /\/\$(deletedL|l)ink$/.exec(context);
    if (linked) {
      return readLinkChange(exchange, body, { entity, property, isRemoved: linked[1] === "deletedL" });
    }
    const isDeleted = typeof context === "string" && context.endsWith("/$deletedEntity");
    const id = body["@odata.id"] ?? body["@id"] ?? (isDeleted ? body.id : undefined);
    const etag = body["@odata.etag"] ?? body["@etag"];
    const named = checked(exchange, (options) => readKeys(body, entity, { options, property }));
    const removed = isDeleted ? body : body["@removed"] ?? body["@odata.removed"];
    const ofId = typeof id === "string" ? resolveLink(exchange, id, { target: entity, property }) : {};
    return {
      body,
      keys: { ...named, ...ofId },
      isRemoved: removed !== undefined,
      ...(isJsonObject(removed) ? { reason: removed.reason } : {}),
      ...(typeof etag === "string" ? { etag } : {}),
    };
  });
}

/** The keys that an object names. */
function readKeys(
  body: EntityChange["body"],
  entity: LinkedEntity,
  { options, property }: { readonly options: InputOptions; readonly property: string },
): Row {
  const { violations, defaultStringLength } = options;
  const keys: Row = {};
  for (const { name, element: { $type: type } } of entity.$flatKeys) {
    const value = body[name];
    if (value === undefined || value === null) continue;
    keys[name] = readPrimitive(value, type, defaultStringLength);
    if (keys[name] !== undefined) continue;
    violations.wrongType(value, typeText(type, defaultStringLength), `${property}/${name}`);
  }
  return keys;
}

/** `{"@context": "#Authors/$link", "source": "Authors(1)", "relationship": "books", "target": "Books(2)"}`. */
function readLinkChange(
  exchange: Exchange,
  link: { readonly [name: string]: JsonValue },
  { entity, property, isRemoved }: {
    readonly entity: LinkedEntity;
    readonly property: string;
    readonly isRemoved: boolean;
  },
): LinkChange {
  const { source, relationship, target } = link;
  if (typeof source !== "string" || typeof relationship !== "string" || typeof target !== "string") {
    const message = `"${property}" must have the members "source", "relationship" and "target"`;
    throw new ServiceError({ status: 400, message, target: property });
  }
  resolveLink(exchange, source, { target: entity, property });
  const url = `${relativeUrl(exchange, source)}/${relationship}`;
  const isName = /^[^?#$%]+$/.test(relationship);
  const plan = isName ? exchange.scope.plan(url, "GET") : undefined;
  if (!plan?.target || !plan.navigation || plan.navigation.keyed) {
    const message = `"${relationship}" is no navigation property of ${entity.name}`;
    throw new ServiceError({ status: 400, message, target: property });
  }
  return { url, target: resolveLink(exchange, target, { target: plan.target, property }), isRemoved, link };
}
