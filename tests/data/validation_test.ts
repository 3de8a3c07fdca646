import assert from "node:assert/strict";
import { limitPattern } from "../../src/util/bounded_pattern.ts";
import { type Answer, type App, type AppOptions, errorOf, withApp } from "./app.ts";

const MODEL = `
type Address { street : String(10) @mandatory; zip : String(5) @assert.format: '^[0-9]{5}$'; geo : { lat : Decimal @assert.range: [-90, 90]; } }
type Color : String(10) enum { red; green = 'G'; };
entity db_Kinds { key code : String(3); name : String(20); }
entity db_Pairs { key a : Integer; key b : Integer; }
entity db_Things {
  key ID    : Integer;
  int       : Integer      @assert.range: [1, 10];
  big       : Int64        @assert.range: [0, 9007199254740993];
  small     : UInt8;
  dec       : Decimal(5,2) @assert.range: [0.5, 100.25];
  dbl       : Double       @assert.range: [(0), (1)];
  positive  : Integer      @assert.range: [(0), _];
  negative  : Integer      @assert.range: [_, (0)];
  free      : Integer      @assert.range: [_, _];
  plain     : Integer      @assert.range: [1, 2] @assert.range.message: '';
  long      : String(5000) @assert.format: '^.*a$';
  day       : Date         @assert.range: ['2020-01-01', '2020-12-31'];
  time      : Time         @assert.range: ['08:00:00', '17:00:00'];
  moment    : DateTime     @assert.range: ['2020-01-01T00:00:00Z', '2020-12-31T23:59:59Z'];
  stamp     : Timestamp    @assert.range: ['2020-01-01T00:00:00.000Z', '2020-12-31T23:59:59.999Z'];
  letter    : String(5)    @assert.range: ['b', 'd'];
  color     : Color        @assert.range;
  level     : Integer      @assert.range enum { low = 1; high = 9; };
  open      : Color;
  code      : String(10)   @assert.format: '^[A-Z]{2}-[0-9]+$';
  chain     : String(5000) @assert.format: '^(a+)+b$';
  tags      : array of String(5);
  numbers   : array of Integer @assert.range: [1, 3];
  points    : array of { x : Integer @mandatory; y : Integer; };
  address   : Address;
  kind      : Association to db_Kinds @assert.target;
  pair      : Association to db_Pairs @assert.target;
  loose     : Association to db_Kinds;
  needed    : String(10) not null default 'x';
  strict    : Boolean;
  parts     : Composition of many db_Parts on parts.thing = $self;
  head      : Composition of one db_Heads;
}
entity db_Parts { key ID : Integer; name : String(5) @mandatory; size : Integer @assert.range: [0, 9]; thing : Association to db_Things;
  kind : Association to db_Kinds @assert.target; once : String(5) @Core.Immutable; bits : Composition of many { key pos : Integer; bit : Integer @assert.range: [0, 1]; } }
entity db_Heads { key ID : UUID; title : String(5) @mandatory; notes : Composition of many { key ID : UUID; text : String(5) not null; }; }
@cds.persistence.skip entity db_Far { key ID : Integer; name : String(5) @mandatory; }
service Test {
  entity Things as projection on db_Things actions { action bound(n : Integer @assert.range: [1, 2]); };
  entity Parts as projection on db_Parts;
  entity Heads as projection on db_Heads;
  entity Kinds as projection on db_Kinds;
  entity Far as projection on db_Far;
  entity Pairs as projection on db_Pairs;
  action act(n : Integer @assert.range: [1, 2], s : String(3) @mandatory, list : many Integer, addr : Address, addrs : many Address, must : Integer not null default 1);
  function fn(n : Integer @assert.range: [1, 2]) returns Integer;
  action UPSERT(n : Integer @assert.range: [1, 2]) returns Integer;
}
`;

const ROWS = { db_Kinds: [{ code: "a", name: "A" }], db_Pairs: [{ a: 1, b: 2 }] };

function withThings(test: (app: App) => Promise<unknown>, more: Partial<AppOptions> = {}): Promise<void> {
  return withApp({
    model: MODEL,
    rows: ROWS,
    handlers: (srv) => {
      srv.on("act", (req) => assert.equal((req.data as { must: unknown }).must, 1));
      srv.on("bound", "Things", () => undefined);
      srv.on("fn", () => 1);
      srv.on("UPSERT", "Far", () => "far");
    },
    ...more,
  }, test);
}

