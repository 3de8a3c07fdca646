/**
 * The tables that a model wants.
 *
 * @module
 */

import type { FlatElement, LinkedEntity, LinkedModel, ResolvedType } from "../../model/linked.ts";
import { isNeverNull } from "../../model/valid_slice.ts";
import { type ColumnDdl, tableColumns, tableConstraints, type TableOptions } from "./table_ddl.ts";
import { sqlName } from "../sql_name.ts";
import type { ColumnShape, TableShape, TypeShape } from "./schema_shape.ts";

/** Names an entity or element had before. */
const RENAMED = "@fw.renamedFrom";

/**
 * The table of an entity.
 *
 * @param model the linked model
 * @param entity an entity without query
 * @param options dialect and constraints
 */
export function tableShape(model: LinkedModel, entity: LinkedEntity, options: TableOptions): TableShape {
  const was = earlierName(entity, model);
  return {
    name: sqlName(entity),
    entity: entity.name,
    columns: tableColumns(model, entity, options.dialect).map((column) => columnShape(entity, column)),
    key: entity.$rowKeys.map(({ name }) => name),
    constraints: tableConstraints(entity, options),
    ...(was === undefined ? {} : { was: sqlName(was) }),
  };
}

/** The parts and texts of a renamed entity were renamed with it. */
function earlierName(entity: LinkedEntity, model: LinkedModel): string | undefined {
  const own = entity[RENAMED];
  const { name } = entity;
  const at = name.lastIndexOf(".");
  if (typeof own === "string") return own.includes(".") || at < 0 ? own : `${name.slice(0, at)}.${own}`;
  const whole = at < 0 ? undefined : model.entity(name.slice(0, at));
  const before = whole && earlierName(whole, model);
  return before === undefined ? undefined : `${before}${name.slice(at)}`;
}

function columnShape(entity: LinkedEntity, column: ColumnDdl): ColumnShape {
  const { flat, name, type, fallback, generated } = column;
  const was = earlierColumn(flat);
  // those that the model calls keys are never null without being told
  const notNull = flat.notNull || (!flat.key && isNeverNull(entity, flat));
  return {
    name,
    sql: type,
    type: typeShape(flat.element.$type),
    ...(notNull && generated === undefined ? { notNull: true as const } : {}),
    ...(fallback === undefined ? {} : { fallback }),
    ...(generated === undefined ? {} : { generated }),
    ...(was === undefined || was === name ? {} : { was }),
  };
}

/** A renamed association or structure gives its name to its columns. */
function earlierColumn({ annotated, path, name }: FlatElement): string | undefined {
  const own = annotated[RENAMED];
  if (typeof own !== "string") return undefined;
  const current = path.slice(0, path.indexOf(annotated.name) + 1).join("_");
  const before = [...path.slice(0, path.indexOf(annotated.name)), own].join("_");
  return name.startsWith(current) ? before + name.slice(current.length) : undefined;
}

function typeShape({ builtin, length, precision, scale, items }: ResolvedType): TypeShape {
  return {
    ...(builtin === undefined || items ? {} : { builtin }),
    ...(length === undefined ? {} : { length }),
    ...(precision === undefined ? {} : { precision }),
    ...(scale === undefined ? {} : { scale }),
  };
}
