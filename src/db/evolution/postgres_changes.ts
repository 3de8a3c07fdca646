/**
 * Changes of tables in PostgreSQL.
 *
 * @module
 */

import {
  columnDefinition,
  type ColumnShape,
  type ConstraintShape,
  type CopiedColumn,
  type TableShape,
} from "../ddl/schema_shape.ts";
import { quote } from "../render/render_query.ts";
import { columnValue } from "./sqlite_changes.ts";
import {
  type ChangeStatements,
  type ColumnChange,
  columnStep,
  type LaterStep,
  type OnlineConstraint,
  type TableChange,
} from "./diff_schemas.ts";

/** Bytes of a name without the ending of key constraints. */
const KEY_NAME_BYTES = 58;

/** Types whose values go by the same literals, by their names; of other types nothing is known. */
const FAMILIES: readonly (readonly [string, RegExp])[] = [
  ["integer", /^(?:small|big)?int(?:eger)?$/i],
  ["decimal", /^(?:numeric|decimal|real|double|float)/i],
  ["boolean", /^bool/i],
  ["text", /^(?:text|uuid|(?:var)?char)/i],
  ["timestamp", /^timestamp/i],
  ["date", /^date$/i],
  ["time", /^time(?!stamp)/i],
  ["bytes", /^bytea/i],
  ["json", /^json/i],
];

/** The statements of PostgreSQL. */
export const POSTGRES_CHANGES: ChangeStatements = {
  change: changeTable,
  hasCopies: true,
  drop: (tables) => [
    ...tables.flatMap(({ name, constraints }) =>
      constraints.map((one) => `ALTER TABLE ${quote(name)} ${dropOf(one)}`)
    ),
    ...tables.flatMap(({ columns }) => columns.flatMap(endOfCopying)),
    ...tables.map(({ name }) => `DROP TABLE ${quote(name)}`),
  ],
  fits: (there, wanted) => {
    const [before, after] = [familyOf(there), familyOf(wanted)];
    return before === undefined || before === after || (before === "integer" && after === "decimal");
  },
  online: {
    constraint: onlineConstraint,
    notNull: onlineNotNull,
    index: ({ name, sql }) => ({
      name,
      sql: sql.replace(/^CREATE INDEX IF NOT EXISTS/, "CREATE INDEX CONCURRENTLY IF NOT EXISTS"),
    }),
  },
};

/** Ending of what stands in the place of a constraint until that is there. */
const MEANWHILE = "_new";

function onlineConstraint(
  table: string,
  { name, definition }: ConstraintShape,
): OnlineConstraint | undefined {
  const alter = `ALTER TABLE ${quote(table)}`;
  if (/^(FOREIGN KEY|CHECK)\b/.test(definition)) {
    const later = { name, sql: `${alter} VALIDATE CONSTRAINT ${quote(name)}` };
    return { definition: `${definition} NOT VALID`, later };
  }
  const columns = /^UNIQUE (\(.*\))$/.exec(definition)?.[1];
  if (columns === undefined) return undefined;
  const index = quote(shortened(name) + MEANWHILE);
  const constraint = quote(name);
  return {
    later: {
      name,
      // one that was not completed does nothing but take time
      sql: `DROP INDEX CONCURRENTLY IF EXISTS ${index}`,
      then: [
        `CREATE UNIQUE INDEX CONCURRENTLY ${index} ON ${quote(table)} ${columns}`,
        `${alter} DROP CONSTRAINT IF EXISTS ${constraint}, ADD CONSTRAINT ${constraint} UNIQUE USING INDEX ${index}`,
      ],
      undo: [`DROP INDEX IF EXISTS ${index}`],
    },
  };
}

/** No row is looked at while others wait, as a constraint has told already that none holds null. */
function onlineNotNull(table: string, { name, fallback }: ColumnShape): LaterStep {
  const [alter, column] = [`ALTER TABLE ${quote(table)}`, quote(name)];
  const check = quote(shortened(`${table}_${name}`) + MEANWHILE);
  const drop = `DROP CONSTRAINT IF EXISTS ${check}`;
  return {
    name: columnStep(table, name),
    sql: `${alter} ${drop}, ADD CONSTRAINT ${check} CHECK (${column} IS NOT NULL) NOT VALID`,
    then: [
      ...(fallback === undefined
        ? []
        : [`UPDATE ${quote(table)} SET ${column} = ${fallback} WHERE ${column} IS NULL`]),
      `${alter} VALIDATE CONSTRAINT ${check}`,
      `${alter} ALTER COLUMN ${column} SET NOT NULL`,
      `${alter} ${drop}`,
    ],
    undo: [`ALTER TABLE IF EXISTS ${quote(table)} ${drop}`],
  };
}

function familyOf(sql: string): string | undefined {
  return FAMILIES.find(([, pattern]) => pattern.test(sql))?.[0];
}

