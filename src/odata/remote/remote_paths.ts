/**
 * Resources of remote services as segments of URLs.
 *
 * @module
 */

import { joinConditions } from "../../cqn/builders/expressions.ts";
import type { Query, RefStep, RefStepObject, Row, SelectBody, Xo } from "../../cqn/cqn.ts";
import { edmName } from "../../model/edm_types.ts";
import type { LinkedEntity, LinkedModel, LinkedOperation, LinkedService } from "../../model/linked.ts";
import { addressedKeys, conditionOf } from "../../service/requests/addressed_keys.ts";
import type { AliasAndValue, Argument, ArgumentList, NameSegment, PathSegment } from "../url/ast.ts";
import { hasRemoteDrafts } from "./remote_drafts.ts";
import { writeRemoteBody } from "./remote_payload.ts";
import { elementAt, notPossible } from "./remote_expression.ts";
import { literal, remoteLiteral, remoteType } from "./remote_literal.ts";

/** What names are resolved in. */
export interface RemoteNames {
  /** The linked model. */
  readonly model: LinkedModel;
  /** The definition of the service, if the model has it. */
  readonly definition: LinkedService | undefined;
  /** Name of the service. */
  readonly name: string;
}

/**
 * The key of the row that a query addresses. Of entities with drafts a key without `IsActiveEntity` means the active instance.
 *
 * @param query a query on the entity
 * @param entity its target
 * @returns undefined for any other condition
 */
export function remoteKeys(query: Query, entity: LinkedEntity): Row | undefined {
  const where = conditionOf(query);
  const isMissing = where !== undefined && hasRemoteDrafts(entity) &&
    !where.some((item) => typeof item === "object" && "ref" in item && item.ref[0] === "IsActiveEntity");
  if (!isMissing) return addressedKeys(query, entity);
  const whole: Xo[] = [...where, "and", { ref: ["IsActiveEntity"] }, "=", { val: true }];
  return addressedKeys({ SELECT: { from: { ref: [entity.name] }, where: whole } }, entity);
}

/**
 * A query whose path ends with a condition that is no key, as restrictions of projections have it, with that as filter.
 *
 * @param select a query on a collection
 * @param entity its target
 */
export function withFilter(select: SelectBody, entity: LinkedEntity): SelectBody {
  if (!("ref" in select.from)) return select;
  const { ref } = select.from;
  const last = ref[ref.length - 1]!;
  if (typeof last === "string" || !last.where || last.orderBy || last.limit) return select;
  if (remoteKeys({ SELECT: { from: { ref: [entity.name] }, where: last.where } }, entity)) return select;
  const from = { ...select.from, ref: [...ref.slice(0, -1), last.id] };
  return { ...select, from, where: joinConditions(last.where, "and", select.where ?? []) };
}

/**
 * The segments of a path: entities with keys, associations.
 *
 * @param ref the path
 * @param names what its names are resolved in
 * @throws ServiceError 501 for a condition that is no key, order and limit
 */
export function pathSegments(ref: readonly RefStep[], names: RemoteNames): PathSegment[] {
  let entity: LinkedEntity | undefined;
  return ref.map((step, index) => {
    const { id, where, orderBy, limit }: RefStepObject = typeof step === "string" ? { id: step } : step;
    if (orderBy || limit) throw notPossible("A path with order or limit");
    entity = index === 0 ? names.model.entity(id) : elementAt(entity, [id])?.$target;
    const name = index === 0 ? setName(id, entity, names) : id;
    if (!where) return segment(name);
    const keys = entity && remoteKeys({ SELECT: { from: { ref: [id] }, where } }, entity);
    if (!keys) throw notPossible("A path with a condition that is no key");
    return segment(name, keys, entity);
  });
}

/** The name of the entity set: the local name in the service. */
function setName(
  name: string,
  entity: LinkedEntity | undefined,
  { definition, name: service }: RemoteNames,
): string {
  if (entity && entity.$service === definition) return edmName(entity);
  return (name.startsWith(`${service}.`) ? name.slice(service.length + 1) : name).replaceAll(".", "_");
}

/**
 * A segment, with keys in parentheses.
 *
 * @param name name of a resource
 * @param keys values of the keys
 * @param entity whose keys they are
 */
export function segment(name: string, keys?: Row, entity?: LinkedEntity): NameSegment {
  if (!keys) return { kind: "nameSegment", name, parens: [], offset: 0 };
  const isSingle = Object.keys(keys).length === 1;
  const items = Object.entries(keys).map(([key, value]): Argument => ({
    kind: "argument",
    ...(isSingle ? {} : { name: key }),
    value: remoteLiteral(value, remoteType(elementAt(entity, [key]))),
    offset: 0,
  }));
  return { kind: "nameSegment", name, parens: [list(items)], offset: 0 };
}

/** A call of a function: the segment with its parameters, and aliases for those that are no literals. */
export function functionCall(
  name: string,
  operation: LinkedOperation,
  data: Row,
): { readonly segment: NameSegment; readonly aliases: readonly AliasAndValue[] } {
  const aliases: AliasAndValue[] = [];
  const items = [...operation.params].filter((param) => data[param.name] !== undefined).map(
    (param): Argument => {
      const value = data[param.name];
      const isComplex = typeof value === "object" && value !== null && !(value instanceof Date) &&
        !(value instanceof Uint8Array);
      if (!isComplex) {
        return {
          kind: "argument",
          name: param.name,
          value: remoteLiteral(value, remoteType(param)),
          offset: 0,
        };
      }
      aliases.push({
        kind: "aliasAndValue",
        name: param.name,
        value: literal(writeRemoteBody(value)),
        offset: 0,
      });
      const alias = { kind: "memberExpr", root: `@${param.name}`, steps: [], offset: 0 } as const;
      return { kind: "argument", name: param.name, value: alias, offset: 0 };
    },
  );
  return { segment: { kind: "nameSegment", name, parens: [list(items)], offset: 0 }, aliases };
}

function list(items: readonly Argument[]): ArgumentList {
  return { kind: "argumentList", items, offset: 0 };
}
