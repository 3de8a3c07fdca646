/** Which values operations take: structures, lists and rows of entities as parameters. */

import assert from "node:assert/strict";
import type { Row } from "../../../src/cqn/cqn.ts";
import { normalizeError } from "../../../src/errors/normalize_error.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { ApplicationService } from "../../../src/service/application_service.ts";
import { asRequest, createHost } from "../fixture.ts";

const host = createHost(parseCdl(`
  entity Books { key ID : Integer; @mandatory title : String(3); parts : Composition of many Parts on parts.book = $self; }
  entity Parts { key ID : Integer; book : Association to Books; name : String(3); }
  service S {
    action run(place : { @mandatory town : String(3); zip : Integer not null default 1; street : String not null; inner : { deep : Integer; } },
      tags : many String(2), numbers : many { @assert.range: [1, 9] no : Integer; }, book : Books, books : many Books);
  }`));
const service = new ApplicationService({ name: "S", definition: host.model.service("S"), host });
service.on("run", () => "done");
service.init();

/** Codes and targets of what is wrong with the parameters of a call. */
async function errorsOf(data: Row): Promise<readonly string[]> {
  try {
    await asRequest(service, async () => await service.send("run", data));
    return [];
  } catch (error) {
    const { code, target, details } = normalizeError(error);
    const all = details ?? [{ code, target }];
    return all.map((one) => `${one.code} ${one.target}`);
  }
}

const PLACE = { town: "abc", street: "x" };

Deno.test("parameters are checked with what is inside of them, and errors say where", async () => {
  const cases: readonly (readonly [data: Row, errors: readonly string[]])[] = [
    [{}, []],
    [{ place: null, tags: null }, []],
    [{ place: PLACE }, []],
    [{ place: { ...PLACE, inner: { deep: 1 }, zip: 2 } }, []],
    [{ place: "x" }, ["ASSERT_DATA_TYPE place"]],
    [{ place: [] }, ["ASSERT_DATA_TYPE place"]],
    [{ place: {} }, ["ASSERT_MANDATORY place/town", "ASSERT_NOT_NULL place/street"]],
    [{ place: { ...PLACE, zip: null } }, ["ASSERT_NOT_NULL place/zip"]],
    [{ place: { ...PLACE, town: " " } }, ["ASSERT_MANDATORY place/town"]],
    [{ place: { ...PLACE, inner: { deep: "x" } } }, ["ASSERT_DATA_TYPE place/inner/deep"]],
    [{ place: { ...PLACE, inner: 1 } }, ["ASSERT_DATA_TYPE place/inner"]],
    [{ tags: ["ab", null] }, []],
    [{ tags: "ab" }, ["ASSERT_ARRAY tags"]],
    [{ tags: ["abc", 1] }, ["ASSERT_DATA_TYPE tags[0]", "ASSERT_DATA_TYPE tags[1]"]],
    [{ numbers: [{ no: 1 }, { no: 10 }] }, ["ASSERT_RANGE numbers[1]/no"]],
    [{ numbers: [1] }, ["ASSERT_DATA_TYPE numbers[0]"]],
    [{ book: { ID: 1, title: "abc", parts: [{ ID: 1, name: "x" }] } }, []],
    [{ book: { ID: 1, title: "abcd" } }, ["ASSERT_DATA_TYPE book/title"]],
    [{ book: { ID: 1, title: "abc", parts: [1] } }, ["ASSERT_DATA_TYPE book/parts"]],
    [{ book: { ID: 1, title: "abc", parts: {} } }, ["ASSERT_ARRAY book/parts"]],
    [{ book: { ID: 1, title: "abc", parts: [{ ID: 7, name: "abcd" }] } }, [
      "ASSERT_DATA_TYPE book/parts(ID=7)/name",
    ]],
    [{ books: [{ ID: 1 }, { ID: 2, title: "abc" }] }, ["ASSERT_MANDATORY books[0]/title"]],
  ];
  for (const [data, errors] of cases) assert.deepEqual(await errorsOf(data), errors, JSON.stringify(data));
});