/** `code target` of every violation. */
function violations(answer: Answer): string[] {
  const error = errorOf(answer, 400);
  const list = (error.details ?? [error]) as { code: string; target: string }[];
  return list.map(({ code, target }) => `${code} ${target}`);
}

let next = 1;
const create = (app: App, body: object) => app.post("Things", { ID: next++, address_street: "s", ...body });

for (
  const [name, good, bad] of [
    ["int", [1, 10, null], [0, 11]],
    ["big", [0, "9007199254740993", "9007199254740992"], [-1, "9007199254740994"]],
    ["dec", [0.5, 100.25, "0.50"], [0.49, 100.26, "0.4"]],
    ["dbl", [0.001, 0.999], [0, 1, "INF", "NaN"]],
    ["positive", [1, 2147483647], [0, -1]],
    ["negative", [-1], [0, 1]],
    ["free", [0, -5, 5], []],
    ["day", ["2020-01-01", "2020-12-31"], ["2019-12-31", "2021-01-01"]],
    ["time", ["08:00:00", "17:00:00", "08:00"], ["07:59:59", "17:00:01"]],
    ["moment", ["2020-01-01T00:00:00Z", "2020-12-31T23:59:59Z", "2019-12-31T23:00:00-01:00"], [
      "2019-12-31T23:59:59Z",
      "2021-01-01T00:00:00Z",
    ]],
    ["stamp", ["2020-01-01T00:00:00.000Z", "2020-12-31T23:59:59.999Z", "2020-06-01T00:00:00Z"], [
      "2019-12-31T23:59:59.999Z",
      "2021-01-01T00:00:00.000Z",
    ]],
    ["letter", ["b", "c", "d"], ["a", "da"]],
  ] as const
) {
  Deno.test(`@assert.range of ${name}: bounds count, what lies outside is refused [7.3.range]`, () =>
    withThings(async (app) => {
      for (const value of good) {
        const answer = await create(app, { [name]: value });
        assert.equal(answer.status, 201, `${value}: ${answer.text}`);
      }
      for (const value of bad) {
        assert.deepEqual(
          violations(await create(app, { [name]: value })),
          [`ASSERT_RANGE ${name}`],
          String(value),
        );
      }
    }));
}

Deno.test("@assert.range of enums takes the values of the symbols; an enum without it takes any [7.3.enum]", () =>
  withThings(async (app) => {
    assert.equal((await create(app, { color: "red", level: 9, open: "blue" })).status, 201);
    assert.equal((await create(app, { color: "G", level: null })).status, 201);
    assert.deepEqual(violations(await create(app, { color: "green", level: 2 })), [
      "ASSERT_ENUM color",
      "ASSERT_ENUM level",
    ]);
  }));

Deno.test("texts of ranges name the bounds, also exclusive and open ones", () =>
  withThings(async (app) => {
    const message = async (body: object) => errorOf(await create(app, body), 400).message;
    assert.equal(await message({ int: 0 }), "The value must lie between 1 and 10");
    assert.equal(await message({ dbl: 0 }), "The value must lie between >0 and <1");
    assert.equal(await message({ positive: 0 }), "The value must lie between >0 and <Infinity");
    assert.equal(await message({ level: 0 }), "The value must be one of: 1, 9");
    assert.equal(await message({ plain: 0 }), "The value must lie between 1 and 2");
    assert.equal(await message({ code: "x" }), "The value must match the pattern ^[A-Z]{2}-[0-9]+$");
    assert.equal(await message({ tags: ["123456"] }), "123456 is not a value of type String(5)");
    assert.equal(await message({ dec: 1.234 }), "1.234 is not a value of type Decimal(5,2)");
  }));

Deno.test("types, lengths and digits are checked", () =>
  withThings(async (app) => {
    const wrong = {
      int: 1.5,
      big: 1.5,
      small: 256,
      dec: "1.234",
      free: "x",
      day: "2021-02-29",
      time: "24:00:00",
      moment: "2020-01-01",
      stamp: "2020-01-01T00:00:00",
      letter: "abcdef",
      strict: "true",
    };
    for (const [name, value] of Object.entries(wrong)) {
      const found = violations(await create(app, { [name]: value }));
      assert.equal(found[0], `ASSERT_DATA_TYPE ${name}`);
    }
    const all = violations(await create(app, wrong));
    assert.deepEqual(
      all.filter((one) => one.startsWith("ASSERT_DATA_TYPE")),
      Object.keys(wrong).map((name) => `ASSERT_DATA_TYPE ${name}`),
    );
  }));

