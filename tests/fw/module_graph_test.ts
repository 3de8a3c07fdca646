import assert from "node:assert/strict";
import { dirname, join } from "node:path";

/** The modules of the project that come with a module before it runs; `import type` and `import()` do not count. */
function modulesWith(file: string, found: Set<string> = new Set()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  const text = Deno.readTextFileSync(file).replaceAll(/^\s*\*.*$/gm, "");
  for (const [, clause, path] of text.matchAll(/^(?:import|export)\s([^;]*?)from "(\.[^"]+)";/gms)) {
    if (!clause.startsWith("type ")) modulesWith(join(dirname(file), path), found);
  }
  for (const [, path] of text.matchAll(/^import "(\.[^"]+)";/gm)) {
    modulesWith(join(dirname(file), path), found);
  }
  return found;
}

Deno.test("a runtime over a compiled model comes without the CDL compiler", () => {
  const modules = [...modulesWith("mod.ts")];
  assert.ok(modules.includes("src/model/infer_model.ts"));
  assert.deepEqual(modules.filter((file) => file.includes("model/cdl/")), []);
});
