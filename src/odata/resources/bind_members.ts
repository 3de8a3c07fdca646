/**
 * `@odata.bind` of collections: rows that a created or updated row is linked with (JSON Format 8.5).
 *
 * @module
 */

import type { RefExpression } from "../../cqn/cqn.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import type { Exchange } from "../exchange.ts";
import type { BoundMember } from "../payload/read_row.ts";
import { childLinks, parentLinks } from "./parent.ts";
import { keyCondition } from "./read_request.ts";
import { linksNotSupported, updateLinks } from "./reference.ts";

/**
 * Links rows with the row that a request has written; runs inside its transaction.
 *
 * @param exchange the exchange
 * @param members the rows that the body names
 * @param row the row that was written
 * @throws ServiceError 404 when a row does not exist, 501 when the links are not in the rows named
 */
export async function bindMembers(
  exchange: Exchange,
  members: readonly BoundMember[],
  row: { readonly source: LinkedEntity; readonly subject: RefExpression },
): Promise<void> {
  for (const { element, keys } of members) {
    const target = element.$target!; // the reader takes associations of the model only
    if (childLinks(element).length === 0) throw linksNotSupported(element.name);
    const data = await parentLinks(exchange, { ...row, element, keyed: false });
    const subject = { ref: [{ id: target.name, where: keyCondition(keys) }] };
    await updateLinks(exchange, { target, subject, data });
  }
}
