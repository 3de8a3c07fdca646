/**
 * SELECT → URL, and the shape of its answer.
 *
 * @module
 */

import type {
  Column,
  FunctionExpression,
  Limit,
  NestedColumn,
  OrderTerm,
  SelectBody,
} from "../../cqn/cqn.ts";
import { fromSearch } from "../../algebra/from_cqn.ts";
import type { Expr } from "../../algebra/tree.ts";
import { conjunction } from "../../cqn/conjunction.ts";
import { withInfixFilter } from "../../cqn/walk.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import {
  type ExpandItem,
  NO_OFFSET,
  type ODataRelativeUri,
  type OrderbyItem,
  type PathSegment,
  type QueryOptions,
  type SearchExpr,
  type SelectItem,
} from "../url/ast.ts";
import {
  elementAt,
  notPossible,
  propertyPath,
  type RemoteScope,
  toRemoteExpression,
} from "./remote_expression.ts";

/** What the rows of an answer look like, and what becomes of them. */
export interface RemoteShape {
  /** Definition of the entity, if it is known. */
  readonly entity?: LinkedEntity;
  /** Names of the members that were asked for, without associations; all without it. Servers add keys. */
  readonly members?: ReadonlySet<string>;
  /** Names of members in the result; a member may have several. */
  readonly aliases: readonly { readonly from: string; readonly as: string }[];
  /** Members that were asked for along associations. */
  readonly paths: readonly { readonly ref: readonly string[]; readonly as: string }[];
  /** Nested rows by the name of their association. */
  readonly expands: ReadonlyMap<string, RemoteShape>;
  /** Rows that `paths` lead through, by the names of their associations. */
  readonly along: ReadonlyMap<string, RemoteShape>;
}

/** A SELECT as request. */
export interface RemoteRead {
  /** The URL below the root of the service. */
  readonly url: ODataRelativeUri;
  /** What comes back. */
  readonly shape: RemoteShape;
  /** Name of the result of a query for nothing but the number of rows. */
  readonly countAs?: string;
}

/** What further clauses a SELECT and a nested column have. */
type Clauses = Pick<SelectBody, "where" | "orderBy" | "limit" | "search" | "count" | "excluding">;

/**
 * The request for a SELECT.
 *
 * @param select the body of the query, without parameters
 * @param path segments of the resource
 * @param scope what names refer to
 * @throws ServiceError 501 for what OData has no word for
 */
export function remoteRead(
  select: SelectBody,
  path: readonly PathSegment[],
  scope: RemoteScope,
): RemoteRead {
  if (select.distinct || select.groupBy || select.having) throw notPossible("Grouping");
  const countAs = countName(select.columns);
  const columns = countAs === undefined ? select.columns : undefined;
  const { options, shape } = clauses(select, columns, scope);
  const counted: PathSegment[] = countAs === undefined
    ? []
    : [{ kind: "systemSegment", name: "$count", offset: NO_OFFSET }];
  return { url: { path: [...path, ...counted], options }, shape, countAs };
}

/** Whether columns ask for nothing but the number of rows. */
export function isCount(columns: readonly Column[] | undefined): boolean {
  return countName(columns) !== undefined;
}

/** The name of the result of `count(*)` as the only column. */
export function countName(columns: readonly Column[] | undefined): string | undefined {
  const [only, ...more] = columns ?? [];
  if (more.length > 0 || typeof only !== "object" || !("func" in only) || !isRowCount(only)) return undefined;
  return only.as ?? only.func;
}

/** `count(*)` or `count(1)`; `count(title)` is the number of rows that have a title. */
function isRowCount({ func, args = [] }: FunctionExpression): boolean {
  if (func.toLowerCase() !== "count" || !Array.isArray(args)) return false;
  return args.every((arg) => arg === "*" || ("val" in arg && arg.val !== null));
}

function clauses(
  given: Clauses,
  columns: readonly Column[] | undefined,
  scope: RemoteScope,
): { readonly options: QueryOptions; readonly shape: RemoteShape } {
  const { where, orderBy, limit, search, count } = given;
  const projection = project(columns, scope);
  const terms = fromSearch(search);
  const options: QueryOptions = {
    ...projection.options,
    ...(where?.length ? { filter: toRemoteExpression(where, scope) } : {}),
    ...(terms && { search: toSearch(terms) }),
    ...(orderBy?.length ? { orderby: orderBy.map((term) => toOrder(term, scope)) } : {}),
    ...paging(limit),
    ...(count ? { count: true } : {}),
    offsets: {},
  };
  return { options, shape: projection.shape };
}

function paging(limit: Limit | undefined): Pick<QueryOptions, "top" | "skip"> {
  const top = numberOf(limit?.rows);
  const skip = numberOf(limit?.offset);
  return { ...(top === undefined ? {} : { top }), ...(skip ? { skip } : {}) };
}

