/**
 * Rows that are addressed by their key, as those of most writes are: their condition is a template, so that it is lowered
 * and rendered once for each entity, and its values are parameters.
 *
 * @module
 */

import type { EntityRef, QueryParams, Xo } from "../../cqn/cqn.ts";
import type { FlatElement, LinkedEntity, LinkedModel } from "../../model/linked.ts";

/** What an UPDATE or DELETE addresses, with the values of its parameters. */
export interface AddressedRows {
  readonly ref: EntityRef;
  readonly where: readonly Xo[] | undefined;
  readonly params: QueryParams;
}

/**
 * Brings what addresses rows by their key into the form of a template; what addresses others stays as it is.
 *
 * @param model the linked model
 * @param given what is addressed
 */
export function withKeyTemplate(model: LinkedModel, given: AddressedRows): AddressedRows {
  const { name, condition } = onlyCondition(given);
  const entity = condition && model.entity(name);
  const values = entity && keyValues(entity.$flatKeys, condition);
  if (!values) return given;
  return { ref: name, where: templateOf(entity), params: { ...given.params, ...values } };
}

/** The entity and the condition on its rows, where there is one condition only. */
function onlyCondition(
  { ref, where }: AddressedRows,
): { readonly name: string; readonly condition?: readonly Xo[] } {
  if (typeof ref === "string") return { name: ref, condition: where };
  const [step] = ref.ref;
  if (ref.ref.length !== 1 || "as" in ref || where || typeof step !== "object") return { name: "" };
  const { id, where: condition, ...others } = step;
  return Object.keys(others).length === 0 ? { name: id, condition } : { name: "" };
}

/** The values of `a = 1 and b = 2` as parameters; undefined unless these are all keys with values of their types. */
function keyValues(keys: readonly FlatElement[], condition: readonly Xo[]): QueryParams | undefined {
  if (keys.length === 0 || condition.length !== 4 * keys.length - 1) return undefined;
  const values: Record<string, unknown> = {};
  for (let at = 0; at < condition.length; at += 4) {
    const [element, operator, literal, and] = condition.slice(at, at + 4);
    if (operator !== "=" || (and !== undefined && and !== "and")) return undefined;
    const index = keys.findIndex(({ name }) => name === nameOf(element));
    const value = valueOf(literal);
    if (index < 0 || !isPlain(value, keys[index]!)) return undefined;
    values[parameter(index)] = value;
  }
  return Object.keys(values).length === keys.length ? values : undefined;
}

function nameOf(token: Xo | undefined): unknown {
  if (typeof token !== "object" || !("ref" in token) || !token.ref) return undefined;
  return token.ref.length === 1 && Object.keys(token).length === 1 ? token.ref[0] : undefined;
}

function valueOf(token: Xo | undefined): unknown {
  return typeof token === "object" && "val" in token && Object.keys(token).length === 1
    ? token.val
    : undefined;
}

/** Whether a value is compared as it is: others are brought into the form of the type first. */
function isPlain(value: unknown, { type, virtual }: FlatElement): boolean {
  if (virtual) return false;
  switch (type.builtin) {
    case "cds.Integer":
    case "cds.Int16":
    case "cds.Int32":
    case "cds.UInt8":
    case "cds.Int64":
      return Number.isSafeInteger(value);
    case "cds.String":
    case "cds.UUID":
      return typeof value === "string";
    default:
      return false;
  }
}

function parameter(index: number): string {
  return `$key${index}`;
}

const TEMPLATES: WeakMap<LinkedEntity, readonly Xo[]> = new WeakMap();

/** The condition that all keys of an entity have the values of parameters, frozen as templates are. */
function templateOf(entity: LinkedEntity): readonly Xo[] {
  let template = TEMPLATES.get(entity);
  if (template === undefined) {
    template = Object.freeze(entity.$flatKeys.flatMap(({ name }, index): Xo[] => [
      ...(index === 0 ? [] : ["and"]),
      { ref: [name] },
      "=",
      { ref: [parameter(index)], param: true },
    ]));
    TEMPLATES.set(entity, template);
  }
  return template;
}
