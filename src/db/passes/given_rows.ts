/**
 * Rows that a query brings along: a JSON array in place of the rows of an entity.
 *
 * @module
 */

import { call, cast, column, literal, NULL, reference, select } from "../../algebra/build.ts";
import type { Expr, TreeSelect } from "../../algebra/tree.ts";
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
  return { name: POSITION, expression: column(alias, POSITION) };
}

/**
 * The column that given values have.
 *
 * @param item the alias of the values
 */
export function valuePosition(item: string): OutputColumn {
  return { name: POSITION, expression: call("$index", [column(item, "key")]) };
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
  rows: Expr,
): { readonly query: TreeSelect } {
  const item = lowering.alias("$given");
  const columns = [...entity.$flat.values()].filter(({ virtual }) => !virtual)
    .map((flat) => ({ ...member(item, flat), as: flat.name }));
  const position = { ...valuePosition(item).expression, as: POSITION };
  const from = { ...reference([{ id: GIVEN_VALUES, rows }]), as: item };
  return { query: select({ from, columns: [...columns, position] }) };
}

function member(item: string, { name, element }: FlatElement): Expr {
  const { builtin, items } = element.$type;
  const args = [column(item, "value"), literal(name, "name")];
  if (items || builtin === "cds.Map") return cast(call("$nested", args), { type: "cds.LargeString" });
  if (builtin === undefined || BINARY.has(builtin)) return NULL;
  const value = cast(call("$member", args), { type: builtin });
  return TEXTS.has(builtin) ? call("$by_code_points", [value], { type: builtin }) : value;
}

const BINARY: ReadonlySet<string> = new Set(["cds.Binary", "cds.LargeBinary", "cds.Vector"]);
const TEXTS: ReadonlySet<string> = new Set(["cds.String", "cds.LargeString", "cds.UUID"]);
