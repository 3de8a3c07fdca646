/** How plugins of existing projects are loaded, change the model, and listen (`docs/guides/from_cap.md`). */

import assert from "node:assert/strict";
import { changeable } from "../../src/config/changeable.ts";
import { toEnvironment } from "../../src/config/environment.ts";
import { addListeners, loadPlugins, pluggedModel, type Plugin } from "../../src/deno/load_plugins.ts";
import { Emitter } from "../../src/fw/emitter.ts";
import { projectPlace } from "../../src/fw/project_place.ts";
import type { Logger } from "../../src/log/logger.ts";
import type { Csn } from "../../src/model/csn.ts";
import { ApplicationService } from "../../src/service/application_service.ts";
import { withProject } from "./project.ts";

/** A configuration that plugins change, with members that only they know. */
function development(more: Readonly<Record<string, unknown>> = {}) {
  return Object.assign(changeable(toEnvironment({}, ["development"])), more);
}

const production = () => toEnvironment({}, ["production"]);

/** What plugins of a test leave behind. */
const seen = globalThis as unknown as { pluginSaw?: unknown[] };

/** Writes plugins by name, and has them listed. */
async function withPlugins(
  texts: Readonly<Record<string, string>>,
  test: (plugins: readonly Plugin[], folder: string) => Promise<void>,
): Promise<void> {
  const names = Object.keys(texts);
  const files = names.map((name) => [`node_modules/${name}/cds-plugin.js`, texts[name]!]);
  seen.pluginSaw = [];
  try {
    await withProject(
      Object.fromEntries(files),
      (folder) =>
        test(names.map((name) => ({ name, file: `${folder}/node_modules/${name}/cds-plugin.js` })), folder),
    );
  } finally {
    delete seen.pluginSaw;
    for (const name of names) delete projectPlace.plugins[name];
  }
}

const CDS = 'const cds = require("@sap/cds");';
const SAW = "globalThis.pluginSaw";

/** Listeners as a runtime has them, with what it warns of. */
function listened(plugins: readonly Plugin[], env = development()) {
  const events = new Emitter();
  const warnings: string[] = [];
  const log = () => ({ warn: (text: string) => void warnings.push(text) }) as unknown as Logger;
  addListeners(plugins, { env, events, log });
  return { events, warnings };
}

Deno.test("a plugin is loaded once, in order, with root and configuration of its project", async () => {
  const text = `${CDS} ${SAW}.push([cds.root, cds.env.color]); module.exports = {};`;
  await withPlugins({ one: text, two: text }, async (plugins, folder) => {
    const before = { ...projectPlace };
    const env = development({ color: "red" });
    assert.deepEqual(await loadPlugins(folder, plugins, env), plugins);
    assert.deepEqual(await loadPlugins("/elsewhere", plugins, env), plugins);
    assert.deepEqual(seen.pluginSaw, [[folder, "red"], [folder, "red"]]);
    const { plugins: known, root, environment } = projectPlace;
    assert.deepEqual([root, environment], [before.root, before.environment]);
    assert.deepEqual([known.one, known.two], plugins.map(({ file }) => ({ impl: file })));
    assert.deepEqual(env.remarks.take(), []);
  });
});

Deno.test("a plugin may export what activates it, which is awaited; else nothing is called", async () => {
  const texts = {
    later: `exports.activate = async (env) => { await null; await null; ${SAW}.push(env.color); };`,
    other: "exports.activate = 'text';",
    empty: "",
  };
  await withPlugins(texts, async (plugins, folder) => {
    const env = development({ color: "red" });
    assert.deepEqual(await loadPlugins(folder, plugins, env), plugins);
    assert.deepEqual(seen.pluginSaw, ["red"]);
  });
});

