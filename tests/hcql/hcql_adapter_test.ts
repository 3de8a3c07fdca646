import assert from "node:assert/strict";
import type { ApplicationService, Query, Row } from "../../mod.ts";
import { withApp } from "../service/rules/on_engines.ts";
import { outcome, PARCELS, testGoods } from "./parcels.ts";

/** Paths with the row or rows that they read. */
const READ: Readonly<Record<string, unknown>> = {
  "Slots": [{ row: 1, place: "a,b", note: "near" }, { row: 2, place: "it's", note: "far" }],
  "Slots { row } where place = 'it''s'": [{ row: 2 }],
  "Goods.Slots { row } limit 1": [{ row: 1 }],
  "Parcels:items { ID } order by ID desc": [{ ID: 2 }, { ID: 1 }],
  "Slots/row=1,place='a,b'": { row: 1, place: "a,b", note: "near" },
  "Slots/place='a,b',row=1 { note }": { note: "near" },
  "Slots/row=2,place='it''s' {note}": { note: "far" },
  "Parcels/1{ID}": { ID: 1 },
  "Parcels/2 { ID, depot { name } }": { ID: 2, depot: { name: "Gamma" } },
  "Goods.Parcels/1 { ID }": { ID: 1 },
  "Parcels/1 { ID } where label = 'x' or kg > 1": { ID: 1 },
  "Depots/AAA { name }": { name: "Alpha" },
  "Depots/'AAA' { name }": { name: "Alpha" },
  "Depots/'C''C' { name }": { name: "Gamma" },
  "Ratios/1.5": { ratio: 1.5, name: "more" },
  "Ratios/ratio=1.5 { name }": { name: "more" },
};

testGoods("HCQL reads rows by paths, and one by all of its keys in any order", async ({ get }) => {
  for (const [path, data] of Object.entries(READ)) {
    assert.deepEqual(outcome(await get(path)), [200, data], path);
  }
});

/** Paths that read nothing, by what is said about them. */
const FAILED: Readonly<Record<string, readonly string[]>> = {
  "400 A query is expected: /<entity> { columns }": [""],
  "400 A row of Slots has the keys row, place": ["Slots/1", "Slots/row=1", "Slots/row=1,row=2"],
  '400 "row=1,nope=2" is no key of Slots': ["Slots/row=1,nope=2"],
  "400 \"row=x,place='y'\" is no key of Slots": ["Slots/row=x,place='y'"],
  '400 "1.5" is no key of Parcels': ["Parcels/1.5"],
  '400 "9007199254740993" is no key of Parcels': ["Parcels/9007199254740993"],
  '400 "x" is no key of Ratios': ["Ratios/x"],
  '400 "1e999" is no key of Ratios': ["Ratios/1e999"],
  "404 There is no row \"row=9,place='a,b'\"": ["Slots/row=9,place='a,b'"],
  '404 There is no row "2"': ["Parcels/2 { ID } where label = 'books' or kg < 20"],
  "404 There is no row \"'A'' or 1=1'\"": ["Depots/'A'' or 1=1'"],
  '400 Service "Goods" has no entity "Nope"': ["Nope/1"],
  '400 1:21: Found "/", expected end of text': ["Parcels/1/2"],
  '400 1:20: Found "/", expected end of text': ["Parcels/"],
  "400 1:26: Found end of text, expected an expression": ["Parcels where"],
  '400 Service "Goods" has no entity "inner"': ["inner"],
  '400 Service "Goods" has no entity "Other.hello"': ["Other.hello"],
  "405 Actions are called by POST": ["weigh", "forget", "Goods.forget"],
  "400 x is not a value of type Integer": ["hello?to=a&times=x"],
  '400 Property "nope" does not exist in Goods.hello': ["hello?nope=1"],
};

testGoods("HCQL says why a path reads nothing", async ({ get }) => {
  for (const [expected, paths] of Object.entries(FAILED)) {
    for (const path of paths) {
      const [status, message] = outcome(await get(path));
      assert.equal(`${status} ${message}`, expected, path);
    }
  }
});

testGoods("HCQL calls functions by GET with their parameters in the query", async ({ get }) => {
  const cases = {
    ...{
      "hello?to=a&times=3": "aaa",
      "hello?times=2&to=12": "1212",
      "Goods.hello?to=7": "7",
      hello: "undefined",
    },
    ...{ "hello?to=true&times=1": "true", "hello?to=null": "null" },
  };
  for (const [path, data] of Object.entries(cases)) {
    assert.deepEqual(outcome(await get(path)), [200, data], path);
  }
});