function changeTable(change: TableChange): readonly string[] {
  const { before, after, renamed, added, dropped, changed } = change;
  const table = quote(after.name);
  const alter = (what: string) => `ALTER TABLE ${table} ${what}`;
  const plain = changed.filter((one) => !isCalculated(one));
  const { calculatedBefore, calculatedAfter } = calculated(change);
  return [
    ...(renamed ? renameTable(before, after.name) : []),
    ...change.droppedConstraints.map((one) => alter(dropOf(one))),
    ...(change.key && before.key?.length ? [alter(`DROP CONSTRAINT ${quote(keyName(after.name))}`)] : []),
    // other columns cannot change while columns are calculated from them
    ...changed.filter(({ before, after }) => before.generated !== undefined && after.generated === undefined)
      .map((one) => alter(`ALTER COLUMN ${quote(one.before.name)} DROP EXPRESSION`)),
    ...calculatedBefore.map(({ name }) => alter(`DROP COLUMN ${quote(name)}`)),
    ...dropped.flatMap(endOfCopying),
    ...dropped.filter(({ generated }) => generated === undefined)
      .map(({ name }) => alter(`DROP COLUMN ${quote(name)}`)),
    ...plain.flatMap((one) => changeColumn(one).map(alter)),
    ...plain.filter(({ renamed }) => renamed)
      .map((one) => alter(`RENAME COLUMN ${quote(one.before.name)} TO ${quote(one.after.name)}`)),
    ...added.filter(({ generated }) => generated === undefined).map((column) => alter(addition(column))),
    ...calculatedAfter.map((column) => alter(addition(column))),
    ...added.flatMap((column) =>
      column.copyOf === undefined ? [] : copying(after, column.name, column.copyOf)
    ),
    ...plain.filter(({ refusesNull }) => refusesNull)
      .map(({ after: { name } }) => alter(`ALTER COLUMN ${quote(name)} SET NOT NULL`)),
    ...(change.key && after.key?.length
      ? [
        alter(
          `ADD CONSTRAINT ${quote(keyName(after.name))} PRIMARY KEY (${after.key.map(quote).join(", ")})`,
        ),
      ]
      : []),
    ...change.addedConstraints.map(({ name, definition }) =>
      alter(`ADD CONSTRAINT ${quote(name)} ${definition}`)
    ),
  ];
}

/** A constraint whose last step behind a transaction has failed is not there. */
function dropOf({ name }: ConstraintShape): string {
  return `DROP CONSTRAINT IF EXISTS ${quote(name)}`;
}

function addition(column: ColumnShape): string {
  return `ADD COLUMN ${quote(column.name)} ${columnDefinition(column)}`;
}

function endOfCopying({ copyOf }: ColumnShape): readonly string[] {
  return copyOf ? [`DROP FUNCTION ${quote(copyOf.by)} CASCADE`] : [];
}

/** From now on a column has the values of another one, whichever of them is written. */
function copying(table: TableShape, copy: string, { column, by }: CopiedColumn): readonly string[] {
  const [old, one, name] = [copy, column, by].map(quote);
  const body = `BEGIN IF TG_OP = ''INSERT'' THEN ` +
    `IF NEW.${old} IS NULL THEN NEW.${old} := NEW.${one}; ELSE NEW.${one} := NEW.${old}; END IF; ` +
    `ELSIF NEW.${one} IS DISTINCT FROM OLD.${one} THEN NEW.${old} := NEW.${one}; ` +
    `ELSE NEW.${one} := NEW.${old}; END IF; RETURN NEW; END`;
  return [
    `UPDATE ${quote(table.name)} SET ${old} = ${one}`,
    `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS '${body}'`,
    `CREATE TRIGGER ${name} BEFORE INSERT OR UPDATE ON ${
      quote(table.name)
    } FOR EACH ROW EXECUTE FUNCTION ${name}()`,
  ];
}

function isCalculated({ after }: ColumnChange): boolean {
  return after.generated !== undefined;
}

/** The columns to drop at first, and those to add in the end. */
function calculated({ before, after, added, dropped, changed }: TableChange): {
  readonly calculatedBefore: readonly ColumnShape[];
  readonly calculatedAfter: readonly ColumnShape[];
} {
  const isCalculated = ({ generated }: ColumnShape) => generated !== undefined;
  if (dropped.length === 0 && changed.length === 0) {
    return { calculatedBefore: [], calculatedAfter: added.filter(isCalculated) };
  }
  const kept = new Set(
    changed.filter((one) => one.after.generated === undefined).map((one) => one.before.name),
  );
  const replaced = changed.filter(({ before, after }) => !isCalculated(before) && isCalculated(after));
  return {
    calculatedBefore: [
      ...before.columns.filter((column) => isCalculated(column) && !kept.has(column.name)),
      ...replaced.map((one) => one.before),
    ],
    calculatedAfter: after.columns.filter(isCalculated),
  };
}

/** What changes in a column under its old name; `columnValue` gives null where it must not be. */
function changeColumn(change: ColumnChange): readonly string[] {
  const { before, after, type, refusesNull, takesNull, fallback } = change;
  const column = `ALTER COLUMN ${quote(before.name)}`;
  const isFilled = refusesNull && after.fallback !== undefined;
  const hasNewType = type !== undefined || isFilled;
  const hasNewDefault = fallback || (hasNewType && before.fallback !== undefined);
  return [
    // the old default may not fit the new type
    ...(hasNewDefault && before.fallback !== undefined ? [`${column} DROP DEFAULT`] : []),
    ...(takesNull ? [`${column} DROP NOT NULL`] : []),
    ...(hasNewType ? [`${column} TYPE ${after.sql} USING ${columnValue(change)}`] : []),
    ...(hasNewDefault && after.fallback !== undefined ? [`${column} SET DEFAULT ${after.fallback}`] : []),
  ];
}

function renameTable({ name, key = [] }: TableShape, after: string): readonly string[] {
  const constraint = `RENAME CONSTRAINT ${quote(keyName(name))} TO ${quote(keyName(after))}`;
  return [
    `ALTER TABLE ${quote(name)} RENAME TO ${quote(after)}`,
    ...(key.length > 0 ? [`ALTER TABLE ${quote(after)} ${constraint}`] : []),
  ];
}

/** The name that the database gives to the key of a table. */
function keyName(table: string): string {
  return `${shortened(table)}_pkey`;
}

/** As much of a name as leaves room for an ending. */
function shortened(name: string): string {
  const bytes = new TextEncoder().encode(name);
  return new TextDecoder().decode(bytes.slice(0, KEY_NAME_BYTES));
}
