/**
 * Column lists: `*`, structures flattened with `_`, associations as their foreign keys, `inline` and `expand`
 * (csn-cqn 6, 14).
 *
 * @module
 */

import type { CastType, Column, Expression, NestedColumn, RefStep } from "../../cqn/cqn.ts";
import type { FlatElement, LinkedElement } from "../../model/linked.ts";
import { expandedColumns } from "./expand.ts";
import { isBound, resolveReference } from "./references.ts";
import {
  type ColumnList,
  type Lowering,
  type OutputColumn,
  type ResolvedPath,
  type Scope,
  stepName,
} from "./scope.ts";
import { typeOf } from "./type_of.ts";

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
      ? wildcard(lowering, list.excluding ?? [], scope)
      : lowerColumn(lowering, column, scope);
    for (const item of lowered) if (column !== "*" || !result.has(item.name)) result.set(item.name, item);
  }
  return [...result.values()];
}

function wildcard(lowering: Lowering, excluding: readonly string[], scope: Scope): OutputColumn[] {
  return scope.sources.flatMap((source) => {
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
  if (column.virtual) return []; // virtual elements of views have no column
  if ("expand" in column && column.expand) return expandColumn(lowering, column as NestedColumn, scope);
  if ("inline" in column && column.inline) return inlineColumn(lowering, column as NestedColumn, scope);
  const expression = column as Expression & { as?: string; cast?: { type?: unknown } };
  if ("ref" in expression && !isBound(expression)) {
    return pathColumns(lowering, expression, scope);
  }
  const name = expression.as ?? ("func" in expression ? expression.func : undefined) ??
    ("ref" in expression ? expression.ref.map(stepName).pop() : undefined);
  if (name === undefined) throw new TypeError("A column is an expression without name, expected an alias");
  const { as: _as, ...plain } = expression;
  return [{
    name,
    expression: lowering.expression(plain as Expression, scope),
    type: typeOf(plain as Expression),
  }];
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
    return [{
      name,
      expression: { ...found.expression, cast: { type: cast.type } } as Expression & { cast: CastType },
      type: cast.type,
    }];
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

function expandColumn(lowering: Lowering, column: NestedColumn, scope: Scope): readonly OutputColumn[] {
  if (!column.ref) throw new TypeError("Only a path can be expanded");
  const found = resolveReference(lowering, column.ref, scope);
  if (found.kind === "association") return expandedColumns(lowering, { column, found, scope });
  const { expand, ...others } = column;
  return inlineColumn(lowering, { ...others, inline: expand }, scope);
}

/** `inline` puts the path in front of the paths and names of its columns. */
function inlineColumn(lowering: Lowering, column: NestedColumn, scope: Scope): readonly OutputColumn[] {
  const { ref = [], inline = [], excluding = [] } = column;
  const prefix = column.as ?? ref.map(stepName).join("_");
  return inline.flatMap((inner): readonly OutputColumn[] => {
    if (inner === "*") return inlineAll(lowering, { ref, prefix, excluding }, scope);
    if (!("ref" in inner) || !inner.ref) throw new TypeError("Only paths can stand in an inline list");
    const path = { ...inner, ref: [...ref, ...inner.ref] } as Exclude<Column, "*">;
    const named = inner.as ?? `${prefix}_${inner.ref.map(stepName).join("_")}`;
    return lowerColumn(lowering, { ...path, as: named } as Exclude<Column, "*">, scope);
  });
}

function inlineAll(
  lowering: Lowering,
  at: { readonly ref: readonly RefStep[]; readonly prefix: string; readonly excluding: readonly string[] },
  scope: Scope,
): readonly OutputColumn[] {
  const found = resolveReference(lowering, at.ref, scope);
  if (found.kind === "structure") return pathColumns(lowering, { ref: at.ref, as: at.prefix }, scope);
  const target = found.kind === "association" ? found.association.$target : undefined;
  if (!target) throw new TypeError(`"${at.ref.map(stepName).join(".")}" has no elements`);
  return [...target.$flat.values()]
    .filter((flat) => !flat.virtual && !at.excluding.includes(flat.name))
    .flatMap((flat) =>
      pathColumns(lowering, { ref: [...at.ref, flat.name], as: `${at.prefix}_${flat.name}` }, scope)
    );
}
