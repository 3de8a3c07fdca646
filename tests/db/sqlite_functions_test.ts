/** Functions that this process gives to SQLite, with the types of their values. */

import assert from "node:assert/strict";
import { SqliteConnection } from "../../src/db/sqlite/connection.ts";

/** Runs a test with a connection, and what gives the value of an expression with its type, as text. */
function withValues(run: (value: (expression: string) => string, db: SqliteConnection) => void): void {
  const db = new SqliteConnection({ file: ":memory:", timeoutMs: 1000 });
  try {
    run((expression) => {
      const [row] = db.all(
        `SELECT typeof(x) AS type, cast(x AS text) AS value FROM (SELECT ${expression} AS x)`,
        [],
      );
      return row!.type === "null" ? "null" : `${row!.type} ${row!.value}`;
    }, db);
  } finally {
    db.close();
  }
}

const CASES: Readonly<Record<string, string>> = {
  "fw_lower('ÄB')": "text äb",
  "fw_upper('äß')": "text ÄSS",
  "fw_lower(null)": "null",
  "fw_upper(null)": "null",
  "fw_lower(7)": "text 7",
  "fw_floor(1.5)": "integer 1",
  "fw_floor(-1.5)": "integer -2",
  "fw_floor(1e300)": "real 1.0e+300",
  "fw_floor(9007199254740993)": "integer 9007199254740993",
  "fw_floor(null)": "null",
  "fw_ceiling(1.2)": "integer 2",
  "fw_ceiling(-1.2)": "integer -1",
  "fw_ceiling(null)": "null",
  "fw_round(1.5)": "integer 2",
  "fw_round(-1.5)": "integer -2",
  "fw_round(0.49999999999999994)": "integer 0",
  "fw_round(null)": "null",
  "fw_scaled(1.005, 2)": "real 1.01",
  "fw_scaled(1250, -2)": "integer 1300",
  "fw_scaled(1.5, 'x')": "real 2.0",
  "fw_scaled(null, 2)": "null",
  "fw_scaled(1.5, null)": "null",
  "fw_mod(7, 4)": "integer 3",
  "fw_mod(-7, 4)": "integer -3",
  "fw_mod(7.5, 2)": "real 1.5",
  "fw_mod(7.0, 4.0)": "integer 3",
  "fw_mod('7', 4)": "integer 3",
  "fw_mod(7, 0.07)": "real 0.0",
  "fw_mod(1, null)": "null",
  "fw_mod(null, 1)": "null",
  "fw_mod(7, 0)": "null",
  "fw_mod(9007199254740993, 2)": "integer 1",
  "fw_decimal(0.1 + 0.2)": "real 0.3",
  "fw_decimal(null)": "null",
  "fw_decimal('x')": "text x",
  "fw_decimal_add(0.1, 0.2)": "real 0.3",
  "fw_decimal_add(0.5, 0.5)": "integer 1",
  "fw_decimal_add(null, 1)": "null",
  "fw_decimal_add(1, null)": "null",
  "fw_decimal_sub(5.78, 5.8)": "real -0.02",
  "fw_decimal_mul(1.1, 1.1)": "real 1.21",
  "fw_decimal_mul(0.5, 4)": "integer 2",
  "fw_decimal_text(1e21)": "text 1000000000000000000000",
  "fw_decimal_text(0.10)": "text 0.1",
  "fw_decimal_text(null)": "null",
  "fw_div(7, 2)": "integer 3",
  "fw_div(-7, 2)": "integer -3",
  "fw_div(7.5, 2)": "integer 3",
  "fw_div(null, 2)": "null",
  "fw_div(7, null)": "null",
  "fw_div(-9223372036854775807 - 1, -1) = 9223372036854775808.0": "integer 1",
  "fw_divby(7, 2)": "real 3.5",
  "fw_divby(9007199254740993, 1)": "real 9007199254740992.0",
  "fw_divby(null, 0)": "null",
  "fw_modulo(7, 4)": "integer 3",
  "fw_modulo(7.5, 2)": "real 1.5",
  "fw_double_add(0.1, 0.2) > 0.3": "integer 1",
  "fw_double_add(1, 2)": "integer 3",
  "fw_double_sub(3, 1.5)": "real 1.5",
  "fw_double_mul(3, 0.5)": "real 1.5",
  "fw_double_div(1, 0)": "real Inf",
  "fw_double_div(-1, 0)": "real -Inf",
  "fw_double_div(0, 0)": "text NaN",
  "fw_double_div(6, 2)": "integer 3",
  "fw_double_mul(null, 1)": "null",
  "fw_years_between('2020-03-01', '2024-02-29')": "integer 3",
  "fw_months_between('2024-01-31', '2024-03-31')": "integer 2",
  "fw_days_between('2024-01-01', null)": "null",
  "fw_days_between(null, '2024-01-01')": "null",
  "fw_seconds_between('2024-01-01T00:00:00Z', '2024-01-01T00:01:01Z')": "integer 61",
  "fw_nano100_between('2024-01-01T00:00:00Z', '2024-01-01T00:00:00.001Z')": "integer 10000",
  "fw_matches('abc', 'b')": "real 1.0",
  "fw_matches('abc', '^b')": "real 0.0",
  "fw_matches(null, 'b')": "null",
  "fw_base64(x'fbff')": "text +/8=",
  "fw_base64url(x'fbff')": "text -_8=",
  "fw_base64('ä')": "text w6Q=",
  "fw_base64(null)": "null",
  "fw_base64url(null)": "null",
  'fw_geo_distance(\'{"type":"Point","coordinates":[0,0]}\', \'{"type":"Point","coordinates":[0,1]}\')':
    "real 111195.08",
  "fw_geo_distance(null, '{}')": "null",
  'fw_geo_length(\'{"type":"LineString","coordinates":[[0,0],[0,1]]}\')': "real 111195.08",
  'fw_geo_intersects(\'{"type":"Point","coordinates":[1,1]}\', \'{"type":"Polygon","coordinates":[[[0,0],[3,0],[0,3],[0,0]]]}\')':
    "real 1.0",
  "fw_geo_intersects(null, '{}')": "null",
  "fw_step()": "real 1.0",
  "fw_join(1, 2)": "real 1.0",
  "fw_size(1)": "real 1.0",
};

