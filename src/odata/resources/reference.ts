/**
 * Changing references: `/$ref` (OData Protocol 11.4.6).
 *
 * @module
 */

import type { RefExpression, Row } from "../../cqn/cqn.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { Answer } from "../answer.ts";
import { dispatch, type Exchange, finishAnswer, inTransaction } from "../exchange.ts";
import { entitySetName } from "../names.ts";
import type { NavigationStep, Plan } from "../plan/plan.ts";
import { readLinkBody } from "../payload/request_body.ts";
import { childLinks, parentLinks } from "./parent.ts";
import { keysOf } from "./read_back.ts";
import { keyCondition } from "./read_request.ts";

/** Answers POST, PUT and DELETE of a reference. */
export async function writeReference(exchange: Exchange, plan: Plan): Promise<Answer> {
  const { navigation } = plan;
  if (!navigation) throw linksNotSupported(entitySetName(plan.target!));
  const link = exchange.method === "DELETE" ? null : await readLinkBody(exchange, plan.target!);
  await inTransaction(
    exchange,
    () =>
      navigation.element.is2many
        ? writeMember(exchange, plan, { navigation, link })
        : writeSingle(exchange, navigation, link),
  );
  return finishAnswer(exchange, { status: 204 });
}

/** A to-one association: its foreign keys are in the instance it starts at. */
async function writeSingle(exchange: Exchange, navigation: NavigationStep, link: Row | null): Promise<void> {
  const keys = navigation.element.$foreignKeys ?? [];
  if (keys.length === 0) throw linksNotSupported(navigation.element.name);
  const data: Row = {};
  for (const key of keys) data[key.name] = link === null ? null : link[key.target] ?? null;
  await updateLinks(exchange, { target: navigation.source, subject: navigation.subject, data });
}

/** A to-many association: the foreign keys are in the rows it leads to. */
async function writeMember(
  exchange: Exchange,
  plan: Plan,
  change: { readonly navigation: NavigationStep; readonly link: Row | null },
): Promise<void> {
  const { navigation, link } = change;
  const target = plan.target!;
  const pairs = childLinks(navigation.element);
  if (pairs.length === 0) throw linksNotSupported(navigation.element.name);
  if (link === null && !navigation.keyed) {
    throw new ServiceError({ status: 400, message: "DELETE needs the key of the member to remove" });
  }
  const keys = link === null ? keysOf(target, plan.params.at(-1) ?? {}) : keysOf(target, link);
  if (!keys) throw new ServiceError({ status: 400, message: "The reference does not hold all keys" });
  const data = link === null
    ? Object.fromEntries(pairs.map(({ target }) => [target, null]))
    : await parentLinks(exchange, navigation);
  const subject = link === null ? plan.subject! : { ref: [{ id: target.name, where: keyCondition(keys) }] };
  await updateLinks(exchange, { target, subject, data });
}

/**
 * Changes foreign keys of a row.
 *
 * @param exchange the exchange
 * @param change the row and its new foreign keys
 */
export async function updateLinks(
  exchange: Exchange,
  change: { readonly target: NavigationStep["source"]; readonly subject: RefExpression; readonly data: Row },
): Promise<void> {
  const { target, subject, data } = change;
  await dispatch(exchange, {
    event: "UPDATE",
    data,
    query: { UPDATE: { entity: subject, data } },
    target,
    subject,
    path: target.name,
  });
}

/** The error for an association whose links are not kept in a row. */
export function linksNotSupported(name: string): ServiceError {
  return new ServiceError({
    status: 501,
    message: `References of "${name}" cannot be changed`,
    $sanitize: false,
  });
}
