/** Pages that go on behind a row (OData Protocol 11.2.6.7). */

import assert from "node:assert/strict";
import { parseCdl } from "../../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../../src/model/link_model.ts";
import { createPlanner } from "../../../../src/odata/plan/planner.ts";
import { tokenValue, writePageToken } from "../../../../src/odata/plan/options/keyset.ts";
import { planOf } from "../model.ts";

const PLANNER = createPlanner(
  linkModel(parseCdl(`service S {
    entity Rows { key ID : Integer; flag : Boolean; name : String; large : LargeString; whole : Int64; exact : Decimal(9,2); day : Date;
      hour : Time; second : DateTime; instant : Timestamp; uuid : UUID; bytes : Binary; kind : String not null; up : Association to Rows; }
  }`)).service("S")!,
);

const page = (url: string) => planOf(PLANNER, url, "GET", { pageSize: 2 });

Deno.test("pages in the order of texts, numbers, truth values and instants go on behind their last row", () => {
  for (
    const name of [
      "flag",
      "name",
      "large",
      "whole",
      "exact",
      "day",
      "hour",
      "second",
      "instant",
      "uuid",
      "kind",
    ]
  ) {
    const { keyset } = page(`Rows?$orderby=${name} desc`).paging!;
    assert.deepEqual(keyset?.map(({ name, desc }) => [name, desc]), [[name, true], ["ID", false]], name);
  }
  for (const order of ["bytes", "length(name)", "whole add 1"]) {
    assert.equal(page(`Rows?$orderby=${order}`).paging!.keyset, undefined, order);
  }
  assert.deepEqual(page("Rows?$orderby=up/name").paging!.keyset?.map((term) => "name" in term), [
    false,
    true,
  ]);
});

Deno.test("the token of a page is one of its order only", () => {
  const token = (former: number, total: number | undefined, ...values: (string | null)[]) =>
    writePageToken({ former, total, values })!;
  const encoded = (nulls: string, content: string) =>
    `${nulls}.${btoa(content).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
  const refused: readonly (readonly [order: string, token: string])[] = [
    ["name", token(1, undefined, "a")],
    ["name", token(1, undefined, "a", "1", "2")],
    ["name", token(1, undefined, "a", null)],
    ["kind", token(1, undefined, null, "1")],
    ["flag", token(1, undefined, "maybe", "1")],
    ["day", token(1, undefined, "2024-02-30", "1")],
    ["name", token(-1, undefined, "a", "1")],
    ["name", token(1.5, undefined, "a", "1")],
    ["name", token(1, -1, "a", "1")],
    ["name", encoded("vv", '[1,"2","a","1"]')],
    ["name", encoded("vv", '[1,null,"a",1]')],
    ["name", encoded("vv", '[1,null,"a",null]')],
    ["name", encoded("vv", '[1,null,"a"]')],
    ["name", encoded("vv", "{}")],
    ["name", encoded("vv", "[1,null")],
    ["name", encoded("vv", '[1,null,"\xff","1"]')],
  ];
  for (const [order, text] of refused) {
    assert.throws(
      () => page(`Rows?$orderby=${order}&$skiptoken=${text}`),
      { status: 400, message: `"${text}" is no valid $skiptoken (offset ${26 + order.length})` },
      text,
    );
  }
  for (
    const [order, text] of [
      ["name", token(0, undefined, "ä", "1")],
      ["name", token(2, undefined, null, "1")],
      ["flag", token(2, undefined, "true", "1")],
      ["day", token(2, 5, "2024-02-29", "1")],
    ] as const
  ) assert.ok(page(`Rows?$orderby=${order}&$skiptoken=${text}`).query.SELECT.where, order);
  const counted = token(2, undefined, "a", "1");
  assert.throws(() => page(`Rows?$orderby=name&$count=true&$skiptoken=${counted}`), { status: 400 });
});

Deno.test("tokens hold values as text, and are no longer than URLs may be", () => {
  assert.deepEqual([7, 7n, true, "", null, undefined].map(tokenValue), ["7", "7", "true", "", null, null]);
  const lengthOf = (length: number) =>
    writePageToken({ former: 0, total: undefined, values: ["a".repeat(length)] })?.length;
  assert.equal(lengthOf(737), 1000);
  assert.equal(lengthOf(738), undefined);
});
