import assert from "node:assert/strict";
import { loadProject } from "../../src/deno/load_project.ts";
import type { Runtime } from "../../src/fw/runtime.ts";
import type { MessagingService } from "../../src/messaging/messaging_service.ts";
import { SMALL, withProject } from "../deno/project.ts";
import { startCli } from "../deno/project_processes.ts";
import { runCommand } from "./run_command.ts";

/** A project with two dead letters. */
async function withLetters(run: (folder: string, open: Opener) => Promise<void>): Promise<void> {
  await withProject(SMALL, async (folder) => {
    const requires = {
      db: { kind: "sqlite", credentials: { url: `${folder}/shop.sqlite` } },
      messaging: { kind: "file-based-messaging", file: `${folder}/box` },
    };
    await Deno.writeTextFile(`${folder}/.fwrc.json`, JSON.stringify({ name: "shop", requires }));
    const open: Opener = async (work) => {
      const { runtime } = await loadProject(folder, {
        env: { log: { levels: { default: "silent" } } },
        variables: {},
      });
      await runtime.start();
      await work(await runtime.connect("messaging") as MessagingService, runtime);
      await runtime.close();
    };
    await open(async (messaging, { queue }) => {
      messaging.channel.publish = () =>
        Promise.reject(Object.assign(new Error("refused"), { unrecoverable: true }));
      await messaging.emit("a/b", { n: 1 }, { authorization: "pw-1" });
      await messaging.emit("a/c", { n: 2 });
      await queue!.flush();
    });
    await run(folder, open);
  });
}

type Opener = (
  work: (messaging: MessagingService, runtime: Runtime) => Promise<void>,
) => Promise<void>;

async function fw(...args: readonly string[]): Promise<readonly [number, string]> {
  const { code, output } = await runCommand("queue", ...args);
  return [code, output];
}

Deno.test("fw queue lists, shows and replays dead letters", async () => {
  await withLetters(async (folder, open) => {
    const { code, output: list } = await startCli("queue", "list", folder).ended;
    assert.equal(code, 0);
    assert.match(list, /^ID +TARGET +EVENT +ATTEMPTS +LAST ATTEMPT +ERROR\n/);
    const [id] = /^(\S+) +messaging +a\/b +1 +\S+ +Error: refused$/m.exec(list)?.slice(1) ?? [];
    assert.ok(id, list);
    assert.match(list, /\n2 dead letters\n$/);
    const [, status] = await fw("status", folder);
    assert.match(status, /^messaging +outbox +0 +2$/m);

    const [shown, text] = await fw("show", id.slice(0, 8), folder);
    assert.equal(shown, 0);
    assert.match(text, new RegExp(`^ID: +${id}\\n`));
    assert.match(text, /data: \{\n {2}"n": 1\n\}/);
    assert.match(text, /"authorization": "\*\*\*"/);
    assert.match(text, /last error:\nError: refused/);
    assert.doesNotMatch(text, /pw-1/);

    assert.deepEqual(await fw("replay", id, folder), [0, "1 message is tried again\n"]);
    assert.match((await fw("list", folder))[1], /\n1 dead letter\n$/);
    assert.deepEqual(await fw("replay", "--all", folder), [0, "1 message is tried again\n"]);
    assert.deepEqual(await fw("list", folder), [0, "No dead letters\n"]);

    await open(async (_, { queue }) => await queue!.flush());
    const topics = (await Deno.readTextFile(`${folder}/box`)).split("\n").filter(Boolean).map((line) =>
      line.split(" ")[0]
    );
    assert.deepEqual(topics.toSorted(), ["a/b", "a/c"]);
  });
});

Deno.test("fw queue says what is wrong, and how it is used", async () => {
  await withLetters(async (folder) => {
    assert.deepEqual(await fw("show", "nope", folder), [1, 'There is no dead letter "nope"\n']);
    assert.equal((await fw("replay", folder, "--all", "more"))[0], 2);
    for (const args of [["drop"], ["show"], ["replay"]]) {
      const [code, output] = await fw(...args);
      assert.equal(code, 2, args.join(" "));
      assert.match(
        output,
        /^(?:Unknown action "drop": expected one of|fw queue \w+ needs the id).* \(fw help queue\)\n$/,
      );
    }
  });
  await withProject(SMALL, async (folder) => {
    const [code, output] = await fw("list", folder);
    assert.equal(code, 1);
    assert.match(output, /in the memory of the server/);
  });
});

Deno.test("fw queue makes no database file: not for an unknown tenant, not before the first start", () =>
  withProject(SMALL, async (folder) => {
    const requires = {
      db: { kind: "sqlite", credentials: { url: `${folder}/shop.sqlite` } },
      multitenancy: true as boolean,
    };
    const write = () => Deno.writeTextFile(`${folder}/.fwrc.json`, JSON.stringify({ requires }));
    await write();
    const [code, output] = await fw("list", folder, "--tenant", "nobody");
    assert.equal(code, 1);
    assert.match(output, /^Tenant "nobody" has no outbox/);
    requires.multitenancy = false;
    await write();
    assert.deepEqual(await fw("list", folder), [
      1,
      "The database has no outbox: start the application once\n",
    ]);
    assert.deepEqual([...Deno.readDirSync(folder)].filter(({ name }) => name.includes("sqlite")), []);
  }));

