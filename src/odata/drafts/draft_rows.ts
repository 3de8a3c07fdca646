import { conjunction } from "../../cqn/conjunction.ts";
import type {
  Column,
  Expression,
  NestedColumn,
  OrderTerm,
  QueryParams,
  RefExpression,
  RefStep,
  SelectQuery,
  Xo,
} from "../../cqn/cqn.ts";
import { stepName } from "../../cqn/steps.ts";
import type { EntityPlan, RowsAsked } from "../plan/plan.ts";
import type { ResultShape } from "../plan/result_shape.ts";
import { DRAFT_MEMBERS, DRAFT_ROW, draftsOf } from "../../model/drafts/draft_names.ts";
import type { LinkedEntity, LinkedModel } from "../../model/linked.ts";
import {
  administrative,
  administrativeColumns,
  administrativePath,
  hasDrafts,
  isAdministrative,
  isRef,
  keyKind,
  ownDraft,
  type RowKind,
  type Rows,
  saidKind,
} from "./row_kinds.ts";
import type { DraftSettings } from "../../service/drafts/draft_settings.ts";

/** What is known of a query: the values of its parameters, and the two models. */
export interface RowScope {
  /** An entity of the runtime by name. */
  readonly entity: (name: string) => LinkedEntity | undefined;
  readonly params: QueryParams;
  /** What names of rows around stand for, which conditions on other rows refer to. */
  readonly names?: ReadonlyMap<string, Rows>;
}

/** The scope in which rows have a name, if they have one. */
function withName<S extends RowScope>(scope: S, named: { readonly as?: string }, rows: Rows): S {
  return named.as === undefined ? scope : { ...scope, names: new Map(scope.names).set(named.as, rows) };
}

const FLAG = { type: "cds.Boolean" } as const;

/** A key without the comparison of `IsActiveEntity`, which the kind of the rows stands for; other conditions as they are. */
function withoutKind(where: readonly Xo[]): readonly Xo[] {
  const isKey = where.every((item, at) =>
    at % 4 === 0 ? isRef(item) : at % 4 === 1 ? item === "=" : at % 4 === 2 || item === "and"
  );
  const at = where.findIndex((item) => isRef(item) && item.ref[0] === "IsActiveEntity");
  if (!isKey || at < 0) return where;
  return at === 0 ? where.slice(4) : [...where.slice(0, at - 1), ...where.slice(at + 3)];
}

/** Where a path leads in rows. */
export interface RowPath {
  readonly ref: readonly RefStep[];
  readonly rows: Rows;
}

/**
 * The path of a resource in rows.
 *
 * @param from the path
 * @param start what its first step stands for
 * @param scope values and models
 */
export function rowPath(
  from: RefExpression,
  start: Rows,
  scope: RowScope & { readonly anyOwner?: boolean },
): RowPath {
  let rows = start;
  const ref: RefStep[] = from.ref.flatMap((step, index): RefStep | readonly RefStep[] => {
    const { id, ...rest } = typeof step === "string" ? { id: step } : step;
    if (index > 0 && id === "DraftAdministrativeData" && hasDrafts(rows.entity)) {
      const path = administrativePath(rows.kind);
      rows = { entity: rows.entity.elements[id]!.$target!, kind: "active" };
      return path;
    }
    if (index > 0) rows = follow(rows, id);
    const isDraft = rows.kind === "draft" && hasDrafts(rows.entity);
    const given = "where" in rest ? rest.where as readonly Xo[] | undefined : undefined;
    const own = isDraft && index === 0 && !scope.anyOwner ? ownDraft() : [];
    const isSibling = index > 0 && id === "SiblingEntity";
    const keys = given && hasDrafts(rows.entity) ? withoutKind(given) : given;
    const where = conjunction(keys, own, isSibling && isDraft ? ownDraft() : undefined) ?? [];
    const name = index === 0 && isDraft ? draftsOf(id) : isSibling && isDraft ? DRAFT_ROW : id;
    if (where.length === 0 && Object.keys(rest).length <= (given ? 1 : 0)) return name;
    return { id: name, ...rest, where: mapped(where, rows, withName(scope, rest, rows)) };
  });
  return { ref, rows };
}

/** The rows behind a navigation property. */
function follow({ entity, kind }: Rows, name: string): Rows {
  const target = entity.elements[name]!.$target!; // paths were planned
  if (name === "SiblingEntity") return { entity: target, kind: kind === "draft" ? "active" : "draft" };
  return { entity: target, kind: kind === "draft" && staysInDraft(entity, name) ? "draft" : "active" };
}

