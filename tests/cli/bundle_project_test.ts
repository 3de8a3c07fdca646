/** What `fw build --server` and `--edge` make of a project: a script of a shell stands for the bundler. */

import assert from "node:assert/strict";
import { type BundleOptions, bundleProject } from "../../src/cli/bundle_project.ts";
import { publishedProject } from "../../src/deno/write_project_module.ts";
import { REPOSITORY, withProject } from "../deno/project.ts";
import { withShell } from "./shell_processes.ts";

const PROJECT = {
  "db/schema.cds": "entity Books { key ID : Integer; }",
  "srv/shop.cds": "using from '../db/schema'; service Shop { entity All as projection on Books; }",
  ".fwrc.json": JSON.stringify({
    requires: { auth: { kind: "mocked" }, db: false },
    server: { live: false },
  }),
};

/** The bundler: keeps its map, and writes what the program of a test is, and a module that requires others. */
const BUNDLER =
  `for last in "$@"; do [ "$before" = -o ] && out=$last; [ "$before" = --outdir ] && dir=$last; ` +
  `[ "$before" = --import-map ] && map=$last; before=$last; done; root=$(dirname "$(dirname "$map")"); ` +
  `[ -e "$root/broken" ] && { echo " cannot " >&2; exit 1; }; cp "$map" "$root/$(basename "$map")"; ` +
  `[ "$out" ] && cp "$root/program" "$out"; ` +
  `[ "$dir" ] && { mkdir -p "$dir"; cp "$root/program" "$dir/part.js"; cp "$root/plain" "$dir/plain.js"; }; exit 0`;

interface Bundled {
  readonly file: string;
  readonly leftOut: readonly string[];
  /** Arguments of each run of the bundler, without the folder. */
  readonly started: readonly (readonly string[])[];
  /** What was removed, in this order, and how often the bundler had been started by then. */
  readonly removed: readonly (readonly [path: string, runs: number])[];
  readonly read: (path: string) => string;
  readonly has: (path: string) => boolean;
}

async function bundled(
  options: BundleOptions,
  use: (bundled: Bundled) => void | Promise<void>,
  files: Readonly<Record<string, string>> = {},
): Promise<void> {
  await withProject({ program: "", plain: "1", ...PROJECT, ...files }, async (folder) => {
    const project = await publishedProject(folder);
    await withShell(BUNDLER, async ({ started }) => {
      const removed: [string, number][] = [];
      const { remove } = Deno;
      Object.assign(Deno, {
        remove: async (path: string, options: Deno.RemoveOptions) => {
          await new Promise((resolve) => setTimeout(resolve));
          await remove(path, options).finally(() =>
            removed.push([path.slice(folder.length), started.length])
          );
        },
      });
      const { file, leftOut } = await bundleProject(project, options).finally(() =>
        Object.assign(Deno, { remove })
      );
      await use({
        file: file.slice(folder.length + 1),
        leftOut,
        removed: [...removed],
        started: started.map((args) => args.map((arg) => arg.replace(folder, ""))),
        read: (path) => Deno.readTextFileSync(`${folder}/${path}`),
        has: (path) => {
          try {
            return Boolean(Deno.statSync(`${folder}/${path}`));
          } catch {
            return false;
          }
        },
      });
    });
  });
}

const BUNDLE = ["bundle", "--minify", "--quiet", "--import-map"];

Deno.test("a bundle for the edge is one module, made from the project as it is", () =>
  bundled({ target: "edge" }, ({ file, leftOut, removed, started, read, has }) => {
    assert.deepEqual(removed, [
      ["/gen/absent", 0],
      ["/gen/program_map.json", 1],
      ["/gen/program.js", 1],
      ["/gen/absent", 1],
      ["/gen/import_map.json", 2],
      ["/gen/absent", 2],
    ]);
    assert.equal(file, "gen/edge.js");
    assert.deepEqual(started[0], [
      ...[...BUNDLE, "/gen/program_map.json", "--platform", "browser"],
      ...["@fw/runtime", "@fw/runtime/*", "@sap/cds", "@sap/cds/*"].flatMap((name) => ["--external", name]),
      ...["-o", "/gen/program.js", "/gen/edge.ts"],
    ]);
    assert.deepEqual(started.slice(1), [
      [...BUNDLE, "/gen/import_map.json", "--platform", "browser", "-o", "/gen/edge.js", "/gen/edge.ts"],
    ]);
    assert.match(read("gen/edge.ts"), /createRuntime\(project\)/);
    assert.ok(leftOut.includes("outbox") && leftOut.includes("drafts"));
    for (const gone of ["import_map.json", "absent", "program_map.json", "program.js"]) {
      assert.equal(has(`gen/${gone}`), false, gone);
    }
    const { imports } = JSON.parse(read("import_map.json"));
    const replaced = Object.entries(imports).filter(([, target]) =>
      /\/gen\/absent\/\d+\.js$/.test(String(target))
    );
    assert.ok(replaced.some(([url]) => url.endsWith("/src/model/drafts/with_drafts.ts")));
    assert.equal(new Set(replaced.map(([, target]) => target)).size, replaced.length);
    assert.equal(JSON.parse(read("program_map.json")).imports["@fw/runtime"], imports["@fw/runtime"]);
  }));

Deno.test("what a program calls is part of its bundle, what stands in its data is not", async () => {
  const called = async (program: string) => {
    let isIn = false;
    const files = { program, ".fwrc.json": JSON.stringify({ server: { live: false, index: false } }) };
    await bundled({ target: "edge" }, ({ leftOut }) => {
      isIn = !leftOut.includes("routes");
    }, files);
    return isIn;
  };
  assert.equal(await called("fw.app.get()"), true);
  assert.equal(await called("other()"), false);
  for (const mark of ["'", '"', "`"]) {
    assert.equal(await called(`JSON.parse(${mark}a.app \\${mark} \n b.app${mark})`), false, mark);
    assert.equal(await called(`JSON.parse(${mark}1${mark});fw.app.get(${mark}1${mark})`), true, mark);
  }
});

