/**
 * What bodies say of drafts: which one a row belongs to is no value that clients set (drafts 2).
 */

import assert from "node:assert/strict";
import type { Row } from "../../../mod.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { draftApi } from "../../../src/model/drafts/draft_api.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import { flagOf, rowOf, withoutDraftMembers } from "../../../src/odata/drafts/draft_bodies.ts";

const model = draftApi(linkModel(parseCdl(`service Shop {
  @odata.draft.enabled entity Orders { key ID : Integer; title : String; extra : Extra; buyer : Association to Buyers;
    items : Composition of many Items on items.order = $self; note : Composition of one Notes; }
  type Extra { IsActiveEntity : Boolean; }
  entity Items { key ID : Integer; order : Association to Orders; }
  entity Notes { key ID : Integer; text : String; }
  entity Buyers { key ID : Integer; HasDraftEntity : Boolean; }
}`)));
const orders = model.entity("Shop.Orders")!;

Deno.test("a body has no members that tell drafts apart, nor have the parts in it, to one or to many", () => {
  const draft = {
    IsActiveEntity: false,
    HasActiveEntity: null,
    HasDraftEntity: "true",
    DraftMessages: [],
    DraftAdministrativeData: { DraftUUID: "x" },
    DraftAdministrativeData_DraftUUID: "x",
    SiblingEntity: null,
  };
  const rows: readonly [body: Row, expected: Row][] = [
    [{ ID: 1, title: "a", ...draft }, { ID: 1, title: "a" }],
    [{ items: [{ ID: 1, ...draft }, { ID: 2 }] }, { items: [{ ID: 1 }, { ID: 2 }] }],
    [{ note: { ID: 1, text: "n", ...draft } }, { note: { ID: 1, text: "n" } }],
    [{ note: null }, { note: null }],
    [{ note: undefined, items: null }, { note: undefined, items: null }],
    [{ note: "wrong", items: [null, 1] }, { note: "wrong", items: [null, 1] }],
    [{ buyer: { ID: 1, HasDraftEntity: true } }, { buyer: { ID: 1, HasDraftEntity: true } }],
    [{ extra: { IsActiveEntity: true } }, { extra: { IsActiveEntity: true } }],
    [{ other: [{ IsActiveEntity: 1 }] }, { other: [{ IsActiveEntity: 1 }] }],
  ];
  for (const [body, expected] of rows) {
    const given = structuredClone(body);
    assert.deepEqual(withoutDraftMembers(orders, body), expected);
    assert.deepEqual(body, given, "what was sent stays as it is");
  }
});

Deno.test("flags of drafts are flags, in parts as well: 400", () => {
  for (const flag of ["IsActiveEntity", "HasActiveEntity", "HasDraftEntity"]) {
    for (const value of ["yes", "", "TRUE", 1, 0, {}, []]) {
      const expected = { status: 400, code: "ASSERT_DATA_TYPE", target: flag };
      const bad = { [flag]: value };
      for (const body of [bad, { items: [bad] }, { note: bad }]) {
        assert.throws(() => withoutDraftMembers(orders, body), expected, JSON.stringify(body));
      }
    }
    for (const value of [true, false, "true", "false", null]) {
      assert.deepEqual(withoutDraftMembers(orders, { [flag]: value }), {});
    }
  }
  const flags = [true, false, "true", "false", "yes", null, undefined, 1].map(flagOf);
  assert.deepEqual(flags, [true, false, true, false, undefined, undefined, undefined, undefined]);
});

Deno.test("bodies that name other rows are not taken: they could be parts of other drafts", () => {
  const row = { ID: 1 };
  assert.equal(rowOf({ row, members: [] }), row);
  assert.equal(rowOf({ row, members: [], related: [], replaced: [] }), row);
  for (const named of [{ members: [{}] }, { related: [{}] }, { replaced: [{}] }]) {
    assert.throws(() => rowOf({ row, members: [], ...named } as never), { status: 501 });
  }
});
