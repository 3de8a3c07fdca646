/** What is sent to PostgreSQL for a statement, and what is made of the answers. */

import assert from "node:assert/strict";
import {
  type BoundStatement,
  type KnownShapes,
  StatementQuery,
  type StatementResult,
} from "../../src/db/postgres/statement_query.ts";

/** What a statement sends over a connection that knows the columns of some. */
function sent(statement: BoundStatement, known: KnownShapes = new Map()): readonly string[] {
  const asked: string[] = [];
  const wire = {
    parsedStatements: {},
    submittedNamedStatements: {},
    parse: ({ name, text }: { name?: string; text: string }) => asked.push(`parse ${name ?? ""}: ${text}`),
    bind: ({ statement, values }: { statement?: string; values?: readonly unknown[] }) =>
      asked.push(`bind ${statement ?? ""} ${JSON.stringify(values)}`),
    describe: () => asked.push("describe"),
    execute: () => asked.push("execute"),
    sync: () => asked.push("sync"),
    flush: () => {},
  };
  new StatementQuery(statement, known, () => {}).prepare(wire as never);
  return asked;
}

/** Runs a statement that gives rows with the columns `a` (an integer) and `b` (a text). */
function answered(
  statement: BoundStatement,
  known: KnownShapes,
  { rows = [["1", "x"]], describes = true }: {
    readonly rows?: readonly (readonly (string | null)[])[];
    readonly describes?: boolean;
  } = {},
) {
  let outcome: { readonly error: unknown; readonly result?: StatementResult } | undefined;
  const query = new StatementQuery(statement, known, (error, result) => outcome = { error, result });
  const fields = [{ name: "a", dataTypeID: 23 }, { name: "b", dataTypeID: 25 }];
  if (describes) query.handleRowDescription({ fields });
  for (const row of rows) query.handleDataRow({ fields: row });
  query.handleCommandComplete({ text: `SELECT ${rows.length}` });
  query.handleReadyForQuery();
  return outcome!;
}

const NAMED = { sql: "SELECT a, b FROM t WHERE a = $1", values: [1], name: "fw1" };

Deno.test("the columns of a prepared statement are asked for until they are known", () => {
  const known: KnownShapes = new Map();
  assert.deepEqual(sent(NAMED, known), [
    ...["parse fw1: SELECT a, b FROM t WHERE a = $1", "bind fw1 [1]", "describe", "execute", "sync"],
  ]);
  answered(NAMED, known);
  assert.deepEqual(sent(NAMED, known), ["bind fw1 [1]", "execute", "sync"]);
  assert.ok(sent({ ...NAMED, name: "fw2" }, known).includes("describe"), "those of another one are not");
  assert.ok(sent({ ...NAMED, name: undefined }, known).includes("describe"), "nor those without name");
});

Deno.test("rows are read by columns that are known, however often they come", () => {
  const known: KnownShapes = new Map();
  const rows = [["1", "x"], ["2", null]];
  const first = answered(NAMED, known, { rows });
  const again = answered(NAMED, known, { rows, describes: false });
  for (const { error, result } of [first, again]) {
    assert.equal(error, undefined);
    assert.deepEqual(result!.rows, [{ a: 1, b: "x" }, { a: 2, b: null }]);
    assert.deepEqual([result!.rowCount, result!.command], [2, "SELECT"]);
    assert.deepEqual(result!.fields.map(({ name }) => name), ["a", "b"]);
  }
  assert.deepEqual([...known.keys()], ["fw1"]);
  answered({ ...NAMED, name: undefined }, known);
  assert.deepEqual([...known.keys()], ["fw1"]);
});

Deno.test("rows may have as many characters as an answer, and not one more", () => {
  const rows = [["1", "xyz"], ["2", null], ["3", "uvw"]];
  const read = (answerBytes: number) => answered({ ...NAMED, answerBytes }, new Map(), { rows });
  assert.equal(read(9).result?.rows.length, 3);
  const { error, result } = read(8);
  assert.equal((error as { status: number }).status, 413);
  assert.equal(result, undefined);
});

Deno.test("statements that run before it come first, and what they answer is passed over", () => {
  const before = ["BEGIN", "SET LOCAL x = 1"];
  assert.deepEqual(sent({ ...NAMED, before }).slice(0, 7), [
    ...["parse : BEGIN", "bind  []", "execute", "parse : SET LOCAL x = 1", "bind  []", "execute"],
    "parse fw1: SELECT a, b FROM t WHERE a = $1",
  ]);
  assert.deepEqual(sent({ ...NAMED, behind: "begin" }).slice(0, 2), ["bind begin []", "execute"]);
  const query = (statement: BoundStatement) => new StatementQuery(statement, new Map(), () => {}) as unknown;
  const text = (statement: BoundStatement) => (query(statement) as { text: string }).text;
  assert.equal(text({ sql: "SELECT 1", values: [], before }), "BEGIN; SET LOCAL x = 1; SELECT 1");
  assert.equal(text({ sql: "SELECT 1", values: [], before, name: "n" }), "SELECT 1");
  assert.equal(text({ sql: "SELECT $1", values: [1], before }), "SELECT $1");
});
