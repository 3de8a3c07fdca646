/**
 * GET of entities, properties and counts by REST: bare rows, no control information.
 *
 * @module
 */

import type { Row } from "../cqn/cqn.ts";
import { ServiceError } from "../errors/service_error.ts";
import { type Answer, type Exchange, inTransaction } from "../odata/exchange.ts";
import type { ExpandShape, ResultShape } from "../odata/plan/result_shape.ts";
import type { EntityPlan, PropertyPlan } from "../odata/plan/plan.ts";
import { isUnmodifiedRow, tagOf } from "../odata/headers/etag.ts";
import { readParts } from "../odata/resources/read_parts.ts";
import { firstRow, readRequest, toRows } from "../odata/resources/read_request.ts";
import { assertParent } from "../odata/resources/link_rows.ts";
import { type RowFormat, writeEntity } from "../odata/payload/write_row.ts";
import { jsonAnswer, restAnswer } from "./rest_answer.ts";
import type { LinkedEntity } from "../model/linked.ts";
import { foreignKeyLinks } from "../model/links.ts";
import { parseUrl } from "../odata/url/parse_url.ts";
import type { QueryOptions } from "../odata/url/ast.ts";
import { keysOf } from "../model/keys.ts";

/** How REST writes rows. */
export const REST_ROWS: RowFormat = Object.freeze({ metadata: "none", ieee754: false, bare: true });

/** Answers GET of a collection of entities: an array, or `{count, value}` with `$count=true`. */
export async function readCollection(exchange: Exchange, plan: EntityPlan): Promise<Answer> {
  const parts = plan.applied?.parts;
  if (parts) {
    const texts = await readParts(exchange, plan, { parts, format: REST_ROWS });
    return jsonAnswer(exchange, `[${texts.join(",")}]`);
  }
  const rows = await inTransaction(exchange, async () => {
    const result = toRows(await exchange.scope.service.dispatch(readRequest(exchange, plan)));
    if (result.length === 0) await assertParent(exchange, plan);
    return result;
  });
  const shown = withoutAddedKeys(rows, exchange, plan);
  const value = `[${
    shown.map((row) => writeEntity(row, plan.target, { shape: plan.shape, format: REST_ROWS })).join(",")
  }]`;
  return jsonAnswer(
    exchange,
    plan.options.count ? `{"count":${rows.$count ?? rows.length},"value":${value}}` : value,
  );
}

/** The row that a request addresses. */
async function readOne(exchange: Exchange, plan: EntityPlan): Promise<Row | null> {
  return await inTransaction(exchange, async () => {
    const row = firstRow(await exchange.scope.service.dispatch(readRequest(exchange, plan)));
    if (row !== undefined) return row;
    const { navigation } = plan;
    if (!navigation || navigation.keyed || navigation.element.is2many) {
      throw new ServiceError({ status: 404 });
    }
    await assertParent(exchange, plan);
    return null;
  });
}

/** Answers GET of one entity. */
export async function readSingle(exchange: Exchange, plan: EntityPlan): Promise<Answer> {
  const row = await readOne(exchange, plan);
  if (row === null) return restAnswer(exchange, { status: 204 });
  const headers = { etag: tagOf(plan.target, row) };
  if (headers.etag !== undefined && isUnmodifiedRow(exchange.preconditions, plan.target, row)) {
    return restAnswer(exchange, { status: 304, headers });
  }
  const [shown] = withoutAddedKeys([row], exchange, plan);
  const text = writeEntity(shown!, plan.target, { shape: plan.shape, format: REST_ROWS });
  return jsonAnswer(exchange, text, { headers });
}

/** Answers GET of a property: the property and the keys of its entity. */
export async function readPropertyWithKeys(exchange: Exchange, plan: PropertyPlan): Promise<Answer> {
  const row = await readOne(exchange, plan);
  if (row === null) throw new ServiceError({ status: 404 });
  const { name } = plan.property;
  const keys = { ...plan.addressed.params.at(-1), ...keysOf(plan.target, row) };
  const shown = { [name]: row[name] ?? null, ...keys };
  return jsonAnswer(exchange, writeEntity(shown, plan.target, { format: REST_ROWS }));
}

/** Answers GET of `/$count`: a number. */
export async function readNumber(exchange: Exchange, plan: EntityPlan): Promise<Answer> {
  const count = await inTransaction(exchange, async () => {
    const result = await exchange.scope.service.dispatch(readRequest(exchange, plan));
    const first = Array.isArray(result) ? result[0] : result;
    const number = Number((first as { $count?: unknown } | null)?.$count ?? toRows(result).length);
    if (number === 0) await assertParent(exchange, plan);
    return number;
  });
  return jsonAnswer(exchange, String(count));
}

/**
 * Rows without the keys that were added to `$select`.
 *
 * @param rows rows as read
 * @param exchange the request: its URL names the members
 * @param plan the plan of the URL
 */
function withoutAddedKeys(rows: readonly Row[], exchange: Exchange, plan: EntityPlan): readonly Row[] {
  if (!/(?:^|[?&;(])(?:\$|%24)?select=/i.test(exchange.rawUrl) || !plan.shape) return rows;
  const { options } = parseUrl(exchange.rawUrl);
  const { shape } = plan;
  return rows.map((row) => onlySelected(row, options, shape));
}

function onlySelected(row: Row, options: QueryOptions | undefined, { entity, expand }: ResultShape): Row {
  const names = selectedNames(options, entity);
  const result: Row = {};
  for (const [name, value] of Object.entries(row)) {
    const item = expand.find((candidate) => candidate.name === name);
    if (item) result[name] = nested(value, options, item);
    else if (!names || names.has(name)) result[name] = value;
  }
  return result;
}

function selectedNames(
  options: QueryOptions | undefined,
  entity: LinkedEntity | undefined,
): ReadonlySet<string> | undefined {
  const items = options?.select;
  if (!items || items.some((item) => item.path.at(-1) === "*")) return undefined;
  return new Set([
    ...items.map((item) => item.path.join("_")),
    ...items.flatMap(({ path: [name] }) => foreignKeys(entity, name)),
    ...(options.compute ?? []).map((item) => item.name),
  ]);
}

/** The names of what a navigation property brings with it. */
function foreignKeys(entity: LinkedEntity | undefined, name: string): readonly string[] {
  const element = entity?.elements[name];
  return element?.isAssociation ? foreignKeyLinks(element).map(({ source }) => source) : [];
}

function nested(value: unknown, options: QueryOptions | undefined, item: ExpandShape): unknown {
  const own = options?.expand?.find((candidate) => candidate.path.at(-1) === item.name)?.options;
  const reduce = (row: unknown) =>
    typeof row === "object" && row !== null ? onlySelected(row as Row, own, item.shape) : row;
  return Array.isArray(value) ? value.map(reduce) : reduce(value);
}
