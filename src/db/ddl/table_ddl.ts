/**
 * Tables: columns, keys, constraints (csn-cqn 14).
 *
 * @module
 */

import type { FlatElement, LinkedElement, LinkedEntity, LinkedModel } from "../../model/linked.ts";
import { fromExpression } from "../../algebra/from_cqn.ts";
import { inForm } from "../passes/assigned.ts";
import { calculation } from "../passes/path_to_join.ts";
import type { Dialect } from "../render/dialect.ts";
import { quote, SqlWriter } from "../render/render_query.ts";
import { sqlName } from "../sql_name.ts";
import type { ConstraintShape } from "./schema_shape.ts";
import { uniqueConstraints } from "../unique_constraints.ts";
import { viewQuery } from "../../model/runtime_view.ts";
import { stepName } from "../../cqn/steps.ts";
import { rowOf } from "../passes/lower_query.ts";

/** A column of a table. */
export interface ColumnDdl {
  readonly name: string;
  /** Its type in SQL. */
  readonly type: string;
  /** The expression that calculates it, over the columns of the table. */
  readonly generated?: string;
  /** The value of rows that do not give one. */
  readonly fallback?: string;
  readonly flat: FlatElement;
}

/** How tables are made. */
export interface TableOptions {
  readonly dialect: Dialect;
  /** Let the database check that what foreign keys refer to exists (`fw.features.assert_integrity: "db"`). */
  readonly foreignKeys: boolean;
}

/**
 * The columns of an entity's table.
 *
 * @param model the linked model
 * @param entity an entity without query
 * @param dialect the SQL of the database
 */
export function tableColumns(
  model: LinkedModel,
  entity: LinkedEntity,
  dialect: Dialect,
): readonly ColumnDdl[] {
  return [...entity.$flat.values()]
    .filter((flat) => !flat.virtual && (flat.element.value === undefined || isStored(flat)))
    .map((flat) => columnDdl(model, { entity, flat, dialect }));
}

/**
 * The constraints of an entity's table beside its key.
 *
 * @param entity an entity without query
 * @param options whether foreign keys are checked
 */
export function tableConstraints(
  entity: LinkedEntity,
  { foreignKeys: checked }: Pick<TableOptions, "foreignKeys">,
): readonly ConstraintShape[] {
  const unique = uniqueConstraints(entity).map(({ name, columns }): ConstraintShape => ({
    name: `${sqlName(entity)}_${name}`,
    definition: `UNIQUE (${columns.map(quote).join(", ")})`,
  }));
  return checked ? [...unique, ...foreignKeys(entity)] : unique;
}

function isStored(flat: FlatElement): boolean {
  return flat.element.value?.stored === true;
}

function columnDdl(
  model: LinkedModel,
  { entity, flat, dialect }: {
    readonly entity: LinkedEntity;
    readonly flat: FlatElement;
    readonly dialect: Dialect;
  },
): ColumnDdl {
  const type = dialect.columnType(flat.element.$type);
  const { value } = flat.element;
  const { name } = flat;
  if (value && !flat.foreignKey4) {
    const text = generated(model, { entity, flat, dialect });
    return { name, type, generated: text, flat };
  }
  return { name, type, fallback: defaultText(flat, dialect), flat };
}

function generated(
  model: LinkedModel,
  { entity, flat, dialect }: {
    readonly entity: LinkedEntity;
    readonly flat: FlatElement;
    readonly dialect: Dialect;
  },
): string {
  const alias = sqlName(entity);
  const place = rowOf(model, entity);
  const value = place.lowering.expression(calculation(flat, entity), place.scope);
  const lowered = inForm(value, value.type, flat);
  const writer = new SqlWriter(dialect, { inline: true });
  // The expression of a generated column knows its own table only, without a name in front.
  return writer.expression(lowered).replaceAll(`${quote(alias)}.`, "");
}

function defaultText(flat: FlatElement, dialect: Dialect): string | undefined {
  const value = flat.annotated.default;
  if (value === undefined) return undefined;
  if ("ref" in value) return stepName(value.ref[0]) === "$now" ? dialect.now : undefined;
  if ("func" in value && value.func.toLowerCase() === "now") return dialect.now;
  if ("val" in value && value.val === null) return undefined;
  const writer = new SqlWriter(dialect, { inline: true });
  const text = writer.expression(fromExpression(value));
  return "val" in value ? text : `(${text})`;
}

/** Managed associations to tables; a row composed into another one is deleted with it. Checked at the commit. */
function foreignKeys(entity: LinkedEntity): ConstraintShape[] {
  return [...entity.associations].filter(isChecked).map((association) => {
    const keys = association.$foreignKeys!;
    const target = association.$target!;
    const columns = keys.map(({ name }) => quote(name)).join(", ");
    const targets = keys.map((key) => quote(key.target)).join(", ");
    const onDelete = isParent(association) ? "CASCADE" : "RESTRICT";
    const definition = `FOREIGN KEY(${columns}) REFERENCES ${quote(sqlName(target))}(${targets}) ` +
      `ON UPDATE RESTRICT ON DELETE ${onDelete} DEFERRABLE INITIALLY DEFERRED`;
    return { name: `c__${sqlName(entity)}_${association.name}`, definition };
  });
}

function isChecked(association: LinkedElement): boolean {
  const { $target: target, $foreignKeys: keys } = association;
  // associations with a condition have no foreign keys
  if (!target || !keys?.length || association["@assert.integrity"] === false) return false;
  if (viewQuery(target) || target["@cds.persistence.skip"] === true) return false;
  const referred = new Set(keys.map((key) => key.target));
  return target.$flatKeys.length === referred.size &&
    target.$flatKeys.every(({ name }) => referred.has(name));
}

/** Whether the association points back along a composition. */
function isParent(association: LinkedElement): boolean {
  return [...association.$target!.compositions].some(({ $target: child, on }) =>
    child === association.parent &&
    on?.some((token) =>
      typeof token === "object" && "ref" in token && token.ref.length === 2 &&
      stepName(token.ref[1]) === association.name
    )
  );
}
