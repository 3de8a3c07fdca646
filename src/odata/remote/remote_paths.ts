import { joinConditions } from "../../cqn/builders/expressions.ts";
import type {
  EntityRef,
  Query,
  RefExpression,
  RefStep,
  RefStepObject,
  Row,
  SelectBody,
  Xo,
} from "../../cqn/cqn.ts";
import { edmName } from "../../model/edm_types.ts";
import type { LinkedEntity, LinkedModel, LinkedOperation, LinkedService } from "../../model/linked.ts";
import { addressedKeys, conditionOf } from "../../service/requests/addressed_keys.ts";
import {
  type AliasAndValue,
  type Argument,
  type ArgumentList,
  type NameSegment,
  NO_OFFSET,
  type PathSegment,
} from "../url/ast.ts";
import { writeRemoteBody } from "./remote_wire.ts";
import { elementAt, literal, notPossible, remoteLiteral, remoteType } from "./remote_expression.ts";
import { draftsOf } from "../../model/drafts/draft_names.ts";
import { keyWhere } from "../../service/drafts/administration.ts";
import type { DraftEntity } from "../../service/drafts/draft_calls.ts";
import type { Service } from "../../service/service.ts";
import { unqualified } from "../../util/unqualified.ts";

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
  if (!keys) return { kind: "nameSegment", name, parens: [], offset: NO_OFFSET };
  const isSingle = Object.keys(keys).length === 1;
  const items = Object.entries(keys).map(([key, value]): Argument => ({
    ...(isSingle ? {} : { name: key }),
    value: remoteLiteral(value, remoteType(elementAt(entity, [key]))),
    offset: NO_OFFSET,
  }));
  return { kind: "nameSegment", name, parens: [list(items)], offset: NO_OFFSET };
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
          name: param.name,
          value: remoteLiteral(value, remoteType(param)),
          offset: NO_OFFSET,
        };
      }
      aliases.push({
        kind: "aliasAndValue",
        name: param.name,
        value: literal(writeRemoteBody(value)),
        offset: NO_OFFSET,
      });
      const alias = { kind: "memberExpr", root: `@${param.name}`, steps: [], offset: NO_OFFSET } as const;
      return { name: param.name, value: alias, offset: NO_OFFSET };
    },
  );
  return { segment: { kind: "nameSegment", name, parens: [list(items)], offset: NO_OFFSET }, aliases };
}

function list(items: readonly Argument[]): ArgumentList {
  return { items, offset: NO_OFFSET };
}

/** What the name of an entity of drafts ends with. */
const DRAFTS = draftsOf("");

/** Whether the metadata of a service tell that an entity has drafts. */
function hasRemoteDrafts(entity: LinkedEntity): boolean {
  return entity.elements.IsActiveEntity?.key === true &&
    (entity["@Common.DraftRoot.ActivationAction"] ?? entity["@Common.DraftNode.PreparationAction"]) !==
      undefined;
}

/**
 * A query on the drafts of an entity as one on the entity, which the other system has them in.
 *
 * @param query any query
 * @param service the service
 */
export function draftQuery(query: Query, service: Service): Query {
  if ("SELECT" in query) {
    const { SELECT } = query;
    const found = "ref" in SELECT.from ? activeRef(SELECT.from, service) : undefined;
    return found
      ? { SELECT: { ...SELECT, ...limited(found, SELECT.where), from: found.ref } as SelectBody }
      : query;
  }
  if ("UPDATE" in query) {
    const found = activeRef(query.UPDATE.entity, service);
    return found
      ? { UPDATE: { ...query.UPDATE, ...limited(found, query.UPDATE.where), entity: found.ref } }
      : query;
  }
  if ("DELETE" in query) {
    const found = activeRef(query.DELETE.from, service);
    return found
      ? { DELETE: { ...query.DELETE, ...limited(found, query.DELETE.where), from: found.ref } }
      : query;
  }
  if (!("INSERT" in query)) return query;
  const found = activeRef(query.INSERT.into, service);
  const { entries } = query.INSERT;
  if (!found || !entries) return query;
  const drafts = entries.map((row) => ({ ...row, IsActiveEntity: false }));
  return { INSERT: { ...query.INSERT, into: found.ref, entries: drafts } };
}

