import {
  type ColumnShape,
  type ConstraintShape,
  DEFAULT_LENGTH,
  type TableShape,
  type TypeShape,
} from "../ddl/schema_shape.ts";
import { INTEGER_TYPES } from "../../model/builtin_types.ts";
import { contentTag } from "../../util/content_tag.ts";

/** A column before and after. */
export interface ColumnChange {
  readonly before: ColumnShape;
  readonly after: ColumnShape;
  readonly renamed: boolean;
  /** The type differs: `wider` keeps all values. */
  readonly type?: "wider" | "other";
  /** Null is refused from now on. */
  readonly refusesNull: boolean;
  /** Null is no longer refused. */
  readonly takesNull: boolean;
  /** Another default. */
  readonly fallback: boolean;
  /** Calculated from now on, no longer, or in another way. */
  readonly generated: boolean;
}

/** A table before and after. */
export interface TableChange {
  readonly before: TableShape;
  readonly after: TableShape;
  readonly renamed: boolean;
  readonly added: readonly ColumnShape[];
  readonly dropped: readonly ColumnShape[];
  readonly changed: readonly ColumnChange[];
  /** Another key. */
  readonly key: boolean;
  readonly addedConstraints: readonly ConstraintShape[];
  readonly droppedConstraints: readonly ConstraintShape[];
}

/** The statements that change tables, in the SQL of a database. */
export interface ChangeStatements {
  /** Changes one table. */
  change(change: TableChange): readonly string[];
  /** Drops tables, which may refer to each other. */
  drop(tables: readonly TableShape[]): readonly string[];
  /**
   * Whether values of a column that is there are kept and found as those of a wanted one.
   *
   * @param there its type in SQL
   * @param wanted the type in SQL of the one that is wanted
   */
  fits(there: string, wanted: string): boolean;
  /** Whether a column can have a copy under its old name, so that servers of the version before go on. */
  readonly hasCopies?: true;
  /** How others can go on working meanwhile; not there for databases in which they cannot. */
  readonly online?: OnlineStatements;
}

/** Something that is done behind the transaction of a deployment, as often as it takes, each time from its beginning. */
export interface LaterStep {
  /** Name of the index or constraint, or of a column (`columnStep`); the step is dropped when nobody wants it any more. */
  readonly name: string;
  readonly sql: string;
  /** What follows the first statement. */
  readonly then?: readonly string[];
  /** Removes what a step that failed has left, where nobody wants it any more. */
  readonly undo?: readonly string[];
}

/** All statements of a step. */
export function statementsOf({ sql, then = [] }: LaterStep): readonly string[] {
  return [sql, ...then];
}

/** Name of the step of a column that must not be null. */
export function columnStep(table: string, column: string): string {
  return `${table}.${column}`;
}

/** Changes that keep nobody waiting: what takes long is done later. */
export interface OnlineStatements {
  /** Adds a constraint without a look at the rows that are there; undefined where that is not possible. */
  constraint(table: string, constraint: ConstraintShape): OnlineConstraint | undefined;
  /** Creates an index. */
  index(index: { readonly name: string; readonly sql: string }): LaterStep;
  /** Refuses null in a column, in which the default takes its place. */
  notNull(table: string, column: ColumnShape): LaterStep;
}

/** A constraint that holds for all rows later. */
export interface OnlineConstraint {
  /** What stands in place of its definition, where it holds for new rows at once. */
  readonly definition?: string;
  readonly later: LaterStep;
}

/** What is different. */
export interface SchemaChanges {
  readonly created: readonly TableShape[];
  readonly dropped: readonly TableShape[];
  /** Tables that differ in any way. */
  readonly changed: readonly TableChange[];
}

/**
 * Compares two versions. Names are compared without letter case, as databases do.
 *
 * @param before the tables that are there
 * @param after the tables that are wanted; `was` names what they were before
 */
export function diffSchemas(before: readonly TableShape[], after: readonly TableShape[]): SchemaChanges {
  const pairs = pairByName(before, after);
  const kept = new Set(pairs.map(([old]) => old));
  const changed = pairs.filter(([old]) => old !== undefined)
    .map(([old, table]) => diffTable(old!, table))
    .filter(differs);
  return {
    created: pairs.filter(([old]) => old === undefined).map(([, table]) => table),
    dropped: before.filter((table) => !kept.has(table)),
    changed,
  };
}

/**
 * Each wanted thing with what it was: the one of its name, else the one of its earlier name.
 *
 * @param before what is there
 * @param after what is wanted
 */
