/**
 * A process of the fault tests with drafts: edits, changes and activates, and kills itself between any two statements.
 * At its start it looks at what the process before it has left.
 *
 * @module
 */

import { createRuntime, type Row, type Runtime } from "../../mod.ts";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import { compileCdl } from "../../src/model/cdl/compile_cdl.ts";

/** What a worker does. */
export interface DraftsTask {
  /** The database: a file of SQLite, or credentials for PostgreSQL. */
  readonly database: string | Readonly<Record<string, unknown>>;
  /** Gets a line per step: `i` before an activation, `a` behind its answer, `f` with what must not be. */
  readonly journal: string;
  /** How likely the process kills itself at each statement of an activation. */
  readonly killRate: number;
  /** Activations until it ends by itself. */
  readonly count: number;
}

const SOURCE = `
  context my {
    entity Orders { key ID : Integer; version : Integer;
      items : Composition of many Items on items.order = $self; }
    entity Items { key ID : Integer; order : Association to Orders; version : Integer; }
  }
  service Shop { @odata.draft.enabled entity Orders as projection on my.Orders;
    entity Items as projection on my.Items; }`;
/** Orders that are edited in turn, each with two items that stay and one that each version replaces. */
const ORDERS = [1, 2, 3];
const PLACE = 1_000_000;

async function work({ database, journal, killRate, count }: DraftsTask): Promise<void> {
  using file = Deno.openSync(journal, { create: true, append: true });
  const write = (line: string) => void file.writeSync(new TextEncoder().encode(`${line}\n`));
  let isActivating = false;
  const runtime = createRuntime({
    model: compileCdl(["m.cds"], { readFile: (path) => path === "m.cds" ? SOURCE : undefined }),
    kinds: denoKinds,
    env: {
      requires: {
        auth: { kind: "dummy" },
        db: typeof database === "string"
          ? { kind: "sqlite", credentials: { url: database } }
          : { kind: "postgres", credentials: database, pool: { max: 2 } },
      },
      log: { levels: { default: "silent" } },
    },
  });
  await runtime.start();
  const mayDie = () => {
    if (isActivating && Math.random() < killRate) Deno.kill(Deno.pid, "SIGKILL");
  };
  runtime.db!.before("*", mayDie);
  runtime.db!.after("*", mayDie);
  const acknowledged = lastVersions(Deno.readTextFileSync(journal));
  for (const fault of await faultsOf(runtime, acknowledged)) write(`f ${fault}`);
  for (let n = 0; n < count; n++) {
    const id = ORDERS[n % ORDERS.length]!;
    const version = await prepare(runtime, id);
    write(`i ${id} ${version}`);
    isActivating = true;
    const { status } = await send(runtime, `POST ${draftOf(id)}/draftActivate`, {});
    mayDie();
    isActivating = false;
    write(status < 300 ? `a ${id} ${version}` : `f activation of ${id} answered ${status}`);
  }
  await runtime.close();
}

function draftOf(id: number): string {
  return `Orders(ID=${id},IsActiveEntity=false)`;
}

/** Makes the draft of the next version; one that a killed process left is discarded. */
async function prepare(runtime: Runtime, id: number): Promise<number> {
  await send(runtime, `DELETE ${draftOf(id)}`);
  const { body } = await send(runtime, `GET Orders(ID=${id},IsActiveEntity=true)?$expand=items`);
  const version = Number(body.version ?? 0) + 1;
  const isNew = body.version === undefined;
  const extra = { ID: id * PLACE + version * 10 + 3, version };
  if (isNew) {
    const items = [{ ID: id * PLACE + 1, version }, { ID: id * PLACE + 2, version }, extra];
    await send(runtime, "POST Orders", { ID: id, version, items });
    return version;
  }
  await send(runtime, `POST Orders(ID=${id},IsActiveEntity=true)/draftEdit`, {});
  for (const item of body.items as Row[]) {
    const path = `${draftOf(id)}/items(ID=${item.ID},IsActiveEntity=false)`;
    const stays = Number(item.ID) % PLACE < 10;
    await (stays ? send(runtime, `PATCH ${path}`, { version }) : send(runtime, `DELETE ${path}`));
  }
  await send(runtime, `POST ${draftOf(id)}/items`, extra);
  await send(runtime, `PATCH ${draftOf(id)}`, { version });
  return version;
}

/** What must not be: half activated instances, drafts beside what they became, rows of no draft. */
async function faultsOf(runtime: Runtime, acknowledged: ReadonlyMap<number, number>): Promise<string[]> {
  const db = runtime.db!;
  const rowsOf = async (name: string) => await db.run({ SELECT: { from: { ref: [name] } } }) as Row[];
  const faults: string[] = [];
  const items = await rowsOf("my.Items");
  const orders = await rowsOf("my.Orders");
  for (const { ID, version } of orders) {
    const own = items.filter(({ order_ID }) => order_ID === ID);
    if (own.length !== 3 || own.some((item) => item.version !== version)) {
      faults.push(`order ${ID} is half of version ${version}: ${JSON.stringify(own)}`);
    }
    if (Number(version) < (acknowledged.get(Number(ID)) ?? 0)) faults.push(`order ${ID} lost a version`);
  }
  for (const id of acknowledged.keys()) {
    if (!orders.some(({ ID }) => ID === id)) faults.push(`order ${id} is gone`);
  }
  const drafts = await rowsOf("Shop.Orders.drafts");
  const parts = await rowsOf("Shop.Items.drafts");
  const administration = await rowsOf("DRAFT.DraftAdministrativeData");
  const ids = (rows: readonly Row[], name: string) => new Set(rows.map((row) => row[name]));
  const known = ids(administration, "DraftUUID");
  const rooted = ids(drafts, "DraftAdministrativeData_DraftUUID");
  if (known.symmetricDifference(rooted).size > 0) faults.push("administrative data and drafts differ");
  if (!ids(parts, "DraftAdministrativeData_DraftUUID").isSubsetOf(rooted)) faults.push("items of no draft");
  for (const { ID, version } of drafts) {
    const active = orders.find((order) => order.ID === ID);
    const extra = Number(ID) * PLACE + Number(version) * 10 + 3;
    const isDone = active?.version === version && parts.some((part) => part.ID === extra);
    if (isDone && items.some((item) => item.ID === extra)) {
      faults.push(`order ${ID} is active, and its draft is there`);
    }
  }
  return faults;
}

/** The last version of each order whose activation was answered. */
function lastVersions(journal: string): ReadonlyMap<number, number> {
  const versions = new Map<number, number>();
  for (const [, id, version] of journal.matchAll(/^a (\d+) (\d+)$/gm)) {
    versions.set(Number(id), Number(version));
  }
  return versions;
}

async function send(
  runtime: Runtime,
  request: string,
  body?: unknown,
): Promise<{ readonly status: number; readonly body: Row }> {
  const [method, path] = request.split(" ");
  const headers: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
  const given = body === undefined ? undefined : JSON.stringify(body);
  const url = `http://localhost/odata/v4/shop/${path}`;
  const response = await runtime.fetch(new Request(url, { method, headers, body: given }));
  const text = await response.text();
  return { status: response.status, body: response.ok && text ? JSON.parse(text) : {} };
}

if (import.meta.main) await work(JSON.parse(Deno.args[0]!));
