/**
 * The test kit of existing projects: `cds.test(folder)` (api 10).
 *
 * @module
 */

import assert from "node:assert/strict";
import { currentRuntime, setLatestRuntime } from "../../src/fw/current.ts";
import { fw } from "../../src/fw/facade.ts";
import { projectPlace } from "../../src/fw/project_place.ts";
import { testKit } from "../../src/fw/test_kit.ts";
import { assert as chai } from "../../src/test/expect/chai_assert.ts";
import { expect, fwTest, ProjectTest } from "../../src/test/mod.ts";
import { SMALL, withProject } from "../deno/project.ts";
import { createShop } from "../fw/shop.ts";

const { "srv/cat_service.ts": _typed, ...PROJECT } = SMALL;

type Hook = () => unknown;
type Hooks = Readonly<Record<"beforeAll" | "beforeEach" | "afterEach" | "afterAll", Hook[]>>;

/** Runs a test as if it were a file of its own, whose hooks it gets; afterwards all is as it was. */
async function inFile(test: (hooks: Hooks) => Promise<void> | void): Promise<void> {
  const before = { ...projectPlace, plugins: undefined };
  const options = { ...fw.options };
  const hooks: Hooks = { beforeAll: [], beforeEach: [], afterEach: [], afterAll: [] };
  const globals = globalThis as Record<string, unknown>;
  for (const [name, list] of Object.entries(hooks)) globals[name] = (hook: Hook) => void list.push(hook);
  Object.assign(projectPlace, { root: undefined, environment: undefined, isAssigned: false });
  try {
    await test(hooks);
  } finally {
    for (const name of Object.keys(hooks)) delete globals[name];
    const { plugins: _, ...place } = before;
    Object.assign(projectPlace, place);
    for (const name of Object.keys(fw.options)) delete (fw.options as Record<string, unknown>)[name];
    Object.assign(fw.options, options);
  }
}

/** Runs a test as a file beside a project. */
function withFile(
  test: (folder: string, hooks: Hooks) => Promise<void> | void,
  files: Readonly<Record<string, string>> = {},
): Promise<void> {
  return withProject({ ...PROJECT, ...files }, (folder) => inFile((hooks) => test(folder, hooks)));
}

const BOOKS = "/odata/v4/cat/Books";
const COUNT = `${BOOKS}/$count`;

Deno.test("the words of a test say where the project is, and what its command was", () =>
  withFile((folder) => {
    const all = { command: "serve", argv: ["all"], options: {} };
    const cases:
      readonly (readonly [words: readonly string[], root: string | undefined, argv: readonly string[]])[] = [
        [[], undefined, ["all"]],
        [["serve"], undefined, []],
        [["serve", "srv", "--in-memory"], undefined, ["srv", "--in-memory"]],
        [["run"], undefined, ["all"]],
        [[folder], folder, ["all"]],
        [[`${folder}/srv`, "more"], `${folder}/srv`, ["all"]],
      ];
    for (const [words, root, argv] of cases) {
      projectPlace.root = undefined;
      const test = new ProjectTest();
      assert.equal(test.run(...words), test);
      assert.deepEqual([projectPlace.root, projectPlace.cli], [root, { ...all, argv }]);
    }
    const { in_memory, from } = fw.options as Readonly<Record<string, unknown>>;
    assert.deepEqual([in_memory, from], [true, ["*"]]);
  }));

Deno.test("in() moves to a folder that counts from the current one, or stays", () =>
  withFile((folder) => {
    const test = new ProjectTest();
    assert.equal(test.in(), test);
    assert.equal(projectPlace.root, undefined);
    test.in("src", "test");
    assert.equal(projectPlace.root, `${Deno.cwd()}/src/test`);
    assert.equal(test.in(folder), test);
    assert.equal(projectPlace.root, folder);
    test.in("srv", "../db");
    assert.equal(projectPlace.root, `${folder}/db`);
    test.in();
    assert.equal(projectPlace.root, `${folder}/db`);
  }));

