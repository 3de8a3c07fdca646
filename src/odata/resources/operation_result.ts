/**
 * Query options on what an operation returned (OData Protocol 11.5.4.1).
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type { LinkedElement, LinkedEntity } from "../../model/linked.ts";
import type { Rows } from "../../service/database.ts";
import { andThen, type MaybePromise } from "../../util/maybe_promise.ts";
import type { Exchange } from "../exchange.ts";
import { isObject } from "../payload/write_row.ts";
import type { OperationPlan, ResultPlan } from "../plan/plan.ts";
import type { ResultShape } from "../plan/result_shape.ts";
import { POSITION } from "../plan/options/plan_result.ts";
import { GIVEN_ROWS } from "../plan/paths/resource.ts";
import { writeDate } from "../payload/write_value.ts";
import { assertDatabase, visibleRows } from "./read_request.ts";

/**
 * The rows of a result that the options of the URL ask for, in their order and with what they add.
 *
 * @param exchange the exchange
 * @param plan the plan of the call
 * @param result what the handler returned
 * @throws ServiceError 501 where there is no database to evaluate the options
 */
export function shapedResult(
  exchange: Exchange,
  plan: OperationPlan,
  result: unknown,
): MaybePromise<unknown> {
  const { definition, binding, result: wanted } = plan.operation;
  const { returns } = definition;
  if (!wanted || !returns || result === null || result === undefined) return result;
  const returnsMany = returns.$type.items !== undefined || returns.is2many;
  const isMany = binding === "each" || returnsMany;
  const values: readonly unknown[] = Array.isArray(result) ? result : [result];
  if (!isMany && values.length === 0) return undefined;
  if (binding === "each" && returnsMany) return shapedCollections(exchange, plan, values);
  const given = isMany ? values : values.slice(0, 1);
  const shaped: MaybePromise<Rows | unknown[]> = wanted.query
    ? queriedRows(exchange, plan, { wanted, values: given })
    : cutRows(given, wanted, (result as { readonly $count?: number }).$count);
  return andThen(shaped, (rows) => {
    const selected = selectedRows(rows, wanted);
    return isMany ? Object.assign(selected, { $count: (rows as Rows).$count }) : selected[0];
  });
}

/** What each of many calls returned: the options of rows are about the members of each collection. */
async function shapedCollections(
  exchange: Exchange,
  plan: OperationPlan,
  collections: readonly unknown[],
): Promise<unknown[]> {
  const wanted = plan.operation.result!; // the caller asks with options
  const page = cutRows(collections, wanted, undefined);
  const shaped: unknown[] = [];
  for (const collection of page) {
    const values: readonly unknown[] = Array.isArray(collection) ? collection : [];
    const rows = wanted.query ? await queriedRows(exchange, plan, { wanted, values }) : values;
    shaped.push(selectedRows(rows, wanted));
  }
  return Object.assign(shaped, { $count: collections.length });
}

function selectedRows(rows: readonly unknown[], { shape }: ResultPlan): unknown[] {
  return rows.map((row) => isObject(row) ? selectedRow(row, shape) : row);
}

function cutRows(
  values: readonly unknown[],
  { paging: { offset, rows } }: ResultPlan,
  total: number | undefined,
): unknown[] {
  return Object.assign(values.slice(offset, offset + rows), { $count: total ?? values.length });
}

interface GivenValues {
  readonly wanted: ResultPlan;
  readonly values: readonly unknown[];
}

async function queriedRows(
  exchange: Exchange,
  plan: OperationPlan,
  { wanted, values }: GivenValues,
): Promise<Rows | unknown[]> {
  assertDatabase(exchange, "Options of a result need");
  const entity = wanted.shape?.entity;
  const rows = entity ? values.filter(isObject) : values;
  const { returns } = plan.operation.definition;
  const text = entity
    ? givenRows(values.filter(isObject), entity)
    : JSON.stringify(values.map((value) => givenMember(value, returns!.$type.items ?? returns!)));
  const params = { ...plan.queryParams, [GIVEN_ROWS]: text };
  const found = await visibleRows(exchange, wanted.query!, params); // the caller has looked
  if (wanted.shape?.aggregated) return found;
  const related = new Set(wanted.shape?.expand.map(({ name }) => name));
  const merged = found.map((one) => {
    const row = rows[Number(one[POSITION])];
    return isObject(row) ? mergedRow(row, one, { own: wanted.own, related }) : row;
  });
  return Object.assign(merged, found.$count === undefined ? {} : { $count: found.$count });
}

/** Related rows that only the handler knows stay. */
function mergedRow(
  row: Row,
  found: Row,
  { own, related }: { readonly own: readonly string[]; readonly related: ReadonlySet<string> },
): Row {
  const merged = { ...row };
  for (const name of own) {
    const isGiven = related.has(name) && !isEmpty(row[name]) && isEmpty(found[name]);
    if (!isGiven) merged[name] = found[name];
  }
  return merged;
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

function selectedRow(row: Row, shape: ResultShape | undefined): Row {
  const { select, entity, expand = [] } = shape ?? {};
  if (!select || shape?.aggregated) return row;
  const shown = new Set([...select, ...expand.map(({ name }) => name)]);
  return Object.fromEntries(
    Object.entries(row).filter(([name]) => {
      const owner = entity?.$flat.get(name)?.path[0];
      return shown.has(name) || (owner !== undefined && select.includes(owner)) || name.includes("@");
    }),
  );
}

/**
 * Rows as the database takes them: JSON text of flat rows.
 *
 * @param rows rows of a handler
 * @param entity their entity
 */
export function givenRows(rows: readonly Row[], entity: LinkedEntity): string {
  return JSON.stringify(rows.map((row) => givenRow(row, entity)));
}

function givenRow(row: Row, entity: LinkedEntity): Row {
  const given: Row = {};
  for (const flat of entity.$flat.values()) {
    const value = row[flat.name] ?? valueAt(row, flat.path);
    if (value !== undefined && value !== null && !(value instanceof Uint8Array)) {
      given[flat.name] = givenMember(value, flat.element);
    }
  }
  return given;
}

function valueAt(row: Row, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, step) => isObject(inner) ? inner[step] : undefined, row);
}

/**
 * A value in the form that databases have inside of JSON; binary values are left out.
 *
 * @param value what a handler returned
 * @param element its type
 */
export function givenMember(value: unknown, element: LinkedElement): unknown {
  const { builtin, items, elements } = element.$type;
  if (value === null || value === undefined || value instanceof Uint8Array || Number.isNaN(value)) {
    return null;
  }
  if (items) return Array.isArray(value) ? value.map((member) => givenMember(member, items)) : value;
  if (elements && isObject(value)) {
    const entries = [...elements].map(({ name }) => [name, givenMember(value[name], elements[name]!)]);
    return Object.fromEntries(entries);
  }
  if (builtin === "cds.Map") return value;
  if (value instanceof Date || builtin === "cds.Timestamp" || builtin === "cds.DateTime") {
    return instant(value, builtin);
  }
  return typeof value === "number" || typeof value === "boolean" ? value : String(value);
}

function instant(value: unknown, builtin: string | undefined): unknown {
  return writeDate(value instanceof Date ? value : new Date(String(value)), builtin);
}
