/** Files that look like handlers and belong to no service (api 3). */

import assert from "node:assert/strict";
import { strayHandlers } from "../../src/deno/stray_handlers.ts";
import type { CsnDefinition } from "../../src/model/csn.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { withProject } from "./project.ts";

const HANDLERS = "class Any extends fw.ApplicationService {}";

interface Given {
  /** Names of services by the files of their models. */
  readonly services?: Readonly<Record<string, string>>;
  readonly found?: readonly string[];
  readonly srv?: string;
  readonly external?: boolean;
}

/** What is remarked of files. */
async function remarks(
  files: Readonly<Record<string, string>>,
  given: Given = {},
): Promise<readonly string[]> {
  const { services = { "my.CatService": "/p/srv/cat.cds" }, found = [], srv = "srv", external = false } =
    given;
  const definitions = Object.entries(services).map(([name, file]) => {
    const place = file === "" ? {} : { $location: { file, line: 1, col: 1 } };
    return [name, { kind: "service", "@cds.external": external, ...place } as CsnDefinition];
  });
  const model = linkModel({ definitions: Object.fromEntries(definitions) });
  const service = model.services[0]!;
  let told: readonly string[] = [];
  await withProject({ ...files, "x": "" }, (root) => {
    const loaded = found.map((file) => ({ service, file: `${root}/${file}` }));
    told = strayHandlers({ root, srv, model, found: loaded });
  });
  return told.map((text) => text.replace(" has handlers, but belongs to no service, and is not loaded", ""));
}

/** The names of the files that are remarked. */
async function strays(names: readonly string[], given: Given = {}): Promise<readonly string[]> {
  const told = await remarks(Object.fromEntries(names.map((name) => [name, HANDLERS])), given);
  return told.map((text) => text.slice(0, text.search(/[;:]/)));
}

const BESIDE = ": it is found beside the model file of its service, under the same name, or named by @impl";

Deno.test("modules of the folder for services and of the folders in it are looked at, tests and types are not", async () => {
  const files = [
    ...["srv/a.ts", "srv/b.js", "srv/c.mjs", "srv/d.cts", "srv/in/e.cjs", "srv/in/deep/f.ts", "lib/g.ts"],
    ...[
      "srv/h.d.ts",
      "srv/i.test.ts",
      "srv/j_test.js",
      "srv/k.spec.js",
      "srv/l.cds",
      "srv/m.css",
      "srv/n.jsx",
    ],
    ...[
      "srv/external/o.ts",
      "srv/node_modules/p.ts",
      "srv/.hidden/q.ts",
      "srv/server.ts",
      "srv/in/server.js",
    ],
    ...["srv/contest.ts", "srv/externals/r.ts"],
  ];
  assert.deepEqual(await strays(files), [
    ...[
      "srv/a.ts",
      "srv/b.js",
      "srv/c.mjs",
      "srv/contest.ts",
      "srv/d.cts",
      "srv/externals/r.ts",
      "srv/in/e.cjs",
    ],
  ]);
  assert.deepEqual(await strays(files, { srv: "lib" }), ["lib/g.ts"]);
  assert.deepEqual(await strays(files, { srv: "none" }), []);
});

Deno.test("files that implement services, and what those were compiled from or to, are no strays", async () => {
  assert.deepEqual(await strays(["srv/cat.ts", "srv/cat.js", "srv/other.ts"], { found: ["srv/cat.ts"] }), [
    "srv/other.ts",
  ]);
  assert.deepEqual(await strays(["srv/cat.ts", "srv/in/cat.ts"], { found: ["srv/cat.ts"] }), [
    "srv/in/cat.ts",
  ]);
  assert.deepEqual(await strays(["srv/cat.ts"], { found: ["srv/cat.ts"] }), []);
});

Deno.test("what looks like an implementation and is imported by nobody is a stray", async () => {
  const looks = [
    "class A extends fw.ApplicationService {}",
    "class A extends ApplicationService{}",
    "module.exports = cds.service.impl(() => {})",
    "function f(srv) { srv.on('x', () => 1) }",
    "init() { this.before ('x', () => 1) }",
    "service.after('x')",
  ];
  for (const text of looks) {
    assert.deepEqual(await remarks({ "srv/zebra.ts": text }), [`srv/zebra.ts${BESIDE}`], text);
  }
  for (
    const text of ["", "class A extends Base {}", "other.on('x')", "class ApplicationServices extends A {}"]
  ) {
    assert.deepEqual(await remarks({ "srv/zebra.ts": text }), [], text);
  }
  const zebra = { "srv/zebra.ts": `${HANDLERS} // see srv/zebra` };
  assert.deepEqual(await remarks(zebra), [`srv/zebra.ts${BESIDE}`], "it does not import itself");
  assert.deepEqual(
    await remarks({ ...zebra, "srv/cat.ts": 'import "./zebra.ts";' }, { found: ["srv/cat.ts"] }),
    [],
  );
  assert.deepEqual(await remarks({ ...zebra, "srv/cat.ts": 'import "zebra";' }, { found: ["srv/cat.ts"] }), [
    `srv/zebra.ts${BESIDE}`,
  ]);
});

Deno.test("a remark names the file that may be meant, by the model file or the name of a service", async () => {
  const told = async (name: string, given: Given = {}) => (await remarks({ [name]: HANDLERS }, given))[0];
  assert.equal(await told("srv/cats.ts"), 'srv/cats.ts; did you mean "cat.ts" for "my.CatService"?');
  assert.equal(
    await told("srv/cat_service.mjs"),
    'srv/cat_service.mjs; did you mean "cat.mjs" for "my.CatService"?',
  );
  assert.equal(await told("srv/in/cat.js"), 'srv/in/cat.js; did you mean "cat.js" for "my.CatService"?');
  assert.equal(await told("srv/zebra.js"), `srv/zebra.js${BESIDE}`);
  const unplaced = { services: { "my.Cats": "" } };
  assert.equal(await told("srv/cats.ts", unplaced), `srv/cats.ts${BESIDE}`, "nobody knows its model file");
  assert.equal(
    await told("srv/cats.ts", { external: true }),
    `srv/cats.ts${BESIDE}`,
    "another system has it",
  );
  const two = { services: { "my.Dogs": "/p/srv/cat.cds", "my.Cat": "/p/srv/dog.cds" } };
  assert.equal(await told("srv/dogs.ts", two), 'srv/dogs.ts; did you mean "cat.ts" for "my.Dogs"?');
});
