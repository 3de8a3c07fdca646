/**
 * Column lists: `*`, structures flattened with `_`, associations as their foreign keys, `inline` and `expand`
 * (csn-cqn 6, 14).
 *
 * @module
 */

import { allOf, column as columnNode, literal } from "../../algebra/build.ts";
import type { ColumnName, Expr, TreeColumn, TreeNested, TreeStep } from "../../algebra/tree.ts";
import { mapPaths } from "../../algebra/walk_tree.ts";
import type { FlatElement, LinkedElement } from "../../model/linked.ts";
import { withInfixFilter } from "../../cqn/walk.ts";
import { expandedColumns } from "./expand.ts";
import { isItem } from "./comparisons.ts";
import { resultType, symbolValue } from "./value_type.ts";
import { hasElement, resolveReference } from "./references.ts";
import type { ColumnList, Lowering, OutputColumn, ResolvedPath, Scope, ScopeSource } from "./scope.ts";
import { stepName } from "../../cqn/steps.ts";

/**
 * Lowers a column list. A column takes the place of one of the same name from `*`.
 *
 * @param lowering the steps of lowering
 * @param list the columns; all without any
 * @param scope the scope of the query
 */
export function lowerColumns(lowering: Lowering, list: ColumnList, scope: Scope): readonly OutputColumn[] {
  const result = new Map<string, OutputColumn>();
  const named = new Map<string, OutputColumn>();
  for (const column of list.columns ?? ["*" as const]) {
    const lowered = column === "*"
      ? wildcard(lowering, list.excluding ?? [], { scope, sources: scope.sources })
      : lowerColumn(lowering, column, scope);
    for (const item of lowered) {
      const { name } = item;
      if (column === "*" && result.has(name)) continue;
      if (column !== "*") {
        if (named.has(name) && !isSame(named.get(name)!, item)) throw severalColumns(name);
        named.set(name, item);
      }
      result.set(name, item);
    }
  }
  return [...result.values()];
}

function isSame(one: OutputColumn, other: OutputColumn): boolean {
  return one.nested !== undefined || textOf(one) === textOf(other);
}

function textOf({ expression }: OutputColumn): string {
  return JSON.stringify(expression, (_name, value) => typeof value === "bigint" ? String(value) : value);
}

function severalColumns(name: string): TypeError {
  return new TypeError(`Several columns are named "${name}", expected an alias`);
}

function wildcard(
  lowering: Lowering,
  excluding: readonly string[],
  { scope, sources }: { readonly scope: Scope; readonly sources: readonly ScopeSource[] },
): OutputColumn[] {
  return sources.flatMap((source) => {
    const { alias, entity, columns } = source;
    if (columns) {
      return [...columns.values()].filter(({ name }) => !excluding.includes(name)).map((column) => ({
        ...column,
        expression: columnNode(alias, column.name, { type: column.expression.type ?? column.type }),
      }));
    }
    return [...entity?.$flat.values() ?? []]
      .filter((flat) => !flat.virtual && !excluding.includes(flat.name) && !excluding.includes(flat.path[0]))
      .map((flat) => leaf(flat.name, lowering.path({ alias, entity: entity!, scope }, [flat.name])));
  });
}

function leaf(name: string, found: ResolvedPath): OutputColumn {
  if (found.kind !== "column") throw new TypeError(`"${name}" is no column`);
  const { expression, element, type } = found;
  const typed = type === undefined || type === expression.type ? expression : { ...expression, type };
  return { name, expression: typed, element, type };
}

function lowerColumn(
  lowering: Lowering,
  column: Exclude<TreeColumn, "*">,
  scope: Scope,
): readonly OutputColumn[] {
  if (column.virtual || declaresCondition(column)) return []; // neither has a column in views
  if (column.kind === "nested") {
    return column.expand ? expandColumn(lowering, column, scope) : inlineColumn(lowering, column, scope);
  }
  const { as, ...plain } = column;
  const given = plain as Expr; // without its name it is an expression
  const path = given.kind === "cast" ? given.arg : given;
  const name = as ?? (path.kind === "call" ? path.func : undefined) ??
    (path.kind === "reference" ? nameOfPath(lowering, path.ref, scope) : undefined) ??
    (path.kind === "parameter" ? path.name : path.kind === "variable" ? path.path.at(-1) : undefined) ??
    (path.kind === "literal" && path.val !== null ? String(path.val) : undefined);
  if (name === undefined) throw new TypeError("A column is an expression without name, expected an alias");
  if (path.kind === "reference" && !isItem(path.ref)) {
    return pathColumns(lowering, { given, ref: path.ref, name }, scope);
  }
  const expression = withSymbolOfCast(lowering, given);
  const lowered = lowering.expression(expression, scope);
  return [{ name, expression: lowered, type: resultType(expression, lowered) }];
}