/** Whether an association stays in the draft: to a part, or to the whole. */
export function staysInDraft(entity: LinkedEntity, name: string): boolean {
  const target = entity.$entityNamed(draftsOf(entity.name))?.elements[name]?.$target;
  return target !== undefined && target.name === draftsOf(entity.elements[name]!.$target!.name);
}

/**
 * An expression on an entity as one on its rows.
 *
 * @param xpr operands and operators
 * @param rows what it is about
 * @param scope values and models
 */
export function mapped(xpr: readonly Xo[], rows: Rows, scope: RowScope): Xo[] {
  return xpr.map((item) => mapItem(item, rows, scope));
}

function mapItem(item: Xo, rows: Rows, scope: RowScope): Xo {
  if (typeof item !== "object" || item === null) return item;
  if (isRef(item)) return mapRef(item, rows, scope);
  if ("SELECT" in item) return mapSubquery(item, rows, scope);
  if ("SET" in item) return item;
  const copy: Record<string, unknown> = { ...item };
  for (const part of ["xpr", "list", "args"]) {
    if (Array.isArray(copy[part])) copy[part] = mapped(copy[part] as Xo[], rows, scope);
  }
  // keys of rows that a subquery chooses: databases ask for the types of constants there
  if (Array.isArray(copy.list)) copy.list = copy.list.map(typedFlag);
  return copy as unknown as Xo; // the same kind of expression
}

function typedFlag(item: Xo): Xo {
  const isFlag = typeof item === "object" && "val" in item && typeof item.val === "boolean";
  return isFlag ? { ...item, cast: FLAG } as Expression : item; // expressions may have a type given
}

/** A subquery: of the same entity it chooses rows of the same kind. */
function mapSubquery(query: SelectQuery, rows: Rows, scope: RowScope): SelectQuery {
  const { from } = query.SELECT;
  if ("SELECT" in from) return { SELECT: { ...query.SELECT, from: mapSubquery(from, rows, scope) } };
  if (!("ref" in from)) return query;
  const [first] = from.ref;
  const entity = rows.entity.$entityNamed(stepName(first!));
  if (!entity) return query;
  const own = from.ref.length === 1 && entity.name === rows.entity.name ? rows.kind : "active";
  const given = typeof first === "object" ? keyKind(first.where, scope.params) : undefined;
  const said = given ?? (from.ref.length === 1 ? saidKind(query.SELECT.where, scope.params) : undefined);
  const kind = hasDrafts(entity) ? said ?? own : "active";
  return rowQuery(query, { entity, kind }, { ...scope, isCount: true });
}

/** A path as an expression on rows. */
function mapRef(item: RefExpression, start: Rows, scope: RowScope): Xo {
  let rows = start;
  const ref: RefStep[] = [];
  for (const [index, step] of item.ref.entries()) {
    const { id, where, ...rest } = typeof step === "string" ? { id: step, where: undefined } : step;
    if (id.startsWith("$") && index === 0) {
      const named = scope.names?.get(id);
      if (named === undefined) return item;
      rows = named;
      ref.push(id);
      continue;
    }
    const element = rows.entity.elements[id];
    const isLast = index === item.ref.length - 1;
    if (hasDrafts(rows.entity) && DRAFT_MEMBERS.has(id)) {
      if (id === "DraftAdministrativeData") {
        const path = [...ref, ...administrativePath(rows.kind)];
        const next = item.ref[index + 1];
        return next === undefined ? { ref: path } : administrative(path, stepName(next));
      }
      if (id === "SiblingEntity") {
        const target = follow(rows, id);
        ref.push(target.kind === "draft" ? { id: DRAFT_ROW, where: ownDraft() } : id);
        rows = target;
        if (isLast) return { ref };
        continue;
      }
      return flag(id, { ref, rows });
    }
    const next = element?.$target ? follow(rows, id) : rows;
    ref.push(
      where || Object.keys(rest).length > 0
        ? { ...rest, id, ...(where && { where: mapped(where, next, withName(scope, rest, next)) }) }
        : id,
    );
    if (!isLast) rows = next;
  }
  return { ...item, ref };
}

