/** Where models are kept for the next start, for how long, and what is kept of them. */

import assert from "node:assert/strict";
import { compileFiles } from "../../src/deno/compiler.ts";
import { keepingCompiler } from "../../src/deno/kept_models.ts";
import type { Csn } from "../../src/model/csn.ts";
import { withProject } from "./project.ts";

type Compiler = Parameters<typeof keepingCompiler>[1];

/** A compiler that writes down what it compiles. */
function counting(compiled: string[], made: (name: string) => Csn = () => ({ definitions: {} })): Compiler {
  return {
    compileFiles(files, _options, host) {
      const name = files.join();
      compiled.push(name);
      for (const file of files) host?.readFile(file);
      return made(name);
    },
  };
}

const namesIn = (folder: string) => [...Deno.readDirSync(folder)].map(({ name }) => name);

/** Runs something with other variables of the process. */
function withVariables(variables: Readonly<Record<string, string>>, run: () => void): void {
  const names = ["XDG_CACHE_HOME", "LOCALAPPDATA", "HOME"];
  const before = names.map((name) => [name, Deno.env.get(name)] as const);
  const set = (name: string, value: string | undefined) =>
    value === undefined ? Deno.env.delete(name) : Deno.env.set(name, value);
  for (const name of names) set(name, variables[name]);
  try {
    run();
  } finally {
    for (const [name, value] of before) set(name, value);
  }
}

Deno.test("models are kept in the folder for caches of the user, which is nobody else's", async () => {
  const cases: readonly (readonly [Record<string, string>, place: string])[] = [
    [{ XDG_CACHE_HOME: "/xdg", LOCALAPPDATA: "/local", HOME: "/home" }, "xdg/fw/models"],
    [{ XDG_CACHE_HOME: "", LOCALAPPDATA: "/local", HOME: "/home" }, "local/fw/models"],
    [{ HOME: "/home" }, "home/.cache/fw/models"],
  ];
  for (const [variables, place] of cases) {
    await withProject({}, (folder) => {
      const own = Object.entries(variables).map(([name, value]) => [name, value && folder + value]);
      withVariables(Object.fromEntries(own), () => {
        keepingCompiler("/project", counting([])).compileFiles(["a.cds"]);
      });
      const path = `${folder}/${place}`;
      assert.match(namesIn(path).join(), /^[\w-]+\.json$/, place);
      assert.equal(Deno.statSync(path).mode! & 0o777, 0o700);
      assert.deepEqual(namesIn(folder), [place.split("/")[0]]);
    });
  }
  const compiler = counting([]);
  withVariables({}, () => assert.equal(keepingCompiler("/project", compiler), compiler));
});

Deno.test({
  name: "nothing is kept where variables cannot be read",
  permissions: { read: true, env: false, write: true },
  fn() {
    const compiler = counting([]);
    assert.equal(keepingCompiler("/project", compiler), compiler);
  },
});

Deno.test({
  name: "nothing is kept where files cannot be read",
  permissions: { read: false, env: true, write: true },
  fn() {
    const compiler = counting([]);
    assert.equal(keepingCompiler("/project", compiler), compiler);
    assert.equal(keepingCompiler("/project", compiler, "/cache"), compiler);
  },
});

Deno.test("what is compiled with options is not kept", async () => {
  await withProject({}, (folder) => {
    const compiled: string[] = [];
    for (let i = 0; i < 2; i++) {
      keepingCompiler("/project", counting(compiled), folder).compileFiles(["a.cds"], {});
    }
    assert.deepEqual(compiled, ["a.cds", "a.cds"]);
    assert.deepEqual(namesIn(folder), []);
  });
});

Deno.test("all models of a project are kept together; those whose files are the same stay where another is compiled", async () => {
  await withProject({ "a.cds": "a", "b.cds": "b" }, (folder) => {
    const [a, b] = ["a", "b"].map((name) => `${folder}/${name}.cds`);
    const start = () => {
      const compiled: string[] = [];
      const compiler = keepingCompiler(
        folder,
        counting(compiled, (name) => ({ definitions: { [name]: { kind: "type" } } })),
        `${folder}/kept`,
      );
      const models = [[a], [b], [a, b]].map((files) => compiler.compileFiles(files));
      assert.deepEqual(
        models.map(({ definitions }) => Object.keys(definitions!)),
        [[a], [b], [`${a},${b}`]],
      );
      return compiled.map((files) => files.replaceAll(`${folder}/`, ""));
    };
    assert.deepEqual(start(), ["a.cds", "b.cds", "a.cds,b.cds"]);
    assert.deepEqual(start(), []);
    Deno.writeTextFileSync(b, "changed");
    assert.deepEqual(start(), ["b.cds", "a.cds,b.cds"]);
    assert.deepEqual(start(), []);
    Deno.removeSync(b);
    assert.deepEqual(start(), ["b.cds", "a.cds,b.cds"]);
    assert.deepEqual(start(), []);
    Deno.writeTextFileSync(b, "");
    assert.deepEqual(start(), ["b.cds", "a.cds,b.cds"]);
    assert.equal(namesIn(`${folder}/kept`).length, 1);
  });
});

