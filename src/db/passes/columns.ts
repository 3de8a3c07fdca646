/**
 * Column lists: `*`, structures flattened with `_`, associations as their foreign keys, `inline` and `expand`
 * (csn-cqn 6, 14).
 *
 * @module
 */

import { mapRefs } from "../../cqn/map_refs.ts";
import type { Column, Expression, NestedColumn, RefStep } from "../../cqn/cqn.ts";
import { withInfixFilter } from "../../cqn/infix_filter.ts";
import type { FlatElement, LinkedElement } from "../../model/linked.ts";
import { expandedColumns } from "./expand.ts";
import { type EnumSymbols, symbolValue } from "./symbol_value.ts";
import { hasElement, isBound, resolveReference } from "./references.ts";
import {
  type ColumnList,
  type Lowering,
  type OutputColumn,
  type ResolvedPath,
  type Scope,
  type ScopeSource,
  stepName,
} from "./scope.ts";
import { resultType } from "./value_type.ts";

/**
 * Lowers a column list. A column takes the place of one of the same name from `*`.
 *
 * @param lowering the steps of lowering
 * @param list the columns; all without any
 * @param scope the scope of the query
 */
export function lowerColumns(lowering: Lowering, list: ColumnList, scope: Scope): readonly OutputColumn[] {
  const result = new Map<string, OutputColumn>();
  for (const column of list.columns ?? ["*" as const]) {
    const lowered = column === "*"
      ? wildcard(lowering, list.excluding ?? [], { scope, sources: scope.sources })
      : lowerColumn(lowering, column, scope);
    for (const item of lowered) if (column !== "*" || !result.has(item.name)) result.set(item.name, item);
  }
  return [...result.values()];
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
        expression: { ref: [alias, column.name] },
      }));
    }
    return [...entity?.$flat.values() ?? []]
      .filter((flat) => !flat.virtual && !excluding.includes(flat.name) && !excluding.includes(flat.path[0]))
      .map((flat) => leaf(flat.name, lowering.path({ alias, entity: entity!, scope }, [flat.name])));
  });
}

function leaf(name: string, found: ResolvedPath): OutputColumn {
  if (found.kind !== "column") throw new TypeError(`"${name}" is no column`);
  return { name, expression: found.expression, element: found.element, type: found.type };
}

function lowerColumn(
  lowering: Lowering,
  column: Exclude<Column, "*">,
  scope: Scope,
): readonly OutputColumn[] {
  if (column.virtual || declaresCondition(column)) return []; // neither has a column in views
  if ("expand" in column && column.expand) return expandColumn(lowering, column as NestedColumn, scope);
  if ("inline" in column && column.inline) return inlineColumn(lowering, column as NestedColumn, scope);
  const expression = column as Expression & { as?: string; cast?: { type?: unknown } };
  if ("ref" in expression && !isBound(expression)) {
    return pathColumns(lowering, expression, scope);
  }
  const name = expression.as ?? ("func" in expression ? expression.func : undefined) ??
    ("ref" in expression ? expression.ref.map(stepName).pop() : undefined);
  if (name === undefined) throw new TypeError("A column is an expression without name, expected an alias");
  const { as: _as, ...given } = expression;
  const plain = "#" in given
    ? { ...given, ...symbolValue(given["#"], castEnum(lowering, expression.cast)) }
    : given;
  return [{
    name,
    expression: lowering.expression(plain as Expression, scope),
    type: resultType(plain as Expression, { lowering, scope }),
  }];
}

/** An association with a condition, declared or redirected by the list: the condition stands for foreign keys. */
function declaresCondition({ cast }: { readonly cast?: object }): boolean {
  return cast !== undefined && "target" in cast && "on" in cast && cast.on !== undefined;
}

function castEnum(
  lowering: Lowering,
  cast: { readonly type?: unknown } | undefined,
): EnumSymbols | undefined {
  return typeof cast?.type === "string" ? lowering.model.definitions[cast.type]?.$type.enum : undefined;
}