Deno.test("a tested project starts before its first test, is the current one, and ends with the last", () =>
  withFile(async (folder, hooks) => {
    const other = createShop();
    try {
      const test = fwTest(folder);
      assert.deepEqual([hooks.beforeAll.length, hooks.afterAll.length, hooks.beforeEach.length], [1, 1, 0]);
      const client = await test.client();
      setLatestRuntime(other);
      await hooks.beforeAll[0]();
      assert.equal(currentRuntime(), client.runtime);
      assert.equal(await test.client(), client);
      assert.equal((await test.GET(COUNT)).data, 2);
      await hooks.afterAll[0]();
      const next = await test.client();
      assert.notEqual(next, client);
      await test.close();
      await test.close();
    } finally {
      await other.close();
    }
  }));

Deno.test("a tested project stays where it was when its test began, another begins where files moved to", () =>
  withProject(
    { "db/schema.cds": "service Other { function f() returns String; }" },
    (elsewhere) =>
      withFile(async (folder) => {
        const test = new ProjectTest().run(folder);
        const late = new ProjectTest();
        late.in(elsewhere);
        const { runtime } = await test.client();
        assert.equal(projectPlace.root, folder);
        assert.deepEqual([runtime.root, "Other" in runtime.model.definitions], [folder, false]);
        await test.close();
        late.in(elsewhere);
        const { runtime: another } = await late.client();
        assert.deepEqual([another.root, "Other" in another.model.definitions], [elsewhere, true]);
        await late.close();
      }),
  ));

Deno.test("without a folder the project is that of the working directory", () =>
  inFile(async () => {
    const test = new ProjectTest();
    const started = await test.client().catch(() => undefined);
    assert.equal(projectPlace.root, Deno.cwd());
    assert.equal(started?.runtime.root ?? Deno.cwd(), Deno.cwd());
    await test.close();
  }));

Deno.test("only model files that the words name are those of the project", () =>
  withFile(async (folder) => {
    projectPlace.root = folder;
    const test = new ProjectTest().run("serve", "db/schema");
    const { runtime } = await test.client();
    assert.deepEqual(
      ["shop.Books" in runtime.model.definitions, "CatService" in runtime.model.definitions],
      [true, false],
    );
    await test.close();
  }));

Deno.test("a project starts with the configuration that was changed before, and keeps it", () =>
  withFile(async (folder) => {
    const test = new ProjectTest().run(folder);
    const environment = projectPlace.readEnvironment!(folder) as unknown as { own?: unknown };
    environment.own = 1;
    Object.assign(projectPlace, { environment });
    const { runtime } = await test.client();
    assert.equal((runtime.env as unknown as { own?: unknown }).own, 1);
    assert.equal(projectPlace.environment, environment);
    await test.close();
    projectPlace.environment = undefined;
    await test.client();
    assert.ok(projectPlace.environment);
    await test.close();
  }));

Deno.test("plugins of a project are loaded before it starts, and its server.js hears that it listens", () =>
  withFile(async (folder) => {
    const globals = globalThis as { heard?: unknown[] };
    const heard: unknown[] = globals.heard = [];
    try {
      const test = new ProjectTest().run(folder);
      await test.client();
      assert.deepEqual(heard, ["plugin", "server", "served", test.url, test.server.address().port]);
      assert.equal(projectPlace.plugins.plugged?.impl, `${folder}/node_modules/plugged/cds-plugin.js`);
      await test.close();
    } finally {
      delete globals.heard;
      delete projectPlace.plugins.plugged;
    }
  }, {
    "package.json": JSON.stringify({ name: "listening", dependencies: { plugged: "*" } }),
    "node_modules/plugged/package.json": JSON.stringify({ name: "plugged", version: "1.0.0" }),
    "node_modules/plugged/cds-plugin.js": `exports.activate = async () => {
  await new Promise((resolve) => setTimeout(resolve, 20));
  heard.push("plugin");
};
`,
    "server.js": `const cds = require("@sap/cds");
heard.push("server");
cds.on("served", async () => {
  await new Promise((resolve) => setTimeout(resolve, 20));
  heard.push("served");
});
cds.on("listening", async ({ server, url }) => {
  await new Promise((resolve) => setTimeout(resolve, 20));
  heard.push(url, server.address().port);
});
`,
  }));