Deno.test("functions give values of the types that they have in answers", () =>
  withValues((value) => {
    const found = Object.keys(CASES).map((expression) => [expression, value(expression)]);
    assert.deepEqual(Object.fromEntries(found), CASES);
  }));

Deno.test("sums and averages of decimals lose no digit, also of the rows of a window", () =>
  withValues((value, db) => {
    const rows = "(SELECT 0.1 AS x UNION ALL SELECT 0.2 UNION ALL SELECT null UNION ALL SELECT 0.3)";
    assert.equal(value(`(SELECT fw_decimal_sum(x) FROM ${rows})`), "real 0.6");
    assert.equal(value(`(SELECT fw_decimal_avg(x) FROM ${rows})`), "real 0.2");
    assert.equal(value(`(SELECT fw_decimal_sum(x) FROM ${rows} WHERE x IS NULL)`), "null");
    assert.equal(value(`(SELECT fw_decimal_sum(x) FROM ${rows} WHERE x > 9)`), "null");
    assert.equal(
      value("(SELECT fw_decimal_sum(x) FROM (SELECT 0.5 AS x UNION ALL SELECT 1.5))"),
      "integer 2",
    );
    const windows = db.all(
      `SELECT fw_decimal_sum(x) OVER (ORDER BY n ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS sum FROM ` +
        "(SELECT 1 AS n, 0.1 AS x UNION ALL SELECT 2, 0.2 UNION ALL SELECT 3, null UNION ALL SELECT 4, 0.7)",
      [],
    );
    assert.deepEqual(windows.map(({ sum }) => sum), [0.1, 0.3, 0.2, 0.7]);
  }));

Deno.test("divisions by zero, results beyond and texts that are too long end a statement with their errors", () =>
  withValues((value) => {
    const refused: readonly [expression: string, code: string][] = [
      ["fw_div(1, 0)", "DIVISION_BY_ZERO"],
      ["fw_divby(1, 0)", "DIVISION_BY_ZERO"],
      ["fw_modulo(1, 0)", "DIVISION_BY_ZERO"],
      ["fw_double_mul(1e300, 1e300)", "VALUE_OUT_OF_RANGE"],
      ["abs(fw_too_long(5))", "COMPUTED_TOO_LONG"],
      ["abs(fw_join(6, 5))", "COMPUTED_TOO_LONG"],
    ];
    for (const [expression, code] of refused) {
      assert.throws(() => value(expression), { status: 400, code }, expression);
    }
  }));

Deno.test("rows and joined texts of a statement have room up to the bound of answers", () => {
  const db = new SqliteConnection({
    file: ":memory:",
    timeoutMs: 1000,
    limits: { statementMs: 1000, answerBytes: 10 },
  });
  try {
    const sizes = (...bytes: number[]) =>
      db.all(
        `SELECT abs(fw_size(x)) AS y FROM (${bytes.map((one) => `SELECT ${one} AS x`).join(" UNION ALL ")})`,
        [],
      );
    assert.equal(sizes(4, 6).length, 2);
    assert.throws(() => sizes(4, 7), { status: 413 });
    assert.equal(sizes(10).length, 1, "each statement begins anew");
    const joined = (...lengths: number[]) =>
      db.all(
        `SELECT abs(fw_join(x, 9)) AS y FROM (${
          lengths.map((one) => `SELECT ${one} AS x`).join(" UNION ALL ")
        })`,
        [],
      );
    assert.equal(joined(5, 5).length, 2);
    assert.throws(() => joined(5, 6), { status: 413 });
    assert.equal(joined(9).length, 1);
    assert.throws(() => joined(10), { code: "COMPUTED_TOO_LONG" });
  } finally {
    db.close();
  }
});