function pairByName<T extends { readonly name: string; readonly was?: string }>(
  before: readonly T[],
  after: readonly T[],
): readonly (readonly [T | undefined, T])[] {
  const known = new Map(before.map((one) => [one.name.toLowerCase(), one]));
  const wanted = new Set(after.map(({ name }) => name.toLowerCase()));
  const taken = new Set<T>();
  return after.map((one) => {
    const same = known.get(one.name.toLowerCase());
    const was = one.was?.toLowerCase();
    const earlier = was === undefined || wanted.has(was) ? undefined : known.get(was);
    const found = same ?? (earlier && !taken.has(earlier) ? earlier : undefined);
    if (found) taken.add(found);
    return [found, one] as const;
  });
}

function diffTable(before: TableShape, after: TableShape): TableChange {
  const known = before.key !== undefined;
  // the column that it copies has been what has this name
  const copies = after.columns.filter((one) => one.copyOf !== undefined && !hasColumn(before.columns, one));
  const columns = pairByName(before.columns, after.columns.filter((one) => !copies.includes(one)));
  const kept = new Set(columns.map(([old]) => old));
  const names = new Map(columns.flatMap(([old, column]) => old ? [[old.name, column.name]] as const : []));
  const beforeKey = before.key?.map((name) => names.get(name) ?? name);
  const has = (list: readonly ConstraintShape[], one: ConstraintShape) =>
    list.some(({ name, definition }) => name === one.name && definition === one.definition);
  return {
    before,
    after,
    renamed: before.name !== after.name,
    added: [...columns.filter(([old]) => old === undefined).map(([, column]) => column), ...copies],
    dropped: before.columns.filter((column) => !kept.has(column)),
    changed: columns.filter(([old]) => old !== undefined).map(([old, column]) => diffColumn(old!, column))
      .filter(columnDiffers),
    key: known && beforeKey!.join("\n") !== (after.key ?? []).join("\n"),
    addedConstraints: known ? after.constraints.filter((one) => !has(before.constraints, one)) : [],
    droppedConstraints: before.constraints.filter((one) => !has(after.constraints, one)),
  };
}

function hasColumn(columns: readonly ColumnShape[], { name, copyOf }: ColumnShape): boolean {
  return columns.some((one) => one.name === name && one.copyOf?.column === copyOf?.column);
}

function diffColumn(before: ColumnShape, after: ColumnShape): ColumnChange {
  const isKnown = before.type !== undefined && after.type !== undefined;
  const retyped = isKnown && before.sql !== after.sql;
  return {
    before,
    after,
    renamed: before.name !== after.name,
    ...(retyped ? { type: isWidening(before.type!, after.type!) ? "wider" as const : "other" as const } : {}),
    refusesNull: after.notNull === true && before.notNull !== true && after.generated === undefined,
    takesNull: before.notNull === true && after.notNull !== true,
    fallback: isKnown && before.fallback !== after.fallback,
    generated: isKnown && before.generated !== after.generated,
  };
}

function columnDiffers(change: ColumnChange): boolean {
  const { renamed, type, refusesNull, takesNull, fallback, generated } = change;
  return renamed || type !== undefined || refusesNull || takesNull || fallback || generated;
}

function differs(change: TableChange): boolean {
  const { renamed, added, dropped, changed, key, addedConstraints, droppedConstraints } = change;
  return renamed || key ||
    [added, dropped, changed, addedConstraints, droppedConstraints].some(({ length }) => length > 0);
}

/** From the smallest. */
const INTEGERS: readonly unknown[] = [...INTEGER_TYPES];
/** Digits that the values of integer types have at most. */
const DIGITS: Readonly<Record<string, number>> = {
  "cds.UInt8": 3,
  "cds.Int16": 5,
  "cds.Int32": 10,
  "cds.Integer": 10,
  "cds.Int64": 19,
  "cds.Integer64": 19,
};
const DECIMALS: ReadonlySet<unknown> = new Set(["cds.Decimal", "cds.DecimalFloat"]);
/** Characters of a UUID. */
const UUID_LENGTH = 36;

/**
 * Whether every value of a type is also one of another type, in the form in which the database keeps it.
 *
 * @param before the type the values have
 * @param after the type they get
 */
function isWidening(before: TypeShape, after: TypeShape): boolean {
  const { builtin: from } = before;
  const { builtin: to } = after;
  if (to === "cds.LargeString") return from === "cds.String" || from === "cds.UUID" || from === to;
  if (to === "cds.String") return characters(before) <= characters(after);
  if (to === "cds.Binary" || to === "cds.LargeBinary") return isWiderBinary(before, after);
  if (DECIMALS.has(to)) return isWiderDecimal(before, after);
  if (INTEGERS.includes(to)) {
    return INTEGERS.includes(from) && INTEGERS.indexOf(from) <= INTEGERS.indexOf(to);
  }
  return from === to;
}