Deno.test("plugins are switched off all together or by name; those that connect databases are never loaded", async () => {
  const text =
    `${SAW}.push(__filename.split("/node_modules/")[1].split("/cds-plugin")[0]); module.exports = 1;`;
  const engines = ["db-service", "sqlite", "postgres", "hana"].map((name) => `@cap-js/${name}`);
  const names = [...engines, "@cap-js/sqlite-more", "x/@cap-js/sqlite", "plain"];
  const others = names.slice(4);
  const cases: readonly (readonly [setting: unknown, loaded: readonly string[]])[] = [
    [undefined, others],
    [true, others],
    [{}, others],
    [{ plain: true, other: false }, others],
    [{ plain: false }, others.slice(0, 2)],
    [false, []],
    [{ plain: false, "@cap-js/sqlite": true }, others.slice(0, 2)],
  ];
  for (const [setting, expected] of cases) {
    await withPlugins(Object.fromEntries(names.map((name) => [name, text])), async (plugins, folder) => {
      const env = development({ plugins: setting });
      const loaded = await loadPlugins(folder, plugins, env);
      assert.deepEqual(loaded.map(({ name }) => name), expected, JSON.stringify(setting));
      assert.deepEqual(seen.pluginSaw, expected);
      assert.deepEqual(names.filter((name) => projectPlace.plugins[name]), expected);
    });
  }
});

Deno.test("a plugin that cannot be loaded is remarked with the first line of its reason, and stops production", async () => {
  const cases: readonly (readonly [text: string, reason: string])[] = [
    ['module.exports = 1; throw new Error("first\\nsecond");', "first"],
    ['module.exports = 1; throw "a text";', "a text"],
    ['exports.activate = () => Promise.reject(new Error("inactive"));', "inactive"],
    ['require("@sap/cds/libx/x");', 'Nothing stands in for "@sap/cds/libx/x", which is no interface'],
  ];
  for (const [text, reason] of cases) {
    await withPlugins({ bad: text, good: "" }, async (plugins, folder) => {
      const env = development();
      const place = { ...projectPlace };
      const loaded = await loadPlugins(folder, plugins, env);
      assert.deepEqual(loaded.map(({ name }) => name), ["good"]);
      assert.deepEqual(env.remarks.take(), [
        `The plugin bad cannot be loaded: ${reason}; what it adds is missing, "plugins": { "bad": false } switches it off`,
      ]);
      assert.deepEqual(projectPlace, { ...place, plugins: projectPlace.plugins });
      assert.equal(projectPlace.plugins.bad, undefined);
      const message = new RegExp(`The plugin bad cannot be loaded: ${reason.replaceAll("/", "\\/")}$`);
      await assert.rejects(loadPlugins(folder, plugins, production()), {
        name: "ConfigurationError",
        message,
      });
    });
  }
});

Deno.test("internals may be asked for again when plugins are loaded, also where one failed", async () => {
  await withPlugins({ bad: 'throw new Error("no");' }, async (plugins, folder) => {
    await loadPlugins(folder, plugins, development());
    const file = `${folder}/node_modules/bad/later.js`;
    await Deno.writeTextFile(
      file,
      `${SAW}.push(typeof require("@sap/cds/libx/inside")); module.exports = 1;`,
    );
    await import(`file://${file}`);
    assert.deepEqual(seen.pluginSaw?.length, 1);
  });
});

const MODEL: Csn = {
  definitions: { "a.B": { kind: "entity", elements: { ID: { key: true, type: "cds.Integer" } } } },
};

function located(): Csn {
  const definitions = Object.fromEntries(
    Object.entries(MODEL.definitions!).map(([name, definition]) => [
      name,
      Object.defineProperty({ ...definition }, "$location", { value: { file: "a.cds", line: 1 } }),
    ]),
  );
  return { definitions } as Csn;
}

Deno.test("plugins change a copy of the model by their events in order, one after the other; positions stay hidden", async () => {
  const events = ["compile.to.edmx", "compile.to.dbx", "compile.for.runtime", "loaded"];
  const noting = (own: string) =>
    `${CDS} for (const event of ${JSON.stringify(events)}) {
  cds.on(event, (csn) => { ${SAW}.push(event); (csn.definitions["a.B"]["@${own}"] ??= []).push(event); });
}`;
  const texts = {
    first: noting("first"),
    quiet: `${CDS} cds.on("served", () => ${SAW}.push("served"));`,
    last: noting("last"),
    never: "",
  };
  await withPlugins(texts, async (plugins, folder) => {
    const env = development();
    await loadPlugins(folder, plugins, env);
    const model = located();
    const changed = pluggedModel(plugins, model, env);
    const inOrder = events.toReversed();
    assert.deepEqual(seen.pluginSaw, [...inOrder, ...inOrder]);
    const definition = changed.definitions!["a.B"] as unknown as Record<string, unknown>;
    assert.deepEqual([definition["@first"], definition["@last"]], [inOrder, inOrder]);
    assert.deepEqual(Object.getOwnPropertyDescriptor(definition, "$location")?.enumerable, false);
    assert.equal((definition.$location as { file: string }).file, "a.cds");
    assert.deepEqual(Object.keys(model.definitions!["a.B"]!), ["kind", "elements"]);
    // they are no events of the runtime
    const { events: own } = listened(plugins, env);
    assert.deepEqual([...events, "served"].map((event) => own.has(event)), [
      false,
      false,
      false,
      false,
      true,
    ]);
    const [, quiet, , never] = plugins;
    for (const none of [[quiet!], [never!], [{ name: "x", file: "/nowhere" }], []]) {
      assert.equal(pluggedModel(none, model, env), model);
    }
  });
});

