/**
 * Rows that a query brings along: a JSON array in place of the rows of an entity.
 *
 * @module
 */

import type { Expression, SelectQuery } from "../../cqn/cqn.ts";
import type { FlatElement, LinkedEntity } from "../../model/linked.ts";
import type { Lowering, OutputColumn } from "./scope.ts";

/** The name of the column with the position of a row, from 0. */
const POSITION = "$position";

/** The step that stands for values of a JSON array, whatever they are. */
export const GIVEN_VALUES = "$rows";

/**
 * The column that given rows have beside those of their entity.
 *
 * @param alias the alias of the rows
 */
export function positionColumn(alias: string): OutputColumn {
  return { name: POSITION, expression: { ref: [alias, POSITION] } };
}

/**
 * The column that given values have.
 *
 * @param item the alias of the values
 */
export function valuePosition(item: string): OutputColumn {
  return { name: POSITION, expression: { func: "$index", args: [{ ref: [item, "key"] }] } };
}

/**
 * A query that reads rows of an entity from a JSON array.
 *
 * @param lowering gives names
 * @param entity the entity; members have the names of its flat elements
 * @param rows the array, as text
 * @returns the lowered query; what binary elements hold is left out
 */
export function givenRows(
  lowering: Pick<Lowering, "alias">,
  entity: LinkedEntity,
  rows: Expression,
): { readonly query: SelectQuery } {
  const item = lowering.alias("$given");
  const columns = [...entity.$flat.values()].filter(({ virtual }) => !virtual)
    .map((flat) => ({ ...member(item, flat), as: flat.name }));
  const position = { ...valuePosition(item).expression, as: POSITION };
  const from = { ref: [{ id: GIVEN_VALUES, rows }], as: item };
  return { query: { SELECT: { from, columns: [...columns, position] } } };
}

function member(item: string, { name, element }: FlatElement): Expression {
  const { builtin, items } = element.$type;
  const args: Expression[] = [{ ref: [item, "value"] }, { val: name, literal: "name" }];
  if (items || builtin === "cds.Map") {
    return { func: "$nested", args, cast: { type: "cds.LargeString" } } as Expression;
  }
  if (builtin === undefined || BINARY.has(builtin)) return { val: null };
  const value = { func: "$member", args, cast: { type: builtin } } as Expression;
  return TEXTS.has(builtin) ? { func: "$by_code_points", args: [value] } : value;
}

const BINARY: ReadonlySet<string> = new Set(["cds.Binary", "cds.LargeBinary", "cds.Vector"]);
const TEXTS: ReadonlySet<string> = new Set(["cds.String", "cds.LargeString", "cds.UUID"]);
