/** Members of `fw` over the current runtime (api 1): what they give, refuse, and where they go without one of its parts. */

import assert from "node:assert/strict";
import fw from "../../mod.ts";
import { projectPlace } from "../../src/fw/project_place.ts";
import { EventContext, ownerOf } from "../../src/context/event_context.ts";
import { changeable } from "../../src/config/changeable.ts";
import { toEnvironment } from "../../src/config/environment.ts";
import type { RuntimeOptions } from "../../src/fw/runtime.ts";
import { createShop, csnOf, SHOP, withShop } from "./shop.ts";

const NOWHERE = {
  ...{ root: undefined, environment: undefined, isAssigned: false, readEnvironment: undefined },
  cli: { command: "", argv: [], options: {} },
};

/** Runs a test as in a process where no program has said anything of its project, whatever ran in it before. */
async function fromNowhere(test: () => void | Promise<void>): Promise<void> {
  const before = { ...projectPlace };
  Object.assign(projectPlace, NOWHERE);
  try {
    await test();
  } finally {
    Object.assign(projectPlace, before);
  }
}

/** Runs a test with a shop there. */
function inShop(options: Partial<RuntimeOptions>, test: Parameters<typeof withShop>[1]): Promise<void> {
  return fromNowhere(() => withShop(options, test));
}

/** The kit that `fw.test` gives; undefined where none is loaded. */
function loadedKit(): typeof fw.test | undefined {
  try {
    return fw.test;
  } catch {
    return undefined;
  }
}

Deno.test("fw.context takes contexts, members of one, and nothing; it belongs to the current runtime", () =>
  inShop({}, async (runtime) => {
    await fw.tx({ tenant: "t0" }, () => {
      const context = new EventContext({ tenant: "t1" });
      fw.context = context;
      assert.equal(fw.context, context);
      assert.equal(ownerOf(context), runtime);
      fw.context = { tenant: "t2" };
      assert.deepEqual([fw.context!.tenant, ownerOf(fw.context)], ["t2", runtime]);
      fw.context = { context };
      assert.equal(fw.context, context);
      fw.context = undefined;
      assert.equal(fw.context, undefined);
    });
    assert.equal(fw.context, undefined);
  }));

Deno.test("fw.model and fw.app are those of the runtime: others are refused", () =>
  inShop({}, (runtime) => {
    fw.model = runtime.model;
    fw.model = csnOf(SHOP);
    for (const model of [{}, csnOf("service Else {}"), undefined]) {
      assert.throws(() => void (fw.model = model as never), {
        name: "TypeError",
        message: "A runtime has its own model: another one needs a runtime of its own",
      });
    }
    assert.equal(fw.model, runtime.model);
    fw.app = runtime.app;
    assert.throws(() => void (fw.app = {} as never), {
      name: "TypeError",
      message: "Own routes belong to the application that fw.app gives, which is the only one",
    });
    assert.equal(fw.app, runtime.app);
    assert.equal(fw.middlewares, runtime.middlewares);
  }));

Deno.test("fw.requires has entries by their definitions as well, unless there is an entry of that name", () =>
  inShop({
    env: {
      requires: {
        reviews: { kind: "odata", service: "my.Reviews" },
        other: { kind: "odata", service: "taken" },
        taken: { kind: "rest" },
        off: false,
      },
    },
  }, () => {
    const { requires } = fw;
    assert.equal(requires["my.Reviews"], requires.reviews);
    assert.equal(requires.taken!.kind, "rest");
    assert.equal(requires.off as unknown, false);
    assert.equal(Object.hasOwn(fw.env.requires, "my.Reviews"), false);
    assert.equal(fw.protocols.rest!.path, "/rest");
    assert.equal(fw.protocols["odata-v4"]!.path, fw.protocols.odata!.path);
  }));

Deno.test("fw.requires is that of the configuration where no entry has another name", () =>
  inShop({}, () => assert.equal(fw.requires, fw.env.requires)));

Deno.test("fw.env that was assigned stays until it is taken back", () =>
  inShop({}, (runtime) => {
    assert.equal(fw.env, runtime.env);
    const own = toEnvironment({ name: "own" });
    try {
      fw.env = own;
      assert.deepEqual([fw.env, projectPlace.isAssigned], [own, true]);
    } finally {
      fw.env = undefined as never;
    }
    assert.deepEqual([fw.env, projectPlace.isAssigned, projectPlace.environment], [
      runtime.env,
      false,
      undefined,
    ]);
  }));

Deno.test("fw.env that is assigned anew has the changes of required services that were made before", () =>
  inShop({}, () => {
    const first = changeable(toEnvironment({ requires: { db: { kind: "memory" } } }));
    const second = changeable(toEnvironment({ requires: { db: { kind: "memory" } } }));
    try {
      fw.env = first;
      Object.assign(first.requires.db!, { credentials: { url: "own" } });
      fw.env = second;
      assert.deepEqual(fw.env.requires.db!.credentials, { url: "own" });
    } finally {
      fw.env = undefined as never;
    }
  }));

