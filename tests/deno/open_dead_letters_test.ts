/** Dead letters of a project whose server may be running: what is opened of it, and what is told where there is nothing. */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { withDeadLetters } from "../../src/deno/open_dead_letters.ts";
import { withProject } from "./project.ts";

const SQLITE = { kind: "sqlite", credentials: { url: "db.sqlite" } };
const BOX = { kind: "file-based-messaging", file: "box" };
const NO_OUTBOX = "The database has no outbox: start the application once";

interface Seen {
  /** What the work gave, or what was thrown instead. */
  readonly result: unknown;
  readonly notes: readonly string[];
  readonly failures: readonly string[];
}

/** Looks at the dead letters of a project; the database in its file has these tables. */
async function seenOf(
  requires: Readonly<Record<string, unknown>>,
  { tables, tenant }: { readonly tables?: string; readonly tenant?: string } = {},
): Promise<Seen> {
  let seen: Seen | undefined;
  await withProject({ ".fwrc.json": JSON.stringify({ name: "shop", requires }) }, async (folder) => {
    if (tables !== undefined) {
      const db = new DatabaseSync(`${folder}/db.sqlite`);
      db.exec(tables);
      db.close();
    }
    const [notes, failures]: string[][] = [[], []];
    const plain = (text: string) => text.replaceAll(folder, "…");
    const options = {
      tenant,
      note: (text: string) => void notes.push(plain(text)),
      fail: (text: string) => void failures.push(plain(text)),
    };
    const result = await withDeadLetters(folder, options, async (letters) => (await letters.list()).length)
      .catch((error: Error) => `${error.name}: ${plain(error.message)}`);
    seen = { result, notes, failures };
  });
  return seen!;
}

const IN_MEMORY = /^The database is in the memory of the server, and its dead letters end with it/;

Deno.test("where there is no outbox the work is done with the channels, and what is missing is told", async () => {
  const nowhere = await seenOf({ db: { kind: "memory" }, messaging: BOX });
  assert.deepEqual([nowhere.result, nowhere.failures, nowhere.notes.length], [0, [], 1]);
  assert.match(nowhere.notes[0], IN_MEMORY);
  const without = await seenOf({ db: false, messaging: BOX });
  assert.deepEqual(without, {
    result: 0,
    notes: ['The project in "…" has no database ("fw.requires.db")'],
    failures: [],
  });
  for (const tables of [undefined, "CREATE TABLE other (ID INTEGER)"]) {
    assert.deepEqual(await seenOf({ db: SQLITE, messaging: BOX }, { tables }), {
      result: 0,
      notes: [NO_OUTBOX],
      failures: [],
    }, tables);
    assert.deepEqual(await seenOf({ db: SQLITE }, { tables }), {
      result: 0,
      notes: [],
      failures: [NO_OUTBOX],
    }, tables);
  }
});

Deno.test("a project with neither a database that stays nor a channel has no dead letters to look at", async () => {
  const { result, notes, failures } = await seenOf({ db: { kind: "memory" } });
  assert.match(String(result), /^ConfigurationError: The database is in the memory of the server/);
  assert.deepEqual([notes, failures], [[], []]);
});

Deno.test("a tenant whose database was never made has no outbox", async () => {
  const seen = await seenOf({ db: SQLITE, multitenancy: true }, { tenant: "t1" });
  assert.deepEqual(seen, {
    result: 0,
    notes: [],
    failures: ['Tenant "t1" has no outbox: it has no database yet, or the application never opened it'],
  });
});
