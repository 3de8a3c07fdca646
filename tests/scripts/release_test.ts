import assert from "node:assert/strict";
import { sourceFiles } from "../../scripts/source_files.ts";

function readJson(file: string): Record<string, unknown> {
  return JSON.parse(Deno.readTextFileSync(file));
}

Deno.test("deno.jsr.json equals deno.json but for the import map", () => {
  const { importMap, ...others } = readJson("deno.jsr.json");
  const { importMap: _, ...expected } = readJson("deno.json");
  assert.equal(importMap, "./import_map.jsr.json");
  assert.deepEqual(others, expected);
});

Deno.test("import_map.jsr.json has the same names, those of the standard library from JSR", () => {
  const { imports, scopes } = readJson("import_map.json");
  const released = readJson("import_map.jsr.json");
  assert.deepEqual(released.scopes, scopes);
  const npm = imports as Record<string, string>;
  const jsr = released.imports as Record<string, string>;
  assert.deepEqual(Object.keys(jsr), Object.keys(npm));
  for (const [name, target] of Object.entries(jsr)) {
    const [, room, file] = /^@std\/(http|yaml)\/(.*)$/.exec(name) ?? [];
    const versions: Readonly<Record<string, string>> = { http: "^1.1.0", yaml: "^1.0.0" };
    assert.equal(target, room === undefined ? npm[name] : `jsr:@std/${room}@${versions[room]}/${file}`);
  }
});

/** Packages that the program imports by the names of the import map. */
function namesOfProgram(): ReadonlySet<string> {
  const texts = ["mod.ts", ...sourceFiles("src", "examples")].map((file) => Deno.readTextFileSync(file));
  return new Set(
    texts.flatMap((text) => [...text.matchAll(/(?:from|import\() ?"([^".][^"]*)"/g)].map(([, name]) => name)),
  );
}

Deno.test("packages that only tests and tools need have names there only", () => {
  const { imports, scopes } = readJson("import_map.json") as {
    imports: Record<string, string>;
    scopes: Record<string, Record<string, string>>;
  };
  const ofProgram = namesOfProgram();
  for (const [name, target] of Object.entries(imports)) {
    if (target.startsWith("npm:")) assert.ok(ofProgram.has(name), name);
  }
  assert.deepEqual(Object.keys(scopes), ["./tests/", "./scripts/"]);
  for (const names of Object.values(scopes)) {
    for (const name of Object.keys(names)) assert.equal(imports[name], undefined, name);
  }
});

Deno.test("what starts the example downloads what it imports only: npm installs all of a lock file otherwise", () => {
  const { lock, tasks } = readJson("deno.json") as { lock: boolean; tasks: Record<string, string> };
  assert.equal(lock, false, "deno task downloads all packages of the lock file it finds");
  for (const name of ["start", "watch"]) {
    assert.match(tasks[name], /^deno run --lock=deno\.lock -A .*--unstable-npm-lazy-caching /);
  }
});
