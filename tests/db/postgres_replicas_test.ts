import assert from "node:assert/strict";
import { createPostgresDatabase } from "../../src/db/postgres/postgres_database.ts";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import { createRuntime } from "../../src/fw.ts";
import type { Runtime } from "../../src/fw/runtime.ts";
import type { Row } from "../../src/cqn/cqn.ts";
import type { EngineState } from "../../src/service/database.ts";
import { pause } from "../../src/util/time.ts";
import { missing } from "../clients/packages.ts";
import { csnOf } from "../fw/shop.ts";
import { postgresPrograms } from "../../scripts/faults/own_postgres.ts";
import { type ReplicatedCluster, withReplicatedCluster } from "./postgres_cluster.ts";

const MODEL = csnOf(`
  service Shop {
    entity Books { key ID : Integer; title : String; }
    action count() returns Integer;
    function add(ID : Integer) returns Integer;
  }
`);

/** A runtime with replicas, and what its clients do. */
interface Shop {
  readonly runtime: Runtime;
  /** What operators were told. */
  readonly told: string[];
  send(user: string, path: string, body?: unknown): Promise<Response>;
  /** Has a book made by a user. */
  make(user: string, ID: number): Promise<void>;
  /** Keys of all books as a user sees them. */
  seenBy(user: string): Promise<string>;
  state(): Promise<EngineState>;
}

function credentialsOf(port: number): Readonly<Record<string, unknown>> {
  return { host: "127.0.0.1", port, user: "postgres", database: "postgres" };
}

async function withShop(
  cluster: ReplicatedCluster,
  options: Readonly<Record<string, unknown>>,
  run: (shop: Shop) => Promise<void>,
): Promise<void> {
  const told: string[] = [];
  const credentials = credentialsOf(cluster.primary);
  const runtime = createRuntime({
    model: MODEL,
    handlers: {
      Shop: (srv) => {
        srv.on(
          "count",
          async () => (await srv.run({ SELECT: { from: { ref: ["Shop.Books"] } } }) as []).length,
        );
        srv.on("add", async (req) => {
          await srv.run({ INSERT: { into: { ref: ["Shop.Books"] }, entries: [req.data as Row] } });
          return (await srv.run({ SELECT: { from: { ref: ["Shop.Books"] } } }) as []).length;
        });
      },
    },
    env: {
      requires: {
        auth: { kind: "mocked", users: { alice: {}, bob: { roles: ["operator"] } } },
        db: { kind: "postgres", credentials, replicas: [{ port: cluster.replica }], ...options },
      },
      server: { metrics: { requires: "operator" } },
      log: { levels: { default: "silent" } },
    },
    kinds: {
      ...denoKinds,
      databases: {
        postgres: () => (given) => createPostgresDatabase({ ...given, warn: (text) => told.push(text) }),
      },
    },
  });
  const send = (user: string, path: string, body?: unknown) =>
    runtime.fetch(
      new Request(`http://localhost${path}`, {
        ...body === undefined ? {} : { method: "POST", body: JSON.stringify(body) },
        headers: { "content-type": "application/json", authorization: `Basic ${btoa(`${user}:`)}` },
      }),
    );
  try {
    await runtime.start();
    await run({
      ...{ runtime, told, send },
      make: async (user, ID) => assert.equal((await send(user, "/odata/v4/shop/Books", { ID })).status, 201),
      async seenBy(user) {
        const response = await send(user, "/odata/v4/shop/Books?$select=ID&$orderby=ID");
        assert.equal(response.status, 200);
        const { value } = await response.json() as { value: { ID: number }[] };
        return value.map(({ ID }) => ID).join(" ");
      },
      state: () => runtime.db!.opened(undefined)!.state!(),
    });
  } finally {
    await runtime.close();
  }
}

/** Waits until something is so. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !await condition(); tries++) {
    if (tries > 600) throw new Error(`Still not so: ${condition}`);
    await pause(50);
  }
}

/** Waits until reads go to the replica. */
async function beginReading(shop: Shop): Promise<void> {
  await until(async () => {
    await shop.seenBy("bob");
    const [replica] = (await shop.state()).replicas!;
    return replica!.isUsed && replica!.lagMs !== undefined;
  });
}

const programs = postgresPrograms();
if (programs === undefined) missing("a server of PostgreSQL", "There are no programs in /usr/lib/postgresql");

