/**
 * Deep insert and deep update along associations annotated `@odata.deepInsert`: rows that are created or changed with the
 * row that refers to them, or that they refer to (OData Protocol 11.4.2.2, 11.4.3.1).
 *
 * @module
 */

import type { RefExpression, Row, Xo } from "../../cqn/cqn.ts";
import { ServiceError, unsupported } from "../../errors/service_error.ts";
import { foreignKeyLinks, throughOf } from "../../model/links.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { dispatch, type Exchange } from "../exchange.ts";
import { preconditionFailed } from "../headers/etag.ts";
import { keysText } from "../payload/key_predicate.ts";
import type { BoundMember, RelatedRow } from "../payload/reading.ts";
import type { EntityBody } from "../payload/request_body.ts";
import { changeLinks, childLinks, dispatchChange, parentLinks, unlinked } from "./link_rows.ts";
import { linksNotSupported, readMembers, updateMember } from "./reference.ts";
import { assertVersion, ofVersion, orPreconditionFailed } from "./row_version.ts";
import { runWithContext } from "../../context/store.ts";
import { declaringType, hasElement, typeHierarchy, typeOfValue } from "../../model/derived_types.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import { equalities } from "../../cqn/conjunction.ts";
import { keysOf } from "../../model/keys.ts";
import { firstRow } from "./read_request.ts";

/** A row that has related ones. */
interface Owner {
  readonly entity: LinkedEntity;
  readonly data: Row;
  /** The row in the body; undefined for the one at the top. */
  readonly row?: Row;
}

/**
 * Makes sure that all related rows belong to rows that are created on their own.
 *
 * @param related the rows
 * @throws ServiceError 501 for those below parts of a composition
 */
export function assertReachable(related: readonly RelatedRow[]): void {
  if (related.length === 0) return;
  const owners = new Set<Row | undefined>([undefined, ...related.map(({ row }) => row)]);
  const lost = related.find(({ owner }) => !owners.has(owner?.row));
  if (lost) throw linksNotSupported(lost.element.name);
}

/**
 * Creates the rows that a row refers to; their keys become its foreign keys.
 *
 * @param exchange the exchange
 * @param related all related rows of the body
 * @param owner the row, before it is created; completed
 */
export async function createReferred(
  exchange: Exchange,
  related: readonly RelatedRow[],
  owner: Owner,
): Promise<void> {
  for (const one of related) {
    const links = foreignKeyLinks(one.element);
    if (one.owner?.row !== owner.row || links.length === 0) continue;
    const created = await createRelated(exchange, related, one);
    for (const { source, target } of links) owner.data[source] = created[target];
  }
}

/**
 * Creates the rows that refer to a row, or that are linked with it.
 *
 * @param exchange the exchange
 * @param related all related rows of the body
 * @param owner the row, which is created
 */
export async function createReferring(
  exchange: Exchange,
  related: readonly RelatedRow[],
  owner: Owner,
): Promise<void> {
  for (const one of related) {
    const { element } = one;
    if (one.owner?.row !== owner.row || foreignKeyLinks(element).length > 0) continue;
    const links = childLinks(element);
    const isLinked = throughOf(element) !== undefined;
    if (links.length === 0 && !isLinked) throw linksNotSupported(element.name);
    for (const { source, target } of links) one.row[target] = owner.data[source];
    const created = await createRelated(exchange, related, one);
    if (!isLinked) continue;
    const [keys, added] = [keysOf(owner.entity, owner.data), keysOf(element.$target!, created)];
    if (!keys || !added) throw new ServiceError({ status: 400, message: "The row has no key" });
    const subject = { ref: [{ id: owner.entity.name, where: equalities(keys) }] };
    await changeLinks(exchange, { source: owner.entity, subject, element, added: [added] });
  }
}