Deno.test("fw.env is the configuration of the folder that was set, where there is no runtime yet; fw.root is that folder", () =>
  inShop({ root: "/project" }, (runtime) => {
    const read = () => toEnvironment({ name: "read" });
    try {
      assert.equal(fw.root, "/project");
      Object.assign(projectPlace, { root: "/own", readEnvironment: read });
      assert.deepEqual([fw.root, fw.env], ["/own", runtime.env]);
    } finally {
      Object.assign(projectPlace, { root: undefined, readEnvironment: undefined });
    }
  }));

Deno.test("fw.test is the kit that a runner of tests brings", () => {
  const hint = 'The test kit is not loaded: run tests with "fw test", or import "@fw/runtime/test" before';
  const kit = Object.assign(() => {}, {}) as unknown as typeof fw.test;
  const loaded = loadedKit();
  try {
    fw.test = undefined as never;
    assert.throws(() => fw.test, { name: "ConfigurationError", message: hint });
    fw.test = kit;
    assert.equal(fw.test, kit);
  } finally {
    fw.test = loaded as never;
  }
});

Deno.test("fw.flush does what is due in the outbox, and is done when that is", () =>
  inShop({}, async (runtime) => {
    let flushed = 0;
    runtime.queue!.flush = async () => {
      await new Promise((resolve) => setTimeout(resolve));
      flushed++;
    };
    await fw.flush();
    assert.equal(flushed, 1);
  }));

Deno.test("fw.exit and fw.shutdown end the process that listens, else the runtime", async () => {
  await inShop({}, async (runtime) => {
    const codes: unknown[] = [];
    runtime.onExit = async (code) => {
      await Promise.resolve();
      codes.push(code);
    };
    await fw.exit(3);
    await fw.shutdown();
    assert.deepEqual(codes, [3, undefined]);
    runtime.onExit = undefined;
    let ended = 0;
    fw.on("shutdown", () => void ended++);
    await fw.exit();
    await fw.shutdown();
    assert.equal(ended, 1);
  });
});

Deno.test("fw.on, once and off register listeners, which fw.emit awaits", () =>
  inShop({}, async () => {
    const seen: unknown[] = [];
    const listener = async (...values: unknown[]) => {
      await Promise.resolve();
      seen.push(values);
    };
    assert.equal(fw.on("mine", listener).once("mine", () => void seen.push("once")), fw);
    await fw.emit("mine", 1, 2);
    await fw.emit("mine", 3);
    assert.deepEqual(seen, ["once", [1, 2], [3]]);
    assert.equal(fw.off("mine", listener), fw);
    await fw.emit("mine", 4);
    assert.equal(seen.length, 3);
  }));

Deno.test("jobs of fw.spawn are kept until they are done, and need a function", () =>
  inShop({}, async (runtime) => {
    const message = "A function is expected as job";
    for (const given of [{}, { user: "x" }]) {
      assert.throws(() => fw.spawn(given), { name: "TypeError", message });
    }
    const user = await new Promise((resolve) => {
      const job = fw.spawn({ user: "jobber" }, (tx) => [fw.context?.user.id, tx.context === fw.context]);
      assert.ok(runtime.jobs.has(job));
      job.on("succeeded", (value) => queueMicrotask(() => resolve(value)));
    });
    assert.deepEqual(user, ["jobber", true]);
    await new Promise((resolve) => setTimeout(resolve));
    assert.equal(runtime.jobs.size, 0);
    const repeated = fw.spawn({ every: 60_000 }, () => {});
    await new Promise((resolve) => setTimeout(resolve));
    assert.ok(runtime.jobs.has(repeated));
  }));

Deno.test("without a database there are transactions and no outbox; flush has nothing to do", () =>
  inShop({ data: undefined, env: { requires: { db: null } } }, async () => {
    assert.equal(await fw.tx({ tenant: "t1" }, (tx) => tx.context.tenant), "t1");
    assert.equal(await fw.transaction(() => "done"), "done");
    assert.equal(fw.queue, undefined);
    assert.equal(await fw.flush(), undefined);
  }));

Deno.test("fw.debug writes only where the level of the component shows it", () =>
  inShop({ env: { log: { levels: { default: "silent", loud: "debug", less: "info" } } } }, () => {
    const lines: unknown[] = [];
    try {
      fw.log.format = (label, level, ...values) => {
        lines.push([label, level, ...values]);
        return [];
      };
      assert.deepEqual([fw.debug("quiet"), fw.debug("less")], [undefined, undefined]);
      fw.debug("loud")!("one", 2);
    } finally {
      fw.log.format = undefined;
    }
    assert.deepEqual(lines, [["loud", fw.log.levels.DEBUG, "one", 2]]);
  }));

Deno.test("fw.server starts the current runtime and gives it", () =>
  fromNowhere(async () => {
    const runtime = createShop();
    try {
      assert.equal(await fw.server(), runtime);
      assert.ok(fw.services["shop.CatalogService"]);
      assert.deepEqual([fw.root, fw.cli.command], [undefined, ""]);
      assert.equal(fw.plugins, projectPlace.plugins);
    } finally {
      await runtime.close();
    }
  }));
