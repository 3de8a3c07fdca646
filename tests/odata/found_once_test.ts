/** What OData needs to know of a model is found out once: each request asks for it, some for each row. */

import assert from "node:assert/strict";
import type { LinkedOperation } from "../../src/model/linked.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { etagElement } from "../../src/odata/headers/etag.ts";
import { operationResult } from "../../src/odata/payload/context_url.ts";
import { lacksKey, plainMembers, plainProperties } from "../../src/odata/payload/reading.ts";
import { writeEntity } from "../../src/odata/payload/write_row.ts";
import { overloadsOf } from "../../src/odata/plan/paths/plan_operation.ts";
import { sentTree } from "../../src/odata/resources/read_back.ts";
import { foundOnce, watched } from "../model/watched.ts";

const model = linkModel(parseCdl(`service S {
  entity Plain { key ID : Integer; name : String; hidden : String @cds.api.ignore; }
  entity Orders {
    key ID : Integer; version : Integer @odata.etag; tags : many String; at { place : String; }
    lines : Composition of many Lines on lines.of = $self;
  } actions { action close(reason : String) returns Plain; };
  entity Lines { key ID : Integer; of : Association to Orders; }
  function best(count : Integer, tags : many String) returns many Plain;
}`));
const [plain, orders] = ["S.Plain", "S.Orders"].map((name) => model.entity(name)!);
const scope = { model, definition: model.service("S")! } as unknown as Parameters<typeof operationResult>[1];

Deno.test("the version of rows, and the members that are plain values, are found out once", () => {
  assert.equal(foundOnce(orders!, etagElement)!.name, "version");
  assert.equal(foundOnce(plain!, etagElement), undefined);
  assert.deepEqual([...foundOnce(orders!, plainProperties).keys()], ["ID", "version", "at_place"]);
  const { params } = scope.definition.operations.best!;
  assert.deepEqual([...foundOnce(params!, plainMembers).keys()], ["count"]);
});

Deno.test("the keys that parts need, and what may be sent with a row, are found out once", () => {
  const { lines } = orders!.elements;
  assert.equal(foundOnce(lines!, (composition) => lacksKey({}, composition)), true);
  assert.equal(lacksKey({ ID: 1 }, lines!), false);
  assert.deepEqual([...foundOnce(orders!, (entity) => sentTree(entity, [{ lines: [] }])).children.keys()], [
    "lines",
  ]);
  assert.equal(foundOnce(plain!, (entity) => sentTree(entity, [{}])).children.size, 0);
});

Deno.test("what an operation returns, and which others have its name, are found out once", () => {
  const resultOf = (operation: LinkedOperation) => operationResult(operation, scope);
  const best = scope.definition.operations.best!;
  const { isOne, typeName } = foundOnce(best, resultOf);
  assert.deepEqual([isOne, typeName], [false, "S.Plain"]);
  assert.equal(foundOnce(orders!.actions.close!, resultOf).isOne, true);
  assert.deepEqual(foundOnce(best, overloadsOf).map(({ name }) => name), ["S.best"]);
});

Deno.test("the members of an entity are found out once, not for each row that is written", () => {
  const { object, reads } = watched(plain!);
  const write = () =>
    writeEntity({ ID: 1, name: "a", hidden: "b" }, object, {
      format: { metadata: "minimal", ieee754: false },
    });
  assert.equal(write(), '{"ID":1,"name":"a"}');
  assert.ok(reads().includes("$flat"));
  assert.equal(write(), '{"ID":1,"name":"a"}');
  assert.ok(!reads().includes("$flat"));
});