Deno.test("the functions of a test send requests of their methods, with its defaults", () =>
  withFile(async (folder) => {
    const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE, DEL, axios, data, ...test } = fwTest(folder);
    assert.equal(DEL, DELETE);
    assert.equal((await POST(BOOKS, { ID: 3, title: "Lady Susan" })).status, 201);
    assert.equal((await PATCH(`${BOOKS}(3)`, { title: "a" })).status, 200);
    assert.equal((await GET<{ title: string }>`${BOOKS}(${3})`).data.title, "a");
    assert.equal((await PUT(`${BOOKS}(3)`, { title: "b" })).status, 200);
    assert.equal((await DELETE(`${BOOKS}(3)`)).status, 204);
    assert.equal((await HEAD(BOOKS)).data, undefined);
    await assert.rejects(async () => await OPTIONS("/odata/v4/nothing"), /404|405/);
    await POST(BOOKS, { ID: 3 });
    await data.reset();
    assert.equal((await GET(COUNT)).data, 2);
    axios.defaults = { params: { $top: 1 } };
    const lengthOf = async (...more: readonly unknown[]) =>
      (await GET<{ value: unknown[] }>(BOOKS, ...more)).data.value.length;
    assert.deepEqual([await lengthOf(), await lengthOf({ params: {} })], [1, 2]);
    Object.assign(axios.defaults, { params: { $top: 0 } });
    assert.equal(await lengthOf(), 0);
    assert.ok(test.expect === expect);
    await fwTest.close();
  }));

Deno.test("autoReset() restores the initial rows before each test", () =>
  withFile(async (folder, hooks) => {
    const test = fwTest(folder);
    test.data.autoReset();
    assert.equal(hooks.beforeEach.length, 1);
    await test.POST(BOOKS, { ID: 3 });
    await hooks.beforeEach[0]();
    assert.equal((await test.GET(COUNT)).data, 2);
    await test.close();
    delete (globalThis as { beforeEach?: unknown }).beforeEach;
    test.data.autoReset();
  }));

Deno.test("awaiting a test starts it, with a server that ends with it", () =>
  withFile(async (folder) => {
    const test = fwTest(folder);
    const started =
      await (test as unknown as PromiseLike<{ url: string; server: { address(): { port: number } } }>);
    assert.equal(started.url, test.url);
    assert.equal(started.url, `http://localhost:${started.server.address().port}`);
    const answer = await fetch(started.url.replace("localhost", "127.0.0.1") + COUNT);
    assert.equal(await answer.text(), "2");
    await test.server.close();
    await assert.rejects(fetch(started.url.replace("localhost", "127.0.0.1") + COUNT));
  }));

Deno.test("a test that ends answers the requests that its server has got, then ends the project", () =>
  withFile(async (folder) => {
    const globals = globalThis as { heard?: unknown[]; arrived?: () => void };
    const heard: unknown[] = globals.heard = [];
    const arrival = new Promise<void>((resolve) => globals.arrived = resolve);
    try {
      const test = new ProjectTest().run(folder);
      const { runtime } = await test.client();
      runtime.events.on("shutdown", async () => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        heard.push("shutdown");
      });
      const answer = fetch(`${test.url.replace("localhost", "127.0.0.1")}/odata/v4/cat/hello()`);
      await arrival;
      await test.close();
      assert.deepEqual(heard, ["answered", "shutdown"]);
      assert.equal((await (await answer).json()).value, "late");
    } finally {
      delete globals.heard;
      delete globals.arrived;
    }
  }, {
    "srv/cat_service.js": `module.exports = (srv) => srv.on("hello", async () => {
  arrived();
  await new Promise((resolve) => setTimeout(resolve, 20));
  heard.push("answered");
  return "late";
});
`,
  }));

