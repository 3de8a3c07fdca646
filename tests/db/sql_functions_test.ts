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
