/** What is sent to PostgreSQL for a statement, and what is made of the answers. */

import assert from "node:assert/strict";
import {
  type BoundStatement,
  type KnownShapes,
  parserOf,
  payloadRow,
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

const TYPES = { int8: 20, numeric: 1700, float4: 700, float8: 701, int4: 23, text: 25 };

Deno.test("numbers that JSON or JavaScript does not have keep their digits, or have a name (JSON Format 7.1)", () => {
  const rows: readonly (readonly [type: keyof typeof TYPES, value: unknown, text: string])[] = [
    ["int8", "12345678901234567890", "12345678901234567890"],
    ["numeric", "0.12345678901234567890", "0.12345678901234567890"],
    ["int8", 7, "7"],
    ["numeric", null, "null"],
    ["float4", Infinity, '"INF"'],
    ["float8", -Infinity, '"-INF"'],
    ["float4", NaN, '"NaN"'],
    ["numeric", NaN, '"NaN"'],
    ["float8", 1.5, "1.5"],
    ["int4", 1, "1"],
    ["text", "1", '"1"'],
  ];
  for (const [type, value, text] of rows) {
    const columns = [{ name: 'a"', dataTypeID: TYPES[type] }, { name: "b", dataTypeID: TYPES.text }];
    assert.equal(
      payloadRow({ 'a"': value, b: "x" } as never, columns),
      `{"a\\"":${text},"b":"x"}`,
      `${type} ${value}`,
    );
  }
  const both = [{ name: "b", dataTypeID: TYPES.text }, { name: "a", dataTypeID: TYPES.int8 }];
  assert.equal(payloadRow({ b: "1", a: "12345678901234567890" }, both), '{"b":"1","a":12345678901234567890}');
});

Deno.test("values are read by their types, and numbers only where they keep all digits", () => {
  const cases: readonly (readonly [type: number, text: string, value: unknown])[] = [
    [16, "t", true],
    [16, "f", false],
    [17, "\\x00ff", new Uint8Array([0, 255])],
    [21, "-3", -3],
    [23, "3", 3],
    [26, "4294967295", 4294967295],
    [700, "1.5", 1.5],
    [701, "Infinity", Infinity],
    [20, "9007199254740991", 9007199254740991],
    [20, "9007199254740992", "9007199254740992"],
    [1700, "123456789012345", 123456789012345],
    [1700, "12345678901234.5", 12345678901234.5],
    [1700, "1234567890123456.5", "1234567890123456.5"],
    [1700, "0.00000000000000000012", 1.2e-19],
    [1700, "-0.00123456789012345", -0.00123456789012345],
    [1700, "-0.001234567890123456", "-0.001234567890123456"],
    [1700, "1.50000000000000000000", 1.5],
    [1700, "9007199254740991.000", 9007199254740991],
    [1700, "9007199254740992.000", "9007199254740992.000"],
    [1114, "2024-01-02 03:04:05", "2024-01-02T03:04:05.000Z"],
    [1184, "2024-01-02 03:04:05.6+00", "2024-01-02T03:04:05.600Z"],
    [1184, "2024-01-02 03:04:05.123456+00", "2024-01-02T03:04:05.123456Z"],
    [1184, "infinity", "infinity"],
    [1007, "{1,2}", [1, 2]],
    [1009, "{a,NULL}", ["a", null]],
    [25, "t", "t"],
    [1082, "2024-01-02", "2024-01-02"],
  ];
  for (const [type, text, value] of cases) assert.deepEqual(parserOf(type)(text), value, `${type} ${text}`);
});

Deno.test("what a statement did is read from what the server says last", () => {
  const done = (text: string) => {
    let result: StatementResult | undefined;
    const query = new StatementQuery({ sql: "x", values: [] }, new Map(), (_error, given) => result = given);
    if (text !== "") query.handleCommandComplete({ text });
    query.handleReadyForQuery();
    return [result!.command, result!.rowCount, result!.rows, result!.fields];
  };
  for (
    const [text, command, count] of [
      ["INSERT 0 3", "INSERT", 3],
      ["UPDATE 12", "UPDATE", 12],
      ["COMMIT", "COMMIT", 0],
      ["", "", 0],
    ] as const
  ) assert.deepEqual(done(text), [command, count, [], []], text);
});

Deno.test("of several statements in one text the last one counts, without those that run before it", () => {
  const outcomes: unknown[] = [];
  const query = new StatementQuery(
    { sql: "a; b", values: [], before: ["BEGIN"] },
    new Map(),
    (error, result) => {
      outcomes.push(error ?? result?.rows);
    },
  );
  query.handleRowDescription({ fields: [{ name: "passed", dataTypeID: 23 }] });
  query.handleDataRow({ fields: ["9"] });
  query.handleCommandComplete({ text: "BEGIN" });
  for (const [name, value] of [["one", "1"], ["two", "2"]] as const) {
    query.handleRowDescription({ fields: [{ name, dataTypeID: 23 }] });
    query.handleDataRow({ fields: [value] });
    query.handleCommandComplete({ text: "SELECT 1" });
  }
  query.handleReadyForQuery();
  query.handleError("broken");
  assert.deepEqual(outcomes, [[{ two: 2 }], "broken"]);
});

Deno.test("columns of what runs before a statement are none of it", () => {
  let result: StatementResult | undefined;
  const query = new StatementQuery(
    { sql: "COMMIT", values: [], before: ["SELECT 1"] },
    new Map(),
    (_, given) => {
      result = given;
    },
  );
  query.handleRowDescription({ fields: [{ name: "passed", dataTypeID: 23 }] });
  query.handleCommandComplete({ text: "SELECT 1" });
  query.handleCommandComplete({ text: "COMMIT" });
  query.handleReadyForQuery();
  assert.deepEqual([result?.command, result?.fields], ["COMMIT", []]);
});