Deno.test("a plugin whose change of the model fails leaves it as it was, and stops production", async () => {
  const texts = {
    bad:
      `${CDS} cds.on("loaded", (csn) => { delete csn.definitions["a.B"]; throw new Error("half done"); });`,
    good: `${CDS} cds.on("loaded", (csn) => { csn.definitions["a.B"]["@seen"] = true; });`,
  };
  await withPlugins(texts, async (plugins, folder) => {
    const env = development();
    await loadPlugins(folder, plugins, env);
    const { definitions } = pluggedModel(plugins, MODEL, env);
    assert.equal((definitions!["a.B"] as unknown as Record<string, unknown>)["@seen"], true);
    const [remark, ...others] = env.remarks.take();
    assert.match(remark!, /^The plugin bad fails in "loaded": half done; what it adds is missing/);
    assert.deepEqual(others, []);
    const message = /The plugin bad fails in "loaded": half done$/;
    assert.throws(() => pluggedModel(plugins, MODEL, production()), { name: "ConfigurationError", message });
  });
});

Deno.test("listeners of a plugin are called until one of them fails; those of others go on", async () => {
  const text = (own: string) =>
    `${CDS} cds.on("served", async (value) => { ${SAW}.push("${own} " + value); if (value === "bad ${own}") throw new Error("no"); });
cds.once("shutdown", () => ${SAW}.push("${own} ends"));`;
  await withPlugins({ one: text("one"), two: text("two") }, async (plugins, folder) => {
    const env = development();
    await loadPlugins(folder, plugins, env);
    const { events, warnings } = listened([...plugins, { name: "absent", file: "/nowhere" }], env);
    for (const value of ["good", "bad one", "good"]) await events.emit("served", value);
    for (let i = 0; i < 2; i++) await events.emit("shutdown");
    const heard = ["one good", "two good", "one bad one", "two bad one", "two good", "two ends"];
    assert.deepEqual(seen.pluginSaw, heard);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0]!, /^The plugin one fails in "served": no; what it adds is missing/);
    const strict = listened(plugins, production());
    await assert.rejects(strict.events.emit("served", "bad one"), /The plugin one fails in "served": no$/);
    assert.deepEqual(strict.warnings, []);
  });
});

Deno.test("what a plugin adds to the class of services is called for services of applications of its projects only", async () => {
  const members = ApplicationService as unknown as Record<string, unknown>;
  members.handle_before = () => assert.fail("it was there before");
  try {
    const text = `${CDS}
cds.ApplicationService.handle_own = function (srv) { ${SAW}.push([this === srv, this.name]); return Promise.resolve(); };
cds.ApplicationService.handle_text = "no function";
cds.ApplicationService.other_own = () => {};`;
    await withPlugins({ adding: text }, async (plugins, folder) => {
      await loadPlugins(folder, plugins, development());
      const added = ["handle_before", "handle_own", "handle_text", "other_own"].map((name) =>
        name in members
      );
      assert.deepEqual(added, [true, false, false, true]);
      const { events, warnings } = listened(plugins);
      const service = Object.assign(Object.create(ApplicationService.prototype), {});
      Object.defineProperty(service, "name", { value: "Shop" });
      await events.emit("serving", service);
      await events.emit("serving", { name: "other" });
      assert.deepEqual(seen.pluginSaw, [[true, "Shop"]]);
      assert.deepEqual(warnings, []);
    });
  } finally {
    delete members.handle_before;
    delete members.other_own;
  }
});