Deno.test("arrays: items are checked by position, anything else than an array is refused", () =>
  withThings(async (app) => {
    assert.equal((await create(app, { tags: ["a", "b"], numbers: [1, 3], points: [{ x: 1 }] })).status, 201);
    assert.deepEqual(violations(await create(app, { tags: "a" })), ["ASSERT_ARRAY tags"]);
    assert.deepEqual(violations(await create(app, { tags: { a: 1 } })), ["ASSERT_ARRAY tags"]);
    assert.deepEqual(violations(await create(app, { tags: ["ok", 5, "toolong"] })), [
      "ASSERT_DATA_TYPE tags[1]",
      "ASSERT_DATA_TYPE tags[2]",
    ]);
    assert.deepEqual(violations(await create(app, { numbers: [1, 4] })), ["ASSERT_RANGE numbers[1]"]);
    assert.deepEqual(violations(await create(app, { points: [{ x: 1 }, { y: "z" }] })), [
      "ASSERT_MANDATORY points[1]/x",
      "ASSERT_DATA_TYPE points[1]/y",
    ]);
  }));

Deno.test("structures are checked by their flat names", () =>
  withThings(async (app) => {
    const good = { address_street: "s", address_zip: "12345", address_geo_lat: 45 };
    assert.equal((await create(app, good)).status, 201);
    const bad = { address_street: "", address_zip: "1", address_geo_lat: 91 };
    assert.deepEqual(violations(await create(app, bad)), [
      "ASSERT_MANDATORY address_street",
      "ASSERT_FORMAT address_zip",
      "ASSERT_RANGE address_geo_lat",
    ]);
  }));

Deno.test("@assert.target finds rows by all keys, in nested form too, and leaves null alone [7.3.target]", () =>
  withThings(async (app) => {
    const good = { address_street: "s" };
    assert.equal((await create(app, { ...good, kind_code: "a", pair_a: 1, pair_b: 2 })).status, 201);
    assert.equal((await create(app, { ...good, kind: { code: "a" } })).status, 201);
    assert.equal((await create(app, { ...good, kind_code: null, loose_code: "zz" })).status, 201);
    assert.deepEqual(violations(await create(app, { ...good, kind_code: "z" })), ["ASSERT_TARGET kind_code"]);
    assert.deepEqual(violations(await create(app, { ...good, kind: { code: "z" } })), [
      "ASSERT_TARGET kind_code",
    ]);
    assert.deepEqual(violations(await create(app, { ...good, pair_a: 2, pair_b: 1 })), [
      "ASSERT_TARGET pair_a",
    ]);
  }));

Deno.test("deep payloads: targets lead to the child by key, else by position", () =>
  withThings(async (app) => {
    const body = {
      address_street: "s",
      int: 0,
      parts: [
        { ID: 1, name: "ok", size: 10, bits: [{ pos: 1, bit: 2 }, { bit: 1 }] },
        { ID: 2, kind_code: "z" },
        { name: "" },
      ],
      head: { title: "too long" },
    };
    assert.deepEqual(violations(await create(app, body)), [
      "ASSERT_RANGE int",
      "ASSERT_RANGE parts(ID=1)/size",
      "ASSERT_RANGE parts(ID=1)/bits(pos=1)/bit",
      "ASSERT_MANDATORY parts(ID=2)/name",
      "ASSERT_MANDATORY parts[2]/name",
      "ASSERT_DATA_TYPE head/title",
      "ASSERT_TARGET parts(ID=2)/kind_code",
    ]);
    assert.deepEqual(await app.rows("Things"), []);
    assert.deepEqual(violations(await create(app, { address_street: "s", parts: { ID: 1 } })), [
      "ASSERT_DATA_TYPE parts",
    ]);
  }));

