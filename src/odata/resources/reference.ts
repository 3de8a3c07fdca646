/**
 * Changing references: `/$ref` (OData Protocol 11.4.6).
 *
 * @module
 */

import type { Query, RefExpression, Row, SelectQuery, Xo } from "../../cqn/cqn.ts";
import { isServiceError, ServiceError, unsupported } from "../../errors/service_error.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import {
  type Answer,
  appliedReturn,
  entityPlan,
  type Exchange,
  finishAnswer,
  inTransaction,
} from "../exchange.ts";
import { entitySetName } from "../names.ts";
import type { EntityPlan, NavigationStep } from "../plan/plan.ts";
import { keyPredicate, keysText } from "../payload/key_predicate.ts";
import type { LinkChange } from "../payload/delta_body.ts";
import { assertFewRows, readLinkBody, readLinksBody } from "../payload/request_body.ts";
import { restrictedRead } from "../../service/authorization/restricted_read.ts";
import { foreignKeyLinks, throughOf } from "../../model/links.ts";
import {
  changeLinks,
  childLinks,
  dispatchChange,
  parentLinks,
  type RowChange,
  unlinked,
} from "./link_rows.ts";
import { assertVersion, orPreconditionFailed, tagCondition } from "./row_version.ts";
import { equalities } from "../../cqn/conjunction.ts";
import { keyColumns, keysOf } from "../../model/keys.ts";
import { visibleRows } from "./read_request.ts";

/** Answers POST, PUT and DELETE of a reference, and PUT and DELETE of the references of a collection. */
export async function writeReference(exchange: Exchange, plan: EntityPlan): Promise<Answer> {
  const { navigation } = plan;
  if (!navigation) throw linksNotSupported(entitySetName(plan.target));
  const isReplacement = plan.collection && exchange.method !== "POST";
  if (isReplacement) {
    const links = exchange.method === "DELETE" ? [] : await readLinksBody(exchange, plan.target);
    await inTransaction(exchange, async () => {
      await assertSource(exchange, navigation);
      await replaceMembers(exchange, plan, { navigation, links });
    });
  } else {
    const link = exchange.method === "DELETE" ? null : await readLinkBody(exchange, plan.target);
    await inTransaction(exchange, async () => {
      await assertSource(exchange, navigation);
      await (navigation.element.is2many
        ? writeMember(exchange, plan, { navigation, link })
        : writeSingle(exchange, navigation, { link, where: versionOf(exchange, navigation) }));
    });
  }
  return finishAnswer(exchange, { status: 204, applied: appliedReturn(exchange, "minimal") });
}

/**
 * With `If-Match` the instance whose references change must have that version; it is missing for those who may not
 * read it.
 */
async function assertSource(exchange: Exchange, navigation: NavigationStep): Promise<void> {
  if (exchange.preconditions.ifMatch === undefined) return;
  await parentLinks(exchange, navigation);
  await assertVersion(exchange, navigation.source, navigation.subject);
}

/** The condition that the instance still has the version of `If-Match`, which references need not name. */
function versionOf(exchange: Exchange, { source }: NavigationStep): readonly Xo[] | undefined {
  return exchange.preconditions.ifMatch === undefined ? undefined : tagCondition(exchange, source);
}

/**
 * The links are the full set: members that the caller sees and that are not among them are parted, the others linked
 * (Protocol 11.4.6.4).
 */
async function replaceMembers(
  exchange: Exchange,
  plan: EntityPlan,
  { navigation, links }: { readonly navigation: NavigationStep; readonly links: readonly Row[] },
): Promise<void> {
  const { target } = plan;
  const pairs = childLinks(navigation.element);
  const isLinked = throughOf(navigation.element) !== undefined;
  if ((pairs.length === 0 && !isLinked) || !exchange.scope.host.db) {
    throw linksNotSupported(navigation.element.name);
  }
  const data = await parentLinks(exchange, navigation);
  const collection = { target, subject: plan.addressed.subject };
  const left = new Map((await readMembers(exchange, collection)).map((keys) => [keysText(keys), keys]));
  const added = links.filter((keys) => !left.delete(keysText(keys)));
  if (isLinked) return await changeLinks(exchange, { ...navigation, added, removed: [...left.values()] });
  for (const keys of left.values()) {
    const subject = memberOf(navigation, keys);
    await updateMember(exchange, { target, subject, data: unlinked(pairs) });
  }
  for (const keys of added) {
    const subject = { ref: [{ id: target.name, where: equalities(keys) }] };
    await updateMember(exchange, { target, subject, data });
  }
}

/**
 * Keys of the members of a collection that the caller may read, in their order.
 *
 * @param exchange the exchange
 * @param collection its entity, and what addresses it
 * @throws ServiceError 400 for too many
 */
export async function readMembers(
  exchange: Exchange,
  { target, subject }: { readonly target: LinkedEntity; readonly subject: RefExpression },
): Promise<Row[]> {
  const { changedRows } = exchange.scope.host.limits;
  const columns = keyColumns(target);
  const limit = { rows: { val: changedRows + 1 } };
  const orderBy = columns.map((column) => ({ ...column, sort: "asc" as const }));
  const query: SelectQuery = { SELECT: { from: subject, columns, orderBy, limit } };
  const rows = await visibleRows(exchange, query);
  assertFewRows(exchange, rows.length);
  return [...rows];
}

function memberOf({ subject, element }: NavigationStep, keys: Row): RefExpression {
  return { ref: [...subject.ref, { id: element.name, where: equalities(keys) }] };
}