Deno.test("a project that does not start makes requests fail, and its end is none", () =>
  withFile(async (folder) => {
    const test = fwTest(folder);
    await assert.rejects(async () => await test.GET(BOOKS), /schema|Nothing/);
    await test.close();
  }, { "db/schema.cds": "using { Nothing } from './nowhere';" }));

Deno.test("log() captures the console between the first and the last test, and forgets after each", () =>
  inFile((hooks) => {
    const { log: original } = console;
    const said: unknown[] = [];
    console.log = (text: unknown) => void said.push(text);
    const { log: quiet } = console;
    try {
      const captured = new ProjectTest().log();
      console.log("before");
      assert.deepEqual([captured.output, said], ["", ["before"]]);
      captured.clear();
      hooks.afterEach[0]();
      for (const _ of [1, 2]) hooks.beforeAll[0]();
      console.log("one");
      assert.equal(captured.output, "one\n");
      hooks.afterEach[0]();
      assert.equal(captured.output, "");
      console.log("two");
      captured.clear();
      console.log("three");
      assert.equal(captured.output, "three\n");
      hooks.afterAll[0]();
      assert.deepEqual([captured.output, console.log, said], ["", quiet, ["before"]]);
      captured.release();
    } finally {
      console.log = original;
    }
  }));

Deno.test("log() captures at once where there are no hooks", () =>
  inFile(() => {
    for (const name of ["beforeAll", "afterAll", "afterEach"]) {
      delete (globalThis as Record<string, unknown>)[name];
    }
    const { log } = console;
    {
      using captured = new ProjectTest().log();
      console.log("at once");
      assert.equal(captured.output, "at once\n");
    }
    assert.equal(console.log, log);
  }));

Deno.test("asking for should gives all values that member", () => {
  try {
    const { should } = new ProjectTest();
    should.exist(1);
    assert.throws(() => should.not.exist(1), assert.AssertionError);
    assert.equal("should" in {}, true);
  } finally {
    delete (Object.prototype as { should?: unknown }).should;
  }
});

Deno.test("spy() counts the calls of a method, which it calls, until it is restored", () => {
  const holder = {
    factor: 2,
    times(n: number, more = 0) {
      return this.factor * n + more;
    },
  };
  const { times } = holder;
  const spy = new ProjectTest().spy(holder, "times");
  assert.equal(spy.called, 0);
  assert.deepEqual([holder.times(2), holder.times(3, 1), spy.called], [4, 7, 2]);
  spy.restore();
  assert.deepEqual([holder.times, holder.times(1), spy.called], [times, 2, 2]);
});

Deno.test("the kit has what its test has, and begins a new one with each project", () =>
  withFile(async (folder) => {
    assert.equal(testKit(), fwTest);
    assert.equal(fwTest.constructor, ProjectTest);
    assert.equal((fwTest as unknown as { Test: unknown }).Test, ProjectTest);
    assert.equal(fwTest.expect, expect);
    assert.deepEqual(Object.values(fwTest.chai).slice(0, 2), [expect, chai]);
    assert.equal(fwTest.cds, fw);
    const first = fwTest.in(folder);
    assert.ok(first instanceof ProjectTest);
    assert.equal(projectPlace.root, folder);
    assert.deepEqual([fwTest.test, fwTest.GET, fwTest.axios], [first, first.GET, first.axios]);
    const { silent, client, close } = fwTest;
    assert.equal(silent(), first);
    assert.equal(await client(), await first.client());
    await close();
    const second = fwTest.run(folder);
    assert.notEqual(second, first);
    assert.equal(fwTest.test, second);
    const own = fwTest(folder);
    assert.notEqual(own, second);
    assert.equal(own.test, own);
    assert.equal(fwTest.test, second);
    assert.equal(await fwTest.sleep(0), undefined);
  }));
