import assert from "node:assert/strict";
import { freePort } from "../../scripts/faults/server_command.ts";
import { Pool } from "../../src/db/postgres/pool.ts";
import { createPostgresDatabase } from "../../src/db/postgres/postgres_database.ts";
import { Connection } from "../../src/db/postgres/connection.ts";
import { DEFAULT_LIMITS } from "../../src/config/limits.ts";
import { EventContext } from "../../src/context/event_context.ts";
import type { Row } from "../../src/cqn/cqn.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { uniqueName } from "../contract/services.ts";
import { credentials, postgresDatabase, server } from "./postgres.ts";

/** Hands connections on to the server, and tells when all of them are closed. */
class Gate implements AsyncDisposable {
  readonly #listener: Deno.TcpListener;
  readonly #accepting: Promise<void>;
  opened = 0;
  #open: Promise<unknown>[] = [];

  constructor(port = 0) {
    this.#listener = Deno.listen({ hostname: "127.0.0.1", port });
    this.#accepting = this.#accept();
  }

  get port(): number {
    return (this.#listener.addr as Deno.NetAddr).port;
  }

  async allClosed(): Promise<void> {
    await Promise.all(this.#open);
  }

  async #accept(): Promise<void> {
    for await (const client of this.#listener) {
      this.opened++;
      this.#open.push(this.#connect(client));
    }
  }

  async #connect(client: Deno.TcpConn): Promise<void> {
    const { host, port } = credentials("") as { host: string; port: number };
    const upstream = await Deno.connect({ hostname: host, port });
    await Promise.allSettled([
      client.readable.pipeTo(upstream.writable),
      upstream.readable.pipeTo(client.writable),
    ]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    await this.#accepting;
    await this.allClosed();
  }
}

function poolBehind(
  gate: Pick<Gate, "port">,
  idleTimeoutMs: number,
): Pool {
  return new Pool({
    credentials: { ...credentials("public"), port: gate.port },
    pool: { max: 2, idleTimeoutMs },
    statementMs: 0,
    schema: "public",
  });
}

function run(pool: Pool, sql: string, values: readonly string[]): Promise<Row[]> {
  return pool.run({ sql, values }, {
    read: ({ rows }) => rows,
    failed,
  });
}

function failed(error: unknown): never {
  throw error;
}

if (server.isThere) {
  Deno.test("pool.idleTimeoutMs: connections nobody uses are closed, and opened again by the next statement", async () => {
    await using gate = new Gate();
    const pool = poolBehind(gate, 20);
    const one = () => run(pool, "SELECT $1::int AS one", ["1"]);
    assert.deepEqual(await one(), [{ one: 1 }]);
    await gate.allClosed();
    assert.deepEqual(gate.opened, 1);
    assert.deepEqual(await one(), [{ one: 1 }]);
    assert.deepEqual(gate.opened, 2);
    await pool.end();
  });

  Deno.test("pool.idleTimeoutMs: a connection in a transaction is kept, however long nothing runs on it", async () => {
    await using gate = new Gate();
    const pool = poolBehind(gate, 1);
    const connection = await Connection.begin(pool, "BEGIN");
    await new Promise((resolve) => setTimeout(resolve, 30));
    assert.deepEqual((await connection.command("SELECT 1 AS one")).rows, [{ one: 1 }]);
    await connection.command("COMMIT");
    connection.release();
    assert.deepEqual(gate.opened, 1);
    await gate.allClosed();
    await pool.end();
  });

  Deno.test("a connection that is older than half an hour is replaced, also one that is used all the time", async () => {
    await using gate = new Gate();
    const pool = poolBehind(gate, 10);
    const now = Date.now;
    try {
      for (let n = 0; gate.opened < 2 && n < 1000; n++) {
        assert.deepEqual(await run(pool, "SELECT $1::int AS one", ["1"]), [{ one: 1 }]);
        Date.now = () => now() + 1_900_000;
      }
    } finally {
      Date.now = now;
    }
    assert.equal(gate.opened, 2);
    await pool.end();
  });

  Deno.test("a statement on a connection that is older than half an hour may end, however long it takes", async () => {
    await using gate = new Gate();
    const { setTimeout: delay } = globalThis;
    const now = Date.now;
    const pool = poolBehind(gate, 100);
    // with real time: connecting has a limit too
    await run(pool, "SELECT $1::int AS one", ["1"]);
    try {
      globalThis.setTimeout = ((run: () => void, ms: number) => delay(run, ms / 100)) as typeof setTimeout;
      const slow = run(pool, "SELECT pg_sleep(0.5), $1::int AS one", ["1"]);
      Date.now = () => now() + 1_900_000;
      assert.equal((await slow)[0]!.one, 1);
    } finally {
      Object.assign(globalThis, { setTimeout: delay });
      Date.now = now;
    }
    await gate.allClosed();
    await pool.end();
  });

  Deno.test("a closed pool refuses statements and opens nothing", async () => {
    await using gate = new Gate();
    const pool = poolBehind(gate, 1000);
    await pool.end();
    await assert.rejects(() => run(pool, "SELECT 1", []), { code: "CONNECTION_CLOSED" });
    await assert.rejects(() => Connection.begin(pool, "BEGIN"), /were closed/);
    assert.deepEqual(gate.opened, 0);
  });

  Deno.test("statements that come one after the other use one connection, however many are open", async () => {
    await using gate = new Gate();
    const pool = poolBehind(gate, 1000);
    const backend = () =>
      run(pool, "SELECT pg_backend_pid() AS pid, $1::text AS n", ["1"]).then(([row]) => row!.pid);
    const both = await Promise.all([backend(), backend()]);
    assert.equal(new Set(both).size, 2);
    const used = new Set<unknown>();
    for (let n = 0; n < 6; n++) used.add(await backend());
    assert.equal(used.size, 1);
    await pool.end();
  });

  Deno.test("a transaction takes the connection that is free first, whatever the others have to do", async () => {
    await using gate = new Gate();
    const pool = poolBehind(gate, 1000);
    const other = new Pool({
      credentials: credentials("public"),
      pool: {},
      statementMs: 0,
      schema: "public",
    });
    const key = String(crypto.getRandomValues(new Int32Array(1))[0]);
    const holder = await Connection.begin(other, "BEGIN");
    await holder.command(`SELECT pg_advisory_xact_lock(${key})`);
    const order: string[] = [];
    const slow = run(pool, "SELECT pg_advisory_xact_lock($1::bigint)", [key]).then(() => order.push("slow"));
    const fast = run(pool, "SELECT $1::text AS n", ["1"]).then(() => order.push("fast"));
    const connection = await Connection.begin(pool, "BEGIN");
    order.push("transaction");
    connection.release();
    await holder.command("COMMIT");
    holder.release();
    await Promise.all([slow, fast]);
    assert.deepEqual(order, ["fast", "transaction", "slow"]);
    assert.equal(gate.opened, 2);
    await other.end();
    await pool.end();
  });

  Deno.test("while transactions have all connections others wait in order, until the pool is closed", async () => {
    await using gate = new Gate();
    const pool = poolBehind(gate, 1000);
    const first = await Connection.begin(pool, "BEGIN");
    const second = await Connection.begin(pool, "BEGIN");
    const order: string[] = [];
    const third = Connection.begin(pool, "BEGIN").then((connection) => {
      order.push("transaction");
      return connection;
    });
    const read = run(pool, "SELECT $1::int AS one", ["1"]).then(() => order.push("statement"));
    first.release();
    const taken = await third;
    taken.release();
    await read;
    assert.deepEqual(order, ["transaction", "statement"]);
    const fourth = await Connection.begin(pool, "BEGIN");
    const late = assert.rejects(run(pool, "SELECT 1", []), { code: "CONNECTION_CLOSED" });
    const ending = pool.end();
    await late;
    fourth.release();
    second.release();
    await ending;
  });

  Deno.test("while the server is away each statement fails by itself, and the first one behind it succeeds", async () => {
    const port = freePort();
    const pool = poolBehind({ port }, 1000);
    for (let n = 0; n < 12; n++) {
      await assert.rejects(run(pool, "SELECT $1::int AS one", ["1"]), { code: "ECONNREFUSED" });
      await assert.rejects(Connection.begin(pool, "BEGIN"), { code: "ECONNREFUSED" });
    }
    await using _gate = new Gate(port);
    assert.deepEqual(await run(pool, "SELECT $1::int AS one", ["1"]), [{ one: 1 }]);
    await pool.end();
  });

  Deno.test("a server that refuses the connection does not answer: 503, with what it says as cause", async () => {
    const model = linkModel({ definitions: {} });
    const database = `none_${uniqueName()}`;
    const db = createPostgresDatabase({
      model,
      options: { credentials: { ...credentials("public"), database } },
    });
    const asking = Promise.resolve(db.begin(new EventContext()).sql!("SELECT 1"));
    const { status, cause } = await asking.then(() => assert.fail(), (error) => error);
    assert.equal(status, 503);
    assert.equal(cause.code, "3D000");
    assert.match(cause.message, new RegExp(`database "${database}" does not exist`));
    await db.close();
  });

  Deno.test("a statement ends with the time of requests: 504, and its connection is free again", async () => {
    const model = linkModel({ definitions: {} });
    const limits = { ...DEFAULT_LIMITS, handlerMs: 1_000 };
    const asked = async (options: Record<string, unknown>, seconds: number) => {
      const given = { credentials: credentials("public"), pool: { max: 1 }, ...options };
      const db = createPostgresDatabase({ model, limits, options: given });
      const tx = db.begin(new EventContext());
      const ask = (of: number) => Promise.resolve(tx.sql!("SELECT pg_sleep(?) IS NULL AS a", [of]));
      const found = await ask(seconds).catch(({ status, code }) => ({ status, code }));
      assert.deepEqual(await ask(0), [{ a: false }]);
      await db.close();
      return found;
    };
    assert.deepEqual(await asked({}, 30), { status: 504, code: "HANDLER_TIMEOUT" });
    assert.deepEqual(await asked({ timeoutMs: 30_000 }, 1.1), [{ a: false }]);
    assert.deepEqual(await asked({ timeoutMs: 0 }, 1.1), [{ a: false }]);
  });

  Deno.test("only statements that are repeated are prepared, 500 of them at most: the server keeps each one", async () => {
    const pool = new Pool({
      credentials: credentials("public"),
      pool: { max: 1 },
      statementMs: 0,
      schema: "public",
    });
    const limited = (sql: string) => run(pool, `${sql} LIMIT $1`, ["1"]);
    const prepared = async () => {
      const [row] = await limited(
        "SELECT count(*) AS n FROM pg_prepared_statements WHERE statement LIKE '%fw_n%'",
      );
      return Number(row!.n);
    };
    for (let n = 0; n < 700; n++) await limited(`SELECT ${n} AS fw_n`);
    assert.equal(await prepared(), 0);
    for (let n = 0; n < 700; n++) await limited(`SELECT ${n} AS fw_n`);
    const found = await prepared();
    assert.ok(found > 400 && found <= 500, `${found}`);
    await pool.end();
  });

  Deno.test("a SELECT that is repeated is prepared, also without values", async () => {
    const model = linkModel({
      definitions: {
        "my.Prepared": { kind: "entity", elements: { ID: { key: true, type: "cds.Integer" } } },
      },
    });
    const db = postgresDatabase(model);
    await db.deploy();
    const tx = db.begin(new EventContext());
    // all statements behind a write run on one connection
    await tx.run({ INSERT: { into: "my.Prepared", entries: [{ ID: 1 }] } });
    const select = { SELECT: { from: { ref: ["my.Prepared"] }, columns: [{ func: "count", as: "n" }] } };
    for (let n = 0; n < 2; n++) assert.deepEqual(await tx.run(select), [{ n: 1 }]);
    const prepared = await tx.sql!(
      `SELECT statement FROM pg_prepared_statements WHERE statement LIKE 'SELECT count(%"my_Prepared"%'`,
    );
    assert.equal((prepared as Row[]).length, 1);
    await tx.rollback();
    await db.close();
  });

  Deno.test("a prepared SELECT goes on when its table gets other columns", async () => {
    await using gate = new Gate();
    const pool = poolBehind(gate, 1000);
    const table = `public."${uniqueName()}"`;
    const command = (sql: string) => pool.run({ sql, values: [], simple: true }, { read: () => {}, failed });
    await command(`CREATE TABLE ${table} (a int); INSERT INTO ${table} VALUES (1)`);
    const read = () => run(pool, `SELECT * FROM ${table} WHERE a = $1`, ["1"]);
    for (let n = 0; n < 3; n++) assert.deepEqual(await read(), [{ a: 1 }]);
    await command(`ALTER TABLE ${table} ADD COLUMN b text DEFAULT 'x'`);
    for (let n = 0; n < 3; n++) assert.deepEqual(await read(), [{ a: 1, b: "x" }]);
    const both = await Promise.all([read(), read(), read()]);
    assert.deepEqual(both, [[{ a: 1, b: "x" }], [{ a: 1, b: "x" }], [{ a: 1, b: "x" }]]);
    await command(`DROP TABLE ${table}`);
    await pool.end();
  });

  Deno.test("a prepared SELECT goes on when a column that it compares gets another type", async () => {
    await using gate = new Gate();
    const pool = poolBehind(gate, 1000);
    const table = `public."${uniqueName()}"`;
    const command = (sql: string) => pool.run({ sql, values: [], simple: true }, { read: () => {}, failed });
    await command(`CREATE TABLE ${table} (a int, b int); INSERT INTO ${table} VALUES (1, 2)`);
    const selects = ["a = $1", "coalesce(a, $1) IS NOT NULL"]
      .map((condition) => `SELECT b FROM ${table} WHERE ${condition}`);
    const read = () => Promise.all(selects.map((sql) => run(pool, sql, ["1"])));
    for (let n = 0; n < 3; n++) assert.deepEqual(await read(), [[{ b: 2 }], [{ b: 2 }]]);
    await command(`ALTER TABLE ${table} ALTER COLUMN a TYPE varchar(36)`);
    for (let n = 0; n < 3; n++) assert.deepEqual(await read(), [[{ b: 2 }], [{ b: 2 }]]);
    await command(`DROP TABLE ${table}`);
    await pool.end();
  });

  Deno.test("a prepared statement that is stale in a transaction starts it anew if it is the first, else 503 asks to repeat (db/README, transactions)", async () => {
    const table = uniqueName();
    const model = linkModel({
      definitions: { [table]: { kind: "entity", elements: { ID: { key: true, type: "cds.Integer" } } } },
    });
    const db = createPostgresDatabase({
      model,
      options: { credentials: credentials("public"), pool: { max: 1 } },
    });
    const changing = poolBehind({ port: Number(credentials("").port) }, 1000);
    const command = (sql: string) =>
      changing.run({ sql, values: [], simple: true }, { read: () => {}, failed });
    await command(`CREATE TABLE "${table}" ("ID" int)`);
    const rows = `SELECT * FROM "${table}" WHERE "ID" < ?`;
    const insert = { INSERT: { into: table, entries: [{ ID: 1 }] } };
    const transact = async (...texts: readonly string[]) => {
      const tx = db.begin(new EventContext());
      try {
        let found;
        for (const text of texts) found = text === "insert" ? await tx.run(insert) : await tx.sql!(text, [5]);
        await tx.commit();
        return found;
      } catch (error) {
        await tx.rollback();
        throw error;
      }
    };
    const locked = `${rows} FOR UPDATE`;
    for (let n = 0; n < 3; n++) assert.deepEqual(await transact(locked), []);
    for (let n = 0; n < 3; n++) await transact("insert", rows);
    await command(`ALTER TABLE "${table}" ADD COLUMN b int`);
    const before = Array.from({ length: 3 }, () => ({ ID: 1, b: null }));
    assert.deepEqual(await transact(locked), before);
    await assert.rejects(transact("insert", rows), {
      status: 503,
      message: "The tables have changed meanwhile, and the transaction was rolled back; repeat the request",
    });
    assert.deepEqual(await transact("insert", rows), [...before, { ID: 1, b: null }]);
    await db.close();
    await command(`DROP TABLE "${table}"`);
    await changing.end();
  });

  Deno.test("pool.acquireTimeoutMs: 503 where others keep all connections, not where they change hands (db/README, transactions)", async () => {
    const given = { credentials: credentials("public"), statementMs: 0, schema: "public" };
    const pool = new Pool({ ...given, pool: { max: 1, acquireTimeoutMs: 50 } });
    const busy = { status: 503, message: "All connections to the database are in use" };
    const kept = await Connection.begin(pool, "BEGIN");
    await assert.rejects(Connection.begin(pool, "BEGIN"), busy);
    await assert.rejects(run(pool, "SELECT 1 AS one", []), busy);
    kept.release();
    const patient = new Pool({ ...given, pool: { max: 1, acquireTimeoutMs: 60_000 } });
    const first = await Connection.begin(patient, "BEGIN");
    const next = Connection.begin(patient, "BEGIN");
    await first.command("COMMIT");
    first.release();
    (await next).release();
    await Promise.all([pool.end(), patient.end()]);
  });

  Deno.test("a transaction whose connection breaks fails, and the next one has another connection", async () => {
    await using gate = new Gate();
    const pool = poolBehind(gate, 1000);
    const connection = await Connection.begin(pool, "BEGIN");
    const { rows: [own] } = await connection.command("SELECT pg_backend_pid() AS pid");
    const broken = assert.rejects(connection.command("SELECT pg_sleep(30)"), { code: "57P01" });
    await run(pool, "SELECT pg_terminate_backend($1::int)", [String(own!.pid)]);
    await broken;
    await assert.rejects(() => connection.command("SELECT 1"), { code: "CONNECTION_CLOSED" });
    connection.release();
    const next = await Connection.begin(pool, "BEGIN");
    assert.deepEqual((await next.command("SELECT 1 AS one")).rows, [{ one: 1 }]);
    await next.command("COMMIT");
    next.release();
    await pool.end();
  });

  Deno.test("a statement at once behind one that ended with its connection has another connection", async () => {
    await using gate = new Gate();
    const [pool, other] = [poolBehind(gate, 1000), poolBehind(gate, 1000)];
    const own = "SELECT pg_backend_pid()::text AS pid, $1::int AS one";
    const [{ pid }] = await run(pool, own, ["1"]) as [Row];
    const next = run(pool, "SELECT pg_sleep(30)", []).catch(({ code }) => {
      assert.equal(code, "57P01");
      return run(pool, own, ["1"]);
    });
    // the server tells that it runs once it does
    const running =
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1::int AND query LIKE '%sleep(30)'";
    while ((await run(other, running, [String(pid)])).length === 0);
    const [found] = await next as [Row];
    assert.equal(found.one, 1);
    assert.notEqual(found.pid, pid);
    await Promise.all([pool.end(), other.end()]);
  });

  Deno.test("a pool that is closed lets transactions and statements end", async () => {
    await using gate = new Gate();
    const pool = poolBehind(gate, 1000);
    const connection = await Connection.begin(pool, "BEGIN");
    const statement = run(pool, "SELECT pg_sleep(0.1), $1::int AS one", ["1"]);
    const { setTimeout: delay } = globalThis;
    let isLate = false;
    const late = (run: () => void) => () => {
      isLate = true;
      run();
    };
    globalThis.setTimeout = ((run: () => void, ms: number) => delay(late(run), ms)) as typeof setTimeout;
    const ending = pool.end();
    Object.assign(globalThis, { setTimeout: delay });
    assert.deepEqual((await connection.command("SELECT 2 AS two")).rows, [{ two: 2 }]);
    assert.equal((await connection.command("COMMIT")).command, "COMMIT");
    connection.release();
    assert.equal((await statement)[0]!.one, 1);
    await ending;
    assert.ok(!isLate, "closed when the transaction has ended, not after the time it may take");
    await gate.allClosed();
  });

  Deno.test("sslmode: a server that cannot encrypt is refused, unless the mode is prefer or allow", async () => {
    const pool = (sslmode: string) =>
      new Pool({
        credentials: { ...credentials("public"), sslmode },
        pool: { max: 1 },
        statementMs: 0,
        schema: "public",
      });
    const plain = pool("disable");
    const [{ ssl: encrypts }] = await run(plain, "SELECT current_setting('ssl') = 'on' AS ssl", []) as [Row];
    await plain.end();
    const isEncrypted = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    for (const mode of ["prefer", "allow"]) {
      const preferring = pool(mode);
      assert.deepEqual(await run(preferring, isEncrypted, []), [{ ssl: encrypts }]);
      await preferring.end();
    }
    const strict = pool("require");
    if (encrypts) assert.deepEqual(await run(strict, isEncrypted, []), [{ ssl: true }]);
    else await assert.rejects(run(strict, isEncrypted, []), { code: "CONNECTION_CLOSED" });
    await strict.end();
  });

  Deno.test("several statements in one text give the result of the last one, and errors what the server says", async () => {
    await using gate = new Gate();
    const pool = poolBehind(gate, 1000);
    const texts = (sql: string) =>
      pool.run({ sql, values: [], simple: true }, {
        read: ({ rows, rowCount }) => ({ rows, rowCount }),
        failed,
      });
    assert.deepEqual(await texts("SELECT 1 AS one; SELECT 2 AS two UNION SELECT 3 ORDER BY 1"), {
      rows: [{ two: 2 }, { two: 3 }],
      rowCount: 2,
    });
    assert.deepEqual(await texts(""), { rows: [], rowCount: 0 });
    await assert.rejects(texts("SELECT 1; SELECT 1/0"), { code: "22012" });
    await assert.rejects(run(pool, "SELECT $1::int AS n", ["x"]), { code: "22P02" });
    await assert.rejects(run(pool, "SELECT 1", Array.from({ length: 65_536 }, () => "1")), RangeError);
    assert.deepEqual(await run(pool, "SELECT $1::int AS n", ["7"]), [{ n: 7 }]);
    await pool.end();
  });
}
