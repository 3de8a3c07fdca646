/**
 * A database engine of a few lines: rows in maps, a transaction works on a copy. It knows comparisons of elements with
 * values, which is all that the tests of services ask for; engines have tests of their own.
 *
 * @module
 */

import type { EntityRef, Query, Row, Source, Xo } from "../../src/cqn/cqn.ts";
import { ServiceError } from "../../src/errors/service_error.ts";
import type { Database, DatabaseTransaction, InsertResult, QueryResult } from "../../src/service/database.ts";

type Tables = Map<string, Row[]>;

/** Creates an empty database. */
export function createTableDatabase(): Database {
  let committed: Tables = new Map();
  return {
    kind: "tables",
    begin: () => transactionOn(() => committed, (tables) => committed = tables),
    deploy: (data) => Promise.resolve(void (committed = structuredClone(new Map(data as Tables)))),
    reset: (data) => Promise.resolve(void (committed = structuredClone(new Map(data as Tables)))),
    close: () => Promise.resolve(),
  };
}

function transactionOn(read: () => Tables, write: (tables: Tables) => void): DatabaseTransaction {
  let own: Tables | undefined;
  const run = (query: Query) => {
    own ??= structuredClone(read());
    return Promise.resolve(runOn(own, query));
  };
  return {
    run,
    async readJson(query) {
      const rows = await run(query) as Row[];
      return { json: JSON.stringify(rows), rows: rows.length };
    },
    commit: () => Promise.resolve(void (own && write(own))),
    rollback: () => Promise.resolve(void (own = undefined)),
  };
}

function runOn(tables: Tables, query: Query): QueryResult {
  if ("SELECT" in query) {
    const { from, where, columns, one } = query.SELECT;
    const { rows } = rowsOf(tables, from, where);
    const names = columns?.map((column) => String((column as { ref: string[] }).ref[0]));
    const result = rows.map((row) =>
      names ? Object.fromEntries(names.map((name) => [name, row[name]])) : { ...row }
    );
    return one ? result[0] ?? null : result;
  }
  if ("INSERT" in query) return insert(rowsOf(tables, query.INSERT.into).table, query.INSERT.entries ?? []);
  if ("UPSERT" in query) {
    const { table } = rowsOf(tables, query.UPSERT.into);
    for (const entry of query.UPSERT.entries ?? []) {
      const row = table.find(({ ID }) => ID === entry.ID);
      if (row) Object.assign(row, entry);
      else table.push({ ...entry });
    }
    return query.UPSERT.entries?.length ?? 0;
  }
  if ("UPDATE" in query) {
    const { entity, where, data } = query.UPDATE;
    return rowsOf(tables, entity, where).rows.map((row) => Object.assign(row, data)).length;
  }
  if (!("DELETE" in query)) throw new TypeError("This engine knows no set operations");
  const { table, rows } = rowsOf(tables, query.DELETE.from, query.DELETE.where);
  for (const row of rows) table.splice(table.indexOf(row), 1);
  return rows.length;
}

function insert(table: Row[], entries: readonly Row[]): InsertResult {
  for (const entry of entries) {
    if (table.some(({ ID }) => ID === entry.ID)) {
      throw new ServiceError({ status: 409, code: "ENTITY_ALREADY_EXISTS" });
    }
    table.push({ ...entry });
  }
  return {
    affectedRows: entries.length,
    valueOf: () => entries.length,
    [Symbol.iterator]: () => entries.map(({ ID }) => ({ ID }))[Symbol.iterator](),
  };
}

function rowsOf(
  tables: Tables,
  from: EntityRef | Source,
  where?: readonly Xo[],
): { table: Row[]; rows: Row[] } {
  const step = typeof from === "string" ? from : (from as { ref: readonly unknown[] }).ref[0];
  const { id, where: infix } = typeof step === "string" ? { id: step } : step as { id: string; where?: Xo[] };
  const name = id.replace("ShopService.", "shop.");
  const table = tables.get(name) ?? [];
  tables.set(name, table);
  return { table, rows: table.filter((row) => matches(row, infix) && matches(row, where)) };
}

function matches(row: Row, condition: readonly Xo[] = []): boolean {
  for (let index = 0; index < condition.length; index += 4) {
    const { ref: [name] } = condition[index] as { ref: string[] };
    if (row[name] !== (condition[index + 2] as { val: unknown }).val) return false;
  }
  return true;
}