testGoods("HCQL takes queries and parameters by POST in the media types they have", async ({ send }) => {
  const cases:
    readonly (readonly [path: string, body: unknown, type: string, status: number, said: unknown])[] = [
      ["weigh", { ID: 3 }, "application/json", 200, 3],
      ["Goods.weigh", { ID: 4 }, "application/json; charset=utf-8", 200, 4],
      ["weigh", "", "application/json", 200, -1],
      ["weigh", " \n", "application/json", 200, -1],
      ["weigh", "[1]", "application/json", 400, "Parameters are expected as an object"],
      ["weigh", "5", "application/json", 400, "Parameters are expected as an object"],
      ["weigh", { ID: "x" }, "application/json", 400, "x is not a value of type Integer"],
      ["weigh", { nope: 1 }, "application/json", 400, 'Property "nope" does not exist in Goods.weigh'],
      ["forget", {}, "application/json", 200, null],
      ["hello", {}, "application/json", 405, "Functions are called by GET"],
      ["inner", {}, "application/json", 404, 'There is no operation "inner"'],
      ["Slots", {}, "application/json", 404, 'There is no operation "Slots"'],
      ["", "SELECT from Slots { row }", "text/plain;charset=utf-8", 200, [{ row: 1 }, { row: 2 }]],
      [
        "",
        "<a/>",
        "application/xml",
        415,
        "The content type must be application/json, but is application/xml",
      ],
      ["", "5", "application/json", 400, "A query is expected as an object"],
      ["", "null", "application/json", 400, "A query is expected as an object"],
      ["", "nope", "text/plain", 400, '1:1: Found "nope", expected one of "select", "("'],
    ];
  for (const [path, body, type, ...expected] of cases) {
    const answer = await send("POST", `/hcql/goods/${path}`, body, {
      user: "bob",
      headers: { "content-type": type },
    });
    assert.deepEqual(outcome(answer), expected, `${path} ${JSON.stringify(body)}`);
  }
});

testGoods("HCQL answers GET and POST, HEAD without a body, and no other methods", async ({ send, get }) => {
  for (const method of ["PUT", "PATCH", "DELETE"]) {
    const answer = await send(method, "/hcql/goods/Slots", undefined, { user: "bob" });
    assert.deepEqual(outcome(answer), [405, "HCQL takes GET and POST"], method);
  }
  for (const [path, status] of [["Slots", 200], ["Nope", 400]] as const) {
    const { text, headers, ...answer } = await send("HEAD", `/hcql/goods/${path}`, undefined, {
      user: "bob",
    });
    assert.deepEqual([answer.status, text, headers.get("content-type")], [status, "", "application/json"]);
  }
  for (const path of ["Slots", "Nope"]) {
    const { headers } = await get(path);
    assert.deepEqual(
      [headers.get("content-type"), headers.get("odata-version")],
      ["application/json", null],
      path,
    );
  }
});

testGoods(
  "HCQL tells several failures, each with its code and target, and no code that is a status",
  async ({ run }) => {
    const required = (target: string) => ({
      code: "ASSERT_MANDATORY",
      message: "A value is required",
      target,
    });
    const { status, body } = await run({ INSERT: { into: "Parcels", entries: [{ ID: 9 }, { ID: 10 }] } });
    assert.deepEqual([status, body as unknown], [400, {
      errors: [required("[0]/label"), required("[1]/label")],
    }]);
    const wrong = await run({ INSERT: { into: "Parcels", entries: [{ ID: "x", label: "l" }] } });
    assert.deepEqual(wrong.body as unknown, {
      errors: [{
        ...{ code: "ASSERT_DATA_TYPE", message: "x is not a value of type Integer", target: "ID" },
        args: ["x", "Integer"],
      }],
    });
    const plain = await run({ INSERT: { into: "Slots", entries: [] } });
    assert.deepEqual(plain.body as unknown, { errors: [{ message: "INSERT needs rows (entries)" }] });
  },
);

const KINDS = "A query is one of SELECT, INSERT, UPSERT, UPDATE, DELETE";
const row = (op: string, val: number) => [{ ref: ["row"] }, op, { val }];

testGoods("HCQL writes rows, and tells the keys of new ones and how many are changed", async ({ run }) => {
  const steps: readonly (readonly [query: unknown, status: number, body: unknown])[] = [
    [{ INSERT: { into: "Slots", entries: [{ row: 5, place: "x" }] } }, 201, {
      ...{ data: [{ row: 5, place: "x" }], affected: 1 },
    }],
    [
      {
        INSERT: { into: { ref: ["Goods.Slots"] }, entries: [{ row: 6, place: "x" }, { row: 7, place: "y" }] },
      },
      201,
      {
        ...{ data: [{ row: 6, place: "x" }, { row: 7, place: "y" }], affected: 2 },
      },
    ],
    [
      { UPSERT: { into: "Slots", entries: [{ row: 5, place: "x", note: "n" }, { row: 8, place: "z" }] } },
      200,
      {
        ...{ data: [], affected: 2 },
      },
    ],
    // keys stay as they are
    [{ UPDATE: { entity: "Slots", data: { note: "m", row: 99 }, where: row("=", 6) } }, 200, {
      data: [],
      affected: 1,
    }],
    [{ UPDATE: { entity: "Slots", data: { note: "m" }, where: row("=", 77) } }, 200, {
      data: [],
      affected: 0,
    }],
    [{ DELETE: { from: { ref: ["Slots"] }, where: row(">", 6) } }, 200, { data: [], affected: 2 }],
    [{ DELETE: { from: "Slots", where: row(">", 6) } }, 200, { data: [], affected: 0 }],
    ["SELECT from Slots where row > 4 order by row", 200, {
      data: [{ row: 5, place: "x", note: "n" }, { row: 6, place: "x", note: "m" }],
    }],
  ];
  for (const [query, status, body] of steps) {
    const answer = await run(query);
    assert.deepEqual([answer.status, answer.body as unknown], [status, body], JSON.stringify(query));
  }
});

