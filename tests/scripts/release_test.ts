import assert from "node:assert/strict";

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
  const npm = readJson("import_map.json").imports as Record<string, string>;
  const jsr = readJson("import_map.jsr.json").imports as Record<string, string>;
  assert.deepEqual(Object.keys(jsr), Object.keys(npm));
  for (const [name, target] of Object.entries(jsr)) {
    const [, room, file] = /^@std\/(http|yaml)\/(.*)$/.exec(name) ?? [];
    const versions: Readonly<Record<string, string>> = { http: "^1.1.0", yaml: "^1.0.0" };
    assert.equal(target, room === undefined ? npm[name] : `jsr:@std/${room}@${versions[room]}/${file}`);
  }
});
