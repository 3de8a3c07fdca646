/**
 * Changes of a collection since a client has read it: `Prefer: track-changes` and delta links (OData Protocol 8.2.8.6,
 * 11.3). The collection is read again with the restrictions of the user and compared with what the client has, so that
 * nothing is told of rows that the client may not see, and whoever changed a row does not matter.
 *
 * @module
 */

import type { Row, Xo } from "../../cqn/cqn.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import type { Rows } from "../../service/database.ts";
import { contentTag } from "../../util/content_tag.ts";
import {
  type Answer,
  type Exchange,
  finishAnswer,
  inTransaction,
  rawPathOf,
  requestPathOf,
} from "../exchange.ts";
import { type Format, formatFor } from "../headers/accept.ts";
import type { EntityPlan, Plan, RowsPlan } from "../plan/plan.ts";
import { LIMIT_PARAMS } from "../plan/shapes/template.ts";
import { contextOf, contextUrl } from "../payload/context_url.ts";
import { keysText } from "../payload/key_predicate.ts";
import { writeEntity, writeRemoved } from "../payload/write_row.ts";
import { writeCount } from "../payload/control_information.ts";
import type { KnownRow, KnownRows } from "../snapshots/known_rows.ts";
import type { FollowedCollection } from "../snapshots/snapshots.ts";
import { assertParent } from "./link_rows.ts";
import { anyOfRows, readRequest, toRows, visibleRows } from "./read_request.ts";
import { keyColumns, keysOf } from "../../model/keys.ts";
import { jsonObject } from "../payload/write_value.ts";
import { asciiOption } from "./next_link.ts";

/** Option of next links: the snapshot that was taken with the first page. */
const OPTION = "fw-snapshot";
const OWN_OPTIONS = /^(?:fw-snapshot|(?:\$|%24)?(?:deltatoken|skiptoken))=/i;
const DELTATOKEN = /^(?:\$|%24)?deltatoken=(.*)$/is;

/** Links to what comes behind a page. */
export interface PageLinks {
  readonly nextLink?: string;
  readonly deltaLink?: string;
}

/**
 * Whether the changes of a collection are tracked from here on: the client wants it, the entity is annotated with
 * `@odata.trackChanges`, and the URL is one of all rows that meet conditions.
 *
 * @param exchange the request
 * @param plan its plan
 */
export function isTracked(exchange: Exchange, plan: EntityPlan): boolean {
  if (plan.options.custom[OPTION] !== undefined) return true;
  return exchange.preferences.trackChanges === true && exchange.method === "GET" &&
    exchange.requestPath === undefined && plan.paging?.token === 0 && isTrackable(exchange, plan);
}

function isTrackable({ version }: Exchange, plan: Plan): plan is RowsPlan {
  if (plan.kind !== "entitySet" || plan.applied?.parts || plan.before) return false;
  const { target, paging, shape } = plan;
  if (target["@odata.trackChanges"] !== true) return false;
  if (!paging || paging.wanted !== undefined || paging.skip > 0) return false;
  // deltas of 4.0 have no nested rows
  const isFlat = version !== "4.0" || !shape?.expand.length;
  return isFlat && !shape?.aggregated && target.$flatKeys.some((key) => !key.virtual);
}

/**
 * The links of a page of a tracked collection; with the first page a snapshot of all of it is taken.
 *
 * @param exchange the request
 * @param plan its plan
 * @param page the rows of the page, and its next link
 * @returns undefined when there are too many rows to track
 * @throws ServiceError 410 when the snapshot is gone
 */
export async function trackPage(
  exchange: Exchange,
  plan: EntityPlan,
  page: { readonly rows: Rows; readonly nextLink?: string },
): Promise<PageLinks | undefined> {
  const { snapshots } = exchange.scope;
  const followed = followedAt(exchange, plan);
  let token = plan.options.custom[OPTION];
  const isFirst = token === undefined;
  if (token === undefined) {
    const rows = page.nextLink === undefined ? page.rows : await readAll(exchange, plan);
    if (rows.length > exchange.scope.host.limits.deltaRows) return undefined;
    token = await snapshots.begin(followed, knownRows(rows, plan));
  } else if (!await snapshots.find(token, followed)) throw gone();
  if (page.nextLink === undefined) return { deltaLink: withOption(followed.url, `$deltatoken=${token}`) };
  return { nextLink: isFirst ? withOption(page.nextLink, `${OPTION}=${token}`) : page.nextLink };
}