Deno.test("a row that does not exist is 404, whatever it or its parts refer to (Protocol 11.4.3)", () =>
  withThings(async (app) => {
    await app.post("Things", { ID: 500, address_street: "s" });
    for (const body of [{ kind_code: "z" }, { parts: [{ ID: 1, name: "a", kind_code: "z" }] }]) {
      assert.equal((await app.patch("Things(501)", body)).status, 404);
      assert.equal((await app.patch("Things(500)", body)).status, 400);
    }
  }));

Deno.test("updates check what they hold, new children completely", () =>
  withThings(async (app) => {
    await app.post("Things", { ID: 500, address_street: "s", parts: [{ ID: 1, name: "a" }] });
    assert.equal((await app.patch("Things(500)", { int: 5 })).status, 200);
    assert.deepEqual(violations(await app.patch("Things(500)", { int: 50, address_street: null })), [
      "ASSERT_RANGE int",
      "ASSERT_MANDATORY address_street",
    ]);
    assert.deepEqual(violations(await app.patch("Things(500)", { needed: null })), [
      "ASSERT_NOT_NULL needed",
    ]);
    assert.deepEqual(violations(await app.patch("Things(500)", { parts: [{ ID: 1, size: 10 }] })), [
      "ASSERT_RANGE parts(ID=1)/size",
    ]);
    assert.deepEqual(violations(await app.patch("Things(500)", { head: {} })), [
      "ASSERT_MANDATORY head/title",
    ]);
    assert.equal((await app.patch("Things(500)", { parts: [{ ID: 1, size: 5 }] })).status, 200);
  }));

Deno.test("children of an update that are new are checked completely, unless their keys are none", () =>
  withThings(async (app) => {
    await app.post("Things", { ID: 500, address_street: "s", parts: [{ ID: 1, name: "a", once: "x" }] });
    const parts = (...rows: object[]) => app.patch("Things(500)", { parts: rows });
    assert.deepEqual(violations(await parts({ ID: 1 }, { ID: 7 })), ["ASSERT_MANDATORY parts(ID=7)/name"]);
    assert.deepEqual(violations(await parts({ ID: "x" })), ["ASSERT_DATA_TYPE parts(ID=x)/ID"]);
    assert.equal((await parts({ ID: 1, once: "y" }, { ID: 7, name: "b", once: "z" })).status, 200);
    const rows = await app.rows("Things(500)/parts?$select=ID,name,once&$orderby=ID");
    assert.deepEqual(rows, [{ ID: 1, name: "a", once: "x" }, { ID: 7, name: "b", once: "z" }]);
  }));

Deno.test("children of an update that get their key need what is not null, those that are there do not", () =>
  withThings(async (app) => {
    const ID = "6d1f5e3c-0000-4000-8000-000000000001";
    await app.post("Heads", { ID, title: "a", notes: [{ ID, text: "a" }] });
    assert.equal((await app.patch(`Heads(${ID})`, { notes: [{ ID }] })).status, 200);
    assert.deepEqual(violations(await app.patch(`Heads(${ID})`, { notes: [{ ID }, {}] })), [
      "ASSERT_NOT_NULL notes[1]/text",
    ]);
  }));

Deno.test("parts of new rows are checked where nothing but their values has to be looked at", () =>
  withThings(async (app) => {
    const notes = (...texts: unknown[]) =>
      app.post("Heads", { title: "a", notes: texts.map((text) => ({ text })) });
    assert.equal((await notes("12345", "b")).status, 201);
    assert.deepEqual(violations(await notes("a", null)), ["ASSERT_NOT_NULL notes[1]/text"]);
    assert.deepEqual(violations(await notes("a", "123456")).map((text) => text.split(" ")[0]), [
      "ASSERT_DATA_TYPE",
    ]);
  }));

Deno.test("rows are looked up only where it matters whether they are stored", () =>
  withThings(async (app) => {
    const read: unknown[] = [];
    app.runtime.db!.before("READ", "Test.Parts", (req) => void read.push(req.query));
    assert.equal((await create(app, { parts: [{ ID: 1, name: "a", size: 1 }] })).status, 201);
    assert.deepEqual(read, []);
  }));

Deno.test("rows that no table has count as stored, those without key too", () =>
  withThings(async (app) => {
    const service = app.runtime.services.Test!;
    const upsert = (entity: string, row: object) =>
      service.tx((tx) => tx.send({ event: "UPSERT", entity, data: row }));
    assert.deepEqual(await upsert("Far", { ID: 1 }), "far");
    await assert.rejects(upsert("Parts", { size: 1 }), { code: "ASSERT_NOT_NULL", target: "ID" });
    await assert.rejects(upsert("Parts", { ID: 1 }), { code: "ASSERT_MANDATORY", target: "name" });
  }));

