/** What is opened and closed of a project whose dead letters are looked at, by channels and engines that tell of it. */

import assert from "node:assert/strict";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import { withDeadLetters } from "../../src/deno/open_dead_letters.ts";
import { withTenants } from "../../src/deno/project_tenants.ts";
import type { Kinds } from "../../src/fw/kinds.ts";
import type { Channel, DeadLetter } from "../../src/messaging/channel.ts";
import type { GivenUpMessages } from "../../src/messaging/given_up_messages.ts";
import { SMALL, withProject } from "./project.ts";

const later = () => new Promise((resolve) => setTimeout(resolve, 5));

/** Adds kinds to those of every project while something runs. */
async function withKinds(
  added: Pick<Kinds, "databases" | "channels">,
  run: () => Promise<void>,
): Promise<void> {
  const { databases, channels } = denoKinds;
  const own = denoKinds as { databases: Kinds["databases"]; channels: Kinds["channels"] };
  Object.assign(own, {
    databases: { ...databases, ...added.databases },
    channels: { ...channels, ...added.channels },
  });
  try {
    await run();
  } finally {
    Object.assign(own, { databases, channels });
  }
}

interface Given {
  readonly requires: Readonly<Record<string, unknown>>;
  readonly tenant?: string;
  readonly name?: string;
}

/** Looks at the dead letters of a project. */
async function look<T>(
  { requires, tenant, name }: Given,
  work: (letters: GivenUpMessages) => Promise<T>,
): Promise<{ readonly result: T | string; readonly notes: string[]; readonly failures: string[] }> {
  const [notes, failures]: string[][] = [[], []];
  let result: T | string = "";
  const files = {
    "package.json": '{"name": "@x/packaged"}',
    ".fwrc.json": JSON.stringify({ name, requires }),
  };
  await withProject(files, async (folder) => {
    const options = {
      tenant,
      note: (text: string) => notes.push(text),
      fail: (text: string) => failures.push(text),
    };
    result = await withDeadLetters(folder, options, work).catch((error: Error) => error.message);
  });
  return { result, notes, failures };
}

const letterOf = (tenant: string): DeadLetter => ({
  id: tenant,
  message: { topic: "a", data: {}, headers: { whose: tenant } },
  attempts: 1,
  lastError: "no",
});

/** A channel that writes down what is asked of it. */
function telling(heard: string[], more: Partial<Channel> = {}): NonNullable<Kinds["channels"]> {
  const channel = {
    kind: "telling",
    guarantees: {},
    async close() {
      await later();
      heard.push("closed");
    },
    deadLetters: (
      group: string,
    ) => (heard.push(group), { list: () => Promise.resolve(["t1", "t2"].map(letterOf)) }),
    ...more,
  };
  return { telling: () => () => channel as unknown as Channel };
}

const WITHOUT_OUTBOX = { db: false, messaging: false } as const;

Deno.test("channels are asked for the group of the application, and closed before the work counts as done", async () => {
  for (const [name, application] of [["named", "named"], [undefined, "packaged"]] as const) {
    const heard: string[] = [];
    await withKinds({ channels: telling(heard) }, async () => {
      const requires = { ...WITHOUT_OUTBOX, events: { kind: "telling" } };
      const { result } = await look({ requires, name }, async (letters) => {
        await later();
        heard.push("worked");
        return (await letters.list()).map(({ ID }) => ID);
      });
      assert.deepEqual(result, ["events:t1", "events:t2"]);
      assert.deepEqual(heard.slice(1), ["worked", "closed"]);
      assert.match(heard[0], new RegExp(`^${application}\\b`));
    });
  }
});

Deno.test("channels are closed where the work fails, and its error is thrown", async () => {
  const heard: string[] = [];
  await withKinds({ channels: telling(heard) }, async () => {
    const requires = { ...WITHOUT_OUTBOX, events: { kind: "telling" } };
    const { result } = await look({ requires }, () => Promise.reject(new Error("half done")));
    assert.equal(result, "half done");
    assert.equal(heard.at(-1), "closed");
  });
});

Deno.test("a channel tells how much waits where it can, and whether its group has subscribed", async () => {
  const cases: readonly (readonly [more: Partial<Channel>, states: readonly object[]])[] = [
    [{}, [{ dead: 2 }]],
    [{ backlog: () => Promise.resolve({ waiting: 3 }) }, [{ waiting: 3, dead: 2 }]],
    [{ backlog: () => Promise.resolve(undefined) }, [{ unsubscribed: true, dead: 2 }]],
    [{ deadLetters: undefined, backlog: () => Promise.resolve({ waiting: 1 }) }, [{ waiting: 1 }]],
    [{ deadLetters: () => undefined }, []],
    [{ deadLetters: undefined }, []],
  ];
  for (const [more, states] of cases) {
    await withKinds({ channels: telling([], more) }, async () => {
      const requires = { ...WITHOUT_OUTBOX, events: { kind: "telling" } };
      const { result } = await look({ requires }, (letters) => letters.states());
      const expected = states.map((one) => ({ place: "channel", target: "events", ...one }));
      assert.deepEqual(result, expected);
    });
  }
});