/** A flag of an entity, at the end of a path. */
function flag(name: string, { ref, rows }: RowPath): Xo {
  const isDraft = rows.kind === "draft";
  const known = (value: Xo): Xo => {
    if (ref.length === 0) return value;
    // behind a path there may be no row
    const key = rows.entity.$flatKeys.find((one) => one.name !== "IsActiveEntity")!.name;
    return { xpr: ["case", "when", { ref: [...ref, key] }, "is", "not", "null", "then", value, "end"] };
  };
  switch (name) {
    case "IsActiveEntity":
      return known({ val: !isDraft });
    case "HasActiveEntity":
      return isDraft ? { ref: [...ref, name] } : known({ val: false });
    case "HasDraftEntity": {
      const hasDraft: Xo[] = [
        { ref: [...ref, DRAFT_ROW, "DraftAdministrativeData_DraftUUID"] },
        "is",
        "not",
        "null",
      ];
      const value: Xo = {
        xpr: ["case", "when", ...hasDraft, "then", { val: true }, "else", { val: false }, "end"],
      };
      return known(isDraft ? { val: false } : value);
    }
    default:
      return isDraft ? { ref: [...ref, "DraftAdministrativeData", "DraftMessages"] } : { val: null };
  }
}

/**
 * The columns of a query on an entity as columns of its rows.
 *
 * @param columns the columns
 * @param rows what they are about
 * @param scope values and models
 */
function mappedColumns(
  columns: readonly Column[],
  rows: Rows,
  { isTop, isCount, shape, hides = [], ...scope }: RowScope & Shown,
): Column[] {
  if (isAdministrative(rows.entity)) return administrativeColumns(columns);
  const nested = { ...scope, shape };
  if (isCount || !hasDrafts(rows.entity)) return columns.flatMap((column) => mapColumn(column, rows, nested));
  const hidden = new Set(shape?.select ? [] : isTop ? hides : HIDDEN_INSIDE[rows.kind]);
  const given = columns.flatMap((column) => column === "*" ? allNames(rows.entity) : [column]).filter(
    (column) => !(typeof column === "object" && "ref" in column && hidden.has(String(column.ref![0]))),
  );
  const names = new Set(
    given.map((column) =>
      typeof column === "object" && "ref" in column && column.as === undefined ? String(column.ref![0]) : ""
    ),
  );
  // rows always tell what they are
  const isDraft = rows.kind === "draft";
  const always = [
    "IsActiveEntity",
    ...(isDraft && isTop && hasMessages(rows.entity) && !hides.includes("DraftMessages")
      ? ["DraftMessages"]
      : []),
  ];
  const added = always.filter((name) => !names.has(name)).map((name): Column => ({ ref: [name] }));
  return [...given, ...added].flatMap((column) => mapColumn(column, rows, nested));
}

/** What of rows is shown. */
interface Shown {
  /** Whether the rows are those of the answer, not those inside of them. */
  readonly isTop?: boolean;
  /** Whether nothing but their number is asked for. */
  readonly isCount?: boolean;
  /** What clients asked for. */
  readonly shape?: ResultShape;
  /** Members of the rows of the answer that are shown only where they are selected. */
  readonly hides?: readonly string[];
}

/** What rows inside of others show only where it is selected. */
const HIDDEN_INSIDE: Readonly<Record<RowKind, readonly string[]>> = {
  active: ["HasActiveEntity", "HasDraftEntity", "DraftMessages"],
  draft: ["HasDraftEntity", "DraftMessages"],
};

function hasMessages(entity: LinkedEntity): boolean {
  return Object.hasOwn(entity.elements, "DraftMessages");
}

/** The columns of all elements that rows show. */
export function allNames(entity: LinkedEntity): Column[] {
  return [...entity.$flat.values()].filter((flat) =>
    !flat.virtual && flat.element.$type.builtin !== "cds.LargeBinary"
  ).map((flat) => ({ ref: [flat.name] }));
}

function mapColumn(column: Column, rows: Rows, scope: RowScope & Shown): Column[] {
  if (typeof column === "string") return [column];
  if ("expand" in column && column.expand && column.ref) return [mapExpand(column, rows, scope)];
  if (!("ref" in column) || !column.ref) return [mapItem(column as Xo, rows, scope) as Column];
  if (column.ref.length > 1) {
    const value = mapItem(column as Xo, rows, scope) as object;
    const { ref, ...others } = column;
    if ("ref" in value) return [{ ...others, ...value } as Column];
    // a flag behind a path is an expression
    const last = stepName(ref.at(-1)!);
    const cast = DRAFT_MEMBERS.has(last) ? { cast: FLAG } : {};
    return [{ ...others, ...value, ...cast, as: column.as ?? ref.map(stepName).join("_") } as Column];
  }
  const [name] = column.ref as [string];
  if (!hasDrafts(rows.entity) || !DRAFT_MEMBERS.has(name)) return [column];
  if (name === "DraftMessages" && rows.kind === "active") return [];
  const value = mapRef(column as RefExpression, rows, scope) as object;
  const as = column.as ?? name;
  return [name === "DraftMessages" ? { ...value, as } as Column : { ...value, as, cast: FLAG } as Column];
}

