import assert from "node:assert/strict";
import { fw } from "../../mod.ts";
import { loadProject } from "../../src/deno/load_project.ts";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import { practiseStart } from "../../src/deno/practise_start.ts";
import type { Database, DatabaseFactory } from "../../src/service/database.ts";
import { pause } from "../../src/util/time.ts";
import { SMALL, withProject } from "./project.ts";

const PRACTISED = {
  ...SMALL,
  "srv/cat_service.ts": `throw new Error("loaded");\n`,
  "srv/server.ts": `throw new Error("booted");\n`,
  ".fwrc.json": JSON.stringify({
    requires: {
      db: { kind: "sqlite", credentials: { url: "db.sqlite" } },
      messaging: { kind: "file-based-messaging", file: "messages" },
    },
  }),
};

Deno.test("a start for practice loads no module of the project, opens no file and prints nothing", () =>
  withProject(PRACTISED, async (folder) => {
    const printed: unknown[] = [];
    const { log, warn, error } = console;
    console.log = console.warn = console.error = (...values: unknown[]) => void printed.push(values);
    try {
      await practiseStart(folder, () => false);
    } finally {
      Object.assign(console, { log, warn, error });
    }
    assert.deepEqual(printed, []);
    const names = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
    assert.deepEqual(names, [".fwrc.json", "db", "srv"]);
  }));

Deno.test("a start for practice is not the one that the application finds", () =>
  withProject(SMALL, async (folder) => {
    const env = { log: { levels: { default: "silent" } }, server: { port: 4321 } };
    const { runtime } = await loadProject(folder, { variables: {}, env });
    await practiseStart(folder, () => false);
    assert.equal((fw.env.server as { port?: number }).port, 4321);
    await runtime.close();
  }));

Deno.test("a start for practice ends between two steps when it is urgent, and where the project cannot start", async () => {
  await withProject(SMALL, async (folder) => {
    let asked = 0;
    await practiseStart(folder, () => ++asked > 0);
    assert.equal(asked, 1);
  });
  await withProject({ "srv/cat.cds": "entity" }, (folder) => practiseStart(folder, () => false));
  await practiseStart("/nowhere", () => false);
});

/** Has the steps of a database noted, each of which takes a while. */
function noting(database: Database, events: string[]): Database {
  const { deploy, close, begin } = database;
  return Object.assign(database, {
    deploy: async (...given: Parameters<Database["deploy"]>) => {
      await pause(5);
      const report = await deploy.apply(database, given);
      events.push("deployed");
      return report;
    },
    begin: (context: Parameters<Database["begin"]>[0]) => {
      // others are transactions of the start and the end
      if (context.user.id.endsWith("alice")) events.push("read");
      return begin.call(database, context);
    },
    close: async () => {
      await pause(5);
      await close.apply(database);
      events.push("closed");
    },
  });
}

/** What a start for practice does, and when it asks whether it is urgent, which it is from a question on. */
async function steps(
  files: Readonly<Record<string, string>>,
  urgentFrom = Infinity,
): Promise<readonly string[]> {
  const events: string[] = [];
  const { databases, channels } = denoKinds as unknown as Record<
    "databases" | "channels",
    Record<string, unknown>
  >;
  const { sqlite, postgres } = databases;
  const { "redis-messaging": redis } = channels;
  const loading = (name: string) => async () => {
    await pause(5);
    events.push(name);
  };
  databases.postgres = loading("postgres");
  channels["redis-messaging"] = loading("redis");
  databases.sqlite = async () => {
    const create = await (sqlite as () => Promise<DatabaseFactory>)();
    const created: DatabaseFactory = async (given) => noting(await create(given), events);
    return created;
  };
  let asked = 0;
  const isUrgent = () => {
    events.push("asked");
    return ++asked >= urgentFrom;
  };
  try {
    await withProject(files, (folder) => practiseStart(folder, isUrgent));
  } finally {
    Object.assign(databases, { sqlite, postgres });
    channels["redis-messaging"] = redis;
  }
  return events;
}

const services = (...names: readonly string[]) => ({
  "srv/a.cds": names.map((name) => `service ${name} { entity Rows { key ID : Integer; } }`).join("\n"),
});

const NEEDED = JSON.stringify({
  requires: {
    db: { kind: "postgres", credentials: { host: "none" } },
    messaging: { kind: "redis-messaging" },
    other: { kind: "odata", credentials: { url: "http://none" } },
    off: false,
    none: null,
  },
});

Deno.test("a start for practice loads what the project needs, starts, asks three times at most, and closes", async () => {
  const start = ["asked", "asked", "deployed"];
  assert.deepEqual(await steps(services("A")), [...start, "asked", "asked", "read", "closed"]);
  assert.deepEqual(await steps(services("A", "B", "C", "D")), [
    ...start,
    ...["asked", "asked", "read", "asked", "read", "closed"],
  ]);
  assert.deepEqual(
    await steps({
      "srv/a.cds": "service A { action a(); } @protocol: 'none' service B { entity C { key ID : Integer; } }",
    }),
    [
      ...start,
      ...["asked", "closed"],
    ],
  );
  assert.deepEqual(await steps({ ...services("A"), ".fwrc.json": NEEDED }), [
    ...["asked", "postgres", "redis", "asked", "deployed"],
    ...["asked", "asked", "read", "closed"],
  ]);
});

Deno.test("a start for practice that becomes urgent ends at the next step, and closes what it has opened", async () => {
  const files = services("A", "B");
  assert.deepEqual(await steps(files, 1), ["asked"]);
  assert.deepEqual(await steps(files, 2), ["asked", "asked"]);
  assert.deepEqual(await steps(files, 3), ["asked", "asked", "deployed", "asked", "closed"]);
  assert.deepEqual(await steps(files, 4), ["asked", "asked", "deployed", "asked", "asked", "closed"]);
});

Deno.test("a start for practice asks after others had their turn", () =>
  withProject(SMALL, async (folder) => {
    const turns: boolean[] = [];
    let hadTurn = false;
    await practiseStart(folder, () => {
      turns.push(hadTurn);
      setTimeout(() => hadTurn = true);
      return turns.length === 2;
    });
    assert.deepEqual(turns, [false, true]);
  }));
