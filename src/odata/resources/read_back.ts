/**
 * Reading what a write left behind, for its answer.
 *
 * @module
 */

import { allOf, compare, parameter, reference, select } from "../../algebra/build.ts";
import { fromQuery } from "../../algebra/from_cqn.ts";
import { templateOf } from "../../algebra/template.ts";
import type { TreeColumn } from "../../algebra/tree.ts";
import type { QueryParams, Row, SelectQuery } from "../../cqn/cqn.ts";
import { isServiceError } from "../../errors/service_error.ts";
import type { LinkedElement, LinkedEntity } from "../../model/linked.ts";
import { hasStoredRows } from "../../model/runtime_view.ts";
import { readDirectly } from "../../service/routes/read_directly.ts";
import { dispatchTo } from "../../service/service.ts";
import { andThen, type MaybePromise, orElse } from "../../util/maybe_promise.ts";
import type { Exchange } from "../exchange.ts";
import type { Format } from "../headers/accept.ts";
import { isJsonRows, isMissing, takesJsonText } from "../payload/json_rows.ts";
import { allColumns } from "../plan/options/plan_columns.ts";
import type { ExpandShape, ResultShape } from "../plan/result_shape.ts";
import { type EntityPlan, keysOfUrl } from "../plan/plan.ts";
import { isStored, type RowReadBack } from "./handler_row.ts";
import { firstRow, readRequest } from "./read_request.ts";

/** What of a row was sent deep: the compositions in it, with what was sent in them. */
export interface SentTree {
  readonly children: Map<string, SentTree>;
}

/** What to read back, and how to write it. */
export interface ReadBack {
  readonly query: SelectQuery;
  readonly queryParams?: QueryParams;
  readonly shape: ResultShape;
  /** Keys of the row, if the path does not hold them. */
  readonly keys?: Row;
}

/** Templates per entity, by what was sent deep: compiled once. */
const templates = new WeakMap<LinkedEntity, Map<string, ReadBack>>();
/** Forms of deep data kept per entity; clients choose them. */
const KEPT_TEMPLATES = 100;

/**
 * How to read a created row: all its elements, and what was sent deep.
 *
 * @param entity the entity
 * @param keys keys of the row
 * @param tree what was sent deep
 */
export function readBackByKeys(entity: LinkedEntity, keys: Row, tree = NOTHING_SENT): ReadBack {
  const { query, shape } = tree === NOTHING_SENT
    ? wholeRow(entity, keys)
    : readBackOf(entity, Object.keys(keys), tree);
  return { query, shape, queryParams: keyParams(keys), keys };
}

const WHOLE: WeakMap<LinkedEntity, ReadBack> = new WeakMap();

/** The template that reads a row of an entity with its elements alone; its keys are always the same. */
function wholeRow(entity: LinkedEntity, keys: Row): ReadBack {
  let whole = WHOLE.get(entity);
  if (!whole) WHOLE.set(entity, whole = readBackOf(entity, Object.keys(keys), NOTHING_SENT));
  return whole;
}

function readBackOf(entity: LinkedEntity, names: readonly string[], tree: SentTree): ReadBack {
  const signature = `${names.join(",")}${signatureOf(tree)}`;
  let kept = templates.get(entity);
  if (!kept) templates.set(entity, kept = new Map());
  let template = kept.get(signature);
  if (!template) {
    template = createTemplate(entity, names, tree);
    if (kept.size < KEPT_TEMPLATES) kept.set(signature, template);
  }
  return template;
}

function createTemplate(entity: LinkedEntity, names: readonly string[], tree: SentTree): ReadBack {
  const columns = columnsOf(entity, tree);
  const isWhole = columns.length === 1 && columns[0] === "*";
  return { query: rowQuery(entity, names, isWhole ? undefined : columns), shape: shapeOf(entity, tree) };
}