async function createRelated(
  exchange: Exchange,
  related: readonly RelatedRow[],
  { element, row, tag }: RelatedRow,
): Promise<Row> {
  const target = element.$target!; // the reader takes associations of the model only
  const keys = exchange.method === "POST" ? undefined : keysOf(target, row);
  const isThere = keys !== undefined && await isStored(exchange, target, keys);
  if (!isThere && tag !== undefined) throw preconditionFailed();
  if (!isThere) assertMembersOfType(target, row);
  await createReferred(exchange, related, { entity: target, data: row, row });
  if (isThere) {
    await updateRelated(exchange, target, { row, keys, tag });
    await createReferring(exchange, related, { entity: target, data: row, row });
    return row;
  }
  const query = { INSERT: { into: target.name, entries: [row] } };
  const result = await dispatch(exchange, {
    event: "CREATE",
    data: row,
    query,
    target,
    path: target.name,
    params: [],
  });
  const data = { ...row, ...firstRow(result) };
  await createReferring(exchange, related, { entity: target, data, row });
  return data;
}

/** What only an insert of the same key tells from a row that is to be changed. */
async function isStored(exchange: Exchange, target: LinkedEntity, keys: Row): Promise<boolean> {
  const from = { ref: [{ id: target.name, where: equalities(keys) }] };
  const columns = Object.keys(keys).map((name) => ({ ref: [name] }));
  const found = await exchange.scope.host.db?.run({ SELECT: { one: true, from, columns, history: true } });
  return found !== null && found !== undefined;
}

/** Changes a row that is there already; one of which only the key was given is linked. */
async function updateRelated(
  sent: Exchange,
  target: LinkedEntity,
  { row, keys, tag }: { readonly row: Row; readonly keys: Row; readonly tag: string | undefined },
): Promise<void> {
  const data = Object.fromEntries(Object.entries(row).filter(([name]) => !Object.hasOwn(keys, name)));
  const subject = { ref: [{ id: target.name, where: equalities(keys) }] };
  if (Object.keys(data).length === 0) return;
  const { exchange, where } = ofVersion(sent, target, tag);
  await assertChangesOfType(exchange, target, { subject, data });
  await orPreconditionFailed(exchange, () => dispatchChange(exchange, { target, subject, data, where }));
}

/**
 * Parts the members of collections that a body does not list (Protocol 11.4.3.1); to be called before rows are linked.
 *
 * @param exchange the exchange
 * @param body what the body lists
 * @param top the row at the top of it
 */
export async function partUnlisted(
  exchange: Exchange,
  { replaced = [], related = [], members }: Pick<EntityBody, "replaced" | "related" | "members">,
  top: { readonly source: LinkedEntity; readonly subject: RefExpression },
): Promise<void> {
  for (const { element, owner } of replaced) {
    const holder = owner ? ownerOf(owner) : top;
    const target = element.$target!; // the reader takes associations of the model only
    if (!holder) continue;
    const { source, subject } = holder;
    const isOfSame = (one: Pick<RelatedRow, "element" | "owner">) =>
      one.element === element && one.owner?.row === owner?.row;
    const listed = [
      ...related.filter(isOfSame).map(({ row }) => row),
      ...members.filter(isOfSame).map(({ keys }) => keys),
    ]
      .map((row) => keysText(keysOf(target, row) ?? {}));
    const collection = { target, subject: { ref: [...subject.ref, element.name] } };
    const removed = (await readMembers(exchange, collection)).filter((keys) =>
      !listed.includes(keysText(keys))
    );
    if (removed.length === 0) continue;
    if (throughOf(element)) {
      await changeLinks(exchange, { source, subject, element, removed });
      continue;
    }
    const data = unlinked(childLinks(element));
    for (const keys of removed) {
      const member = { ref: [...subject.ref, { id: element.name, where: equalities(keys) }] };
      await dispatchChange(exchange, { target, subject: member, data });
    }
  }
}

/** A nested row that may be there already. */
function ownerOf({ entity, row }: NonNullable<RelatedRow["owner"]>) {
  const keys = keysOf(entity, row);
  return keys && { source: entity, subject: { ref: [{ id: entity.name, where: equalities(keys) }] } };
}

/**
 * Makes sure that a new row has no members of types that it is not of.
 *
 * @param entity its entity
 * @param row the row; without a discriminator it is of the type of the entity
 * @throws ServiceError 400 for members of other types
 */