function characters({ builtin, length = DEFAULT_LENGTH }: TypeShape): number {
  if (builtin === "cds.String") return length;
  return builtin === "cds.UUID" ? UUID_LENGTH : Infinity;
}

function isWiderBinary(before: TypeShape, after: TypeShape): boolean {
  if (before.builtin !== "cds.Binary" && before.builtin !== "cds.LargeBinary") return false;
  if (after.builtin === "cds.LargeBinary") return true;
  return before.builtin === "cds.Binary" && (before.length ?? Infinity) <= (after.length ?? Infinity);
}

function isWiderDecimal(before: TypeShape, after: TypeShape): boolean {
  const given = DECIMALS.has(before.builtin) ? before : { precision: DIGITS[before.builtin ?? ""], scale: 0 };
  if (!DECIMALS.has(before.builtin) && given.precision === undefined) return false;
  if (after.precision === undefined) return true;
  if (given.precision === undefined) return false;
  const [fromScale, toScale] = [given.scale ?? 0, after.scale ?? 0];
  if (typeof fromScale !== "number" || typeof toScale !== "number") {
    return fromScale === toScale && given.precision <= after.precision;
  }
  return fromScale <= toScale && given.precision - fromScale <= after.precision - toScale;
}

/** What is to stay, and how. */
export interface SurplusOptions {
  /** Names in lower case that are wanted for something else. */
  readonly taken: ReadonlySet<string>;
  /** Whether columns that get another name stay under their old one as well. */
  readonly hasCopies?: boolean;
}

/**
 * The wanted tables with the columns, and beside the tables, that only the database has. Kept columns no longer refuse
 * null where nothing else gives them a value; key columns cannot be kept.
 *
 * @param before the tables that are there
 * @param after the tables that are wanted
 * @param options what stays
 */
export function withSurplus(
  before: readonly TableShape[],
  after: readonly TableShape[],
  { taken, hasCopies = false }: SurplusOptions,
): readonly TableShape[] {
  const pairs = pairByName(before, after);
  const kept = new Set(pairs.map(([old]) => old));
  return [
    ...pairs.map(([old, table]) => old ? withColumns(old, table, hasCopies) : table),
    ...before.filter((table) => !kept.has(table) && !taken.has(table.name.toLowerCase())),
  ];
}

function withColumns(before: TableShape, after: TableShape, hasCopies: boolean): TableShape {
  const pairs = pairByName(before.columns, after.columns);
  const kept = new Set(pairs.map(([old]) => old));
  const renamed = pairs.flatMap(([old, column]) => old && isRenamed(old, column) ? [{ old, column }] : []);
  // a column has one copy: what is two versions old does not run any more
  const copied = new Set(renamed.map(({ old }) => old.name));
  const surplus = before.columns.filter((column) =>
    !kept.has(column) && !before.key?.includes(column.name) && !copied.has(column.copyOf?.column ?? "")
  );
  const copies = hasCopies ? renamed.filter(canBeCopied).map((one) => copyOf(one, after)) : [];
  if (surplus.length === 0 && copies.length === 0 && !before.columns.some(isCopy)) return after;
  // a copy stays one for servers of the version before, too
  const columns = pairs.map(([old, column]) => old && isCopy(old) ? old : column);
  return { ...after, columns: [...columns, ...surplus.map(relaxed), ...copies] };
}

/** A column before and after. */
interface Renamed {
  readonly old: ColumnShape;
  readonly column: ColumnShape;
}

function isRenamed(old: ColumnShape, { name }: ColumnShape): boolean {
  return old.name.toLowerCase() !== name.toLowerCase();
}

function canBeCopied({ old, column }: Renamed): boolean {
  return old.type !== undefined && old.sql === column.sql && old.generated === undefined &&
    column.generated === undefined;
}

function copyOf({ old: { name, sql, type }, column }: Renamed, { name: table }: TableShape): ColumnShape {
  const by = `fw_copy_${contentTag(`${table}.${name}`)}`;
  return { name, sql, type, copyOf: { column: column.name, by } };
}

function isCopy({ copyOf }: ColumnShape): boolean {
  return copyOf !== undefined;
}

function relaxed({ notNull, ...column }: ColumnShape): ColumnShape {
  return notNull && column.fallback !== undefined ? { ...column, notNull } : column;
}