Deno.test("fw queue lists, shows, replays and discards what a group gave up in its channel, without a database", () =>
  withProject(SMALL, async (folder) => {
    const requires = { messaging: { kind: "file-based-messaging", file: "box" } };
    await Deno.writeTextFile(`${folder}/.fwrc.json`, JSON.stringify({ name: "shop", requires }));
    const handled: unknown[] = [];
    const serve = async (
      isBad: (data: unknown) => boolean,
      work: (messaging: MessagingService) => Promise<void>,
    ) => {
      const { runtime } = await loadProject(folder, {
        env: { log: { levels: { default: "silent" } } },
        variables: {},
      });
      await runtime.start();
      const messaging = await runtime.connect("messaging") as MessagingService;
      messaging.on("a/b", ({ data }) => {
        if (isBad(data)) throw Object.assign(new Error("no use"), { unrecoverable: true });
        handled.push(data);
      });
      await work(messaging);
      await runtime.close();
    };
    // a channel that counts by group says why it has no number
    assert.match((await fw("status", folder))[1], /^messaging +channel +no subscriber +0$/m);
    const lettersNow = async () => (await fw("list", folder))[1];
    await serve(() => true, async (messaging) => {
      for (const n of [1, 2, 3]) await messaging.emit("a/b", { n });
      for (const end = Date.now() + 60_000; Date.now() < end && !/3 dead letters/.test(await lettersNow());) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    });
    const [code, list] = await fw("list", folder);
    assert.equal(code, 0, list);
    const ids = [...list.matchAll(/^(messaging:\S+) +messaging +a\/b +1 +\S+ +Error: no use$/gm)].map((
      [, id],
    ) => id!);
    assert.equal(ids.length, 3, list);
    // the file channel and the outbox are told alike
    assert.match(
      (await fw("status", folder))[1],
      /^TARGET +PLACE +WAITING +OLDEST +DEAD\nmessaging +channel +0 +3$/m,
    );
    const [shown, text] = await fw("show", ids[0]!, folder);
    assert.equal(shown, 0);
    assert.match(text, /data: \{\n {2}"n": 1\n\}/);
    assert.match(text, /last error:\nError: no use/);
    const last = async (...args: string[]) => {
      const [code, output] = await fw(...args);
      return [code, output.trimEnd().split("\n").at(-1)];
    };
    assert.deepEqual(await last("discard", ids[1]!, folder), [0, "1 message is removed"]);
    assert.equal((await fw("discard", ids[1]!, folder))[0], 1);
    assert.deepEqual(await last("replay", ids[0]!, folder), [0, "1 message is tried again"]);
    assert.deepEqual(await last("replay", "--all", folder), [0, "1 message is tried again"]);
    assert.deepEqual(await last("list", folder), [0, "No dead letters"]);
    await serve(() => false, async () => {
      for (const end = Date.now() + 60_000; handled.length < 2 && Date.now() < end;) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    });
    assert.deepEqual(handled, [{ n: 1 }, { n: 3 }]);
  }));

Deno.test("fw queue tells which channel it cannot ask, and shows the others", async () => {
  await withLetters(async (folder) => {
    const configuration = JSON.parse(await Deno.readTextFile(`${folder}/.fwrc.json`));
    const away = { kind: "redis-messaging", credentials: { url: "127.0.0.1:1" }, timeoutMs: 200 };
    const requires = { ...configuration.requires, away };
    await Deno.writeTextFile(`${folder}/.fwrc.json`, JSON.stringify({ ...configuration, requires }));
    const [code, output] = await fw("list", folder);
    assert.equal(code, 1);
    assert.match(output, /^away: Redis does not answer$/m);
    assert.match(output, /\n2 dead letters\n$/);
    const [statusCode, states] = await fw("status", folder);
    assert.equal(statusCode, 1);
    assert.match(states, /^messaging +outbox/m);
    const { db } = configuration.requires;
    await Deno.writeTextFile(`${folder}/.fwrc.json`, JSON.stringify({ requires: { db, away } }));
    assert.deepEqual(await fw("status", folder), [1, "away: Redis does not answer\n"]);
  });
});

Deno.test("fw queue status is no failure where nothing waits", () =>
  withProject(SMALL, async (folder) => {
    const requires = {
      db: { kind: "sqlite", credentials: { url: `${folder}/shop.sqlite` } },
      messaging: { kind: "file-based-messaging", file: `${folder}/box` },
    };
    await Deno.writeTextFile(`${folder}/.fwrc.json`, JSON.stringify({ name: "shop", requires }));
    const { runtime } = await loadProject(folder, {
      env: { log: { levels: { default: "silent" } } },
      variables: {},
    });
    await runtime.start();
    await runtime.close();
    const [code, output] = await fw("status", folder);
    assert.equal(code, 0);
    assert.match(output, /^messaging +channel +no subscriber +0$/m);
    assert.deepEqual(await fw("list", folder), [0, "No dead letters\n"]);
  }));