/** Reads a row of an entity by parameters with its keys; all columns without any given. */
function rowQuery(
  { name }: LinkedEntity,
  keys: readonly string[],
  columns: readonly TreeColumn[] | undefined,
): SelectQuery {
  const where = allOf(keys.map((key, at) => compare(reference([key]), "=", parameter(keyName(at)))));
  const from = reference([{ id: name, ...(where && { where }) }]);
  return templateOf(select({ one: true, localized: true, from, columns }));
}

function signatureOf(tree: SentTree): string {
  if (tree.children.size === 0) return "";
  return `(${[...tree.children].map(([name, child]) => name + signatureOf(child)).join(",")})`;
}

/** Templates per query of a plan: what `$select`, `$expand` and `$compute` of a POST ask for, by keys. */
const chosen = new WeakMap<SelectQuery, ReadBack>();

/**
 * How to read a created row when the URL says what to answer.
 *
 * @param plan the plan of the URL
 * @param keys keys of the row
 * @returns undefined when the URL says nothing
 */
export function readBackByOptions(plan: EntityPlan, keys: Row): ReadBack | undefined {
  const { shape, query, queryParams } = plan;
  if (!shape || !choosesMembers(shape)) return undefined;
  const names = Object.keys(keys);
  let template = chosen.get(query);
  if (!template) {
    template = { query: rowQuery(plan.target, names, fromQuery(query).SELECT.columns), shape };
    chosen.set(query, template);
  }
  return { ...template, queryParams: { ...queryParams, ...keyParams(keys) }, keys };
}

/** Whether the URL of a POST says what to answer. */
function choosesMembers(shape: ResultShape): boolean {
  if (shape.aggregated) return false;
  return shape.select !== undefined || shape.expand.length > 0 || shape.computed.length > 0;
}

/** The parameters of a template that reads a row by its keys. */
function keyParams(keys: Row): QueryParams {
  const params: Record<string, unknown> = {};
  let count = 0;
  for (const name in keys) params[keyName(count++)] = keys[name];
  return params;
}

/** Names of parameters, each written once: entities have few keys. */
const KEY_NAMES: string[] = [];

function keyName(index: number): string {
  return KEY_NAMES[index] ??= `key${index}`;
}

/**
 * How to read an updated row: as the plan of its URL says.
 *
 * @param plan the plan
 */
export function readBackByPlan(plan: EntityPlan): ReadBack {
  const shape = plan.shape ?? { entity: plan.target, expand: [], computed: [] };
  return { query: plan.query, queryParams: plan.queryParams, shape };
}

const NOTHING_SENT: SentTree = { children: new Map() };
const DEEP: WeakMap<LinkedEntity, readonly LinkedElement[]> = new WeakMap();

/** The associations whose rows may be sent with a row, and are read back with it: with those that a table has, not others. */
function deepAssociations(entity: LinkedEntity): readonly LinkedElement[] {
  let deep = DEEP.get(entity);
  if (!deep) {
    deep = [...entity.associations].filter((element) =>
      (element.isComposition || element["@odata.deepInsert"] === true) &&
      element["@cds.api.ignore"] !== true && (!hasStoredRows(entity) || isReadBack(element.$target))
    );
    DEEP.set(entity, deep);
  }
  return deep;
}

function isReadBack(target: LinkedEntity | undefined): boolean {
  return target !== undefined && hasStoredRows(target);
}

/**
 * What of rows was sent deep, for `readBackByKeys`.
 *
 * @param entity the entity
 * @param rows the data that was sent, before handlers may have changed it
 */
export function sentTree(entity: LinkedEntity, rows: readonly unknown[]): SentTree {
  const deep = deepAssociations(entity);
  if (deep.length === 0) return NOTHING_SENT;
  const children = new Map<string, SentTree>();
  for (const composition of deep) {
    const values = rows.map((row) => (row as Row | null)?.[composition.name]).filter((value) =>
      value !== undefined
    );
    if (values.length === 0 || !composition.$target) continue;
    const members = values.flatMap((value) => Array.isArray(value) ? value : [value]);
    children.set(composition.name, sentTree(composition.$target, members));
  }
  return { children };
}