function numberOf(value: Limit["rows"]): number | undefined {
  return value && "val" in value && value.val !== null ? Number(value.val) : undefined;
}

function toOrder(term: OrderTerm, scope: RemoteScope): OrderbyItem {
  return {
    expr: toRemoteExpression(term, scope),
    desc: term.sort === "desc",
    offset: NO_OFFSET,
  };
}

interface Projected {
  readonly options: Pick<QueryOptions, "select" | "expand">;
  readonly shape: RemoteShape;
}

/** Columns as `$select` and `$expand`. */
function project(columns: readonly Column[] | undefined, scope: RemoteScope): Projected {
  const select = new Set<string>();
  const expand = new Map<string, NestedColumn & { readonly expand: readonly Column[] }>();
  const shape = {
    aliases: [] as { from: string; as: string }[],
    paths: [] as { ref: string[]; as: string }[],
  };
  const along = new Map<string, Column[]>();
  for (const column of columns ?? ["*"]) {
    if (column === "*") {
      select.add("*");
      continue;
    }
    if (!("ref" in column) || !column.ref || "inline" in column) throw notPossible("A calculated column");
    const nested: NestedColumn = "expand" in column
      ? withInfixFilter(column as NestedColumn, conjunction)
      : column;
    const names = propertyPath(nested.ref!);
    const name = names.join("_");
    const as = column.as ?? name;
    if (nested.expand) {
      expand.set(names[0], { ...nested, expand: nested.expand });
      shape.aliases.push({ from: names[0], as: column.as ?? names[0] });
    } else if (names.length > 1 && elementAt(scope.entity, [names[0]])?.isAssociation !== false) {
      along.set(names[0], [...along.get(names[0]) ?? [], { ref: names.slice(1) }]);
      shape.paths.push({ ref: names, as });
    } else {
      for (const one of plainNames(name, scope)) select.add(one);
      shape.aliases.push({ from: name, as });
    }
  }
  const shapesOf = (items: Iterable<readonly [string, readonly Column[]]>) =>
    new Map([...items].map(([name, nested]) => [name, clauses({}, nested, inner(scope, name)).shape]));
  return {
    options: { ...selected(select), ...expanded(expandOptions({ expand, along }, scope)) },
    shape: {
      entity: scope.entity,
      ...(select.has("*") ? {} : { members: select }),
      ...shape,
      along: shapesOf(along),
      expands: shapesOf([...expand].map(([name, nested]) => [name, nested.expand])),
    },
  };
}

/** What is asked for along associations: nested columns, and what paths lead to. */
interface Along {
  readonly expand: ReadonlyMap<string, NestedColumn & { readonly expand: readonly Column[] }>;
  readonly along: ReadonlyMap<string, readonly Column[]>;
}

/** The options of each association that is expanded. */
function expandOptions({ expand, along }: Along, scope: RemoteScope): Map<string, QueryOptions> {
  const names = [...expand.keys(), ...along.keys()];
  return new Map(names.map((name) => {
    const nested = expand.get(name);
    const paths = along.get(name) ?? [];
    if (nested && paths.length > 0 && (nested.where || nested.limit)) {
      throw notPossible("A path along an association whose nested rows are filtered");
    }
    return [name, clauses(nested ?? {}, [...nested?.expand ?? [], ...paths], inner(scope, name)).options];
  }));
}

/** An association stands for its foreign keys. */
function plainNames(name: string, { entity }: RemoteScope): readonly string[] {
  const keys = elementAt(entity, [name])?.$foreignKeys;
  return keys ? keys.map((key) => key.name) : [name];
}

function inner(scope: RemoteScope, name: string): RemoteScope {
  return { ...scope, entity: elementAt(scope.entity, [name])?.$target, prefix: [] };
}

function selected(names: ReadonlySet<string>): { select?: readonly SelectItem[] } {
  if (names.has("*") || names.size === 0) return {};
  return { select: [...names].map((name) => ({ path: [name], offset: NO_OFFSET })) };
}

function expanded(items: ReadonlyMap<string, QueryOptions>): { expand?: readonly ExpandItem[] } {
  if (items.size === 0) return {};
  return {
    expand: [...items].map(([name, options]) => {
      const isPlain = Object.keys(options).length === 1;
      return { path: [name], ...(isPlain ? {} : { options }), offset: NO_OFFSET };
    }),
  };
}

/** Search terms, joined by `and` and `or`, or negated. */
function toSearch(search: Expr): SearchExpr {
  const offset = NO_OFFSET;
  if (search.kind === "literal") return { kind: "searchPhrase", text: String(search.val), offset };
  if (search.kind === "unary") return { kind: "searchNegateExpr", expr: toSearch(search.arg), offset };
  if (search.kind !== "joined") throw notPossible("This search");
  const kind = search.op === "and" ? "searchAndExpr" : "searchOrExpr";
  return search.args.map(toSearch).reduce((left, right) => ({ kind, left, right, offset }));
}
