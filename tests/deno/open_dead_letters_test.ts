/** Dead letters of a project whose server may be running: what is opened of it, and what is told where there is nothing. */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { withDeadLetters } from "../../src/deno/open_dead_letters.ts";
import { loadProject } from "../../src/deno/load_project.ts";
import type { GivenUpMessages } from "../../src/messaging/given_up_messages.ts";
import type { MessagingService } from "../../src/messaging/messaging_service.ts";
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

interface Given {
  /** Tables of the database in its file. */
  readonly tables?: string;
  readonly tenant?: string;
  /** What is done with the dead letters; default: they are counted. */
  readonly work?: (letters: GivenUpMessages) => Promise<unknown>;
  /** What happened to the project before. */
  readonly before?: (folder: string) => Promise<void>;
}

/** Looks at the dead letters of a project. */
async function seenOf(
  requires: Readonly<Record<string, unknown>>,
  { tables, tenant, work = async (letters) => (await letters.list()).length, before }: Given = {},
): Promise<Seen> {
  let seen: Seen | undefined;
  const files = {
    ".fwrc.json": JSON.stringify({ name: "shop", requires }),
    "srv/shop.cds": "service Shop {}",
  };
  await withProject(files, async (folder) => {
    if (tables !== undefined) {
      const db = new DatabaseSync(`${folder}/db.sqlite`);
      db.exec(tables);
      db.close();
    }
    await before?.(folder);
    const [notes, failures]: string[][] = [[], []];
    const plain = (text: string) => text.replaceAll(folder, "…");
    const options = {
      tenant,
      note: (text: string) => void notes.push(plain(text)),
      fail: (text: string) => void failures.push(plain(text)),
    };
    const result = await withDeadLetters(folder, options, work)
      .catch((error: Error) => `${error.name}: ${plain(error.message)}`);
    seen = { result, notes, failures };
    // none is made
    const left = [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) =>
      name.endsWith("sqlite")
    );
    assert.deepEqual(left, tables === undefined && before === undefined ? [] : ["db.sqlite"]);
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

Deno.test("an outbox is looked at beside the channels, of which those are told that cannot be asked", async () => {
  const before = async (folder: string) => {
    const { runtime } = await loadProject(folder, {
      variables: {},
      env: { log: { levels: { default: "silent" } } },
    });
    await runtime.start();
    const messaging = await runtime.connect("messaging") as MessagingService;
    messaging.channel.publish = () =>
      Promise.reject(Object.assign(new Error("refused"), { unrecoverable: true }));
    await messaging.emit("a/b", { n: 1 });
    await runtime.queue!.flush();
    await runtime.close();
  };
  const work = async (letters: GivenUpMessages) => [
    (await letters.list()).map(({ target, lastError }) => [target, lastError?.split("\n")[0]]),
    await letters.states(),
  ];
  const seen = await seenOf({ db: SQLITE, messaging: BOX, off: false }, { before, work });
  assert.deepEqual(seen, {
    result: [
      [["messaging", "Error: refused"]],
      [
        { place: "outbox", target: "messaging", waiting: 0, oldestAgeMs: 0, dead: 1 },
        { place: "channel", target: "messaging", dead: 0, unsubscribed: true },
      ],
    ],
    notes: [],
    failures: [],
  });
  const composite = { kind: "composite-messaging", routes: { messaging: [""] } };
  const broken = await seenOf({ db: { kind: "memory" }, composite, messaging: BOX });
  assert.equal(broken.result, 0);
  assert.deepEqual(broken.failures, [
    "composite: Route '' of channel 'messaging' is empty",
  ]);
});

Deno.test("a broker that keeps dead letters where it likes is told of, unless it has a queue for them", async () => {
  const work = () => Promise.resolve("looked");
  for (const deadLetterQueue of [undefined, "dead"]) {
    const credentials = { url: "amqp://127.0.0.1:1" };
    const events = { kind: "enterprise-messaging", credentials, deadLetterQueue };
    const { result, notes } = await seenOf({ db: { kind: "memory" }, events, messaging: BOX }, { work });
    assert.equal(result, "looked");
    assert.deepEqual(
      notes.filter((note) => !IN_MEMORY.test(note)),
      deadLetterQueue === undefined
        ? [
          'events: without "fw.requires.events.deadLetterQueue" the broker keeps dead letters where it likes',
        ]
        : [],
    );
  }
});

Deno.test("what is no lack of tables is an error, and so is a tenant that is missing or one too many", async () => {
  const before = (folder: string) => Deno.writeTextFile(`${folder}/db.sqlite`, "no database".repeat(100));
  const wrong = await seenOf({ db: SQLITE }, { before });
  assert.match(String(wrong.result), /file is not a database/);
  const missing = await seenOf({ db: SQLITE, multitenancy: true });
  assert.match(String(missing.result), /^ConfigurationError: .*name one by --tenant$/);
  const more = await seenOf({ db: SQLITE }, { tenant: "t1" });
  assert.match(String(more.result), /^ConfigurationError: All tenants have one database/);
});
