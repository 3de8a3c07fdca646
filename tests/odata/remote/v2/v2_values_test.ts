/** Values and bodies of OData 2 in the form of OData 4, and back (OData 2 Overview and JSON Format). */

import assert from "node:assert/strict";
import { parseCdl } from "../../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../../src/model/link_model.ts";
import type { RemoteType } from "../../../../src/odata/remote/remote_expression.ts";
import { fromV2Body, fromV2Value, toV2Body, v2Literal } from "../../../../src/odata/remote/v2/v2_values.ts";

const META = { __metadata: { uri: "Books(1)" } };
const LATER = { __deferred: { uri: "Books(1)/author" } };

/** What comes, and what it is in OData 4. */
const BODIES: readonly [body: unknown, expected: unknown, name?: string][] = [
  [{ d: [{ ...META, ID: 1 }, { ID: 2 }] }, { value: [{ ID: 1 }, { ID: 2 }] }],
  [{ d: { results: [{ ...META, ID: 1 }] } }, { value: [{ ID: 1 }] }],
  [{ d: { results: [], __count: "0" } }, { value: [], "@odata.count": "0" }],
  [{ d: { results: [], __next: "Books?$skiptoken=1" } }, {
    value: [],
    "@odata.nextLink": "Books?$skiptoken=1",
  }],
  [{ d: { ...META, ID: 1, author: LATER } }, { ID: 1 }],
  [{ d: { ID: 1, author: { ...META, ID: 2, books: LATER } } }, { ID: 1, author: { ID: 2 } }],
  [{ d: { ID: 1, tags: { results: [{ ...META, ID: 2 }] } } }, { ID: 1, tags: [{ ID: 2 }] }],
  [{ d: { ID: 1, tags: [{ ...META, ID: 2, book: LATER }] } }, { ID: 1, tags: [{ ID: 2 }] }],
  [{ d: { ID: 1, none: null } }, { ID: 1, none: null }],
  [{ d: 7 }, { value: 7 }],
  [{ d: null }, { value: null }],
  [{ d: { Sum: 3 } }, { value: 3 }, "Sum"],
  [{ d: { ...META, Best: { ...META, ID: 1 } } }, { ID: 1 }, "Best"],
  [{ d: { Ids: { results: [1, 2] } } }, { value: [1, 2] }, "Ids"],
  [{ d: { Ids: [1, 2] } }, { value: [1, 2] }, "Ids"],
  [{ d: { Sum: 3, Best: 1 } }, { Sum: 3, Best: 1 }, "Sum"],
  [{ d: { Sum: 3 } }, { Sum: 3 }, "Best"],
  [{ d: { Sum: 3 } }, { Sum: 3 }],
  [{ value: [1] }, { value: [1] }],
  [[1], [1]],
  ["text", "text"],
  [undefined, undefined],
];

Deno.test("answers of OData 2 are those of OData 4 without what only OData 2 says", () => {
  for (const [body, expected, name] of BODIES) {
    assert.deepEqual(fromV2Body(body, name), expected, JSON.stringify(body));
  }
});

const TYPED: ReadonlyMap<string, RemoteType> = new Map([
  ["Int64", { builtin: "cds.Int64" }],
  ["Integer64", { builtin: "cds.Integer64" }],
  ["Decimal", { builtin: "cds.Decimal" }],
  ["DecimalFloat", { builtin: "cds.DecimalFloat" }],
  ["Double", { builtin: "cds.Double" }],
  ["Single", { builtin: "cds.Double", edmType: "Edm.Single" }],
  ["Integer", { builtin: "cds.Integer" }],
  ["UUID", { builtin: "cds.UUID" }],
  ["Date", { builtin: "cds.Date" }],
  ["Time", { builtin: "cds.Time" }],
  ["DateTime", { builtin: "cds.DateTime" }],
  ["Timestamp", { builtin: "cds.Timestamp" }],
  ["Local", { builtin: "cds.Timestamp", edmType: "Edm.DateTime" }],
  ["Binary", { builtin: "cds.Binary" }],
  ["LargeBinary", { builtin: "cds.LargeBinary" }],
  ["String", { builtin: "cds.String" }],
]);
const ID = "11111111-aaaa-1111-1111-11111111111F";
const NOON = new Date("2020-01-02T12:00:00.000Z");

