/** Durations, enumerations and numbers of single precision between rows and OData. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { createRuntime } from "../../mod.ts";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { typeHierarchy } from "../../src/model/derived_types.ts";
import { throughOf } from "../../src/model/links.ts";
import { durationSeconds, durationText, singleValue } from "../../src/model/values/text_forms.ts";
import { enumNumber, enumText, extendedType } from "../../src/model/values/extended_type.ts";
import { propertyRuns } from "../property_runs.ts";

Deno.test("durationSeconds() reads durations of the ABNF, and nothing else", () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ["P1D", "86400"],
    ["PT0S", "0"],
    ["-PT0S", "0"],
    ["-P1DT2H30M", "-95400"],
    ["+PT1.50S", "1.5"],
    ["PT0.000000000001S", "0.000000000001"],
    ["PT36H", "129600"],
    ["P", undefined],
    ["PT", undefined],
    ["P1DT", undefined],
    ["P1Y", undefined],
    ["P1W", undefined],
    ["PT1.S", undefined],
    ["1D", undefined],
    ["pt1s", undefined],
    [`PT${"9".repeat(13)}S`, undefined],
  ];
  for (const [text, seconds] of cases) assert.equal(durationSeconds(text), seconds, text);
});

Deno.test("durationText() writes days, hours, minutes and seconds", () => {
  const cases: readonly (readonly [unknown, string])[] = [
    [0, "PT0S"],
    [86_400, "P1D"],
    [-95_400, "-P1DT2H30M"],
    ["1.500000000", "PT1.5S"],
    [59.25, "PT59.25S"],
    [1e-7, "PT0.0000001S"],
    ["172800", "P2D"],
  ];
  for (const [seconds, text] of cases) assert.equal(durationText(seconds), text);
});

Deno.test("a duration that was written is read as the same number of seconds", () => {
  const digits = fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n });
  fc.assert(
    fc.property(digits, (value) => {
      const text = String(value < 0n ? -value : value).padStart(13, "0");
      const plain = `${text.slice(0, -12).replace(/^0+(?=\d)/, "")}.${text.slice(-12)}`.replace(
        /\.?0+$/,
        (end) => end.startsWith(".") ? "" : end.replace(/0+$/, ""),
      );
      const seconds = value < 0n && plain !== "0" ? `-${plain}` : plain;
      assert.equal(durationSeconds(durationText(seconds)), seconds);
    }),
    propertyRuns(100, 17),
  );
});

const FLAGS = {
  members: { None: { val: 0 }, A: { val: 1 }, B: { val: 2 }, AB: { val: 3 }, D: { val: 8 } },
  flags: true,
};
const ONE = { members: FLAGS.members, flags: false };

Deno.test("values of enumerations are names, of flags several", () => {
  assert.deepEqual([enumNumber("A,D", FLAGS), enumNumber(" B , 8 ", FLAGS), enumNumber("0", FLAGS)], [
    9,
    10,
    0,
  ]);
  for (const wrong of ["a", "", "A,", "4", "-1", "99999999999999999999"]) {
    assert.equal(enumNumber(wrong, FLAGS), undefined, wrong);
  }
  assert.deepEqual([enumNumber("D", ONE), enumNumber("3", ONE)], [8, 3]);
  for (const wrong of ["A,B", "9", "C", "constructor"]) {
    assert.equal(enumNumber(wrong, ONE), undefined, wrong);
  }
  assert.deepEqual([enumText(0, FLAGS), enumText(3, FLAGS), enumText(9, FLAGS)], ["None", "AB", "A,D"]);
  assert.deepEqual([enumText(4, FLAGS), enumText(9, ONE), enumText(-1, FLAGS)], ["4", "9", "-1"]);
});

Deno.test("numbers of single precision are kept in their shortest form", () => {
  for (const value of [0, 3.14, 0.1, -2.5, 16777216]) {
    assert.equal(singleValue(value), value);
    assert.equal(Math.fround(singleValue(value)!), Math.fround(value));
  }
  assert.equal(singleValue(16777217), 16777216);
  assert.equal(singleValue(1e39), undefined);
  assert.equal(singleValue(Infinity), Infinity);
  fc.assert(
    fc.property(fc.float({ noNaN: true }), (value) => {
      assert.ok(Math.fround(singleValue(value)!) === value); // the sign of zero is lost
    }),
    propertyRuns(100, 18),
  );
});

Deno.test("annotations that do not fit the type below have no effect on values", () => {
  assert.equal(extendedType("cds.String", { "@odata.Type": "Edm.Duration" }), undefined);
  assert.equal(extendedType("cds.Decimal", { "@odata.Type": "Edm.Duration" }), "Edm.Duration");
  assert.equal(extendedType("cds.Integer", { "@odata.Type": "Edm.Single" }), undefined);
  assert.equal(extendedType("cds.String", { "@odata.enum": true }), undefined);
  assert.equal(extendedType("cds.Integer", { "@odata.enum": false }), undefined);
  assert.equal(extendedType("cds.Integer", { "@odata.enum": { "#": "flags" } }), "flags");
  assert.equal(extendedType("cds.Map", { "@odata.Type": "Edm.GeometryPoint" }), "Edm.Geo");
});

function entity(elements: string, annotations = "") {
  return linkModel(parseCdl(`${annotations} entity E { key ID : Integer; ${elements} }`)).entity("E")!;
}

Deno.test("a runtime whose model has such a mistake does not start", async () => {
  const model = parseCdl("service S { @odata.subtypes: ['B'] entity E { key ID : Integer; } }");
  const db = { kind: "memory" };
  const env = { requires: { db }, log: { levels: { default: "silent" } } };
  const runtime = createRuntime({ model, kinds: denoKinds, env });
  await assert.rejects(() => runtime.start(), /@odata\.discriminator/);
  await runtime.close();
});

Deno.test("mistakes of the model are told", () => {
  const subtypes = "@odata.subtypes: ['Special']";
  assert.throws(() => typeHierarchy(entity("kind : String;", subtypes)), /@odata\.discriminator/);
  const base = "@odata.subtypes: [{name: 'B', base: 'C'}, {name: 'C'}]";
  assert.throws(() => typeHierarchy(entity("kind : String @odata.discriminator;", base)), /behind its base/);
  const wrong = entity("others : Association to many E @odata.through: 'links.other';");
  assert.throws(() => throughOf(wrong.elements.others!), /@odata\.through/);
  const twofold = entity(
    "links : Composition of many { key to : Association to E; }; " +
      "others : Association to many E on others.ID = ID @odata.through: 'links.to';",
  );
  assert.throws(() => throughOf(twofold.elements.others!), /others" is defined by @odata\.through/);
});
