import { quote } from "../render/render_query.ts";
import { placeOf } from "../../model/problems.ts";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { sqlName } from "../sql_name.ts";

/** Characters of a string of which the model says nothing. */
export const DEFAULT_LENGTH = 255;

/** The type of a column as the model has it. */
export interface TypeShape {
  /** Built-in type; missing for collections of values, which are JSON texts. */
  readonly builtin?: string;
  readonly length?: number;
  readonly precision?: number;
  readonly scale?: number | "floating" | "variable";
}

/** A column. */
export interface ColumnShape {
  readonly name: string;
  /** Its type in SQL. */
  readonly sql: string;
  /** Its type in the model; missing for columns of which no model is known. */
  readonly type?: TypeShape;
  readonly notNull?: true;
  /** SQL of the value of rows that give none. */
  readonly fallback?: string;
  /** SQL of the expression that calculates it. */
  readonly generated?: string;
  /** The name it had before (`@fw.renamedFrom`). */
  readonly was?: string;
  /** The column whose values it always has, under the name that servers of the version before know. */
  readonly copyOf?: CopiedColumn;
}

/** What a column is a copy of. */
export interface CopiedColumn {
  readonly column: string;
  /** Name of what copies. */
  readonly by: string;
}

/** A constraint of a table beside its key. */
export interface ConstraintShape {
  readonly name: string;
  /** SQL behind `CONSTRAINT <name>`. */
  readonly definition: string;
}

/** A table. */
export interface TableShape {
  readonly name: string;
  /** Name of the entity, for messages. */
  readonly entity: string;
  readonly columns: readonly ColumnShape[];
  /** Names of the key columns; missing where no model is known. */
  readonly key?: readonly string[];
  readonly constraints: readonly ConstraintShape[];
  /** The name it had before (`@fw.renamedFrom`). */
  readonly was?: string;
}

/**
 * The statement that creates a table.
 *
 * @param table the table
 * @param name its name; default: its own
 */
export function renderTable({ columns, key = [], constraints, name }: TableShape, as: string = name): string {
  const parts = [
    ...columns.map((column) => `${quote(column.name)} ${columnDefinition(column)}`),
    ...(key.length > 0 ? [`PRIMARY KEY(${key.map(quote).join(", ")})`] : []),
    ...constraints.map((one) => `CONSTRAINT ${quote(one.name)} ${one.definition}`),
  ];
  return `CREATE TABLE ${quote(as)} (\n  ${parts.join(",\n  ")}\n)`;
}

/**
 * Type, default and constraints of a column.
 *
 * @param column the column
 */
export function columnDefinition({ sql, fallback, notNull, generated }: ColumnShape): string {
  if (generated !== undefined) return `${sql} GENERATED ALWAYS AS (${generated}) STORED`;
  return `${sql}${fallback === undefined ? "" : ` DEFAULT ${fallback}`}${notNull ? " NOT NULL" : ""}`;
}

/**
 * Makes sure that every entity has a name of its own in the database. Databases ignore letter case, and `.` becomes `_`:
 * `bench.Books` and `Bench.Books` collide, as do `a.b.C` and `a.b_C`. Names are never changed to avoid that, because
 * SQL text of handlers and tools relies on them.
 *
 * @param entities those with a table or view
 * @throws ConfigurationError naming both definitions
 */
export function assertDistinctNames(entities: Iterable<LinkedEntity>): void {
  const known = new Map<string, LinkedEntity>();
  for (const entity of entities) {
    const name = sqlName(entity).toLowerCase();
    const other = known.get(name);
    if (other) {
      throw new ConfigurationError(
        `"${other.name}" and "${entity.name}" would have the same name in the database, where letter case does not ` +
          `count: "${sqlName(other)}" and "${sqlName(entity)}"; rename one of them`,
        placeOf(entity),
      );
    }
    known.set(name, entity);
  }
}