testGoods(
  "HCQL says what is missing in writes, or wrong, and leaves those with drafts to OData",
  async ({ run }) => {
    const drafts = 'Writes of "Letters", which has drafts, belong to OData';
    const cases: readonly (readonly [query: unknown, status: number, said: string])[] = [
      ...[undefined, [], {}].map((entries) =>
        [{ INSERT: { into: "Slots", entries } }, 400, "INSERT needs rows (entries)"] as const
      ),
      [{ UPSERT: { into: "Slots" } }, 400, "UPSERT needs rows (entries)"],
      [{ UPDATE: { entity: "Slots", data: { note: "z" } } }, 400, "UPDATE needs a condition (where)"],
      [{ DELETE: { from: "Slots" } }, 400, "DELETE needs a condition (where)"],
      [{ INSERT: { into: "Slots", entries: [5] } }, 400, "5 is not a value of type Goods.Slots"],
      [{ UPDATE: { entity: "Slots", where: row("=", 1) } }, 400, "null is not a value of type Goods.Slots"],
      [
        { INSERT: { into: "Slots", entries: [{ row: 1, place: "a,b" }] } },
        409,
        "An entry with this key exists already",
      ],
      [
        { UPDATE: { entity: "Slots", data: { note: "z" }, where: [{ ref: ["nope"] }, "=", { val: 5 }] } },
        400,
        '"nope" is no element of Slots, did you mean "note"?',
      ],
      [{ INSERT: { into: "Letters", entries: [{ ID: 1 }] } }, 501, drafts],
      [{ UPDATE: { entity: "Letters", data: {}, where: [] } }, 501, drafts],
      [{ DELETE: { from: "Letters" } }, 501, drafts],
      ...[{}, { FOO: {} }, { INSERT: 5 }, { INSERT: { into: "Slots", entries: [{}] }, x: 1 }, {
        INSERT: {},
        UPDATE: {},
      }].map((
        query,
      ) => [query, 400, KINDS] as const),
    ];
    for (const [query, ...expected] of cases) {
      assert.deepEqual(outcome(await run(query)), expected, JSON.stringify(query));
    }
  },
);

Deno.test("queries of HCQL reach handlers as the events that they are, with target and data [2.3]", async () => {
  const seen: unknown[] = [];
  const handlers = {
    Goods: (srv: ApplicationService) =>
      void srv.before("*", ({ event, query, target, path, data }) => {
        const [kind] = Object.keys(query as Query);
        seen.push([event, kind, target?.name, path, Array.isArray(data) ? data.length : (data as Row)?.note]);
      }),
  };
  const where = [{ ref: ["row"] }, "=", { val: 5 }];
  const [one, other] = [{ row: 5, place: "x", note: "n" }, { row: 6, place: "y" }];
  const cases:
    readonly (readonly [query: unknown, event: string, kind: string, path: string, data: unknown])[] = [
      [{ INSERT: { into: "Slots", entries: [one] } }, "CREATE", "INSERT", "Goods.Slots", "n"],
      [
        { UPSERT: { into: "Slots", entries: [{ ...one, note: "m" }, other] } },
        "UPSERT",
        "UPSERT",
        "Goods.Slots",
        2,
      ],
      [{ UPDATE: { entity: "Slots", data: { note: "k" }, where } }, "UPDATE", "UPDATE", "Goods.Slots", "k"],
      [{ SELECT: { from: { ref: ["Slots"] } } }, "READ", "SELECT", "Goods.Slots", undefined],
      [{ DELETE: { from: "Slots", where } }, "DELETE", "DELETE", "Goods.Slots", undefined],
    ];
  await withApp({ ...PARCELS, handlers }, "memory", async ({ send }) => {
    for (const [query, event, kind, path, data] of cases) {
      const headers = { "content-type": "application/json" };
      const { status, text } = await send("POST", "/hcql/goods/", query, { user: "bob", headers });
      assert.ok(status < 300, text);
      assert.deepEqual(seen.splice(0), [[event, kind, "Goods.Slots", path, data]]);
    }
  });
});