/**
 * The token of a request for changes; undefined for other requests.
 *
 * @param exchange the request
 */
export function deltaToken(exchange: Exchange): string | undefined {
  if (!exchange.rawUrl.includes("?") || !/deltatoken/i.test(exchange.rawUrl)) return undefined;
  if (exchange.method !== "GET" && exchange.method !== "HEAD") return undefined;
  return optionsOf(exchange).map((option) => DELTATOKEN.exec(option)?.[1]).find((token) =>
    token !== undefined
  );
}

/**
 * Answers with the changes since the snapshot of a token, and a link to those from now on.
 *
 * @param exchange the request
 * @param token the token
 * @throws ServiceError 410 when the snapshot is gone, or there are too many rows now
 */
export async function readDelta(exchange: Exchange, token: string): Promise<Answer> {
  const plan = trackedPlan(exchange);
  const format = formatFor(exchange, plan);
  const delta = await readChanges(exchange, token, format);
  const body = deltaBody(exchange, delta, format);
  return finishAnswer(exchange, { status: 200, contentType: format.contentType, body });
}

/** The changes of a collection. */
export interface Delta {
  /** Changed, new and removed rows as they are written. */
  readonly texts: readonly string[];
  /** What the client has then; that of the request where nothing has changed. */
  readonly token: string;
}

/**
 * The changes since the snapshot of a token.
 *
 * @param exchange a request for the collection
 * @param token the token
 * @param format how rows are written
 * @throws ServiceError 410 when the snapshot is gone, or there are too many rows now
 */
export async function readChanges(exchange: Exchange, token: string, format: RowFormat): Promise<Delta> {
  const { scope } = exchange;
  const plan = trackedPlan(exchange);
  const followed = followedAt(exchange, plan);
  const snapshot = await scope.snapshots.find(token, followed);
  if (!snapshot) throw gone();
  const known = snapshot.rows;
  const { rows, removed } = await inTransaction(exchange, async () => {
    const found = await readAll(exchange, plan);
    if (found.length === 0) await assertParent(exchange, plan);
    if (found.length > scope.host.limits.deltaRows) throw gone();
    const now = knownRows(found, plan);
    const missing = [...known].filter(([id]) => !now.has(id)).map(([, row]) => row);
    return { rows: found, removed: await writeMissing(exchange, plan, missing) };
  });
  const now = knownRows(rows, plan);
  const changed = (rows as readonly Row[]).filter((row) => {
    const id = keysText(keysOf(plan.target, row) ?? {});
    return known.get(id)?.tag !== now.get(id)?.tag;
  });
  const texts = [...changed.map((row) => writeRow(row, plan, format)), ...removed];
  if (texts.length > 0) return { texts, token: await scope.snapshots.advance(snapshot, followed, now) };
  await scope.snapshots.renew(snapshot, followed);
  return { texts, token };
}

/**
 * Begins to track the changes of a collection whose rows nobody asks for.
 *
 * @param exchange a request for the collection
 * @returns the token of what the client has now; undefined where changes cannot be tracked
 */
export async function beginTracking(exchange: Exchange): Promise<string | undefined> {
  const { scope } = exchange;
  const plan = scope.plan(collectionUrl(exchange), "GET");
  if (!isTrackable(exchange, plan)) return undefined;
  const rows = await inTransaction(exchange, () => readAll(exchange, plan));
  if (rows.length > scope.host.limits.deltaRows) return undefined;
  return await scope.snapshots.begin(followedAt(exchange, plan), knownRows(rows, plan));
}

function followedAt(exchange: Exchange, { target }: EntityPlan): FollowedCollection {
  const { context, grouped } = exchange;
  return { context, grouped, url: collectionUrl(exchange), target };
}

function trackedPlan(exchange: Exchange): RowsPlan {
  const plan = exchange.scope.plan(collectionUrl(exchange), "GET");
  if (!isTrackable(exchange, plan)) throw gone();
  return plan;
}