Deno.test("a channel that cannot be asked is told of with its reason, and the others are asked", async () => {
  const broken = { list: () => Promise.reject(new Error("away")), replay: undefined, discard: undefined };
  const channels = {
    ...telling([]),
    broken: telling([], { deadLetters: () => broken as never }).telling,
    refused: () => Promise.reject(new Error("not here")),
  };
  await withKinds({ channels }, async () => {
    const requires = {
      ...WITHOUT_OUTBOX,
      first: { kind: "refused" },
      second: { kind: "broken" },
      third: { kind: "telling" },
      off: false,
      other: { kind: "odata" },
    };
    const { result, failures } = await look({ requires }, async (letters) => (await letters.list()).length);
    assert.equal(result, 2);
    assert.deepEqual(failures, ["first: not here", "second: away"]);
  });
});

Deno.test("with multitenancy the letters of a tenant are those with its name in the header that carries it", async () => {
  await withKinds({ channels: telling([]) }, async () => {
    const listed = async (tenantHeader: unknown, multitenancy: boolean, tenant?: string) => {
      const requires = { ...WITHOUT_OUTBOX, multitenancy, events: { kind: "telling", tenantHeader } };
      const { result } = await look({ requires, tenant }, (letters) => letters.list({ tenant }));
      return Array.isArray(result) ? result.map(({ ID }) => ID.slice("events:".length)) : result;
    };
    assert.deepEqual(await listed("whose", true, "t1"), ["t1"]);
    assert.deepEqual(await listed("whose", true, "t2"), ["t2"]);
    assert.deepEqual(await listed("other", true, "t1"), []);
    assert.deepEqual(await listed(undefined, true, "t1"), []);
    assert.deepEqual(await listed("whose", false), ["t1", "t2"]);
  });
});

Deno.test("the database of an outbox stays open until the work is done, and is closed before that counts as done", async () => {
  const heard: string[] = [];
  const { sqlite } = denoKinds.databases!;
  const databases: Kinds["databases"] = {
    told: async () => {
      const create = await sqlite!();
      return async (options) => {
        const { credentials } = options.options as { credentials: { url: string } };
        heard.push(`opened ${credentials.url} ${options.tenant} ${options.existing}`);
        const database = await create({
          ...options,
          options: { credentials: { url: ":memory:" } },
          existing: false,
        });
        if (credentials.url === "deployed") await database.deploy();
        const close = database.close.bind(database);
        return Object.assign(database, {
          async close() {
            await later();
            heard.push("closed");
            await close();
          },
        });
      };
    },
  };
  await withKinds({ databases, channels: telling([]) }, async () => {
    for (const url of ["deployed", "empty"]) {
      const requires = {
        db: { kind: "told", credentials: { url } },
        messaging: false,
        events: { kind: "telling" },
      };
      const { result, notes } = await look({ requires }, async (letters) => {
        await later();
        heard.push("worked");
        return (await letters.list()).length;
      });
      assert.equal(result, 2);
      assert.deepEqual(heard.splice(0), [`opened ${url} undefined true`, "worked", "closed"]);
      assert.deepEqual(
        notes,
        url === "empty" ? ["The database has no outbox: start the application once"] : [],
      );
    }
    const requires = { db: { kind: "told", credentials: { url: "deployed" } }, messaging: false };
    const failed = await look({ requires }, () => Promise.reject(new Error("half done")));
    assert.equal(failed.result, "half done");
    assert.deepEqual(heard.splice(0), ["opened deployed undefined true", "closed"]);
  });
});

Deno.test("the outbox of a tenant is that of its database", async () => {
  const requires = {
    multitenancy: true,
    db: { kind: "sqlite", credentials: { url: "shop.sqlite" } },
    queue: true,
  };
  await withProject(
    { ...SMALL, ".fwrc.json": JSON.stringify({ requires, outbox: true }) },
    async (folder) => {
      await withTenants(folder, (operations) => operations.subscribe("t1"));
      const seen: string[] = [];
      const hear = (text: string) => void seen.push(text);
      for (const tenant of ["t1", "t2"]) {
        const options = { tenant, note: hear, fail: hear };
        seen.push(String(
          await withDeadLetters(folder, options, async (letters) => (await letters.list({ tenant })).length),
        ));
      }
      assert.deepEqual(seen, [
        "0",
        'Tenant "t2" has no outbox: it has no database yet, or the application never opened it',
        "0",
      ]);
    },
  );
});
