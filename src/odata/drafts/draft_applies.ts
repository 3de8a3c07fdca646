/**
 * `$apply` on entities with drafts: queries over queries, and over active instances and drafts together.
 *
 * @module
 */

import type {
  Column,
  OrderTerm,
  RefExpression,
  RefStep,
  SelectBody,
  SelectQuery,
  SetQuery,
  Source,
  Xo,
} from "../../cqn/cqn.ts";
import { stepName } from "../../cqn/steps.ts";
import { mapRefs, walkExpression } from "../../cqn/walk.ts";
import { type ServiceError, unsupported } from "../../errors/service_error.ts";
import { DRAFT_MEMBERS } from "../../model/drafts/draft_names.ts";
import type { LinkedElement, LinkedEntity } from "../../model/linked.ts";
import type { EntityPlan } from "../plan/plan.ts";
import { allNames, mapped, rowQuery, type RowScope } from "./draft_rows.ts";
import { choosesRows, hasDrafts, keyKind, possibleKinds, type RowKind } from "./row_kinds.ts";

/** Whether the rows of an answer are made by `$apply`: they are groups, or come from queries over queries. */
export function isApplied({ query, shape }: EntityPlan): boolean {
  return shape?.aggregated !== undefined || !("ref" in query.SELECT.from);
}

/** What is known of the entities in a query. */
export interface ApplyScope extends RowScope {
  /** An entity as clients see it, by name. */
  readonly seen: (name: string) => LinkedEntity;
  /** Collects the kinds of rows that are read. */
  readonly kinds: Set<RowKind>;
}

/**
 * The query of an `$apply` on rows.
 *
 * @param query the query on what clients see
 * @param scope entities and values
 * @param isGroup whether the rows of the answer are groups, which tell of which kind their rows are
 * @throws ServiceError 501 for what cannot be asked of active instances and drafts together
 */
export function applyQuery(query: SelectQuery, scope: ApplyScope, isGroup: boolean): SelectQuery {
  const found = selectOf(query, scope);
  if (!isGroup || scope.kinds.size !== 1) return found;
  const { columns = [] } = found.SELECT;
  if (columns.some((column) => typeof column === "object" && column.as === "IsActiveEntity")) return found;
  const flag = { val: scope.kinds.has("active"), as: "IsActiveEntity", cast: FLAG } as Column;
  return { SELECT: { ...found.SELECT, columns: [...columns, flag] } };
}

const FLAG = { type: "cds.Boolean" } as const;

function selectOf(query: SelectQuery, scope: ApplyScope): SelectQuery {
  const { from } = query.SELECT;
  if ("ref" in from) return leafOf(query.SELECT, from, scope);
  for (const ref of refsIn(query.SELECT)) {
    if (ref.length > 1 && DRAFT_MEMBERS.has(stepName(ref[0]!))) {
      throw notTogether("Paths from drafts behind a step");
    }
  }
  const { columns } = query.SELECT;
  return {
    SELECT: {
      ...query.SELECT,
      ...(columns && { columns: columns.filter(isShown) }),
      from: sourceOf(from, scope),
    },
  };
}

function sourceOf(from: Source, scope: ApplyScope): Source {
  if ("SELECT" in from) return { ...from, ...selectOf(from, scope) };
  if (!("SET" in from)) throw notTogether("Joins with drafts");
  const args = from.SET.args.map((arg) => sourceOf(arg, scope) as SelectQuery | SetQuery); // queries stay queries
  return { ...from, SET: { ...from.SET, args } };
}

/** A query that reads an entity. */
function leafOf(select: SelectBody, from: RefExpression, scope: ApplyScope): SelectQuery {
  const [first] = from.ref;
  const entity = scope.seen(stepName(first!));
  if ("as" in from && from.as !== undefined) throw notTogether("Names of rows of drafts");
  const given = typeof first === "object" ? keyKind(first.where, scope.params) : undefined;
  const possible = given || !hasDrafts(entity)
    ? [given ?? "active"]
    : [...possibleKinds(select.where, scope.params)];
  // a condition that holds for neither is asked of active instances
  const kinds = new Set<RowKind>(possible.length > 0 ? possible : ["active"]);
  for (const kind of kinds) scope.kinds.add(kind);
  const groupsByFlag = select.groupBy?.some((term) =>
    "ref" in term && DRAFT_MEMBERS.has(stepName(term.ref.at(-1)!))
  );
  if (kinds.size !== 1 || groupsByFlag) return overRows(select, { from, entity, kinds, scope });
  const [kind] = kinds;
  const columns = (select.columns ?? ["*"]).flatMap((column) =>
    column === "*" && hasDrafts(entity) ? allNames(entity) : [column]
  ).filter(isShown);
  return rowQuery({ SELECT: { ...select, columns } }, { entity, kind: kind! }, { ...scope, isCount: true });
}

