/**
 * `@odata.bind` and `@delta` of associations to many: rows that a created or updated row is linked with or parted from
 * (JSON Format 8.5, 4.01 15).
 *
 * @module
 */

import type { RefExpression, Row, Xo } from "../../cqn/cqn.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { dispatch, type Exchange } from "../exchange.ts";
import type { BoundMember } from "../payload/reading.ts";
import { throughOf } from "../../model/links.ts";
import { changeLinks } from "./link_rows.ts";
import { childLinks, parentLinks, unlinked } from "./parent.ts";
import { linksNotSupported, updateMember } from "./reference.ts";
import { assertVersion, ofVersion, orPreconditionFailed } from "./row_version.ts";
import { equalities } from "../../cqn/conjunction.ts";
import { keysOf } from "../../model/keys.ts";

/** A row that has associations. */
interface Owner {
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
  row: Owner,
): Promise<void> {
  for (const member of members) await bindMember(exchange, member, ownerOf(member, row));
}

async function bindMember(sent: Exchange, member: BoundMember, owner: Owner): Promise<void> {
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

function ownerOf({ owner, element }: BoundMember, row: Owner): Owner {
  if (!owner) return row;
  const keys = keysOf(owner.entity, owner.row);
  if (keys) {
    return { source: owner.entity, subject: { ref: [{ id: owner.entity.name, where: equalities(keys) }] } };
  }
  const message = `"${element.name}" can be linked in nested rows with all their keys only`;
  throw new ServiceError({ status: 501, message, target: element.name, $sanitize: false });
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