if (programs !== undefined) {
  Deno.test("replicas answer GET requests; what a user has written, and what is behind a write, is read from the primary", async () => {
    await withReplicatedCluster(programs, async (cluster) => {
      await withShop(cluster, { maxLagMs: 3_600_000 }, async (shop) => {
        await shop.make("alice", 1);
        await beginReading(shop);
        cluster.query(cluster.replica, "SELECT pg_wal_replay_pause()");
        await shop.make("alice", 2);
        assert.deepEqual([await shop.seenBy("alice"), await shop.seenBy("bob")], ["1 2", "1"]);
        const read = { id: "1", method: "GET", url: "Books?$select=ID" };
        const batch = async (user: string, ...requests: readonly unknown[]) => {
          const answer = await shop.send(user, "/odata/v4/shop/$batch", { requests });
          const { responses } = await answer.json() as { responses: { body: { value?: unknown[] } }[] };
          return responses.at(-1)!.body.value?.length;
        };
        assert.equal(await batch("bob", read), 1);
        // who may change something sees what is there
        const counted = await shop.send("bob", "/odata/v4/shop/count", {});
        assert.deepEqual((await counted.json() as { value: unknown }).value, 2);
        const added = await shop.send("bob", "/odata/v4/shop/add(ID=3)");
        assert.deepEqual((await added.json() as { value: unknown }).value, 3);
        assert.equal(await shop.seenBy("bob"), "1 2 3");
        const made = { id: "0", method: "POST", url: "Books", body: { ID: 4 }, headers: JSON_TYPE };
        assert.equal(await batch("carol", made, { ...read, dependsOn: ["0"] }), 4);
        assert.equal(await shop.seenBy("dave"), "1");
        cluster.query(cluster.replica, "SELECT pg_wal_replay_resume()");
        await until(async () => await shop.seenBy("dave") === "1 2 3 4");
        assert.deepEqual(shop.told, []);
      });
    });
  });

  Deno.test("a replica that is too far behind reads nothing until it has caught up, and whoever watches learns of it", async () => {
    await withReplicatedCluster(programs, async (cluster) => {
      await withShop(cluster, { maxLagMs: 1_000 }, async (shop) => {
        const ready = async () => await (await shop.send("bob", "/ready")).text();
        const metrics = async () => await (await shop.send("bob", "/metrics")).text();
        await shop.make("alice", 1);
        await beginReading(shop);
        assert.match(await ready(), /"status":"UP".*"replica 1":"UP"/);
        assert.match(
          await metrics(),
          new RegExp(`fw_replica_used\\{server_address="127.0.0.1:${cluster.replica}"\\} 1`),
        );
        assert.match(await metrics(), /fw_replica_lag_seconds\{.*\} 0\.\d/);
        assert.match(await metrics(), /db_client_connection_max 10\n/);
        assert.match(
          await metrics(),
          /db_client_connection_count\{db_client_connection_state="idle"\} [1-9]/,
        );
        assert.match(await metrics(), /fw_cache_entries\{cache="queries"\} \d/);
        cluster.query(cluster.replica, "SELECT pg_wal_replay_pause()");
        await shop.make("alice", 2);
        // a machine that stands still for a second loses the replica as well, but finds it again before that long
        await pause(2_000);
        await until(async () =>
          await shop.seenBy("bob") === "1 2" && /"replica 1":"DOWN"/.test(await ready())
        );
        assert.match(
          shop.told.at(-1)!,
          /^The replica 127\.0\.0\.1:\d+ is not used: it is more than 1000 ms behind;/,
        );
        assert.match(await ready(), /"status":"UP"/);
        assert.match(await metrics(), /fw_replica_used\{.*\} 0/);
        cluster.query(cluster.replica, "SELECT pg_wal_replay_resume()");
        await beginReading(shop);
        assert.match(shop.told.at(-1)!, /is used again$/);
      });
    });
  });

  Deno.test("a replica that is stopped, hangs or comes back costs no request", async () => {
    await withReplicatedCluster(programs, async (cluster) => {
      await withShop(cluster, { maxLagMs: 1_000 }, async (shop) => {
        await shop.make("alice", 1);
        await beginReading(shop);
        const answers: string[] = [];
        let isDone = false;
        const clients = Array.from({ length: 4 }, async () => {
          while (!isDone) {
            answers.push(await shop.seenBy("bob"));
            await pause(2);
          }
        });
        const isLost = async () => !(await shop.state()).replicas![0]!.isUsed;
        for (
          const [leave, come] of [
            [() => cluster.signal("SIGSTOP"), () => cluster.signal("SIGCONT")],
            [() => cluster.stop(), () => cluster.start()],
          ] as const
        ) {
          leave();
          await until(isLost);
          await pause(500);
          come();
          await beginReading(shop);
        }
        isDone = true;
        await Promise.all(clients);
        assert.ok(answers.length > 100 && answers.every((seen) => seen === "1"));
        assert.deepEqual(shop.told.map((text) => text.includes("is not used")), [true, false, true, false]);
      });
    });
  });

  Deno.test("what is no replica of the primary reads nothing", async () => {
    await withReplicatedCluster(programs, async (cluster) => {
      const other = credentialsOf(cluster.primary);
      await withShop(cluster, { replicas: [other] }, async (shop) => {
        await until(async () => await shop.seenBy("bob") === "" && shop.told.length > 0);
        assert.match(shop.told[0]!, /it is no replica/);
      });
    });
  });
}

const JSON_TYPE = { "content-type": "application/json" };

Deno.test("wrong settings of replicas stop the start", async () => {
  const start = async (db: Readonly<Record<string, unknown>>) =>
    await createRuntime({
      model: MODEL,
      kinds: denoKinds,
      env: { requires: { db }, log: { levels: { default: "silent" } } },
    }).start();
  await assert.rejects(
    start({ kind: "sqlite", credentials: { url: ":memory:" }, replicas: ["postgres://other/db"] }),
    /"fw\.requires\.db\.replicas" are replicas of PostgreSQL, but "fw\.requires\.db\.kind" is "sqlite"/,
  );
  const credentials = credentialsOf(1);
  await assert.rejects(
    start({ kind: "postgres", credentials, replicas: ["other"] }),
    /"url" in "fw\.requires\.db\.replicas"/,
  );
  await assert.rejects(
    start({ kind: "postgres", credentials, replicas: [{ port: 1 }], maxLagMs: 1 }),
    /maxLagMs.*from 20/,
  );
});