/** Values, and their literals by the type of what they are compared with. */
const LITERALS: readonly [type: string, value: unknown, literal: string][] = [
  ["String", null, "null"],
  ["Int64", undefined, "null"],
  ["", true, "true"],
  ["String", false, "false"],
  ["", 1, "1"],
  ["Integer", 1, "1"],
  ["Integer", "1", "'1'"],
  ["", 1n, "1"],
  ["Int64", 1, "1L"],
  ["Integer64", "-12", "-12L"],
  ["Int64", "1.5", "1.5"],
  ["Int64", "x", "'x'"],
  ["Decimal", "1.50", "1.50M"],
  ["Decimal", 10n, "10M"],
  ["DecimalFloat", 1.5, "1.5M"],
  ["Double", 1e21, "1e+21d"],
  ["Double", "-1E-7", "-1E-7d"],
  ["Double", "1.", "'1.'"],
  ["Double", "x1", "'x1'"],
  ["Double", NaN, "'NaN'"],
  ["Single", 1.5, "1.5f"],
  ["UUID", ID, `guid'${ID}'`],
  ["UUID", `${ID}0`, `'${ID}0'`],
  ["UUID", ` ${ID}`, `' ${ID}'`],
  ["String", ID, `'${ID}'`],
  ["Date", "2020-01-02", "datetime'2020-01-02T00:00:00'"],
  ["Date", "2020-01-02T", "'2020-01-02T'"],
  ["String", "2020-01-02", "'2020-01-02'"],
  ["DateTime", "2020-01-02T12:00:00Z", "datetimeoffset'2020-01-02T12:00:00Z'"],
  ["DateTime", "2020-01-02T12:00:00", "datetimeoffset'2020-01-02T12:00:00Z'"],
  ["Timestamp", "2020-01-02T12:00:00.250+01:00", "datetimeoffset'2020-01-02T11:00:00.250Z'"],
  ["Local", "2020-01-02T12:00:00.250Z", "datetime'2020-01-02T12:00:00.250'"],
  ["Local", NOON, "datetime'2020-01-02T12:00:00'"],
  ["Timestamp", NOON, "datetimeoffset'2020-01-02T12:00:00Z'"],
  ["", NOON, "datetimeoffset'2020-01-02T12:00:00Z'"],
  ["Timestamp", "2020-01-02", "'2020-01-02'"],
  ["String", "2020-01-02T12:00:00Z", "'2020-01-02T12:00:00Z'"],
  ["Time", "08:30", "time'PT08H30M00S'"],
  ["Time", "08:30:15.5", "time'PT08H30M15.5S'"],
  ["Time", "8:30", "'8:30'"],
  ["String", "08:30:00", "'08:30:00'"],
  ["", new Uint8Array([1, 255]), "X'01ff'"],
  ["Binary", "-_8=", "X'fbff'"],
  ["LargeBinary", "AQI=", "X'0102'"],
  ["String", "it's", "'it''s'"],
  ["", "AQI=", "'AQI='"],
];

Deno.test("literals of OData 2 have prefixes and suffixes by types; what has another form is text (OData 2 Overview, 6)", () => {
  for (const [type, value, literal] of LITERALS) {
    assert.equal(v2Literal(value, TYPED.get(type)), literal, `${type} ${String(value)}`);
  }
});

/** Values of answers, and those of rows. */
const ANSWERED: readonly [type: string, value: unknown, expected: unknown][] = [
  ["", "PT1H", "PT1H"],
  ["Double", "1.5", 1.5],
  ["Double", "NaN", "NaN"],
  ["Double", 1.5, 1.5],
  ["Decimal", "1.50", "1.50"],
  ["String", "/Date(0)/", "/Date(0)/"],
  ["Date", "/Date(1577966400000)/", "2020-01-02"],
  ["DateTime", "/Date(1577966400250+0060)/", "2020-01-02T12:00:00Z"],
  ["Timestamp", "/Date(-250-1)/", "1969-12-31T23:59:59.750Z"],
  ["Timestamp", "2020-01-02T12:00:00Z", "2020-01-02T12:00:00Z"],
  ["Date", null, null],
  ["Time", "PT8H5M7.5S", "08:05:07.5"],
  ["Time", "PT12H", "12:00:00"],
  ["Time", "PT30M", "00:30:00"],
  ["Time", "PT", "00:00:00"],
  ["Time", "08:30:00", "08:30:00"],
];