function columnsOf(entity: LinkedEntity, tree: SentTree): TreeColumn[] {
  const nested = [...tree.children].map(([name, child]): TreeColumn => {
    const target = entity.elements[name]!.$target!; // a composition with target, see sentTree
    return { kind: "nested", ref: [name], expand: columnsOf(target, child) };
  });
  return [...allColumns(entity), ...nested];
}

function shapeOf(entity: LinkedEntity, tree: SentTree): ResultShape {
  return { entity, expand: expandShapes(entity, tree), computed: [] };
}

function expandShapes(entity: LinkedEntity, tree: SentTree): ExpandShape[] {
  return [...tree.children].map(([name, child]) => {
    const element = entity.elements[name]!;
    const shape = shapeOf(element.$target!, child);
    return { name, element, shape, count: false, ref: false, countOnly: false };
  });
}

/**
 * Reads a row back through the service, so that its READ handlers and restrictions apply.
 *
 * @param exchange the exchange
 * @param plan the plan of the URL
 * @param readBack what to read
 * @returns the row; null when the caller may not read it
 */
export function runReadBack(
  exchange: Exchange,
  plan: EntityPlan,
  readBack: ReadBack,
): MaybePromise<Row | null> {
  return andThen(
    dispatchReadBack(exchange, plan, { readBack, acceptsJson: false }),
    (result) => firstRow(result) ?? null,
  );
}

/**
 * Reads a row back for an answer in a format, in which the database may write it.
 *
 * @param exchange the exchange
 * @param plan the plan of the URL
 * @param options what to read, and the format; without it the row is an object
 */
export function readBackAs(
  exchange: Exchange,
  plan: EntityPlan,
  { readBack, format }: { readonly readBack: ReadBack; readonly format: Format | undefined },
): MaybePromise<RowReadBack> {
  const { kind, target } = plan;
  const acceptsJson = format !== undefined &&
    takesJsonText(exchange, { kind, target, shape: readBack.shape }, format);
  return andThen(dispatchReadBack(exchange, plan, { readBack, acceptsJson }), rowReadBack);
}

/** A row as a service or the database gave it. */
function rowReadBack(result: unknown): RowReadBack {
  return isJsonRows(result) ? { row: null, json: result } : { row: firstRow(result) ?? null };
}

/** Of several rows that a handler answered, the one with the keys. */
function rowWithKeys(result: unknown, { $flatKeys }: LinkedEntity, keys: Row): unknown {
  if (!Array.isArray(result)) return result;
  const names = $flatKeys.map(({ name }) => name).filter((name) => keys[name] !== undefined);
  return result.find((row) => names.every((name) => String(row?.[name]) === String(keys[name]))) ?? null;
}

/** The result of the service; null when the caller may not read the row, or when there is none. */
function dispatchReadBack(
  exchange: Exchange,
  plan: EntityPlan,
  { readBack, acceptsJson }: { readonly readBack: ReadBack; readonly acceptsJson: boolean },
): MaybePromise<unknown> {
  const { scope: { service }, context } = exchange;
  const { query, queryParams = {}, keys } = readBack;
  const byHandlers = !isStored(exchange, plan.target);
  const send = () => {
    const { path } = plan;
    const { target } = plan;
    // templates are those of the entity, whatever path led to it
    const row = path === target.name
      ? readDirectly(service, { target, path, query, queryParams }, { context, acceptsJson })
      : undefined;
    if (row !== undefined) return row;
    return dispatchTo(service, readRequest(exchange, plan, { query, queryParams, keys, acceptsJson }));
  };
  const read = orElse(send, (error) => {
    if (!isServiceError(error)) throw error;
    const status = Number(error.status);
    // without a table and without a handler of READ there is nothing to read
    if (NOT_READABLE.has(status) || (byHandlers && status === 501)) return null;
    throw error;
  });
  return andThen(read, (result) => {
    if (isMissing(result)) return null;
    return byHandlers ? rowWithKeys(result, plan.target, keys ?? keysOfUrl(plan)) : result;
  });
}

const NOT_READABLE = new Set([401, 403, 404, 405]);