/** What a column that is a path is called where nothing names it: `author_name` in queries, `name` in views. */
export function nameOfPath({ wholePaths }: Lowering, ref: readonly TreeStep[], scope: Scope): string {
  const names = ref.map(stepName);
  if (!wholePaths || names.length === 1) return names.at(-1)!;
  const isSource = names[0]!.startsWith("$") || aliasedSource([ref[0]!], scope) !== undefined;
  return (isSource ? names.slice(1) : names).join("_");
}

/** An association with a condition, declared or redirected by the list: the condition stands for foreign keys. */
function declaresCondition(column: Exclude<TreeColumn, "*">): boolean {
  const type: object | undefined = column.kind === "cast" || column.kind === "nested"
    ? column.cast
    : undefined;
  return type !== undefined && "target" in type && "on" in type && type.on !== undefined;
}

/** A symbol that is cast to an enum is a value of it. */
function withSymbolOfCast({ model }: Lowering, given: Expr): Expr {
  if (given.kind !== "cast" || given.arg.kind !== "symbol") return given;
  const { type } = given.cast;
  const symbols = typeof type === "string" ? model.definitions[type]?.$type.enum : undefined;
  return { ...given, arg: literal(symbolValue(given.arg.symbol, symbols)) };
}

/** A column that is a path, maybe with a cast. */
interface PathColumn {
  readonly given?: Expr;
  readonly ref: readonly TreeStep[];
  readonly name: string;
}

function pathColumns(
  lowering: Lowering,
  { given, ref, name }: PathColumn,
  scope: Scope,
): readonly OutputColumn[] {
  const found = resolveReference(lowering, ref, scope);
  if (found.kind === "column") {
    if (given?.kind !== "cast" || given.type === undefined) return [leaf(name, found)];
    return [{ name, expression: lowering.expression(given, scope), type: given.type }];
  }
  if (found.kind === "association") return foreignKeys(found, name);
  const prefix = `${found.flat}_`;
  return leavesOf(found.anchor.entity.$flat, prefix).map((flat) =>
    leaf(`${name}_${flat.name.slice(prefix.length)}`, lowering.path(found.anchor, [flat.name]))
  );
}

function leavesOf(flat: ReadonlyMap<string, FlatElement>, prefix: string): FlatElement[] {
  return [...flat.values()].filter((element) => element.name.startsWith(prefix) && !element.virtual);
}

function foreignKeys(found: Extract<ResolvedPath, { kind: "association" }>, name: string): OutputColumn[] {
  return (found.association.$foreignKeys ?? []).map((key) => ({
    name: `${name}${key.name.slice(flatName(found.association, key.element).length)}`,
    expression: columnNode(found.anchor.alias, key.name, { type: key.element.element.$type.builtin }),
    element: key.element.element,
    type: key.element.element.$type.builtin,
  }));
}

function flatName(association: LinkedElement, key: FlatElement): string {
  return key.foreignKey4 ?? association.name;
}

function expandColumn(lowering: Lowering, given: TreeNested, scope: Scope): readonly OutputColumn[] {
  const column = withInfixFilter(given, (...conditions: readonly (Expr | undefined)[]) => allOf(conditions));
  const { ref = [], expand = [], excluding = [] } = column;
  if (ref.length > 0) {
    const found = resolveReference(lowering, ref, scope);
    // a view has columns only: what is nested there is a structure
    if (found.kind === "association" && (lowering.wholePaths || found.association.is2many)) {
      const name = column.as ?? nameOfPath(lowering, ref, scope);
      return expandedColumns(lowering, { name, column, found, scope });
    }
  }
  const prefix = column.as ?? stepName(ref[ref.length - 1]);
  return nestedColumns(lowering, { ref, prefix, list: expand, excluding, isStructure: true }, scope);
}

