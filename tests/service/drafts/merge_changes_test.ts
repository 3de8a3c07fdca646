/** What activation writes where draft and active instance were changed since the draft was made: a merge of three versions. */

import assert from "node:assert/strict";
import type { Row } from "../../../mod.ts";
import { compileCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import { mergeChanges, storedRow } from "../../../src/service/drafts/merge_changes.ts";

const SOURCE = `
  entity Orders { key ID : Integer; title : String; price : Decimal; size : Int64; photo : Binary;
    tags : many String; virtual shown : String; virtual hint : { text : String; };
    address : Composition of one Addresses;
    items : Composition of many Items on items.order = $self;
    links : Composition of many Links on links.order = $self; }
  entity Links { key order : Association to Orders; key other : Association to Orders; text : String; }
  entity Addresses { key ID : Integer; city : String; }
  entity Items { key order : Association to Orders; key pos : Integer; amount : Integer; virtual state : String;
    notes : Composition of many Notes on notes.item = $self; }
  entity Notes { key ID : Integer; item : Association to Items; text : String; }`;
const model = linkModel(compileCdl(["m.cds"], { readFile: (path) => path === "m.cds" ? SOURCE : undefined }));
const orders = model.entity("Orders")!;

const item = (pos: number, amount: number, more: Row = {}): Row => ({ order_ID: 1, pos, amount, ...more });
const keyOf = (pos: number): Row => ({ order_ID: 1, pos });

/** The three versions of an order give data to write, and conflicts. */
function expectMerged(
  [base, draft, active]: readonly [base: Row, draft: Row, active: Row],
  data: Row,
  conflicts: readonly string[] = [],
): void {
  const [one, two, three] = [base, draft, active].map((row) => ({ ID: 1, ...row }));
  const merged = mergeChanges(orders, { base: one!, draft: two!, active: three! });
  assert.deepEqual(merged, { data: { ID: 1, ...data }, conflicts });
}

Deno.test("mergeChanges() writes an element that the draft changed, and nothing else of it", () => {
  expectMerged([{ title: "a", price: 1 }, { title: "b", price: 1 }, { title: "a", price: 2 }], {
    title: "b",
  });
  expectMerged([{ title: "a" }, { title: null }, { title: "a" }], { title: null });
  expectMerged([{}, { title: null }, {}], {});
  expectMerged([{ title: null }, {}, { title: "other" }], {});
  expectMerged([{ title: "a" }, { title: undefined }, { title: "a" }], {});
});

Deno.test("mergeChanges() names an element that both sides changed, unless to the same value", () => {
  expectMerged([{ title: "a" }, { title: "b" }, { title: "c" }], { title: "b" }, ["title"]);
  expectMerged([{ title: "a" }, { title: "b" }, { title: "b" }], { title: "b" });
  expectMerged([{ title: "a" }, { title: "b" }, { title: null }], { title: "b" }, ["title"]);
});

Deno.test("mergeChanges() takes numbers however they are written, and bytes and collections by their content", () => {
  expectMerged([{ price: "5.00" }, { price: 5 }, { price: "5.0" }], {});
  expectMerged([{ price: "500" }, { price: "5" }, { price: "500" }], { price: "5" });
  expectMerged([{ price: "5.10" }, { price: "5.1" }, { price: "5.10" }], {});
  expectMerged([{ price: "0" }, { price: null }, { price: "0" }], { price: null });
  expectMerged([{ size: "12" }, { size: 12 }, { size: 12 }], {});
  expectMerged([{ title: "5.0" }, { title: "5" }, { title: "5.0" }], { title: "5" });
  const [some, same, other, more] = [[1, 2], [1, 2], [1, 3], [1, 2, 3]].map((bytes) => new Uint8Array(bytes));
  expectMerged([{ photo: some }, { photo: same }, { photo: some }], {});
  expectMerged([{ photo: JSON.parse(JSON.stringify(some)) }, { photo: same }, { photo: some }], {}); // as it is stored
  expectMerged([{ photo: some }, { photo: other }, { photo: some }], { photo: other });
  expectMerged([{ photo: some }, { photo: more }, { photo: some }], { photo: more });
  expectMerged([{ tags: ["a", "b"] }, { tags: ["a", "b"] }, { tags: ["a", "b"] }], {});
  expectMerged([{ tags: ["a"] }, { tags: ["a", "b"] }, { tags: ["a"] }], { tags: ["a", "b"] });
  expectMerged([{ tags: ["a", "b"] }, { tags: ["a"] }, { tags: ["a", "b"] }], { tags: ["a"] });
  expectMerged([{ tags: ["a"] }, { tags: null }, { tags: ["a"] }], { tags: null });
  expectMerged([{ tags: null }, { tags: ["a"] }, { tags: null }], { tags: ["a"] });
  expectMerged([{ tags: "a" }, { tags: ["a"] }, { tags: "a" }], { tags: ["a"] });
  expectMerged([{ tags: ["a"] }, { tags: "a" }, { tags: ["a"] }], { tags: "a" });
});

Deno.test("mergeChanges() and storedRow() leave out what has no column", () => {
  expectMerged([{ shown: "a" }, { shown: "b", hint_text: "x" }, {}], {});
  const row = { ID: 1, shown: "a", hint: { text: "x" }, items: [item(1, 1, { state: "x" })] };
  assert.deepEqual(storedRow(orders, { ...row, address: { ID: 2, city: "x" } }), {
    ...{ ID: 1, items: [item(1, 1)], address: { ID: 2, city: "x" } },
  });
  assert.deepEqual(storedRow(orders, { ID: 1, address: null }), { ID: 1, address: null });
});

Deno.test("mergeChanges() leaves all parts as they are now where the draft changed none", () => {
  const parts = { items: [item(1, 1), item(2, 2)] };
  expectMerged([parts, parts, parts], {});
  expectMerged([parts, parts, { items: [item(1, 7), item(3, 3)] }], {}); // others changed, added and deleted
  expectMerged([{}, { items: [] }, {}], {});
});

Deno.test("mergeChanges() writes the changed elements of changed parts, and the keys of the others", () => {
  expectMerged(
    [{ items: [item(1, 1), item(2, 2)] }, { items: [item(1, 5), item(2, 2)] }, {
      items: [item(1, 1), item(2, 7), item(3, 3)],
    }],
    { items: [item(1, 5), keyOf(2), keyOf(3)] },
  );
});

Deno.test("mergeChanges() names a part's element, by the own key of the part, that both sides changed", () => {
  expectMerged(
    [{ items: [item(1, 1)] }, { items: [item(1, 2)] }, { items: [item(1, 3)] }],
    { items: [item(1, 2)] },
    ["items(pos=1)/amount"],
  );
  const link = (text: string): Row => ({ links: [{ order_ID: 1, other_ID: 2, text }] });
  expectMerged([link("a"), link("b"), link("c")], link("b"), ["links(order_ID=1,other_ID=2)/text"]);
  const one = (city: string): Row => ({ address: { ID: 7, city } });
  expectMerged([one("a"), one("b"), one("c")], one("b"), ["address/city"]);
});

Deno.test("mergeChanges() adds new parts, and names those that somebody else added as well", () => {
  const added = item(2, 2, { state: "x" });
  expectMerged(
    [{ items: [item(1, 1)] }, { items: [item(1, 1), added] }, { items: [item(1, 1)] }],
    { items: [keyOf(1), item(2, 2)] },
  );
  expectMerged([{ items: [] }, { items: [added] }, { items: [item(2, 9)] }], { items: [item(2, 2)] }, [
    "items(pos=2)",
  ]);
});

Deno.test("mergeChanges() adds parts whose keys are not complete yet, each as new", () => {
  const fresh = { pos: null, amount: 4 };
  expectMerged([{ items: [fresh] }, { items: [fresh] }, { items: [fresh] }], { items: [fresh] });
  expectMerged([{ address: null }, { address: { city: "x" } }, { address: null }], {
    address: { city: "x" },
  });
});

Deno.test("mergeChanges() deletes the parts that the draft deleted, and names them where others changed them", () => {
  const before = { items: [item(1, 1), item(2, 2)] };
  expectMerged([before, { items: [item(1, 1)] }, before], { items: [keyOf(1)] });
  expectMerged(
    [before, { items: [item(1, 1)] }, { items: [item(1, 1), item(2, 9)] }],
    { items: [keyOf(1)] },
    [
      "items",
    ],
  );
  expectMerged([before, { items: [item(1, 1)] }, { items: [item(1, 1)] }], {}); // others deleted it as well
  const one = { address: { ID: 7, city: "a" } };
  expectMerged([one, { address: null }, one], { address: null });
});

Deno.test("mergeChanges() leaves a part deleted that others deleted, unless the draft changed it or what is inside", () => {
  const note = (ID: number, text: string): Row => ({ ID, item_order_ID: 1, item_pos: 1, text });
  const was = item(1, 1, { state: "a", notes: [note(1, "a"), note(2, "b")] });
  const gone = { items: [] };
  const same = { ...was, state: "b", notes: [note(2, "b"), note(1, "a")] };
  expectMerged([{ items: [was] }, { items: [same] }, gone], {});
  for (
    const notes of [
      [note(1, "a")],
      [note(1, "a"), note(2, "b"), note(3, "c")],
      [note(1, "a"), note(3, "b")],
      [note(1, "a"), note(2, "c")],
    ]
  ) {
    const changed = item(1, 1, { notes });
    expectMerged([{ items: [was] }, { items: [changed] }, gone], { items: [changed] }, ["items(pos=1)"]);
  }
  expectMerged([{ items: [was] }, { items: [item(1, 2)] }, gone], { items: [item(1, 2)] }, ["items(pos=1)"]);
});

Deno.test("mergeChanges() merges parts of parts, and names their elements by the whole path", () => {
  const deep = (text: string): Row => ({ items: [item(1, 1, { notes: [{ ID: 5, text }] })] });
  expectMerged([deep("a"), deep("b"), deep("c")], {
    items: [{ ...keyOf(1), notes: [{ ID: 5, text: "b" }] }],
  }, ["items(pos=1)/notes(ID=5)/text"]);
});
