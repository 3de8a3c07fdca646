/**
 * The tables and views of a model, as the memory database has them.
 *
 * @module
 */

import { fromExpression } from "../../algebra/from_cqn.ts";
import type { Expression } from "../../cqn/cqn.ts";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import { INTEGER_TYPES } from "../../model/builtin_types.ts";
import type { FlatElement, LinkedEntity, LinkedModel } from "../../model/linked.ts";
import { assigned } from "../passes/assigned.ts";
import { calculation } from "../passes/path_to_join.ts";
import { lowerQuery, rowOf } from "../passes/lower_query.ts";
import { sqlName } from "../sql_name.ts";
import { uniqueConstraints } from "../unique_constraints.ts";
import { viewQuery } from "../../model/runtime_view.ts";
import { isNeverNull } from "../../model/valid_slice.ts";
import { compileQuery, compilerAt } from "./compile_query.ts";
import type { CompiledQuery, Evaluate } from "./evaluation.ts";
import { integerOf, toNumber } from "./values.ts";

/** A column of a table. */
export interface TableColumn {
  readonly name: string;
  readonly notNull: boolean;
  /** The value where a new row has none. */
  readonly fallback?: Evaluate;
  /** The value of an element that is calculated on write. */
  readonly stored?: Evaluate;
  /** A value as the column holds it. */
  readonly convert: (value: unknown) => unknown;
}

/** A table and its rules. */
export interface TableDefinition {
  readonly name: string;
  readonly entity: LinkedEntity;
  readonly columns: readonly TableColumn[];
  readonly keys: readonly string[];
  /** Columns that are unique together. */
  readonly uniques: readonly (readonly string[])[];
}

/** Finds tables and views by their name in queries. */
export class Catalog {
  readonly model: LinkedModel;
  readonly #entities: Map<string, LinkedEntity> = new Map();
  readonly #tables: Map<LinkedEntity, TableDefinition> = new Map();
  readonly #views: Map<LinkedEntity, CompiledQuery | undefined> = new Map();

  /** @param model the linked model */
  constructor(model: LinkedModel) {
    this.model = model;
    for (const entity of model.entities()) this.#entities.set(sqlName(entity), entity);
  }

  /** The entity behind the name of a table or view. */
  entity(name: string): LinkedEntity {
    const entity = this.#entities.get(name);
    if (!entity) throw new ConfigurationError(`There is no table "${name}"`);
    return entity;
  }

  /** The query of a view; undefined for tables. */
  view(entity: LinkedEntity): CompiledQuery | undefined {
    if (!this.#views.has(entity)) {
      const query = viewQuery(entity);
      this.#views.set(entity, query && compileQuery(lowerQuery(this.model, query).query));
    }
    return this.#views.get(entity);
  }

  /** The table of an entity. */
  table(entity: LinkedEntity): TableDefinition {
    let table = this.#tables.get(entity);
    if (!table) this.#tables.set(entity, table = defineTable(this.model, entity));
    return table;
  }
}

function defineTable(model: LinkedModel, entity: LinkedEntity): TableDefinition {
  const flats = [...entity.$flat.values()].filter((flat) =>
    !flat.virtual && (flat.element.value === undefined || flat.foreignKey4 || flat.element.value.stored)
  );
  return {
    name: sqlName(entity),
    entity,
    columns: flats.map((flat) => defineColumn(model, entity, flat)),
    keys: entity.$rowKeys.map(({ name }) => name),
    uniques: uniqueConstraints(entity).map(({ columns }) => columns),
  };
}

function defineColumn(model: LinkedModel, entity: LinkedEntity, flat: FlatElement): TableColumn {
  const { annotated, element, name } = flat;
  const own = flat.foreignKey4 === undefined;
  const convert = converterOf(element.$type.items ? undefined : element.$type.builtin);
  return {
    name,
    notNull: isNeverNull(entity, flat),
    convert,
    ...(own && element.value && { stored: compileStored(model, entity, flat) }),
    ...(annotated.default && { fallback: compileFor(model, entity, annotated.default) }),
  };
}

/** An expression over the elements of a row. */
function compileFor(model: LinkedModel, entity: LinkedEntity, expression: Expression): Evaluate {
  const { lowering, scope } = rowOf(model, entity);
  return compilerAt([sqlName(entity)]).expression(lowering.expression(fromExpression(expression), scope));
}

function compileStored(model: LinkedModel, entity: LinkedEntity, flat: FlatElement): Evaluate {
  const stored = assigned(calculation(flat, entity), flat, rowOf(model, entity));
  return compilerAt([sqlName(entity)]).expression(stored);
}

const TEXT: ReadonlySet<string> = new Set([
  "cds.String",
  "cds.LargeString",
  "cds.UUID",
  "cds.Date",
  "cds.Time",
  "cds.DateTime",
  "cds.Timestamp",
]);
/** Columns convert what they are given to their type, where it fits. */
function converterOf(builtin: string | undefined): (value: unknown) => unknown {
  if (builtin === undefined) return (value) => value;
  if (TEXT.has(builtin)) return (value) => typeof value === "number" ? String(value) : value;
  if (INTEGER_TYPES.has(builtin)) return integerOf;
  if (builtin === "cds.Decimal" || builtin === "cds.DecimalFloat") return toDecimal;
  if (builtin === "cds.Double") return (value) => isNumeric(value) ? toNumber(Number(value)) : value;
  return (value) => value;
}

function isNumeric(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "" && !Number.isNaN(Number(value));
}

/** Decimals with more digits than a number holds stay text. */
function toDecimal(value: unknown): unknown {
  if (!isNumeric(value)) return value;
  const digits = String(value).replace(/[eE].*$/, "").replace(/\D/g, "").replace(/^0+/, "");
  return digits.length <= 15 ? Number(value) : value;
}