Deno.test("parts are in or out as they are wanted", async () => {
  await bundled({ target: "edge", with: ["drafts"], without: ["batch"] }, ({ leftOut }) => {
    assert.deepEqual([leftOut.includes("drafts"), leftOut.includes("batch")], [false, true]);
  });
  await assert.rejects(bundled({ target: "edge", with: ["draft"] }, () => {}), /did you mean "drafts"\?/);
});

const REQUIRING = 'import { createRequire as a1 } from "node:module";\nvar b2 = a1(import.meta.url);b2("x")';

Deno.test("a program for Deno loads its parts as they are asked for, with the file of the server", () =>
  bundled({ target: "server" }, ({ file, leftOut, removed, started, read, has }) => {
    assert.deepEqual(removed, [
      ["/gen/absent", 0],
      ["/gen/server", 0],
      ["/gen/import_map.json", 1],
      ["/gen/absent", 1],
    ]);
    assert.deepEqual([file, leftOut], ["gen/server.mjs", []]);
    assert.deepEqual(started, [[
      ...[...BUNDLE, "/gen/import_map.json", "--platform", "deno", "--code-splitting"],
      ...["--outdir", "/gen/server", "/gen/server.ts"],
    ]]);
    assert.equal(has("gen/server/old.js"), false, "parts of the last bundle are gone");
    assert.equal(
      read("gen/server/part.js"),
      'var b2=(name)=>globalThis.process.getBuiltinModule("node:module").createRequire(import.meta.url)(name);b2("x")',
    );
    assert.equal(read("gen/server/plain.js"), "1");
    assert.match(
      read(file),
      /^#!\/usr\/bin\/env -S deno run -A --v8-flags=\S+\nimport \* as main from "\.\/server\/server\.js";\nexport \* from "\.\/server\/server\.js";\nexport default main\.default;\n$/,
    );
    assert.match(read("gen/server.ts"), /await import\("\.\.\/server\.js"\)/);
    assert.match(read("gen/server.ts"), /queueMicrotask\(\(\) => serveModule\(\{ \.\.\.project, boot: /);
  }, { program: REQUIRING, "gen/server/old.js": "", "server.js": "export default () => {};" }));

Deno.test("a main module takes the place of the one that serves the project", async () => {
  await bundled({ target: "server", main: "app/own.main.ts" }, ({ file, started, read, has }) => {
    assert.equal(started[0].at(-1), "/app/own.main.ts");
    assert.equal(has("gen/server.ts"), false);
    assert.match(read(file), /from "\.\/server\/own\.main\.js";/);
  }, { "app/own.main.ts": "" });
  await bundled({ target: "server" }, ({ read }) => {
    assert.match(read("gen/server.ts"), /serveModule\(\{ \.\.\.project \}\)/, "without a file of the server");
  });
});

Deno.test("what the bundler says is the mistake, and what was made for it is gone", () =>
  withProject({ ...PROJECT, broken: "" }, async (folder) => {
    const project = await publishedProject(folder);
    await withShell(BUNDLER, async () => {
      await assert.rejects(bundleProject(project, { target: "edge" }), {
        message: "The project cannot be bundled: cannot",
      });
      assert.throws(() => Deno.statSync(`${folder}/gen/program_map.json`), Deno.errors.NotFound);
      await assert.rejects(bundleProject({ ...project, plugins: ["a", "b"] }, { target: "server" }), {
        message: "a, b: plugins take part where folders are read only; serve the folder",
      });
    });
  }));

Deno.test("imports of the project are those of its configuration, wherever the map lies", async () => {
  const configuration = {
    imports: {
      "@fw/runtime": "jsr:@fw/runtime@^0.1.0",
      "own/": "./srv/",
      "./a.ts": "/b.ts",
      "n/": "npm:/n@1/",
      t: "t2",
    },
    scopes: { "./lib/": { x: "../x.ts" } },
    links: [REPOSITORY],
  };
  await bundled({ target: "server" }, ({ read }) => {
    const { imports, scopes } = JSON.parse(read("import_map.json"));
    const root = imports["own/"].replace(/\/srv\/$/, "");
    assert.match(root, /^file:\/\/.*\/fw-project-[^/]+$/);
    assert.deepEqual(imports, {
      "@fw/runtime": "jsr:@fw/runtime@^0.1.0",
      "@fw/runtime/": "jsr:/@fw/runtime@^0.1.0/",
      "own/": `${root}/srv/`,
      [`${root}/a.ts`]: "file:///b.ts",
      "n/": "npm:/n@1/",
      t: "t2",
    });
    assert.deepEqual(scopes, { [`${root}/lib/`]: { x: `${root.replace(/\/[^/]+$/, "")}/x.ts` } });
  }, { "deno.json": JSON.stringify(configuration) });
  await bundled({ target: "server" }, ({ read }) => {
    const { imports, scopes } = JSON.parse(read("import_map.json"));
    assert.match(imports.own, /^file:\/\/.*\/fw-project-[^/]+\/maps\/own\.ts$/);
    assert.deepEqual([Object.keys(imports), scopes], [["own"], {}]);
  }, {
    "deno.json": JSON.stringify({ ...configuration, importMap: "./maps/map.json" }),
    "maps/map.json": '{ "imports": { "own": "./own.ts" } }',
  });
});
