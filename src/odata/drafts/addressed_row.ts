/**
 * The row that a path of a write leads to: whether there is one to write, its keys, and what ties it to its whole.
 *
 * @module
 */

import type { RefExpression, Row } from "../../cqn/cqn.ts";
import { stepName } from "../../cqn/steps.ts";
import { ServiceError, unsupported } from "../../errors/service_error.ts";
import { draftsOf } from "../../model/drafts/draft_names.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { DRAFT_ONLY } from "../../service/drafts/draft_tree.ts";
import { type EntityPlan, keysOfUrl } from "../plan/plan.ts";
import type { Exchange } from "../exchange.ts";
import { childLinks } from "../resources/link_rows.ts";
import { isAdministrative, isNode } from "./row_kinds.ts";
import { type InRows, staysInDraft } from "./draft_rows.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";

/** A request, and what its URL means in rows. */
interface Addressing {
  readonly exchange: Exchange;
  readonly rows: EntityPlan & InRows;
}

/**
 * The keys of the row: those of the URL; where it does not hold all, behind a property to one, they are read.
 *
 * @param addressing the request
 * @throws ServiceError 404 where nothing is behind the property
 */
export function keysOfRow({ exchange, rows }: Addressing): MaybePromise<Row> {
  const known = keysOfUrl(rows);
  const names = rows.rows.target.$flatKeys.map(({ name }) => name);
  return names.every((name) => known[name] !== undefined)
    ? known
    : readRow(exchange, rows.addressed.subject, names);
}

/**
 * The foreign keys by which a part belongs to the whole that its path names.
 *
 * @param addressing the request: its path leads along a navigation property
 * @throws ServiceError 404 where the whole is missing
 */
export async function linksToWhole({ exchange, rows }: Addressing): Promise<Row> {
  const { element, subject, keyed } = rows.navigation!;
  const links = childLinks(element);
  const names = links.map(({ source }) => source);
  const whole = typeof subject.ref.at(-1) === "object" ? rows.addressed.params.at(keyed ? -2 : -1) ?? {} : {};
  const isKnown = names.every((name) => whole[name] !== undefined);
  const found = isKnown ? whole : await readRow(exchange, subject, names);
  return Object.fromEntries(links.map(({ source, target }) => [target, found[source]]));
}

/** What leads from a row to its draft, its active instance or its lock is there to be read. */
const READ_ONLY_STEPS: ReadonlySet<string> = new Set(["SiblingEntity", "DraftAdministrativeData"]);

export function assertOwnPath({ target, from, property }: EntityPlan): void {
  if (property && isNode(target) && DRAFT_ONLY.has(property.name)) throw readOnly(`"${property.name}"`);
  const step = from.ref.slice(1).map(stepName).find((name) => READ_ONLY_STEPS.has(name));
  if (step === undefined || !(isNode(target) || isAdministrative(target))) return;
  throw readOnly(`Rows behind "${step}"`);
}

/**
 * What has drafts is written by paths that begin at its root, or at its own set: those find the draft that locks it.
 *
 * @param plan the plan of a path
 * @throws ServiceError 501 for a path along an association to another instance with drafts
 */
export function assertOneTree({ from, target }: EntityPlan): void {
  const hasDraftEntity = (entity: LinkedEntity) => entity.$entityNamed(draftsOf(entity.name)) !== undefined;
  if (!hasDraftEntity(target)) return;
  const names = from.ref.map(stepName);
  let entity: LinkedEntity | undefined = target.$entityNamed(names[0]!);
  for (const name of names.slice(1)) {
    const next: LinkedEntity | undefined = entity?.elements[name]?.$target;
    if (next && hasDraftEntity(next) && !staysInDraft(entity!, name)) {
      const message = `Writes along "${name}", which leads to another instance with drafts`;
      throw unsupported(message);
    }
    entity = next;
  }
}

function readOnly(what: string): ServiceError {
  return new ServiceError({ status: 405, message: `${what} can only be read`, allow: ["GET", "HEAD"] });
}

async function readRow(exchange: Exchange, from: RefExpression, names: readonly string[]): Promise<Row> {
  const columns = names.map((name) => ({ ref: [name] }));
  const row = await exchange.scope.host.db!.run({ SELECT: { from, columns, one: true } }) as Row | null;
  if (!row) throw new ServiceError({ status: 404 });
  return row;
}
