import assert from "node:assert/strict";
import type { PlannerOptions } from "../../../../src/odata/plan/planner.ts";
import { planned } from "../fleet.ts";

/** What is said of URLs, or that they are planned. */
function said(urls: readonly string[], options: PlannerOptions): readonly string[] {
  return Object.values(planned(urls, options)).map((lines) =>
    /^[45]\d\d /.test(lines[0]!) ? lines[0]! : "planned"
  );
}

Deno.test("a query may cost as many values as its budget: rows times columns, and those of what is expanded (queryCost)", () => {
  const costs: Readonly<Record<string, number>> = {
    "Few?$top=3": 3,
    "Few(1)": 1,
    "Few": 5,
    "People?$select=ID&$top=2": 2,
    "People?$top=2": 6,
    "People?$select=ID&$expand=best($select=ID)&$top=2": 6,
    "People?$select=ID&$expand=cars($select=ID;$top=4)&$top=2": 18,
    "People?$select=ID&$expand=cars($select=ID;$top=4;$expand=trips($select=no;$top=5))&$top=2": 98,
  };
  for (const [url, cost] of Object.entries(costs)) {
    assert.deepEqual(said([url], { queryCost: cost }), ["planned"], url);
    if (cost === 1) continue;
    const [refused] = said([url], { queryCost: cost - 1 });
    assert.match(
      refused!,
      new RegExp(`^400 The query may read ${cost} values, but no more than ${cost - 1}`),
    );
  }
});

Deno.test("$expand is as deep, and expressions call as many functions, as limits say", () => {
  assert.deepEqual(
    said([
      "Cars?$expand=owner",
      "Cars?$expand=owner($expand=best)",
      "Cars?$expand=owner($expand=best($expand=trips))",
    ], { expandDepth: 2 }),
    ["planned", "planned", "400 $expand is nested too deeply at offset 40, the limit is 2"],
  );
  assert.deepEqual(
    said([
      "Cars?$filter=S.reach(of=1) gt 1",
      "Cars?$filter=S.reach(of=1) gt 1 and S.reach(of=2) gt 1",
      "Cars?$filter=S.reach(of=1) gt 1 and S.reach(of=2) gt 1 and S.reach(of=3) gt 1",
    ], { functionCalls: 2 }),
    ["planned", "planned", "400 Expressions are limited to 2 calls of functions (offset 59)"],
  );
});
