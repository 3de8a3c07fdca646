/** When JSON of the database is passed on as it is. */

import assert from "node:assert/strict";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import type { Exchange } from "../../../src/odata/exchange.ts";
import type { Format } from "../../../src/odata/headers/accept.ts";
import { isMissing, takesJsonText, type WrittenRows } from "../../../src/odata/payload/json_rows.ts";
import { createPlanner } from "../../../src/odata/plan/planner.ts";
import { JsonRows } from "../../../src/service/database.ts";

const planner = createPlanner(
  linkModel(parseCdl(`service S {
    entity Books { key ID : Integer; title : String; tags : many String; author : Association to Authors;
      @odata.Type: 'Edm.Duration' lasts : Decimal; cover : LargeBinary @Core.MediaType: 'image/png'; }
    entity Authors { key ID : Integer; name : String; books : Association to many Books on books.author = $self; }
    entity Versions { key ID : Integer; @odata.etag version : Integer; }
  }`)).service("S")!,
);

Deno.test("a service gave no row where there is nothing, no row in a list, or null as JSON", () => {
  const json = (text: string) => new JsonRows(text, 1);
  const results = [undefined, null, [], json("null"), [{}], [{}, {}], {}, json("{}"), json("[]")];
  assert.deepEqual(results.map(isMissing), [...Array(4).fill(true), ...Array(5).fill(false)]);
});

const FORMAT = { metadata: "minimal", ieee754: false } as Format;

function takes(url: string, format: Partial<Format> = {}, preferences: object = {}): boolean {
  const rows = planner.planUrl(url) as WrittenRows;
  return takesJsonText({ preferences } as Exchange, rows, { ...FORMAT, ...format });
}

Deno.test("rows without control information are passed on as the database writes them, one or many", () => {
  for (
    const url of [
      "Authors",
      "Authors(1)",
      "Books(1)/author",
      "Books?$select=title",
      "Authors?$expand=books($select=title)",
    ]
  ) {
    assert.equal(takes(url), true, url);
    assert.equal(takes(url), true, url);
  }
  assert.equal(takes("Authors", { metadata: "full" }), false);
  assert.equal(takes("Authors", { ieee754: true }), false);
  assert.equal(takes("Authors", {}, { omitValues: "nulls" }), false);
});

Deno.test("rows with tags, counts, streams, collections, durations or computed values of such types are written", () => {
  const urls = [
    "Versions",
    "Versions(1)",
    "Books",
    "Books?$select=tags",
    "Books?$select=lasts",
    "Books?$select=cover",
    "Authors?$expand=books",
    "Authors?$expand=books($select=title;$count=true)",
    "Authors?$expand=books/$count",
    "Authors?$expand=books/$ref",
    "Books?$select=title,l&$compute=lasts as l",
    "Books?$apply=aggregate(ID with max as m)",
    "Authors(1)/name",
    "Authors/$count",
  ];
  for (const url of urls) assert.equal(takes(url), false, url);
});
