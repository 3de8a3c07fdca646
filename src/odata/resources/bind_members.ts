/**
 * `@odata.bind` and `@delta` of associations to many: rows that a created or updated row is linked with or parted from
 * (JSON Format 8.5, 4.01 15).
 *
 * @module
 */

import type { RefExpression } from "../../cqn/cqn.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { dispatch, type Exchange } from "../exchange.ts";
import type { BoundMember } from "../payload/reading.ts";
import { throughOf } from "../../model/through.ts";
import { changeLinks } from "./link_rows.ts";
import { childLinks, parentLinks, unlinked } from "./parent.ts";
import { keysOf } from "./read_back.ts";
import { keyCondition } from "./read_request.ts";
import { linksNotSupported, updateLinks } from "./reference.ts";

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
 * @throws ServiceError 404 when a row does not exist, 501 when the links are not in the rows named
 */
export async function bindMembers(
  exchange: Exchange,
  members: readonly BoundMember[],
  row: Owner,
): Promise<void> {
  for (const member of members) {
    const { element, keys, change, data } = member;
    const target = element.$target!; // the reader takes associations of the model only
    const owner = ownerOf(member, row);
    const where = keyCondition(keys);
    if (throughOf(element) && change !== "delete") {
      const changed = change === undefined ? { added: [keys] } : { removed: [keys] };
      await changeLinks(exchange, { ...owner, element, ...changed });
      continue;
    }
    const links = childLinks(element);
    if (links.length === 0 && !throughOf(element)) throw linksNotSupported(element.name);
    if (change === undefined) {
      const linked = await parentLinks(exchange, { ...owner, element, keyed: false });
      const subject = { ref: [{ id: target.name, where }] };
      await updateLinks(exchange, { target, subject, data: { ...data, ...linked } });
      continue;
    }
    const subject = { ref: [...owner.subject.ref, { id: element.name, where }] };
    if (change === "delete") await deleteMember(exchange, { target, subject });
    else await updateLinks(exchange, { target, subject, data: unlinked(links) });
  }
}

function ownerOf({ owner, element }: BoundMember, row: Owner): Owner {
  if (!owner) return row;
  const keys = keysOf(owner.entity, owner.row);
  if (keys) {
    return { source: owner.entity, subject: { ref: [{ id: owner.entity.name, where: keyCondition(keys) }] } };
  }
  const message = `"${element.name}" can be linked in nested rows with all their keys only`;
  throw new ServiceError({ status: 501, message, target: element.name, $sanitize: false });
}

async function deleteMember(
  exchange: Exchange,
  { target, subject }: { readonly target: LinkedEntity; readonly subject: RefExpression },
): Promise<void> {
  const query = { DELETE: { from: subject } };
  await dispatch(exchange, { event: "DELETE", query, target, subject, path: target.name });
}
