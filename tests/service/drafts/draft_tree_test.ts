/** Rows of drafts with their parts: what is read of them, how they are marked, how deep they are (drafts 6). */

import assert from "node:assert/strict";
import type { Row } from "../../../mod.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import type { DraftService } from "../../../src/service/drafts/draft_settings.ts";
import {
  assertLevels,
  deepColumns,
  deepRowQuery,
  markParts,
  markRows,
  restore,
} from "../../../src/service/drafts/draft_tree.ts";

const MODEL = linkModel(parseCdl(`
  entity Orders { key ID : Integer; title : String; virtual hint : String; twice : Integer = ID * 2; only : String;
    IsActiveEntity : Boolean; items : Composition of many Items on items.order = $self;
    address : Composition of one Addresses; lost : Composition of many Items on lost.order = $self; }
  entity Active { key ID : Integer; title : String; virtual hint : String; twice : Integer = ID * 2;
    IsActiveEntity : Boolean; items : Composition of many Items on items.order.ID = ID;
    address : Composition of one Addresses; }
  entity Items { key ID : Integer; order : Association to Orders; }
  entity Addresses { key ID : Integer; city : String; }
  entity Nodes { key ID : Integer; name : String; parent : Association to Nodes;
    nodes : Composition of many Nodes on nodes.parent = $self; }`));
const service = { model: MODEL } as DraftService;
const orders = MODEL.entity("Orders")!;
const nodes = MODEL.entity("Nodes")!;

/** Columns as text, with those of parts in braces. */
function shown(columns: readonly unknown[]): string {
  return (columns as readonly { readonly ref: readonly string[]; readonly expand?: readonly unknown[] }[])
    .map(({ ref, expand }) => ref.join(".") + (expand ? `{${shown(expand)}}` : "")).join(" ");
}

/** A node with so many levels below it. */
const nested = (levels: number): Row => ({ ID: levels, nodes: levels === 0 ? [] : [nested(levels - 1)] });

Deno.test("what is read of a draft are the stored columns that it shares with the active row, and those of its parts", () => {
  assert.equal(
    shown(deepColumns(service, orders, MODEL.entity("Active")!)),
    "ID title address_ID items{ID order_ID} address{ID city}",
  );
  const columns = shown(deepColumns(service, nodes, nodes));
  assert.equal(columns.match(/name/g)?.length, 6, "levels of an entity that is a part of itself");
  assert.match(columns, /nodes\{ID\}{6}$/, "of the next one the keys tell whether there are rows");
});

Deno.test("a deep row is asked for by a query that is made once for all keys", () => {
  const query = (ID: number) => deepRowQuery(service, orders, { entity: orders, keys: { ID } });
  assert.equal(query(1), query(2));
  const { SELECT } = query(1);
  assert.deepEqual([SELECT.columns, SELECT.one], [deepColumns(service, orders, orders), true]);
});

Deno.test("rows that are nested deeper than drafts hold are refused", () => {
  assertLevels(nested(5), nodes);
  assert.throws(() => assertLevels(nested(6), nodes), {
    status: 501,
    message: "Drafts hold at most 6 levels of an entity that is a part of itself",
  });
  assertLevels({ ID: 1, items: [{ ID: 1 }], address: { ID: 2 } }, orders);
  assertLevels({ ID: 1, items: null }, orders);
});

Deno.test("a row of a draft is marked together with its parts, to one and to many", () => {
  const marks = { HasActiveEntity: true };
  const row = () => ({ ID: 1, items: [{ ID: 1 }, { ID: 2 }], address: { ID: 5 }, lost: null });
  const [whole, parts] = [row(), row()];
  markRows(whole, orders, marks);
  markParts(parts, orders, marks);
  const marked = {
    items: [{ ID: 1, ...marks }, { ID: 2, ...marks }],
    address: { ID: 5, ...marks },
    lost: null,
  };
  assert.deepEqual(whole, { ID: 1, ...marks, ...marked });
  assert.deepEqual(parts, { ID: 1, ...marked });
});

Deno.test("what checks took out of a row comes back, parts included; what a row has stays", () => {
  const cases: readonly (readonly [row: Row, whole: Row, restored: Row])[] = [
    [{}, { a: 1 }, { a: 1 }],
    [{ a: null }, { a: 1 }, { a: null }],
    [{ a: 2 }, { a: 1, b: 2 }, { a: 2, b: 2 }],
    [{ s: { x: 1 } }, { s: { x: 2, y: 3 } }, { s: { x: 1, y: 3 } }],
    [{ s: null }, { s: { x: 2 } }, { s: null }],
    [{ l: [{ x: 1 }, {}] }, { l: [{ y: 2 }, { z: 3 }] }, { l: [{ x: 1, y: 2 }, { z: 3 }] }],
    [{ l: [{ x: 1 }, { x: 2 }] }, { l: [{ y: 2 }] }, { l: [{ x: 1, y: 2 }, { x: 2 }] }],
    [{ l: [] }, { l: [{ y: 2 }] }, { l: [] }],
    [{ l: { x: 1 } }, { l: [{ y: 2 }] }, { l: { x: 1 } }],
    [{ l: [{ x: 1 }] }, { l: { y: 2 } }, { l: [{ x: 1 }] }],
  ];
  for (const [row, whole, restored] of cases) {
    restore(row, whole);
    assert.deepEqual(row, restored);
  }
});