function pathColumns(
  lowering: Lowering,
  column: {
    readonly ref: readonly RefStep[];
    readonly as?: string;
    readonly cast?: { readonly type?: unknown };
  },
  scope: Scope,
): readonly OutputColumn[] {
  const name = column.as ?? stepName(column.ref[column.ref.length - 1]);
  const found = resolveReference(lowering, column.ref, scope);
  if (found.kind === "column") {
    const { cast } = column;
    if (typeof cast?.type !== "string") return [leaf(name, found)];
    const { as: _as, ...given } = column;
    return [{ name, expression: lowering.expression(given as Expression, scope), type: cast.type }];
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
    expression: { ref: [found.anchor.alias, key.name] },
    element: key.element.element,
    type: key.element.element.$type.builtin,
  }));
}

function flatName(association: LinkedElement, key: FlatElement): string {
  return key.foreignKey4 ?? association.name;
}

function expandColumn(lowering: Lowering, given: NestedColumn, scope: Scope): readonly OutputColumn[] {
  const column = withInfixFilter(given);
  const { ref = [], expand = [], excluding = [] } = column;
  if (ref.length > 0) {
    const found = resolveReference(lowering, ref, scope);
    if (found.kind === "association") return expandedColumns(lowering, { column, found, scope });
  }
  const prefix = column.as ?? stepName(ref[ref.length - 1]);
  return nestedColumns(lowering, { ref, prefix, list: expand, excluding, isStructure: true }, scope);
}

/** `inline` puts the path in front of the paths and names of its columns, the alias of a source in front of paths only. */
function inlineColumn(lowering: Lowering, column: NestedColumn, scope: Scope): readonly OutputColumn[] {
  const { ref = [], inline = [], excluding = [] } = column;
  const isSource = aliasedSource(ref, scope) !== undefined;
  const prefix = column.as ?? (isSource ? undefined : ref.map(stepName).join("_"));
  return nestedColumns(lowering, { ref, prefix, list: inline, excluding, isStructure: false }, scope);
}

interface Nested {
  readonly ref: readonly RefStep[];
  readonly prefix: string | undefined;
  readonly list: readonly Column[];
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
    return lowerColumn(lowering, { ...rebased(inner, ref), as } as Exclude<Column, "*">, scope);
  });
}

function innerName(column: Exclude<Column, "*">, isStructure: boolean): string | undefined {
  if ("func" in column) return column.func;
  if (!("ref" in column) || !column.ref) return undefined;
  const names = column.ref.map(stepName);
  return isStructure ? names[names.length - 1] : names.join("_");
}

/** A column with a path in front of its paths; those of its own nested columns build on it. */
function rebased(column: Exclude<Column, "*">, ref: readonly RefStep[]): Exclude<Column, "*"> {
  if ("expand" in column || "inline" in column) {
    return { ...column, ref: [...ref, ...column.ref ?? []] } as NestedColumn;
  }
  const [result] = mapRefs([column as Expression], (steps) => {
    return String(steps[0]).startsWith("$") ? steps : [...ref, ...steps];
  });
  return result as Expression;
}

/** The source that a path of one step names, if there is no element of that name. */
function aliasedSource(ref: readonly RefStep[], scope: Scope): ScopeSource | undefined {
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
    return pathColumns(lowering, { ref, as: prefix }, scope).filter(({ name }) =>
      !excluding.some((one) => name === `${prefix}_${one}` || name.startsWith(`${prefix}_${one}_`))
    );
  }
  const target = found.kind === "association" ? found.association.$target : undefined;
  if (!target) throw new TypeError(`"${ref.map(stepName).join(".")}" has no elements`);
  return [...target.$flat.values()]
    .filter((flat) => !flat.virtual && !excluding.includes(flat.name) && !excluding.includes(flat.path[0]))
    .flatMap((flat) =>
      pathColumns(lowering, { ref: [...ref, flat.name], as: `${prefix}_${flat.name}` }, scope)
    );
}