/** Rows that steps have made show no messages: active instances have none. */
function isShown(column: Column): boolean {
  return typeof column === "string" || !("ref" in column) || column.ref?.[0] !== "DraftMessages";
}

interface Leaf {
  readonly from: RefExpression;
  readonly entity: LinkedEntity;
  readonly kinds: ReadonlySet<RowKind>;
  readonly scope: ApplyScope;
}

/** The query over the rows of one kind or both, which have a column for each path that it names. */
function overRows(select: SelectBody, leaf: Leaf): SelectQuery {
  const { where, search, from: _from, columns = [], groupBy, having, orderBy, ...rest } = select;
  const { from, entity, kinds, scope } = leaf;
  if (kinds.size > 1 && choosesRows(where)) throw notTogether("Chosen rows of both kinds");
  if (columns.includes("*") || columns.length === 0 || from.ref.length > 1) {
    throw notTogether("Rows");
  }
  const names = new Map<string, readonly RefStep[]>();
  const nameIn = (ref: readonly unknown[]): readonly unknown[] => {
    const path = ref as readonly RefStep[]; // the steps of a path
    const first = stepName(path[0]!);
    if (!entity.elements[first] && !entity.$flat.has(first)) return ref; // the name of a column
    if (elementOf(entity, path)?.$target) throw notTogether("Parts of rows");
    const name = path.map(stepName).join("$");
    names.set(name, path);
    return [name];
  };
  refsIn(select); // refuses nested rows
  const over = {
    columns: mapRefs(columns as readonly Xo[], nameIn) as Column[], // expressions stay what they are
    ...(groupBy && { groupBy: mapRefs(groupBy as readonly Xo[], nameIn) as typeof groupBy }),
    ...(having && { having: mapRefs(having, nameIn) }),
    ...(orderBy && { orderBy: mapRefs(orderBy as readonly Xo[], nameIn) as OrderTerm[] }),
  };
  if (names.size === 0) nameIn([entity.$flatKeys.find(({ name }) => name !== "IsActiveEntity")!.name]);
  const inner: SelectBody = { from, columns: [], ...(where && { where }), ...(search && { search }) };
  const queries = [...kinds].map((kind): SelectQuery => {
    const rows = { entity, kind };
    const { SELECT } = rowQuery({ SELECT: inner }, rows, { ...scope, isCount: true });
    const values = [...names].map(([as, path]): Column => {
      const [value] = mapped([{ ref: path }], rows, scope) as [object];
      const flat = path.length === 1 ? entity.$flat.get(stepName(path[0]!)) : undefined;
      const type = (flat?.element ?? elementOf(entity, path))?.$type.builtin;
      return ("ref" in value
        ? { ...value, as }
        : { ...value, as, ...(type && { cast: { type } }) }) as Column;
    });
    return { SELECT: { ...SELECT, columns: values } };
  });
  const source = queries.length === 1
    ? queries[0]!
    : { SET: { op: "union", all: true, args: queries } } as const;
  return { SELECT: { ...rest, from: source, ...over } as SelectBody };
}

/** The paths and parameters that a query names. */
function refsIn(
  { columns = [], groupBy = [], having = [], orderBy = [] }: SelectBody,
): (readonly RefStep[])[] {
  const found: (readonly RefStep[])[] = [];
  for (const one of [...columns, ...groupBy, ...having, ...orderBy]) {
    if (typeof one === "string") continue;
    walkExpression(one, (expression) => {
      const isNested = ["SELECT", "SET", "expand", "inline"].some((part) => part in expression);
      if (isNested || ("ref" in expression && expression.ref?.some((step) => typeof step === "object"))) {
        throw notTogether("Nested rows");
      }
      if ("ref" in expression && expression.ref) found.push(expression.ref);
    });
  }
  return found;
}

function elementOf(entity: LinkedEntity, path: readonly RefStep[]): LinkedElement | undefined {
  let at: LinkedEntity | undefined = entity;
  let element: LinkedElement | undefined;
  for (const step of path) {
    element = at?.elements[stepName(step)];
    at = element?.$target;
  }
  return element;
}

function notTogether(what: string): ServiceError {
  return unsupported(`${what} in $apply on entities with drafts`);
}
