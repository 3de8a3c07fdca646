import assert from "node:assert/strict";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { entitiesRead, readsFirstSourceOnly } from "../../src/model/entities_read.ts";
import { linkModel } from "../../src/model/link_model.ts";

const BASE = `
  entity A { key id : Integer; name : String; b : Association to B; st { c : Association to C; } }
  entity B { key id : Integer; name : String; c : Association to C; }
  entity C { key id : Integer; name : String; a : Association to A; }
`;

Deno.test("a view reads its sources and what paths of columns and conditions lead to, however they are written", () => {
  const cases: readonly (readonly [query: string, read: string])[] = [
    ["select from A", "A"],
    ["select from A { id, name }", "A"],
    ["select from A { id, b }", "A"],
    ["projection on A { id, b as other }", "A"],
    ["select from A { id, b.name }", "A B"],
    ["select from A as x { x.id, x.b.name }", "A B"],
    ["select from A { id, b.c.name }", "A B C"],
    ["select from A { id, b.c }", "A B"],
    ["select from A { id, st.c }", "A"],
    ["select from A { id, st.c.name }", "A C"],
    ["select from A { id, st.{ c.name } }", "A C"],
    ["select from A { id, b.{ name } }", "A B"],
    ["select from A { id, b { name } }", "A B"],
    ["select from A { id, b { c { name } } }", "A B C"],
    ["select from A { id, b[c.name = 'x'].name }", "A B C"],
    ["select from A { id, b, b[name = 'x'] as some }", "A"],
    ["select from A { id } where b.name = 'x'", "A B"],
    ["select from A { id } where exists b", "A B"],
    ["select from A { id } where exists b[c.name = 'x']", "A B C"],
    ["select from A { id } order by b.name", "A B"],
    ["select from A { id, upper(b.name) as u }", "A B"],
    ["select from A { id } where id in (select id from B)", "A B"],
    ["select from A { id } where exists (select from B where c.name = 'x')", "A B C"],
    ["select from A { id, (select name from B) as n }", "A B"],
    ["select from A:b { id }", "A B"],
    ["select from A:b.c { id }", "A B C"],
    ["select from A as x join B as y on x.id = y.id { x.id }", "A B"],
    ["select from A as x join A as y on x.id = y.id { x.id }", "A +"],
    ["select from A { id } union select from C { id }", "A C"],
    ["select from A { id } union all select from A { id }", "A +"],
    ["select from A mixin { m : Association to C on m.id = id; } into { id }", "A C"],
    ["select from A mixin { m : Association to C on m.id = id; } into { id, m.a.b.name }", "A C B"],
  ];
  const found = cases.map(([query]) => {
    const view = linkModel(parseCdl(`${BASE}entity V as ${query};`)).entity("V")!;
    const names = entitiesRead(view).map(({ name }) => name);
    const alone = names.length === 1 && !readsFirstSourceOnly(view) ? " +" : "";
    assert.equal(readsFirstSourceOnly(view), names.length === 1 && alone === "", query);
    return [query, names.join(" ") + alone];
  });
  assert.deepEqual(found, cases);
});

Deno.test("a table reads nothing", () => {
  const table = linkModel(parseCdl(BASE)).entity("A")!;
  assert.deepEqual([entitiesRead(table), readsFirstSourceOnly(table)], [[], false]);
});
