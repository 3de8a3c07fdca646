import assert from "node:assert/strict";
import { SqliteConnection } from "../../src/db/sqlite/connection.ts";

/** Runs a test with a connection. */
function withConnection(run: (db: SqliteConnection) => void): void {
  const db = new SqliteConnection({ file: ":memory:", timeoutMs: 1000 });
  try {
    run(db);
  } finally {
    db.close();
  }
}

Deno.test("SqliteConnection throws what its functions refuse, once, and goes on", () =>
  withConnection((db) => {
    db.change({ sql: "CREATE TABLE t(a)" }, []);
    db.change({ sql: "INSERT INTO t VALUES ('x'), ('y')" }, []);
    const sql = "SELECT a FROM t WHERE fw_matches(a, ?)";
    for (const pattern of ["[", "(a+)+", "(a)\\1"]) {
      assert.throws(() => db.all(sql, [pattern]), { status: 400 }, pattern);
      assert.throws(() => db.read({ sql }, [pattern]), { status: 400 }, pattern);
      assert.throws(() => db.change({ sql: "DELETE FROM t WHERE fw_matches(a, ?)" }, [pattern]), {
        status: 400,
      });
    }
    assert.deepEqual(db.all(sql, ["^x$"]).map(({ a }) => a), ["x"]);
  }));

Deno.test("fw_matches refuses a text that is too long for its pattern", () =>
  withConnection((db) => {
    assert.throws(
      () => db.all("SELECT fw_matches(?, 'a*a*b')", ["a".repeat(3000)]),
      /too long for|characters/,
    );
    assert.equal(db.all("SELECT fw_matches(?, 'a*b') AS found", ["aab"])[0]!.found, 1);
    assert.equal(db.all("SELECT fw_mod(7, 0) AS rest", [])[0]!.rest, null);
  }));

Deno.test("functions take integers that a number cannot hold, which the driver would never come back from", () =>
  withConnection((db) => {
    const one = (expression: string) => db.all(`SELECT cast(${expression} AS text) AS value`, [])[0]!.value;
    const large = "9007199254740993";
    for (const func of ["fw_floor", "fw_ceiling", "fw_decimal", "fw_decimal_text", "fw_lower", "fw_upper"]) {
      assert.equal(one(`${func}(${large})`), large, func);
    }
    assert.equal(one(`fw_mod(${large}, 10)`), "3");
    assert.equal(one(`fw_mod(${large}, 0)`), null);
    assert.equal(one(`fw_matches(${large}, '^9.*3$') = 1`), "1");
    for (
      const expression of [
        `fw_decimal_add(${large}, 1)`,
        `fw_decimal_sum(${large})`,
        `fw_decimal_avg(${large})`,
      ]
    ) {
      assert.match(String(one(expression)), /^9\.?00719925474099/, expression);
    }
  }));
