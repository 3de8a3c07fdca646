/**
 * Plans as lines of text, for tests: what runs, what is found out before, and what the rows of the answer hold.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { QueryParams, SelectQuery } from "../../../src/cqn/cqn.ts";
import { printQuery } from "../../../src/cqn/print_query.ts";
import { isServiceError } from "../../../src/errors/service_error.ts";
import type { EntityPlan } from "../../../src/odata/plan/plan.ts";
import type { Planner } from "../../../src/odata/plan/planner.ts";
import type { HierarchyStep } from "../../../src/odata/plan/query_inputs.ts";
import type { AggregatedProperty, ResultShape } from "../../../src/odata/plan/result_shape.ts";

/** A query as text. */
type Print = (query: SelectQuery) => string;

/**
 * What a URL is planned as, or why it is refused.
 *
 * @param planner plans it
 * @param line the URL, with the method in front where it is another one than GET
 */
export function planLines(planner: Planner, line: string): readonly string[] {
  const [, method = "GET", url = ""] = /^(?:([A-Z]+) )?(.*)$/.exec(line)!;
  try {
    const plan = planner.planUrl(url, method);
    assert.ok(plan.target, line);
    return linesOf(plan);
  } catch (error) {
    assert.ok(isServiceError(error), `${line}: ${error}`);
    return [`${error.status} ${error.message}`];
  }
}

/** The query, then a line for each other thing. */
function linesOf({ query, queryParams, before, applied, shape }: EntityPlan): readonly string[] {
  const print: Print = (one) => queryText(one, queryParams);
  return [
    ...linesOfQuery(query, print),
    ...(before?.hierarchies ?? []).map((step) => `before: ${stepText(step, print)}`),
    ...(applied?.groups ?? []).map(({ name, query, keys }) => {
      const of = keys.map(({ column, target, parts }) => `${column} = ${target}${partsText(parts)}`);
      return `group: ${name} by ${of.join(", ")}: ${readText(query, print)}`;
    }),
    ...(applied?.parts ?? []).flatMap(({ alias, query, shape }) => {
      const [first, ...others] = linesOfQuery(query, print);
      return [
        `part${alias === undefined ? "" : ` ${alias}`}: ${first}; rows: ${shapeText(shape)}`,
        ...others,
      ];
    }),
    `rows: ${shapeText(shape)}`,
  ];
}

/** The query, and those of nested rows that depend on the rows around them. */
function linesOfQuery(query: SelectQuery, print: Print): readonly string[] {
  const nested = (query.SELECT.columns ?? []).flatMap((column) => {
    const { as, query } = column as { readonly as?: string; readonly query?: SelectQuery };
    return query ? linesOfQuery(query, print).map((line) => `nested ${as}: ${line}`) : [];
  });
  return [print(query), ...nested];
}

function queryText(query: SelectQuery, params: QueryParams): string {
  return printQuery(withCasts(query) as SelectQuery).replace(
    /:(\w+)/g,
    (all, name) => name in params ? JSON.stringify(params[name]).replaceAll('"', "'") : all,
  ).replace(/ limit 1000$/, "");
}

/** Casts as functions, which the printer shows at every place. */
function withCasts(node: unknown): unknown {
  if (typeof node !== "object" || node === null || node instanceof Uint8Array) return node;
  if (Array.isArray(node)) return node.map(withCasts);
  const { cast, as, ...others } = Object.fromEntries(
    Object.entries(node).map(([name, member]) => [name, withCasts(member)]),
  );
  const value = cast ? { func: "cast", args: [others, { ref: [(cast as { type: string }).type] }] } : others;
  return { ...value, ...(as !== undefined && { as }) };
}

/** A query that reads what the caller may see: in the caller's language, and within the bounds of the service. */
function readText(query: SelectQuery, print: Print): string {
  const { localized, bounded } = query.SELECT;
  return `${print(query)}${localized ? " (localized)" : ""}${bounded ? " (bounded)" : ""}`;
}

function stepText(step: HierarchyStep, print: Print): string {
  const { name, param, nodes, start, members, distance, keepStart, order, levels, changes, beside } = step;
  return [
    `${param} ${name}`,
    order,
    distance !== undefined && `up to ${distance}`,
    keepStart && "keep start",
    levels !== undefined && `levels ${levels}`,
    changes && `changes ${JSON.stringify(changes)}`,
    beside && `beside ${beside}`,
    `nodes ${readText(nodes, print)}`,
    start && `start ${readText(start, print)}`,
    members && `members ${readText(members, print)}`,
  ].filter((part) => part).join("; ");
}

/** The entity, the properties that `$apply` made, and what is selected, computed and expanded. */
function shapeText(shape: ResultShape | undefined): string {
  if (shape === undefined) return "none";
  const { entity, aggregated, expand, computed, select } = shape;
  const expanded = expand.map((one) => `${one.name}${one.ref ? "/$ref" : ""}(${shapeText(one.shape)})`);
  return [
    entity?.name,
    aggregated && `{${aggregated.map(propertyText).join(", ")}}`,
    select && `select ${select}`,
    computed.length > 0 && `compute ${computed}`,
    expanded.length > 0 && `expand ${expanded.join(", ")}`,
  ].filter((part) => part).join(" ");
}

function propertyText({ name, path, type, element, parts, wholes = [], only }: AggregatedProperty): string {
  const way = path.join("/");
  return [
    way === name ? way : `${way} from ${name}`,
    `: ${type?.builtin ?? "?"}`,
    element ? ` of ${element.$type.builtin ?? "?"}` : "",
    partsText(parts),
    ...wholes.map(({ depth, columns }) => ` null at ${depth} without ${columns}`),
    only ? ` only ${only.column} ${only.values}` : "",
  ].join("").replaceAll("cds.", "");
}

function partsText(parts: ReadonlySet<number> | undefined): string {
  return parts ? ` in ${[...parts]}` : "";
}
