import assert from "node:assert/strict";
import { DEFAULT_LIMITS } from "../../src/config/limits.ts";

const PAGE = new URL("../../docs/reference/limits.md", import.meta.url);

Deno.test("limits without configuration are those of their page", () => {
  const rows = Deno.readTextFileSync(PAGE).matchAll(/^\| `fw\.limits\.(\w+)` +\| (\d+) +\|/gm);
  const told = Object.fromEntries([...rows].map(([, name, value]) => [name!, Number(value)]));
  assert.deepEqual(told, { ...DEFAULT_LIMITS });
});