Deno.test("values of OData 2 have the form of their types; what is of another form stays as it is (OData 2 JSON Format, 4)", () => {
  for (const [type, value, expected] of ANSWERED) {
    assert.equal(fromV2Value(value, TYPED.get(type)), expected, `${type} ${String(value)}`);
  }
});

const MODEL = linkModel(parseCdl(`
  entity Orders { key ID : Integer; big : Int64; price : Decimal; day : Date; at : Timestamp; since : DateTime; opens : Time;
    title : String; data : Binary; buyer : Association to Buyers; pair : Association to Pairs;
    items : Composition of many Items on items.order = $self; note : Composition of one Buyers; extra { big : Int64; } }
  entity Items { key ID : Int64; order : Association to Orders; }
  entity Buyers { key ID : Int64; name : String; }
  entity Pairs { key a : Int64; key b : Date; }`));

/** Rows, and what stands in their bodies. */
const SENT: readonly [data: unknown, body: unknown][] = [
  [{ ID: 1, big: 1, price: 1.5, title: "1" }, { ID: 1, big: "1", price: "1.5", title: "1" }],
  [{ big: 2n, price: "1.50", none: 1n }, { big: "2", price: "1.50", none: "1" }],
  [{ title: null, day: undefined, price: undefined }, { title: null }],
  [{ title: true, data: new Uint8Array([1, 2]) }, { title: true, data: "AQI=" }],
  [{ day: "2020-01-02", title: "2020-01-02" }, { day: "/Date(1577923200000)/", title: "2020-01-02" }],
  [{ day: NOON, at: NOON }, { day: "/Date(1577966400000)/", at: "/Date(1577966400000+0000)/" }],
  [{ at: "2020-01-02T12:00:00", since: "2020-01-02T13:00:00+01:00" }, {
    at: "/Date(1577966400000+0000)/",
    since: "/Date(1577966400000+0000)/",
  }],
  [{ at: "2020-01-02", title: "2020-01-02T12:00:00Z" }, { at: "2020-01-02", title: "2020-01-02T12:00:00Z" }],
  [{ opens: "08:30", title: "08:30" }, { opens: "PT08H30M00S", title: "08:30" }],
  [{ opens: "early" }, { opens: "early" }],
  [{ buyer: { ID: 5, name: "x" } }, { buyer_ID: "5" }],
  [{ buyer: { name: "x" } }, {}],
  [{ buyer: null }, { buyer: null }],
  [{ pair: { b: "2020-01-02", a: 1 } }, { pair_a: "1", pair_b: "/Date(1577923200000)/" }],
  [{ items: [{ ID: 1 }, { ID: 2 }] }, { items: [{ ID: "1" }, { ID: "2" }] }],
  [{ note: { ID: 3, name: "n" } }, { note: { ID: "3", name: "n" } }],
  [{ unknown: { big: 1, at: NOON, list: [1n] } }, {
    unknown: { big: 1, at: "/Date(1577966400000+0000)/", list: ["1"] },
  }],
  [{ unknown: [{ a: undefined, b: 1 }] }, { unknown: [{ b: 1 }] }],
  [[{ big: 1 }, { big: 2 }], [{ big: "1" }, { big: "2" }]],
  [1n, "1"],
];

Deno.test("bodies of OData 2 have long numbers and decimals as text, dates as milliseconds, references as foreign keys", () => {
  for (const [data, body] of SENT) {
    assert.deepEqual(JSON.parse(toV2Body(data, MODEL.entity("Orders"))), body);
  }
  assert.equal(toV2Body({ big: 1, a: undefined }), '{"big":1}');
});