/** `inline` puts the path in front of the paths and names of its columns, the alias of a source in front of paths only. */
function inlineColumn(lowering: Lowering, column: TreeNested, scope: Scope): readonly OutputColumn[] {
  const { ref = [], inline = [], excluding = [] } = column;
  const isSource = aliasedSource(ref, scope) !== undefined;
  const prefix = column.as ??
    (isSource ? undefined : ref.map(stepName).filter((step) => !step.startsWith("$")).join("_"));
  return nestedColumns(lowering, { ref, prefix, list: inline, excluding, isStructure: false }, scope);
}

interface Nested {
  readonly ref: readonly TreeStep[];
  readonly prefix: string | undefined;
  readonly list: readonly TreeColumn[];
  readonly excluding: readonly string[];
  /** The columns are elements of a structure: their aliases do not stand alone. */
  readonly isStructure: boolean;
}

function nestedColumns(lowering: Lowering, nested: Nested, scope: Scope): readonly OutputColumn[] {
  const { ref, list, prefix, isStructure } = nested;
  const prefixed = (name: string) => prefix === undefined ? name : `${prefix}_${name}`;
  return list.flatMap((inner): readonly OutputColumn[] => {
    if (inner === "*") return nestedAll(lowering, nested, scope);
    const own = inner.as ?? innerName(inner, isStructure);
    const as = inner.as !== undefined && !isStructure ? inner.as : own === undefined ? prefix : prefixed(own);
    return lowerColumn(lowering, { ...rebased(inner, ref), as } as Exclude<TreeColumn, "*">, scope);
  });
}

function innerName(column: Exclude<TreeColumn, "*">, isStructure: boolean): string | undefined {
  const plain = column.kind === "cast" ? column.arg : column;
  if (plain.kind === "call") return plain.func;
  if ((plain.kind !== "reference" && plain.kind !== "nested") || !plain.ref) return undefined;
  const names = plain.ref.map(stepName);
  return isStructure ? names[names.length - 1] : names.join("_");
}

/** A column with a path in front of its paths; those of its own nested columns build on it. */
function rebased(column: Exclude<TreeColumn, "*">, ref: readonly TreeStep[]): Exclude<TreeColumn, "*"> {
  if (column.kind === "nested") return { ...column, ref: [...ref, ...column.ref ?? []] };
  return mapPaths(
    column as Expr & ColumnName,
    (steps) => String(steps[0]).startsWith("$") ? steps : [...ref, ...steps],
  );
}

/** The source that a path of one step names, if there is no element of that name. */
function aliasedSource(ref: readonly TreeStep[], scope: Scope): ScopeSource | undefined {
  if (ref.length !== 1) return undefined;
  const name = stepName(ref[0]);
  return scope.sources.some((source) => hasElement(source, ref))
    ? undefined
    : scope.sources.find((source) => source.name === name);
}

function nestedAll(
  lowering: Lowering,
  { ref, prefix, excluding }: Nested,
  scope: Scope,
): readonly OutputColumn[] {
  const source = aliasedSource(ref, scope);
  if (source) return wildcard(lowering, excluding, { scope, sources: [source] });
  const found = resolveReference(lowering, ref, scope);
  if (found.kind === "structure") {
    return pathColumns(lowering, { ref, name: prefix! }, scope).filter(({ name }) =>
      !excluding.some((one) => name === `${prefix}_${one}` || name.startsWith(`${prefix}_${one}_`))
    );
  }
  const target = found.kind === "association" ? found.association.$target : undefined;
  if (!target) throw new TypeError(`"${ref.map(stepName).join(".")}" has no elements`);
  return [...target.$flat.values()]
    .filter((flat) => !flat.virtual && !excluding.includes(flat.name) && !excluding.includes(flat.path[0]))
    .flatMap((flat) =>
      pathColumns(lowering, { ref: [...ref, flat.name], name: `${prefix}_${flat.name}` }, scope)
    );
}
