/** Which files implement services, and what of them does. */

import assert from "node:assert/strict";
import type { Environment } from "../../src/config/environment.ts";
import { Remarks } from "../../src/config/remarks.ts";
import { findImplementations, loadImplementations } from "../../src/deno/load_handlers.ts";
import type { CsnDefinition } from "../../src/model/csn.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { withProject } from "./project.ts";

const ANY = "export default () => {};";

/** What implements each service of a project, by paths from its root. */
async function found(
  services: Readonly<
    Record<string, { readonly file?: string; readonly [annotation: `@${string}`]: unknown }>
  >,
  files: readonly string[],
  env: Partial<Environment> = {},
): Promise<Readonly<Record<string, string>>> {
  let result = {};
  await withProject({ ...Object.fromEntries(files.map((file) => [file, ANY])), "x": "" }, (folder) => {
    const definitions = Object.entries(services).map(([name, { file, ...annotations }]) => {
      const place = file === undefined
        ? {}
        : { $location: { file: file.replace(/^\//, `${folder}/`), line: 1, col: 1 } };
      return [name, { kind: "service", ...annotations, ...place } as CsnDefinition];
    });
    const model = linkModel({ definitions: Object.fromEntries(definitions) });
    try {
      const all = findImplementations(folder, model, env as Environment);
      result = Object.fromEntries(
        all.map(({ service, file }) => [service.name, file.slice(folder.length + 1)]),
      );
    } catch (error) {
      throw Object.assign(error as Error, { message: (error as Error).message.replaceAll(folder, "…") });
    }
  });
  return result;
}

Deno.test("a service is implemented beside its model file under the same name, in TypeScript before JavaScript", async () => {
  const endings = ["cds", "ts", "js", "mjs", "cjs"].map((ending) => `srv/cat.${ending}`);
  for (const first of [1, 2, 3, 4]) {
    const files = [endings[0]!, ...endings.slice(first)];
    assert.deepEqual(await found({ Cat: { file: "/srv/cat.cds" } }, files), { Cat: endings[first] });
    // a compiled model names files from the root
    assert.deepEqual(await found({ Cat: { file: "srv/cat.cds" } }, files), { Cat: endings[first] });
  }
  const services = {
    A: { file: "/srv/a.csn" },
    B: { file: "/srv/b.json" },
    C: { file: "/srv/c.cds" },
    D: {},
  };
  assert.deepEqual(await found(services, ["srv/a.ts", "srv/b.js", "lib/c.ts"]), {
    A: "srv/a.ts",
    B: "srv/b.js",
  });
  // what ends otherwise is not its own implementation
  assert.deepEqual(await found({ A: { file: "/srv/a.ts" } }, ["srv/a.ts"]), {});
});

Deno.test("services of other systems are not implemented", async () => {
  const services = {
    A: { file: "/srv/a.cds", "@cds.external": true },
    B: { file: "/srv/a.cds", "@cds.external": false },
  };
  assert.deepEqual(await found(services, ["srv/a.ts"]), { B: "srv/a.ts" });
});

Deno.test("@impl and the configuration name implementations: from the model file with a dot, else from the root", async () => {
  const files = [
    "srv/cat.ts",
    "srv/own.ts",
    "own.ts",
    "lib/own.mjs",
    "srv/lib/own.js",
    "srv/deep.cts",
    "far/x.mts",
  ];
  const impl = async (named: unknown, file: string | undefined = "/srv/cat.cds") =>
    (await found({ Cat: { ...file !== "" && { file }, "@impl": named } }, files)).Cat;
  const table: readonly (readonly [unknown, string])[] = [
    ["./own.ts", "srv/own.ts"],
    ["./own", "srv/own.ts"],
    ["own.ts", "own.ts"],
    ["own", "own.ts"],
    ["lib/own", "lib/own.mjs"],
    ["./lib/own", "srv/lib/own.js"],
    ["./own.js", "srv/own.ts"],
    ["./deep.cjs", "srv/deep.cts"],
    ["far/x.mjs", "far/x.mts"],
    ["srv/lib/own.js", "srv/lib/own.js"],
    [true, "srv/cat.ts"],
  ];
  for (const [named, file] of table) assert.equal(await impl(named), file, String(named));
  assert.equal(await impl("../own", "/srv/lib/cat.cds"), "srv/lib/../own.ts");
  assert.equal(await impl("./own", ""), "own.ts");
  const env = { services: { Cat: { impl: "lib/own" }, Other: undefined } };
  const services = { Cat: { file: "/srv/cat.cds", "@impl": "own" }, Other: { file: "/srv/own.cds" } };
  assert.deepEqual(await found(services, files, env), { Cat: "lib/own.mjs", Other: "srv/own.ts" });
});

Deno.test("a named implementation that is not there stops the start, with the model file", async () => {
  await assert.rejects(found({ Cat: { file: "/srv/cat.cds", "@impl": "./none" } }, []), {
    name: "ConfigurationError",
    message: "…/srv/cat.cds: Expected the implementation …/srv/none, but there is no such file",
  });
  await assert.rejects(found({ Cat: { "@impl": "./none.js" } }, []), {
    message: "Expected the implementation …/none.js, but there is no such file",
  });
});

interface Loaded {
  readonly names: Readonly<Record<string, string>>;
  readonly remarks: readonly string[];
}

/** The names of what implements services, whose files are given by name; `withRemarks` stands for a start. */
async function loaded(
  services: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>>,
  env: { readonly isLenient?: boolean; readonly withRemarks?: boolean } = {},
): Promise<Loaded> {
  const { isLenient, withRemarks = true } = env;
  const remarks = new Remarks();
  const definitions = Object.keys(services).map((name) => [name, { kind: "service" } as CsnDefinition]);
  const model = linkModel({ definitions: Object.fromEntries(definitions) });
  let names = {};
  await withProject(files, async (folder) => {
    const all = model.services.map((service) => ({ service, file: `${folder}/${services[service.name]}` }));
    const found = await loadImplementations(all, { isLenient, ...withRemarks && { remarks } });
    names = Object.fromEntries(
      Object.entries(found).map(([name, one]) => [name, (one as { name: string }).name]),
    );
  });
  return { names, remarks: remarks.take().map((text) => text.slice(text.indexOf(": ") + 2)) };
}

const HEAD = 'import fw from "@fw/runtime";\n';
const CLASS = (name: string) => `export class ${name} extends fw.ApplicationService {}\n`;

Deno.test("each service has the class or function that its file exports for it, by name or as default", async () => {
  const files = {
    "a.ts": HEAD + CLASS("A") + CLASS("B") + "export const other = 1;",
    "d.cjs": "module.exports = function d() {};",
    "e.ts": "export default function e() {}",
  };
  assert.deepEqual(await loaded({ "my.A": "a.ts", B: "a.ts", C: "a.ts", D: "d.cjs", E: "e.ts" }, files), {
    names: { "my.A": "A", B: "B", D: "d", E: "e" },
    remarks: [],
  });
});

Deno.test("a file that exports nothing implements nothing, which a start remarks", async () => {
  const nothing = "The file exports nothing, neither a class nor a function: its handlers are not registered";
  const files = { "a.ts": "const a = 1;\nvoid a;", "b.cjs": "module.exports = {};", "c.ts": "export {};" };
  assert.deepEqual(await loaded({ A: "a.ts", B: "b.cjs", C: "c.ts" }, files), {
    names: {},
    remarks: [nothing, nothing, nothing],
  });
  await assert.rejects(loaded({ A: "a.ts" }, files, { withRemarks: false }), {
    name: "ConfigurationError",
    message:
      /\/a\.ts: The implementation of A must export a class or function "A" or a default, but exports nothing$/,
  });
});

Deno.test("in existing projects the only class of a file implements its service whatever its name", async () => {
  const files = {
    "a.ts": HEAD + CLASS("Other"),
    "b.ts": HEAD + CLASS("B") + CLASS("More"),
    "c.ts": HEAD + CLASS("X"),
  };
  const own = { A: "a.ts", B: "b.ts" };
  assert.deepEqual(await loaded(own, files, { isLenient: true }), {
    names: { A: "Other", B: "B" },
    remarks: ['"Other" implements A, which has another name'],
  });
  assert.deepEqual((await loaded(own, files, { isLenient: true, withRemarks: false })).names, {
    A: "Other",
    B: "B",
  });
  await assert.rejects(loaded(own, files), {
    name: "ConfigurationError",
    message: /implementation of A must export/,
  });
  await assert.rejects(loaded({ C: "c.ts", D: "c.ts" }, files, { isLenient: true }), {
    name: "ConfigurationError",
    message: /implementation of [CD] must export/,
  });
});

Deno.test("an implementation that cannot be loaded is told with its place", async () => {
  await assert.rejects(loaded({ A: "a.ts" }, { "a.ts": "\nthrow new Error('no');" }), {
    name: "ConfigurationError",
    message: /\/a\.ts:2:\d+: The implementation cannot be loaded: no$/,
  });
});
