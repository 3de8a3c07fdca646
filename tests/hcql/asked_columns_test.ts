import assert from "node:assert/strict";
import { testOnEngines } from "../service/rules/on_engines.ts";
import { outcome, PARCELS } from "./parcels.ts";

testOnEngines("HCQL gives rows that hold what was asked for only", PARCELS, async ({ send }) => {
  const from = { ref: ["Parcels"] };
  const items = { ref: ["items"], expand: [] };
  const cases: readonly [unknown, unknown][] = [
    ["SELECT from Parcels { items as x }", [{}, {}]],
    ["SELECT from Parcels { items, label } order by ID", [{ label: "books" }, { label: "stove" }]],
    [{ SELECT: { from, columns: [] } }, [{}, {}]],
    [{ SELECT: { from, columns: [], one: true } }, {}],
    [{ SELECT: { from, columns: [{ val: 1, as: "1" }], one: true } }, { 1: 1 }],
    [{ SELECT: { from, columns: [items], orderBy: [{ ref: ["ID"] }] } }, [{ items: [{}, {}] }, {
      items: [],
    }]],
  ];
  for (const [query, data] of cases) {
    const headers = { "content-type": typeof query === "string" ? "text/plain" : "application/json" };
    const answer = await send("POST", "/hcql/goods/", query, { user: "bob", headers });
    assert.deepEqual(outcome(answer), [200, data], JSON.stringify(query));
  }
});