Deno.test("a model is compiled again where a package of it is elsewhere", async () => {
  const files = {
    "one/package.json": '{ "name": "it" }',
    "one/index.cds": "entity It { key ID : Integer; }",
    "srv/shop.cds": "using from 'it';",
  };
  await withProject(files, async (folder) => {
    await Deno.mkdir(`${folder}/node_modules`);
    const link = `${folder}/node_modules/it`;
    await Deno.symlink(`${folder}/one`, link);
    const compiled: string[] = [];
    const compiler: Compiler = {
      compileFiles: (...given) => (compiled.push("again"), compileFiles(...given)),
    };
    const start = () =>
      keepingCompiler(folder, compiler, `${folder}/kept`).compileFiles([`${folder}/srv/shop.cds`]);
    start();
    start();
    assert.equal(compiled.length, 1);
    await Deno.rename(`${folder}/one`, `${folder}/two`);
    await Deno.remove(link);
    await Deno.symlink(`${folder}/two`, link);
    start();
    assert.equal(compiled.length, 2);
  });
});

Deno.test("positions are hidden again where they were, and seen where they were seen", async () => {
  await withProject({}, (folder) => {
    const place = { file: "a.cds", line: 1 };
    const hidden = Object.defineProperty({ kind: "type" }, "$location", { value: place, configurable: true });
    const definitions = {
      hidden,
      seen: { kind: "type", $location: place },
      none: { kind: "type" },
      list: [1, null],
    };
    const made = { definitions } as unknown as Csn;
    keepingCompiler("/project", counting([], () => made), folder).compileFiles(["a.cds"]);
    const never = counting([], () => assert.fail("compiled"));
    const kept = keepingCompiler("/project", never, folder).compileFiles(["a.cds"])
      .definitions as unknown as Record<
        string,
        Record<string, unknown>
      >;
    assert.deepEqual(kept, definitions);
    assert.deepEqual(Reflect.get(kept.hidden!, "$location"), place);
    const described = ["hidden", "seen", "none"].map((name) =>
      Object.getOwnPropertyDescriptor(kept[name], "$location")?.enumerable
    );
    assert.deepEqual(described, [false, true, undefined]);
  });
});

Deno.test("the project that was written first goes where there are 50 others, and none where one is written again", async () => {
  await withProject({}, (folder) => {
    const keep = (project: string) => {
      const before = new Set(namesIn(folder));
      keepingCompiler(project, counting([]), folder).compileFiles([`${project}/${crypto.randomUUID()}`]);
      const after = new Set(namesIn(folder));
      return { added: [...after.difference(before)], gone: [...before.difference(after)] };
    };
    const names = Array.from({ length: 49 }, (_, i) => keep(`/projects/${i}`).added[0]!);
    names.push(...keep("/projects/49").added);
    assert.equal(namesIn(folder).length, 50);
    names.forEach((name, i) => Deno.utimeSync(`${folder}/${name}`, 1000, i === 7 ? 1000 : 2000 + i));
    assert.deepEqual(keep("/projects/20"), { added: [], gone: [] });
    const { added, gone } = keep("/projects/new");
    assert.deepEqual([added.length, gone], [1, [names[7]]]);
  });
});

Deno.test("a model is compiled where what is kept was made elsewhere, by another compiler, or is no kept model", async () => {
  await withProject({}, (folder) => {
    const compiled: string[] = [];
    const start = () =>
      keepingCompiler("/project", counting(compiled), `${folder}/kept`).compileFiles(["a.cds"]);
    const isCompiled = () => {
      start();
      return compiled.splice(0).length > 0;
    };
    assert.equal(isCompiled(), true);
    assert.equal(isCompiled(), false);
    const cwd = Deno.cwd();
    Deno.chdir(folder);
    try {
      assert.equal(isCompiled(), true);
    } finally {
      Deno.chdir(cwd);
    }
    assert.equal(isCompiled(), true);
    const file = `${folder}/kept/${namesIn(`${folder}/kept`)[0]}`;
    const kept = JSON.parse(Deno.readTextFileSync(file));
    for (
      const other of [[], 1, null, { models: kept.models }, { ...kept, models: {} }]
    ) {
      Deno.writeTextFileSync(file, JSON.stringify(other));
      assert.equal(isCompiled(), true, JSON.stringify(other));
    }
    assert.equal(isCompiled(), false);
  });
});

Deno.test("compilers differ by number, sizes and times of their files", async () => {
  await withProject({}, (folder) => {
    keepingCompiler("/project", counting([]), folder).compileFiles(["a.cds"]);
    const { made } = JSON.parse(Deno.readTextFileSync(`${folder}/${namesIn(folder)[0]}`));
    const sums = [0, 0, 0];
    const look = (path: string) => {
      for (const { name, isDirectory } of Deno.readDirSync(path)) {
        const { size, mtime } = Deno.statSync(`${path}/${name}`);
        if (isDirectory) look(`${path}/${name}`);
        else [1, size, mtime!.getTime()].forEach((value, i) => sums[i]! += value);
      }
    };
    const source = new URL("../../src/", import.meta.url);
    for (const room of ["config", "cqn", "errors", "model", "util"]) look(new URL(room, source).pathname);
    assert.equal(made, `${source.href}\n${Deno.cwd()}\n${sums.join()}`);
  });
});

Deno.test("a model is compiled each time where its folder is none", async () => {
  await withProject({ "file": "" }, (folder) => {
    const compiled: string[] = [];
    for (let i = 0; i < 2; i++) {
      keepingCompiler("/project", counting(compiled), `${folder}/file`).compileFiles(["a.cds"]);
    }
    assert.equal(compiled.length, 2);
  });
});
