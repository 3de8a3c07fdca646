/** What payloads say of rows beside their members (JSON Format 4.5, 4.6, 20). */

import assert from "node:assert/strict";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import {
  instanceAnnotations,
  mediaInformation,
  mediaTypeOf,
  referenceOf,
  rowControlInformation,
  writeCount,
} from "../../../src/odata/payload/control_information.ts";
import { parseAnnotationsList } from "../../../src/odata/headers/prefer.ts";

const SERVICE = linkModel(parseCdl(`
  entity db.Hidden { key ID : Integer; }
  service S {
    entity Plain { key ID : Integer; self : Association to Plain; others : Association to many Media on others.ID = ID;
      hidden : Association to db.Hidden; }
    entity Media { key ID : Integer; kind : String; @odata.media @Core.MediaType: kind content : LargeBinary; }
    entity Texts { key ID : Integer; @odata.media @Core.MediaType: 'text/plain' content : LargeBinary; }
  }`)).service("S")!;

const entity = (name: string) => [...SERVICE.entities].find((one) => one.name === `S.${name}`)!;
const members = (parts: readonly string[]): unknown => JSON.parse(`{${parts.join(",")}}`);

Deno.test("full metadata tells type, id, edit link, and links of what the service shows (JSON Format 3.1.2)", () => {
  assert.deepEqual(members(rowControlInformation({ ID: 1 }, entity("Plain"))), {
    "@odata.type": "#S.Plain",
    "@odata.id": "Plain(1)",
    "@odata.editLink": "Plain(1)",
    "self@odata.associationLink": "Plain(1)/self/$ref",
    "self@odata.navigationLink": "Plain(1)/self",
    "others@odata.associationLink": "Plain(1)/others/$ref",
    "others@odata.navigationLink": "Plain(1)/others",
  });
  const withoutKey = rowControlInformation({ name: "x" }, entity("Plain"));
  assert.deepEqual(members(withoutKey), { "@odata.type": "#S.Plain" });
});

Deno.test("media entities tell the type of their stream; its links where all is asked for and there are keys (JSON Format 4.6.14)", () => {
  const type = { "@odata.mediaContentType": "image/png" };
  const links = (url: string) => ({ "@odata.mediaReadLink": url, "@odata.mediaEditLink": url });
  const cases: readonly (readonly [name: string, row: object, full: boolean, told: object])[] = [
    ["Media", { ID: 1, kind: "image/png" }, false, type],
    ["Media", { ID: 1, kind: "image/png" }, true, { ...type, ...links("Media(1)/$value") }],
    ["Media", { kind: "image/png" }, true, type],
    ["Media", { kind: "image/png" }, false, type],
    ["Media", { ID: 1, kind: null }, true, links("Media(1)/$value")],
    ["Media", { ID: 1 }, false, {}],
    ["Texts", { ID: 1 }, false, { "@odata.mediaContentType": "text/plain" }],
    ["Plain", { ID: 1 }, true, {}],
  ];
  for (const [name, row, full, told] of cases) {
    assert.deepEqual(members(mediaInformation({ ...row }, entity(name), full)), told);
  }
});

Deno.test("the media type of a stream is a text, or the value of the element that is named (Core.MediaType)", () => {
  const content = (name: string) => [...entity(name).elements].find((one) => one.name === "content")!;
  assert.equal(mediaTypeOf({ kind: "a/b" }, content("Media")), "a/b");
  assert.equal(mediaTypeOf({}, content("Media")), undefined);
  assert.equal(mediaTypeOf({ kind: "a/b" }, content("Texts")), "text/plain");
  const cases: readonly (readonly [annotation: unknown, name: string | undefined])[] = [
    [{ "=": "kind" }, "kind"],
    [{ "=": "of.it.kind" }, "of_it_kind"],
    [{ "=": 1 }, undefined],
    [{}, undefined],
    ["kind", undefined],
    [null, undefined],
    [undefined, undefined],
  ];
  for (const [annotation, name] of cases) assert.equal(referenceOf(annotation), name);
});

Deno.test("annotations of rows are those of terms that clients want, on what is shown (JSON Format 20)", () => {
  const row = {
    ID: 1,
    "@My.Label": "a",
    "ID@My.Label#de": 2,
    "hidden@My.Label": "b",
    "@Other.Term": null,
    "@My.Gone": undefined,
    "@Odata.etag": "c",
    "@odata.id": "d",
    "@NoNamespace": "e",
    "a b@My.Label": "f",
    "ID@My.Label#": "g",
  };
  const told = (list: string) =>
    members(instanceAnnotations(row, parseAnnotationsList(list)!, (name) => name === "ID"));
  assert.deepEqual(told("*"), { "@My.Label": "a", "ID@My.Label#de": 2, "@Other.Term": null });
  assert.deepEqual(told("My.*"), { "@My.Label": "a", "ID@My.Label#de": 2 });
  assert.deepEqual(told("My.Label#de"), { "ID@My.Label#de": 2 });
  assert.deepEqual(told("-*"), {});
});

Deno.test("counts are numbers, or text like other numbers that JavaScript may round (JSON Format 3.2)", () => {
  assert.equal(writeCount(3, {}), "3");
  assert.equal(writeCount(3, { countText: false }), "3");
  assert.equal(writeCount(3, { countText: true }), '"3"');
});
