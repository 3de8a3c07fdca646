/**
 * Flows: which actions take an entity from one status to another (`@flow.status`, `@from`, `@to`).
 *
 * @module
 */

import { ConfigurationError } from "../../errors/configuration_error.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";
import { nearestName } from "../../util/nearest_name.ts";
import type { FlatElement, LinkedElement, LinkedEntity, LinkedOperation } from "../linked.ts";
import { placeOf } from "../problems.ts";

/** A status: its name in the model, and its value in rows. */
export interface FlowStatus {
  readonly name: string;
  readonly value: string | number | boolean;
}

/** What an action needs, and what it leads to. */
export interface Transition {
  readonly action: LinkedOperation;
  /** The statuses that it starts from; undefined for any. */
  readonly from: readonly FlowStatus[] | undefined;
  /** The status behind it; `"previous"` for the one before the last transition, undefined where it stays. */
  readonly to: FlowStatus | "previous" | undefined;
}

/** The flow of an entity. */
export interface Flow {
  /** The element that holds the status, of an association to a code list its foreign key. */
  readonly status: FlatElement;
  /** By name of the action. */
  readonly transitions: ReadonlyMap<string, Transition>;
}

/** The value of `@to` for the status before the last transition. */
export const PREVIOUS = "$flow.previous";

/** The composition of an entity with its earlier statuses, and the association of its views to them. */
export const TRANSITIONS = "transitions_";

const FLOWS: WeakMap<LinkedEntity, Flow | "none"> = new WeakMap();

/**
 * The flow of an entity.
 *
 * @param entity any entity
 * @returns undefined where it has none
 * @throws ConfigurationError for a status element or symbol that is not there, and for transitions without status
 */
export function flowOf(entity: LinkedEntity): Flow | undefined {
  let flow = FLOWS.get(entity);
  if (flow === undefined) FLOWS.set(entity, flow = readFlow(entity) ?? "none");
  return flow === "none" ? undefined : flow;
}

function readFlow(entity: LinkedEntity): Flow | undefined {
  const moving = [...entity.actions].filter((action) =>
    action["@from"] !== undefined || action["@to"] !== undefined
  );
  if (moving.length === 0) return undefined;
  const element = statusElement(entity);
  if (!element) {
    const name = moving[0]!.name;
    throw wrong(
      moving[0]!,
      `Action "${name}" of ${entity} has @from or @to, expected @flow.status at ${entity}`,
    );
  }
  const status = element.isAssociation
    ? element.$foreignKeys?.length === 1 ? element.$foreignKeys[0]!.element : undefined
    : entity.$flat.get(element.name);
  if (!status) {
    throw wrong(element, `The status ${element} is neither a single value nor a code list with one key`);
  }
  const symbols = status.element.$type.enum;
  const transitions = moving.map((action): [string, Transition] => {
    const find = (given: unknown) => statusOf(given, { action, element, symbols });
    const { "@from": from, "@to": to } = action;
    return [action.name, {
      action,
      from: from === undefined || from === null ? undefined : (Array.isArray(from) ? from : [from]).map(find),
      to: to === undefined || to === null ? undefined : isPrevious(to) ? "previous" : find(to),
    }];
  });
  return { status, transitions: new Map(transitions) };
}

/** The element that `@flow.status` names, or that carries it. */
function statusElement(entity: LinkedEntity): LinkedElement | undefined {
  const given = entity["@flow.status"];
  if (given === undefined || given === null) {
    return [...entity.elements].find((element) => element["@flow.status"] === true);
  }
  const name = isPlainObject(given) && typeof given["="] === "string" ? given["="] : given;
  const names = [...entity.elements].map((element) => element.name);
  if (typeof name === "string" && names.includes(name)) return entity.elements[name];
  const near = typeof name === "string" ? nearestName(name, names) : undefined;
  throw wrong(
    entity,
    `@flow.status of ${entity} names ${JSON.stringify(name)}, expected one of its elements` +
      (near === undefined ? "" : `, did you mean "${near}"?`),
  );
}

/** Whether a value of `@to` stands for the status before the last transition. */
export function isPrevious(given: unknown): boolean {
  return given === PREVIOUS || (isPlainObject(given) && given["="] === PREVIOUS);
}

interface StatusPlace {
  readonly action: LinkedOperation;
  readonly element: LinkedElement;
  readonly symbols: LinkedElement["$type"]["enum"];
}

/** A symbol (`#Open`), or a value as rows have it. */
function statusOf(given: unknown, { action, element, symbols }: StatusPlace): FlowStatus {
  const symbol = isPlainObject(given) ? given["#"] : undefined;
  const known = Object.entries(symbols ?? {}).map(([name, { val }]): FlowStatus => ({
    name,
    value: (val ?? name) as FlowStatus["value"], // symbols have single values
  }));
  const found = known.find(({ name, value }) =>
    symbol === undefined ? value === given || name === given : name === symbol
  );
  if (found) return found;
  if (
    symbols === undefined &&
    (typeof given === "string" || typeof given === "number" || typeof given === "boolean")
  ) {
    return { name: String(given), value: given };
  }
  const shown = typeof symbol === "string" ? `#${symbol}` : JSON.stringify(given);
  const names = known.map(({ name }) => `#${name}`);
  const expected = names.length > 0 ? `expected one of ${names.join(", ")}` : "expected a value";
  throw wrong(action, `${shown} in @from or @to of "${action.name}" is no status of ${element}, ${expected}`);
}

function wrong(declared: object, message: string): ConfigurationError {
  return new ConfigurationError(message, placeOf(declared));
}
