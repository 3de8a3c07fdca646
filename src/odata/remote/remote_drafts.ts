/**
 * Drafts of services that run elsewhere: queries on `Entity.drafts`, and the calls that make, edit, activate and discard.
 *
 * @module
 */

import type { EntityRef, Query, RefExpression, RefStep, Row, SelectBody, Xo } from "../../cqn/cqn.ts";
import { draftsOf } from "../../model/drafts/draft_names.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { keyWhere } from "../../service/drafts/administration.ts";
import type { DraftEntity } from "../../service/drafts/draft_calls.ts";
import type { Service } from "../../service/service.ts";
import { unqualified } from "../../util/unqualified.ts";

/** What the name of an entity of drafts ends with. */
const DRAFTS = draftsOf("");

/** Whether the metadata of a service tell that an entity has drafts. */
export function hasRemoteDrafts(entity: LinkedEntity): boolean {
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