Deno.test("an event or operation that is called like an event of rows, and is about none, is none", () =>
  withThings(async (app) => {
    assert.equal(await app.runtime.services.Test!.tx((tx) => tx.send("UPDATE", { n: 5 })), 5);
    assert.equal((await app.post("UPSERT", { n: 1 })).body.value, 1);
    assert.deepEqual(violations(await app.post("UPSERT", { n: 3 })), ["ASSERT_RANGE n"]);
  }, { handlers: (srv) => srv.on(["UPDATE", "UPSERT"], (req) => (req.data as { n: unknown }).n) }));

Deno.test("parameters of operations are checked, structures and arrays included", () =>
  withThings(async (app) => {
    assert.equal(
      (await app.post("act", { s: "abc", n: 1, list: [1, 2], addr: { street: "s" } })).status,
      204,
    );
    assert.deepEqual(violations(await app.post("act", {})), ["ASSERT_MANDATORY s"]);
    assert.deepEqual(
      violations(
        await app.post("act", {
          n: 3,
          s: " ",
          list: [1, "x"],
          addr: { zip: "1", geo: { lat: 100 } },
          addrs: [{ street: "a" }, { zip: "99999" }],
          must: null,
        }),
      ),
      [
        "ASSERT_RANGE n",
        "ASSERT_MANDATORY s",
        "ASSERT_DATA_TYPE list[1]",
        "ASSERT_MANDATORY addr/street",
        "ASSERT_FORMAT addr/zip",
        "ASSERT_RANGE addr/geo/lat",
        "ASSERT_MANDATORY addrs[1]/street",
        "ASSERT_NOT_NULL must",
      ],
    );
    assert.deepEqual(violations(await app.post("act", { s: "abcd", list: 1 })), [
      "ASSERT_DATA_TYPE s",
      "ASSERT_ARRAY list",
    ]);
    assert.deepEqual(violations(await app.get("fn(n=3)")), ["ASSERT_RANGE n"]);
    assert.equal((await app.get("fn(n=2)")).status, 200);
    await app.post("Things", { ID: 600, address_street: "s" });
    assert.deepEqual(violations(await app.post("Things(600)/bound", { n: 3 })), ["ASSERT_RANGE n"]);
  }));

Deno.test("patterns see the whole value unless they say less, and do not hang", () =>
  withThings(async (app) => {
    const good = { address_street: "s" };
    assert.equal((await create(app, { ...good, code: "AB-1" })).status, 201);
    for (const code of ["ab-1", "AB-", "AB-1\n", "xAB-1"]) {
      assert.deepEqual(violations(await create(app, { ...good, code })), ["ASSERT_FORMAT code"], code);
    }
    assert.equal((await create(app, { ...good, chain: "aab" })).status, 201);
    for (const chain of ["b", "a".repeat(4096)]) {
      assert.deepEqual(violations(await create(app, { ...good, chain })), ["ASSERT_FORMAT chain"]);
    }
  }));

Deno.test("a pattern that takes long is looked for in values up to its bound, and matches no longer one", () =>
  withThings(async (app) => {
    const { maxLength } = limitPattern("^.*a$") as { readonly maxLength: number };
    const text = (length: number) => ({ address_street: "s", long: "a".repeat(length) });
    assert.ok(maxLength < 5000);
    assert.equal((await create(app, text(maxLength))).status, 201);
    assert.deepEqual(violations(await create(app, text(maxLength + 1))), ["ASSERT_FORMAT long"]);
  }));

Deno.test("messages for @mandatory stay ours when the default language is another one", () =>
  withThings(async (app) => {
    const error = errorOf(await app.post("act", {}), 400);
    assert.equal(error.code, "ASSERT_MANDATORY");
    assert.equal(error.message, "Ein Wert ist erforderlich");
    const foreign = errorOf(await app.post("act", {}, { "accept-language": "xx" }), 400);
    assert.equal(foreign.code, "ASSERT_MANDATORY");
  }, { env: { i18n: { default_language: "de" }, log: { levels: { default: "silent" } } } }));