function mapExpand(column: Exclude<Column, string>, rows: Rows, scope: RowScope & Shown): Column {
  const { ref = [], expand = [], query, ...rest } = column as NestedColumn & Record<string, unknown>;
  const [first] = ref;
  const step = typeof first === "string" ? { id: first } : first!;
  const { id: name, where } = step;
  const as = column.as ?? name;
  if (hasDrafts(rows.entity) && name === "DraftAdministrativeData") {
    const columns = administrativeColumns(expand);
    return { ...rest, ref: administrativePath(rows.kind), expand: columns, as } as Column;
  }
  const target = follow(rows, name);
  const inside = withName(scope, step, target);
  const path: readonly RefStep[] = name === "SiblingEntity" && target.kind === "draft"
    ? [{ ...step, id: DRAFT_ROW, where: ownDraft() }]
    : [where ? { ...step, where: mapped(where, target, inside) } : first!];
  const body = mapClauses(rest, target, inside);
  const shape = scope.shape?.expand.find((one) => one.name === as)?.shape;
  const columns = mappedColumns(expand, target, { ...inside, shape });
  const own = query && { query: rowQuery(query, rows, { ...scope, isCount: true }) };
  return { ...body, ...own, ref: path, expand: columns, as } as Column;
}

/** Conditions and order of a query or an expanded property. */
function mapClauses(
  clauses: Readonly<Record<string, unknown>>,
  rows: Rows,
  scope: RowScope,
): Record<string, unknown> {
  const copy: Record<string, unknown> = { ...clauses };
  for (const part of ["where", "having", "search"]) {
    if (Array.isArray(copy[part])) copy[part] = mapped(copy[part] as Xo[], rows, scope);
  }
  if (Array.isArray(copy.groupBy)) copy.groupBy = copy.groupBy.map((one) => mapItem(one as Xo, rows, scope));
  if (Array.isArray(copy.orderBy)) {
    copy.orderBy = copy.orderBy.map((term: OrderTerm) => mapTerm(term, rows, scope))
      .filter((term) => !("val" in term));
  }
  return copy;
}

/** A term of an order, with its direction: what stands for a member of drafts has none. */
function mapTerm(term: OrderTerm, rows: Rows, scope: RowScope): OrderTerm {
  const { sort, nulls } = term;
  const value = mapItem(term, rows, scope) as OrderTerm; // terms are operands
  return { ...value, ...(sort && { sort }), ...(nulls && { nulls }) };
}

/**
 * A query on an entity as query on its rows.
 *
 * @param query the query
 * @param start what its first step stands for
 * @param scope values and models
 */
export function rowQuery(query: SelectQuery, start: Rows, scope: RowScope & Shown): SelectQuery {
  const { from, columns = ["*"], ...rest } = query.SELECT;
  const path = rowPath(from as RefExpression, start, scope);
  const inside = withName(scope, from, path.rows);
  const clauses = mapClauses(rest, path.rows, inside);
  return {
    SELECT: {
      ...clauses,
      from: { ...(from as RefExpression), ref: path.ref },
      columns: mappedColumns(columns, path.rows, { ...inside, isTop: true }),
    },
  } as SelectQuery;
}

/** A plan that asks a service for rows. */
export interface InRows {
  readonly rows: RowsAsked;
}

/** What requests to a service with drafts share. */
export interface DraftScope {
  /** The model of rows. */
  readonly model: LinkedModel;
  readonly settings: DraftSettings;
  /** The plan on rows: active instances, or drafts of the caller; `hides` are shown only where they are selected. */
  rowPlan<P extends EntityPlan>(plan: P, kind?: RowKind, hides?: readonly string[]): P & InRows;
  /** The kinds of rows that an `$apply` reads. */
  appliedKinds(plan: EntityPlan): ReadonlySet<RowKind>;
  /** The kind of row that a path starts with. */
  kindOf(plan: EntityPlan): RowKind | undefined;
}
