/**
 * Plans as lines of text, for tests: what runs, what is found out before, and what the rows of the answer hold.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { QueryParams, SelectQuery } from "../../../src/cqn/cqn.ts";
import { printQuery } from "../../../src/cqn/print_query.ts";
import { isServiceError } from "../../../src/errors/service_error.ts";
import {
  type EntityPlan,
  isValueCollection,
  type JoinedSet,
  type OperationCall,
  type Plan,
  type PropertyStep,
  type ReadSet,
  type ResultPlan,
} from "../../../src/odata/plan/plan.ts";
import type { Planner } from "../../../src/odata/plan/planner.ts";
import type { HierarchyStep } from "../../../src/odata/plan/query_inputs.ts";
import type { AggregatedProperty, MemberShape, ResultShape } from "../../../src/odata/plan/result_shape.ts";

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

/**
 * What a path leads to, in front of what it is planned as.
 *
 * @param planner plans it
 * @param line the URL, with the method in front where it is another one than GET
 */
export function planLinesOfPath(planner: Planner, line: string): readonly string[] {
  const [, method = "GET", url = ""] = /^(?:([A-Z]+) )?(.*)$/.exec(line)!;
  try {
    const plan = planner.planUrl(url, method);
    const { kind, collection, options: { custom } } = plan;
    const { property, operation, source, media } = plan as Partial<Addressed>;
    const first = [
      `${kind}${collection ? " (collection)" : ""}`,
      plan.target && `${plan.path} at ${plan.addressed.url}`,
      plan.target?.name,
      plan.target && plan.cast && `as ${plan.cast.name}`,
      property && `property ${property.name}${property.inside ? ` inside ${property.inside}` : ""}`,
      property && isValueCollection(property) && "values",
      property?.leaves && `of ${property.leaves.map(({ name }) => name)} at ${property.depth}`,
      media && "media",
      operation &&
      `${operation.definition.name} of ${operation.binding} with ${JSON.stringify(operation.args)}`,
      source !== undefined && `behind ${source}`,
      Object.keys(custom).length > 0 && JSON.stringify(custom),
    ];
    const result = operation?.result;
    return [
      first.filter((part) => part).join("; "),
      ...(result ? [resultText(result, plan.queryParams)] : []),
      ...(plan.target ? linesOf(plan) : setLines(plan)),
    ];
  } catch (error) {
    assert.ok(isServiceError(error), `${line}: ${error}`);
    return [
      `${error.status} ${error.message}${
        ["400", "404", "501"].includes(String(error.code ?? 400)) ? "" : ` ${error.code} ${error.args}`
      }`,
    ];
  }
}

/** The sets of `$all` and `$crossjoin`. */
function setLines(plan: Plan): readonly string[] {
  if (plan.kind !== "all" && plan.kind !== "crossjoin") return [];
  const pairs = plan.kind === "crossjoin" ? [queryText(plan.query, plan.queryParams)] : [];
  const sets: readonly (ReadSet | JoinedSet)[] = plan.sets;
  return [
    ...pairs,
    ...sets.map((set) => {
      const read = "query" in set ? queryText(set.query, plan.queryParams) : set.prefix;
      return `set ${set.name}: ${read}; rows: ${shapeText(set.shape)}`;
    }),
  ];
}

function resultText({ query, own, values, shape }: ResultPlan, params: QueryParams): string {
  return [
    `result: ${query ? queryText(query, params) : "as it is"}`,
    own.length > 0 && `own ${own}`,
    values && `values ${memberText(values)}`,
    shape && `rows ${shapeText(shape)}`,
  ].filter((part) => part).join("; ");
}

/** What is selected of a structure: `{city, inner{zip}}`. */
function memberText({ select, count, computed }: MemberShape): string {
  const names = [...select ?? []].map(([name, inner]) => `${name}${memberText(inner)}`);
  const more = [...computed ?? []].map(([name, type]) => `${name}: ${type?.builtin}`);
  return [
    select ? `{${names.join(", ")}}` : "",
    count ? " with count" : "",
    computed ? ` and ${more.join(", ")}` : "",
  ].join("");
}

/** What some kinds of plans have. */
interface Addressed {
  readonly property: PropertyStep;
  readonly operation: OperationCall;
  readonly source: number;
  readonly media: boolean;
}

/** The query, then a line for each other thing. */
function linesOf({ query, queryParams, before, applied, shape }: EntityPlan): readonly string[] {
  const print: Print = (one) => queryText(one, queryParams);
  return [
    ...linesOfQuery(query, print),
    ...timesOf(query, queryParams),
    ...(before?.calls ?? []).map(({ param, definition, args, rows }) => {
      const of = rows ? ` for ${rows.entity?.name} ${rows.keys} ${rows.args}: ${print(rows.query)}` : "";
      return `before: ${param} ${definition.name} with ${JSON.stringify(args)}${of}`;
    }),
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

/** The times that related rows are asked for. */
function timesOf({ SELECT }: SelectQuery, params: QueryParams): readonly string[] {
  return (SELECT.columns ?? []).flatMap((column) => {
    const { ref, validity } = column as { readonly ref?: readonly unknown[]; readonly validity?: object };
    const told = (_: string, member: unknown) => {
      const [param] = (member as { readonly ref?: readonly string[] } | null)?.ref ?? [];
      return param === undefined ? member : params[param];
    };
    return validity ? [`${ref} during ${JSON.stringify(validity, told).replaceAll('"', "'")}`] : [];
  });
}

function queryText(query: SelectQuery, params: QueryParams): string {
  return printQuery(withCasts(query) as SelectQuery).replace(
    /:(\w+)/g,
    (all, name) => name in params ? valueText(params[name]) : all,
  ).replace(/ limit 1000$/, "");
}

function valueText(value: unknown): string {
  if (typeof value === "bigint") return `${value}n`;
  return typeof value === "number" ? String(value) : JSON.stringify(value).replaceAll('"', "'");
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
  const { entity, aggregated, expand, computed, select, navigations, members, hidden } = shape;
  const expanded = expand.map((one) =>
    [
      one.name,
      one.ref ? "/$ref" : "",
      one.countOnly ? "/$count" : "",
      one.count ? " with count" : "",
      one.cast ? ` of ${one.cast}` : "",
      `(${shapeText(one.shape)})`,
    ].join("")
  );
  return [
    entity?.name,
    aggregated && `{${aggregated.map(propertyText).join(", ")}}`,
    select && `select ${select}`,
    navigations && `navigations ${navigations}`,
    members && `members ${[...members].map(([name, member]) => `${name}${memberText(member)}`).join(", ")}`,
    hidden && `hidden ${[...hidden]}`,
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