/**
 * The payload of changes.
 *
 * @param exchange a request for the collection
 * @param delta the changes
 * @param format how they are written
 */
export function deltaBody(exchange: Exchange, { texts, token }: Delta, format: RowFormat): string {
  const plan = trackedPlan(exchange);
  const parts = [contextOf(format, `${contextUrl(plan, requestPathOf(exchange), true)}/$delta`)];
  if (plan.options.count) parts.push(`"@odata.count":${writeCount(texts.length, format)}`);
  const deltaLink = withOption(collectionUrl(exchange), `$deltatoken=${token}`);
  parts.push(`"value":[${texts.join(",")}]`, `"@odata.deltaLink":${JSON.stringify(deltaLink)}`);
  return jsonObject(parts);
}

/** All rows of a collection, and one more than can be tracked where there are so many. */
async function readAll(exchange: Exchange, plan: EntityPlan): Promise<Rows> {
  const rows = exchange.scope.host.limits.deltaRows + 1;
  const queryParams = { ...plan.queryParams, [LIMIT_PARAMS.rows]: rows };
  return toRows(await exchange.scope.service.dispatch(readRequest(exchange, plan, { queryParams })));
}

/** How rows are written. */
export type RowFormat = Pick<Format, "metadata" | "ieee754" | "countText">;

/** The plain format. */
export const PLAIN: RowFormat = { metadata: "minimal", ieee754: false, countText: false };

/** Two states of a row hardly ever share so much of their tags. */
const TAG_LENGTH = 16;

function knownRows(rows: Rows, plan: EntityPlan): KnownRows {
  const { target } = plan;
  return new Map((rows as readonly Row[]).map((row): [string, KnownRow] => {
    const keys = keysOf(target, row) ?? {};
    const tag = contentTag(writeEntity(row, target, { shape: plan.shape, format: PLAIN })).slice(
      0,
      TAG_LENGTH,
    );
    return [keysText(keys), { keys, tag }];
  }));
}

function writeRow(row: Row, plan: EntityPlan, format: RowFormat): string {
  const { metadata, ieee754 } = format;
  return writeEntity(row, plan.target, { shape: plan.shape, format: { metadata, ieee754 } });
}

/** Rows that are there no more, or not among those asked for; hidden ones are there no more. */
async function writeMissing(
  exchange: Exchange,
  plan: EntityPlan,
  missing: readonly KnownRow[],
): Promise<readonly string[]> {
  const { target } = plan;
  const there = new Set<string>();
  const { db } = exchange.scope.host;
  if (db && target["@cds.persistence.skip"] !== true) {
    for (let at = 0; at < missing.length; at += CHUNK) {
      const keys = missing.slice(at, at + CHUNK).map((row) => row.keys);
      for (const found of await readExisting(exchange, target, anyOfRows(target, keys))) {
        there.add(keysText(keysOf(target, found) ?? {}));
      }
    }
  }
  const { version } = exchange;
  return missing.map(({ keys }) =>
    writeRemoved(target, keys, { version, reason: there.has(keysText(keys)) ? "changed" : "deleted" })
  );
}

/** Keys in one query. */
const CHUNK = 200;

async function readExisting(exchange: Exchange, target: LinkedEntity, where: Xo[]): Promise<readonly Row[]> {
  const columns = keyColumns(target);
  return await visibleRows(exchange, { SELECT: { from: { ref: [target.name] }, columns, where } });
}

/** The URL of the request without what belongs to pages and changes; `+` was a blank and stays one. */
function collectionUrl(exchange: Exchange): string {
  const options = optionsOf(exchange).filter((option) => !OWN_OPTIONS.test(option));
  const path = rawPathOf(exchange);
  if (options.length === 0) return path;
  return `${path}?${options.map(asciiOption).join("&")}`;
}

function optionsOf(exchange: Exchange): readonly string[] {
  const query = exchange.rawUrl.slice(rawPathOf(exchange).length + 1);
  return query.split("&").filter((option) => option !== "");
}

function withOption(url: string, option: string): string {
  return `${url}${url.includes("?") ? "&" : "?"}${option}`;
}

function gone(): ServiceError {
  return new ServiceError({
    status: 410,
    message: "The changes since then are not known, read the collection again",
  });
}