interface ActiveRef {
  readonly ref: RefExpression;
  /** Whether the path itself names the row. */
  readonly isKeyed: boolean;
}

const IS_DRAFT: readonly Xo[] = [{ ref: ["IsActiveEntity"] }, "=", { val: false }];

/** The path on the entity whose drafts one begins with. */
function activeRef(given: EntityRef, service: Service): ActiveRef | undefined {
  const path: RefExpression = typeof given === "string" ? { ref: [given] } : given;
  const [first, ...rest] = path.ref;
  const { id, where, ...others } = typeof first === "object" ? first : { id: first!, where: undefined };
  if (!id.endsWith(DRAFTS)) return undefined;
  const entity = service.model.entity(service.qualify(id.slice(0, -DRAFTS.length)));
  if (!entity || !hasRemoteDrafts(entity)) return undefined;
  const step: RefStep = where
    ? { ...others, id: entity.name, where: [...where, "and", ...IS_DRAFT] }
    : entity.name;
  return { ref: { ...path, ref: [step, ...rest] }, isKeyed: where !== undefined };
}

function limited(
  { isKeyed }: ActiveRef,
  where: readonly Xo[] | undefined,
): { readonly where?: readonly Xo[] } {
  if (isKeyed) return where ? { where } : {};
  if (!where || where.length === 0) return { where: IS_DRAFT };
  // a comparison of all keys stays one
  const one: readonly Xo[] = where.includes("or") ? [{ xpr: where }] : where;
  return { where: [...one, "and", ...IS_DRAFT] };
}

/** Makes a new draft, and gives its keys. */
export async function newRemoteDraft(service: Service, entity: DraftEntity, data: Row): Promise<Row> {
  const { name, $flatKeys } = entityOf(service, entity);
  const query: Query = { INSERT: { into: name, entries: [{ ...data, IsActiveEntity: false }] } };
  const row = await service.dispatch({
    context: service.context,
    event: "CREATE",
    target: service.model.entity(name),
    data: { ...data, IsActiveEntity: false },
    query,
  }) as Row;
  return Object.fromEntries($flatKeys.map((key) => [key.name, row[key.name] ?? data[key.name]]));
}

/** Makes a draft of an active instance, and gives it. */
export async function editRemote(service: Service, entity: DraftEntity, keys: Row): Promise<Row> {
  return await callAction(service, { entity, keys: { ...keys, IsActiveEntity: true }, role: "EditAction" });
}

/** Activates a draft, and gives its keys. */
export async function saveRemoteDraft(service: Service, entity: DraftEntity, keys: Row): Promise<Row> {
  await callAction(service, { entity, keys: { ...keys, IsActiveEntity: false }, role: "ActivationAction" });
  const { IsActiveEntity: _kind, ...own } = keys;
  return own;
}

/** Discards a draft. */
export async function discardRemoteDraft(
  service: Service,
  entity: DraftEntity,
  keys: Row,
): Promise<unknown> {
  const { name } = entityOf(service, entity);
  const where = keyWhere({ ...keys, IsActiveEntity: false });
  await service.run({ DELETE: { from: name, where } });
  return [];
}

interface ActionCall {
  readonly entity: DraftEntity;
  readonly keys: Row;
  /** Which action of the draft protocol: the metadata tell its name. */
  readonly role: "EditAction" | "ActivationAction";
}

async function callAction(service: Service, { entity, keys, role }: ActionCall): Promise<Row> {
  const definition = entityOf(service, entity);
  const { name } = definition;
  const action = String(definition[`@Common.DraftRoot.${role}`]);
  const event = unqualified(action);
  return await service.send({ event, entity: name, params: [keys], data: {} }) as Row; // the actions return the entity
}

/**
 * The entity that has drafts.
 *
 * @throws TypeError for entities without drafts
 */
function entityOf(service: Service, given: DraftEntity): LinkedEntity {
  const name = service.qualify(typeof given === "string" ? given : given.name);
  const entity = service.model.entity(name.endsWith(DRAFTS) ? name.slice(0, -DRAFTS.length) : name);
  if (entity?.["@Common.DraftRoot.ActivationAction"]) return entity;
  throw new TypeError(`"${name}" has no drafts: its metadata name no "Common.DraftRoot"`);
}