/**
 * Adds or deletes a link (JSON Format 4.01, clauses 15.4 and 15.5).
 *
 * @param exchange the exchange
 * @param change the link
 * @throws ServiceError 404 for rows that are not there and links that do not lead to the row, 501
 */
export async function changeLink(exchange: Exchange, { url, target, isRemoved }: LinkChange): Promise<void> {
  const plan = entityPlan(exchange, url);
  const navigation = plan.navigation!; // the reader has looked
  if (!navigation.element.is2many) {
    if (isRemoved) await assertLinked(exchange, plan, target);
    return await writeSingle(exchange, navigation, { link: isRemoved ? null : target });
  }
  const member = isRemoved ? entityPlan(exchange, `${url}${keyPredicate(plan.target, target)}`) : plan;
  const change = { navigation: member.navigation!, link: isRemoved ? null : target };
  await writeMember(exchange, member, change);
}

/**
 * Parts a member of a collection from the row that it is reached from.
 *
 * @param exchange the exchange; its preconditions are those of the member
 * @param member the plan of the member
 * @throws ServiceError 404, 412, 428, 501
 */
export async function partMember(exchange: Exchange, member: EntityPlan): Promise<void> {
  const where = tagCondition(exchange, member.target);
  const change = { navigation: member.navigation!, link: null, where };
  await orPreconditionFailed(exchange, () => writeMember(exchange, member, change));
}

async function assertLinked(exchange: Exchange, plan: EntityPlan, keys: Row): Promise<void> {
  const columns = Object.keys(keys).map((name) => ({ ref: [name] }));
  const select = { from: plan.addressed.subject, columns, where: equalities(keys) };
  if ((await visibleRows(exchange, { SELECT: select })).length === 0) throw new ServiceError({ status: 404 });
}

/** A to-one association: its foreign keys are in the instance it starts at. */
async function writeSingle(
  exchange: Exchange,
  navigation: NavigationStep,
  { link, where }: { readonly link: Row | null; readonly where?: readonly Xo[] },
): Promise<void> {
  const keys = foreignKeyLinks(navigation.element);
  if (keys.length === 0) throw linksNotSupported(navigation.element.name);
  const data: Row = {};
  for (const { source, target } of keys) data[source] = link === null ? null : link[target] ?? null;
  const change = { target: navigation.source, subject: navigation.subject, data, where };
  await orPreconditionFailed(exchange, () => dispatchChange(exchange, change));
}

/** A to-many association: the foreign keys are in the rows it leads to. */
async function writeMember(
  exchange: Exchange,
  plan: EntityPlan,
  change: {
    readonly navigation: NavigationStep;
    readonly link: Row | null;
    /** A condition that the member has to meet. */
    readonly where?: readonly Xo[];
  },
): Promise<void> {
  const { navigation, link, where } = change;
  const { target } = plan;
  const pairs = childLinks(navigation.element);
  const isLinked = throughOf(navigation.element) !== undefined;
  if (pairs.length === 0 && !isLinked) throw linksNotSupported(navigation.element.name);
  if (link === null && !navigation.keyed) {
    throw new ServiceError({ status: 400, message: "DELETE needs the key of the member to remove" });
  }
  const keys = link === null ? keysOf(target, plan.addressed.params.at(-1) ?? {}) : keysOf(target, link);
  if (!keys) throw new ServiceError({ status: 400, message: "The reference does not hold all keys" });
  if (isLinked) {
    await parentLinks(exchange, navigation); // there must be such a row
    if (link === null) await assertLinked(exchange, plan, keys);
    if (where) await assertVersion(exchange, target, plan.addressed.subject);
    return await changeLinks(exchange, {
      ...navigation,
      ...(link ? { added: [keys] } : { removed: [keys] }),
    });
  }
  const data = link === null ? unlinked(pairs) : await parentLinks(exchange, navigation);
  const subject = link === null
    ? plan.addressed.subject
    : { ref: [{ id: target.name, where: equalities(keys) }] };
  await updateMember(exchange, { target, subject, data, where });
}

/**
 * Changes foreign keys of a member of a collection. One that the user neither sees nor may change is missing.
 *
 * @param exchange the exchange
 * @param change the row, its new foreign keys, and a condition that it has to meet
 * @throws ServiceError 404 for a row that is not there, 403 for one that the user sees but may not change
 */
export async function updateMember(exchange: Exchange, change: RowChange): Promise<void> {
  const isHidden = await isHiddenRow(exchange, change);
  try {
    await dispatchChange(exchange, change);
  } catch (error) {
    throw isHidden && isServiceError(error) && Number(error.status) === 403
      ? new ServiceError({ status: 404 })
      : error;
  }
}

/** Whether the user does not see a row, which there may be or not. */
async function isHiddenRow(exchange: Exchange, { target, subject: from }: RowChange): Promise<boolean> {
  const { context, scope } = exchange;
  if (target["@cds.persistence.skip"] === true) return false;
  const query: SelectQuery = { SELECT: { one: true, from, columns: [{ val: 1, as: "found" }] } };
  let restricted: Query;
  try {
    restricted = restrictedRead(query, context, scope);
  } catch (error) {
    if (isServiceError(error)) return true; // a role is missing
    throw error;
  }
  return restricted !== query && !await scope.host.db?.run(restricted);
}

/** The error for an association whose links are not kept in a row. */
export function linksNotSupported(name: string): ServiceError {
  return unsupported(`References of "${name}" cannot be changed`);
}