export function assertMembersOfType(entity: LinkedEntity, row: Row): void {
  const hierarchy = typeHierarchy(entity);
  if (!hierarchy) return;
  const [own] = hierarchy.types.values();
  const { name: discriminator } = hierarchy.discriminator;
  const type = row[discriminator] === undefined ? own : typeOfValue(hierarchy, row[discriminator]);
  for (const name of Object.keys(row)) {
    const flat = entity.$flat.get(name);
    if (!type || !flat || hasElement(hierarchy, type, flat.annotated)) continue;
    const message = `Property "${name}" does not exist in ${entity.$service?.name}.${type.name}`;
    throw new ServiceError({ status: 400, code: "400", message, target: name });
  }
}

/**
 * Refuses changes of a row that members of its type do not have; the database knows the type.
 *
 * @param exchange the exchange
 * @param entity the entity
 * @param change the row, and what is written to it
 * @throws ServiceError 400 for members of other types
 */
export function assertChangesOfType(
  exchange: Exchange,
  entity: LinkedEntity,
  { subject, data }: { readonly subject: RefExpression; readonly data: Row },
): MaybePromise<void> {
  const hierarchy = typeHierarchy(entity);
  const { db } = exchange.scope.host;
  if (!hierarchy || !db) return;
  const isTyped = Object.keys(data).some((name) => {
    const flat = entity.$flat.get(name);
    return flat && declaringType(flat.annotated) !== undefined;
  });
  if (!isTyped) return;
  const columns = [{ ref: [hierarchy.discriminator.name] }];
  const query = { SELECT: { one: true, from: subject, columns } };
  return runWithContext(exchange.context, () => db.run(query)).then((row) => {
    if (row) assertMembersOfType(entity, { ...data, ...row as Row });
  });
}

/** A row that has associations. */
interface BoundOwner {
  readonly source: LinkedEntity;
  readonly subject: RefExpression;
}

/**
 * Links rows with the row that a request has written, or parts them from it; runs inside its transaction.
 *
 * @param exchange the exchange
 * @param members the rows that the body names
 * @param row the row that was written
 * @throws ServiceError 404 when a row does not exist, 412 when it has another version than the body says, 501 when the links are not in the rows named
 */
export async function bindMembers(
  exchange: Exchange,
  members: readonly BoundMember[],
  row: BoundOwner,
): Promise<void> {
  for (const member of members) await bindMember(exchange, member, boundOwner(member, row));
}

async function bindMember(sent: Exchange, member: BoundMember, owner: BoundOwner): Promise<void> {
  const { element, keys, change, data = {}, tag } = member;
  const target = element.$target!; // the reader takes associations of the model only
  const { exchange, where } = ofVersion(sent, target, tag);
  const key = equalities(keys);
  const subject = { ref: [{ id: target.name, where: key }] };
  const reached = { ref: [...owner.subject.ref, { id: element.name, where: key }] };
  const update = (subject: RefExpression, data: Row) =>
    orPreconditionFailed(exchange, () => updateMember(exchange, { target, subject, data, where }));
  if (change === "delete") return await deleteMember(exchange, { target, subject: reached, where });
  if (throughOf(element)) {
    const changed = change === undefined ? { added: [keys] } : { removed: [keys] };
    await changeLinks(exchange, { ...owner, element, ...changed });
    if (Object.keys(data).length > 0) await update(subject, data);
    else if (tag !== undefined) await assertVersion(exchange, target, subject);
    return;
  }
  const links = childLinks(element);
  if (links.length === 0) throw linksNotSupported(element.name);
  if (change === "unlink") return await update(reached, unlinked(links));
  await update(subject, { ...data, ...await parentLinks(exchange, { ...owner, element, keyed: false }) });
}

function boundOwner({ owner, element }: BoundMember, row: BoundOwner): BoundOwner {
  if (!owner) return row;
  const keys = keysOf(owner.entity, owner.row);
  if (keys) {
    return { source: owner.entity, subject: { ref: [{ id: owner.entity.name, where: equalities(keys) }] } };
  }
  const message = `"${element.name}" can be linked in nested rows with all their keys only`;
  throw unsupported(message, element.name);
}

async function deleteMember(
  exchange: Exchange,
  { target, subject, where }: {
    readonly target: LinkedEntity;
    readonly subject: RefExpression;
    readonly where: readonly Xo[] | undefined;
  },
): Promise<void> {
  const query = { DELETE: { from: subject, ...(where && { where }) } };
  await orPreconditionFailed(
    exchange,
    () => dispatch(exchange, { event: "DELETE", query, target, subject, path: target.name }),
  );
}
