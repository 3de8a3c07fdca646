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

Deno.test("import_map.jsr.json has the same names, those of @std/http from JSR", () => {
  const npm = readJson("import_map.json").imports as Record<string, string>;
  const jsr = readJson("import_map.jsr.json").imports as Record<string, string>;
  assert.deepEqual(Object.keys(jsr), Object.keys(npm));
  for (const [name, target] of Object.entries(jsr)) {
    const isStandard = name.startsWith("@std/http/");
    assert.equal(target, isStandard ? `jsr:@std/http@^1.1.0/${name.slice("@std/http/".length)}` : npm[name]);
  }
});
