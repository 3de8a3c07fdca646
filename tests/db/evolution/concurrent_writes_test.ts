import assert from "node:assert/strict";
import { EventContext } from "../../../src/context/event_context.ts";
import type { Query } from "../../../src/cqn/cqn.ts";
import { createPostgresDatabase } from "../../../src/db/postgres/postgres_database.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import type { Database, DeployOptions, DeployReport } from "../../../src/service/database.ts";
import { uniqueName } from "../../contract/services.ts";
import { credentials, dropSchemas, server } from "../postgres.ts";

/** A deployment while somebody writes. */
interface Meeting {
  /** The model of the database. */
  readonly before: string;
  /** The model that is deployed. */
  readonly after: string;
  /** What is in the table. */
  readonly rows?: readonly Record<string, unknown>[];
  /** What somebody writes and commits after the deployment has begun to wait. */
  readonly write: Query;
  readonly options?: DeployOptions;
  /** Initial rows of the deployment. */
  readonly data?: readonly Record<string, unknown>[];
}

/** Deploys while a transaction that has written is open; gives the report, or why it failed. */
async function meet(meeting: Meeting): Promise<DeployReport | string> {
  const schema = uniqueName();
  const open = (cdl: string): Database => {
    const model = linkModel(parseCdl(cdl));
    return createPostgresDatabase({ model, options: { credentials: credentials(schema) } });
  };
  const [before, after] = [open(meeting.before), open(meeting.after)];
  try {
    await before.deploy(new Map([["E", meeting.rows ?? []]]));
    const writer = before.begin(new EventContext());
    await writer.run(meeting.write);
    let isOver = false;
    const data = new Map([["E", meeting.data ?? []]]);
    const deployed = after.deploy(data, meeting.options ?? { mode: "lossless" })
      .catch(String).finally(() => isOver = true);
    const waiting = `SELECT 1 FROM pg_locks WHERE NOT granted AND relation = '"${schema}"."E"'::regclass`;
    const watcher = before.begin(new EventContext());
    let waits = false;
    while (!isOver && !waits) waits = (await watcher.sql!(waiting) as unknown[]).length > 0;
    await watcher.rollback();
    await writer.commit();
    return await deployed;
  } finally {
    await before.close();
    await after.close();
    await dropSchemas(schema);
  }
}

function postgresTest(name: string, fn: () => Promise<void>): void {
  Deno.test({ name: `postgres: ${name}`, ignore: !server.isThere, fn });
}

const ROW = { INSERT: { into: "E", entries: [{ ID: 2, a: "much longer" }] } };
const NULL_ROW = { INSERT: { into: "E", entries: [{ ID: 2, a: null }] } };
const model = (elements: string) => `entity E { key ID : Integer; ${elements} }`;

postgresTest("a deployment that shortens a text sees what was written while it waited", async () => {
  const rows = [{ ID: 1, a: "abc" }];
  const result = await meet({
    before: model("a : String(40);"),
    after: model("a : String(3);"),
    rows,
    write: ROW,
  });
  assert.match(String(result), /values of column "a" of "E"/);
});

postgresTest("a deployment that refuses null sees what was written while it waited", async () => {
  const [before, after] = [model("a : String(40);"), model("a : String(40) not null default 'x';")];
  const result = await meet({ before, after, rows: [{ ID: 1, a: "abc" }], write: NULL_ROW });
  assert.match(String(result), /null in column "a" of "E".*the default takes its place/);
});

postgresTest("a deployment that drops a table sees the rows written while it waited", async () => {
  const after = "entity F { key ID : Integer; }";
  const result = await meet({ before: model("a : String(40);"), after, write: ROW });
  assert.match(String(result), /the rows of "E"/);
});

postgresTest(
  "a deployment that adds a column without value sees the rows written while it waited",
  async () => {
    const after = model("a : String(40); b : Integer not null;");
    const result = await meet({ before: model("a : String(40);"), after, write: ROW });
    assert.match(String(result), /"E" has rows, but no column "b"/);
  },
);

postgresTest("a dry run keeps nobody waiting, and waits for nobody", async () => {
  const [before, after] = [model("a : String(40);"), model("a : String(3);")];
  const options: DeployOptions = { mode: "lossless", dryRun: true };
  const result = await meet({ before, after, rows: [{ ID: 1, a: "abc" }], write: ROW, options });
  assert.deepEqual((result as DeployReport).losses, []);
});

postgresTest("tables that others fill while a deployment waits get no initial rows", async () => {
  const same = model("a : String(40);");
  const result = await meet({ before: same, after: same, write: ROW, data: [{ ID: 2, a: "initial" }] });
  assert.deepEqual((result as DeployReport).filled, []);
});
