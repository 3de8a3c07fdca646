import assert from "node:assert/strict";
import { outcome, testGoods } from "./parcels.ts";

const NAMES = "from must be the path of an entity: { ref: [name] }";
const STEPS = "Steps of a path are names or { id, where }";
const OPERANDS = "Operands must be objects: { ref }, { val }, { xpr }, { func } or { list }";
const NONE = "An operand has none of ref, val, xpr, func and list: ";
const LITERALS = "A value must be a text, a number, true, false or null";
const ONE = { ref: ["ID"] };
const [FIRST, ID] = [[ONE, "=", { val: 1 }], [ONE]] as const;

const from = (source: unknown) => ({ SELECT: { from: source, columns: ID } });
const clause = (members: object) => ({ SELECT: { from: "Parcels", columns: ID, ...members } });
const operand = (members: object) => clause({ columns: [{ ...members, as: "x" }], where: FIRST });
const items = (members: object) =>
  clause({ columns: [{ ref: ["items"], expand: ID, ...members }], where: FIRST });

/** Queries that are none, or that clients may not send, by what is said about them. */
const REFUSED: Readonly<Record<string, readonly unknown[]>> = {
  "400 SELECT must be an object": [{ SELECT: 1 }, { SELECT: [] }, { SELECT: null }],
  [`400 ${NAMES}`]: [{ SELECT: {} }, from({}), from({ ref: [] }), from({ ref: "Parcels" }), from(5)],
  "501 Not run for clients: joins and subqueries": [
    ...[from({ SELECT: {} }), from({ SET: {} }), from({ join: "x" })],
    ...[
      operand({ SELECT: {} }),
      operand({ SET: {} }),
      "SELECT from Parcels where ID in (SELECT from Items { ID })",
    ],
  ],
  "501 Unions are not run for clients": [{ SET: {} }],
  [`400 ${STEPS}`]: [
    ...[from({ ref: [5] }), from({ ref: [{ id: 5 }] }), from({ ref: [{}] }), from({ ref: [null] })],
    ...[operand({ ref: [5] }), operand({ ref: ["depot", {}] })],
  ],
  '501 Not run for clients: "x" of from': [from({ ref: ["Parcels"], as: "p", x: 1 })],
  '501 Not run for clients: "x" of SELECT': [clause({ x: 1 })],
  '501 Not run for clients: "x" of a nested column': [items({ x: 1 })],
  '501 Not run for clients: "x" of a step': [operand({ ref: [{ id: "depot", x: 1 }, "code"] })],
  '501 Not run for clients: "x" of an operand': [
    ...[{ val: 1 }, { ref: ["ID"] }, { ref: ["$now"] }, { func: "now" }, { xpr: [{ val: 1 }] }, { list: [] }]
      .map((one) => operand({ ...one, x: 1 })),
  ],
  '501 Not run for clients: "param" of an operand': [operand({ ref: ["p"], param: true })],
  '400 Service "Goods" has no entity "Parcel", did you mean "Parcels"?': [from("Parcel")],
  '400 Service "Goods" has no entity "db.Parcels", did you mean "Parcels"?': [from("db.Parcels")],
  '400 Service "Goods" has no entity "Zzzzzz"': [from("Zzzzzz")],
  '400 Service "Goods" has no entity "toString"': [from("toString")],
  '400 Service "Goods" has no entity "Lighter"': [from("Lighter"), {
    INSERT: { into: "Lighter", entries: [{}] },
  }],
  '400 "secret" of Parcels leads to no entity of the service': [
    ...[
      from({ ref: ["Parcels", "secret"] }),
      operand({ ref: ["secret"] }),
      operand({ ref: ["secret", "text"] }),
    ],
    ...[
      clause({ columns: [{ ref: ["secret"], expand: ["*"] }] }),
      clause({ where: ["exists", { ref: ["secret"] }] }),
    ],
  ],
  '400 "label" of Parcels leads to no entity of the service': [
    ...[from({ ref: ["Parcels", "label"] }), clause({ columns: [{ ref: ["label"], expand: ["*"] }] })],
  ],
  '400 "hidden" is no element of Parcels': [
    from({ ref: ["Parcels", "hidden"] }),
    operand({ ref: ["hidden"] }),
  ],
  '400 "hiden" is no element of Parcels': [operand({ ref: ["hiden"] })],
  '400 "labl" is no element of Parcels, did you mean "label"?': [operand({ ref: ["labl"] })],
  '400 "kgs" is no element of Items': [
    operand({ ref: ["items", "kgs"] }),
    items({ where: [{ ref: ["kgs"] }] }),
  ],
  '400 "depth" is no element of Parcels': [operand({ ref: ["size", "depth"] })],
  '400 "p" is no element of Parcels': [{
    SELECT: { from: { ref: ["Parcels"], as: "p" }, columns: [{ ref: ["p"] }] },
  }],
  "400 where must be an array of operands and operators": [
    ...[{}, [], "x", null, 5].map((where) => clause({ where })),
    ...[from({ ref: [{ id: "Parcels", where: {} }] }), from({ ref: [{ id: "Parcels", where: [] }] })],
    ...[items({ where: {} }), operand({ ref: [{ id: "depot", where: 5 }, "code"] })],
    { DELETE: { from: "Slots", where: 5 } },
  ],
  "400 having must be an array of operands and operators": [clause({ having: {} }), clause({ having: [] })],
  "400 xpr must be an array of operands and operators": [operand({ xpr: [] }), operand({ xpr: 5 })],
  "400 groupBy must be an array": [clause({ groupBy: {} }), clause({ groupBy: "ID" })],
  "400 orderBy must be an array": [clause({ orderBy: {} }), items({ orderBy: {} })],
  "400 Terms of orderBy must be objects": [clause({ orderBy: ["ID"] }), clause({ orderBy: [5] })],
  '400 sort must be "asc" or "desc"': ["up", "ASC", null].map((sort) =>
    clause({ orderBy: [{ ...ONE, sort }] })
  ),
  '400 nulls must be "first" or "last"': ["x", null].map((nulls) => clause({ orderBy: [{ ...ONE, nulls }] })),
  "400 limit must be an object": [5, [], null].map((limit) => clause({ limit })),
  "400 limit.rows must be a whole number": [-1, 1.5, "1", { val: -1 }, { val: "1" }].map((rows) =>
    clause({ limit: { rows } })
  ),
  "400 limit.offset must be a whole number": [-1, 1e18, { val: true }].map((offset) =>
    clause({ limit: { offset } })
  ),
  "400 columns must be an array": [clause({ columns: {} }), clause({ columns: "*" }), items({ expand: 5 })],
  "400 Columns must be objects": ["ID", 5, null].map((column) => clause({ columns: [column] })),
  "400 The name of a column must be a text": [5, null].map((as) => clause({ columns: [{ ...ONE, as }] })),
  "400 A nested column names one association": [
    items({ ref: ["items", "parcel"] }),
    items({ ref: [{ id: "items" }] }),
    items({ ref: [{ id: "items", where: FIRST }] }),
  ],
  "400 ref must be an array of names": [
    items({ ref: undefined }),
    operand({ ref: [] }),
    operand({ ref: "ID" }),
  ],
  [`400 ${LITERALS}`]: [operand({ val: {} }), operand({ val: [] })],
  ...Object.fromEntries(
    ["x", "1.", "", "0x10", "1e400", "NaN", "- 1", "1e"].map((val) => [`400 "${val}" is no number`, [
      operand({ val, literal: "number" }),
    ]]),
  ),
  [`400 "${"9".repeat(100)}" is no number`]: [operand({ val: `${"9".repeat(120)}x`, literal: "number" })],
  '400 "$now.x" is no variable that clients may use': [operand({ ref: ["$now", "x"] })],
  '400 "$user.id" is no variable that clients may use': [operand({ ref: ["$user", "id"] })],
  '400 "$at" is no variable that clients may use': [operand({ ref: ["$at"] })],
  '400 "$self.ID" is no variable that clients may use': [operand({ ref: [{ id: "$self" }, "ID"] })],
  '400 "abs" is no function that clients may call': [operand({ func: "abs", args: [{ val: 1 }] })],
  '400 "5" is no function that clients may call': [operand({ func: 5 })],
  "400 Arguments must be an array": [
    operand({ func: "upper", args: {} }),
    operand({ func: "upper", args: "*" }),
  ],
  [`400 ${OPERANDS}`]: [
    ...[operand({ func: "upper", args: ["x"] }), clause({ where: [5] }), clause({ groupBy: [5] })],
    clause({ where: [ONE, "in", { list: [5] }] }),
  ],
  '400 "~" is no operator': [clause({ where: [ONE, "~", { val: 1 }] })],
  '400 "= 1 or 1 =" is no operator': [clause({ where: [ONE, "= 1 or 1 =", { val: 1 }] })],
  [`400 ${NONE}`]: [operand({})],
  [`400 ${NONE}list`]: [operand({ list: 5 })],
  [`400 ${NONE}foo, bar`]: [operand({ foo: 1, bar: 2 })],
  "400 Writes are about one entity: its name is expected": [
    ...[undefined, 5, { ref: ["Parcels", "items"] }, { ref: [5] }, {}, []].map((into) => ({
      INSERT: { into, entries: [{}] },
    })),
  ],
  '400 Service "Goods" has no entity "Slotz", did you mean "Slots"?': [{
    DELETE: { from: "Slotz", where: FIRST },
  }],
};

testGoods("HCQL says what is no query of clients, and what is not run for them", async ({ run }) => {
  for (const [expected, queries] of Object.entries(REFUSED)) {
    for (const query of queries) {
      const [status, message] = outcome(await run(query));
      assert.equal(`${status} ${message}`, expected, JSON.stringify(query));
    }
  }
});

testGoods("HCQL tells which query names an entity that nothing has", async ({ run }) => {
  const errors = async (query: object) => (await run(query)).body.errors as unknown;
  const unknown = from("Zzzzzz");
  assert.deepEqual(await errors(unknown), [{
    message: 'Service "Goods" has no entity "Zzzzzz"',
    query: unknown,
  }]);
});

const ids = (...found: number[]) => found.map((ID) => ({ ID }));
const EMPTY = ["price", "sent", "at", "seen", "due", "seal", "size_unit_name", "secret_ID"];
const BOOKS = {
  ...{ ID: 1, label: "books", kg: 12.5, size_width: 3, depot_code: "AAA", slot_row: 1, slot_place: "a,b" },
  ...Object.fromEntries(EMPTY.map((name) => [name, null])),
};

/** Queries with the rows that they read. */
const ROWS: readonly (readonly [unknown, unknown])[] = [
  [from("Goods.Parcels"), ids(1, 2)],
  [from({ ref: ["Parcels"], as: 5 }), ids(1, 2)],
  [from({ ref: [{ id: "Parcels" }] }), ids(1, 2)],
  [from({ ref: [{ id: "Parcels", where: [{ ref: ["kg"] }, ">", { val: 20 }] }] }), ids(2)],
  [{ SELECT: { from: { ref: ["Parcels", "depot"] }, columns: [{ ref: ["code"] }] } }, [{ code: "AAA" }, {
    code: "C'C",
  }]],
  [
    from({
      ref: [{ id: "Parcels", where: FIRST }, {
        id: "items",
        where: [{ ref: ["name"] }, "=", { val: "novel" }],
      }],
    }),
    ids(2),
  ],
  [{ SELECT: { from: "Parcels", where: FIRST } }, [BOOKS]],
  [clause({ columns: ["*"], where: FIRST }), [BOOKS]],
  [clause({ columns: [{ ref: ["label"], as: "x" }, ONE], where: FIRST }), [{ x: "books", ID: 1 }]],
  [clause({ one: true }), { ID: 1 }],
  [clause({ one: true, where: [ONE, "=", { val: 7 }] }), null],
  [clause({ one: false }), ids(1, 2)],
  [clause({ one: 1 }), ids(1, 2)],
  [clause({ distinct: true, columns: [{ ref: ["price"] }] }), [{ price: null }]],
  [clause({ distinct: 1, columns: [{ ref: ["price"] }] }), [{ price: null }, { price: null }]],
  [clause({ where: [ONE, "IN", { list: [{ val: 1 }] }] }), ids(1)],
  [clause({ where: [{ xpr: [{ xpr: [{ xpr: FIRST }] }] }] }), ids(1)],
  [clause({ where: ["exists", { ref: ["items"] }] }), ids(1)],
  [clause({ where: ["exists", { ref: [{ id: "items", where: [ONE, "=", { val: 7 }] }] }] }), []],
  [clause({ orderBy: [{ ...ONE, sort: "desc" }] }), ids(2, 1)],
  [clause({ orderBy: [{ ...ONE, sort: "asc" }] }), ids(1, 2)],
  [clause({ orderBy: [{ ref: ["price"], nulls: "last" }, { ...ONE, sort: "desc" }] }), ids(2, 1)],
  [clause({ orderBy: [{ ref: ["slot_row"], nulls: "first" }] }), ids(2, 1)],
  [clause({ orderBy: [{ ref: ["slot_row"], nulls: "last" }] }), ids(1, 2)],
  ...[{ rows: { val: 1 } }, { rows: 1 }, { rows: 1, offset: 0 }, { rows: 1, offset: null }].map((limit) =>
    [clause({ limit }), ids(1)] as const
  ),
  ...[{ rows: null }, { rows: {} }, {}, { rows: 5 }].map((limit) => [clause({ limit }), ids(1, 2)] as const),
  [clause({ limit: { rows: 0 } }), []],
  ...[{ rows: { val: 5 }, offset: { val: 1 } }, { offset: 1 }].map((limit) =>
    [clause({ limit }), ids(2)] as const
  ),
  [items({}), [{ items: ids(1, 2) }]],
  [items({ expand: ["*"] }), [{
    items: [{ ID: 1, parcel_ID: 1, name: "atlas" }, { ID: 2, parcel_ID: 1, name: "novel" }],
  }]],
  [items({ as: "parts" }), [{ parts: ids(1, 2) }]],
  [items({ as: 7 }), [{ items: ids(1, 2) }]],
  [items({ where: [{ ref: ["name"] }, "=", { val: "novel" }] }), [{ items: ids(2) }]],
  [items({ limit: { rows: 1, offset: 1 } }), [{ items: ids(2) }]],
  [items({ orderBy: [{ ref: ["name"], sort: "desc" }] }), [{ items: ids(2, 1) }]],
  // one row has no page and no order
  [clause({ columns: [{ ref: ["depot"], expand: [{ ref: ["code"] }], limit: { rows: 0 } }], where: FIRST }), [
    {
      depot: { code: "AAA" },
    },
  ]],
  [operand({ ref: [{ id: "depot" }, "code"] }), [{ x: "AAA" }]],
  [operand({ ref: [{ id: "depot", where: [{ ref: ["open"] }, "=", { val: true }] }, "name"] }), [{
    x: "Alpha",
  }]],
  [operand({ ref: [{ id: "depot", where: [{ ref: ["open"] }, "=", { val: false }] }, "name"] }), [{
    x: null,
  }]],
  [operand({ ref: ["size", "width"] }), [{ x: 3 }]],
  [operand({ ref: ["slot", "note"] }), [{ x: "near" }]],
  [operand({ func: "UPPER", args: [{ ref: ["label"] }] }), [{ x: "BOOKS" }]],
  [operand({ xpr: [ONE, "+", { val: 1 }] }), [{ x: 2 }]],
  ...[1, 1.25, "x", null, true, false].map((val) => [operand({ val }), [{ x: val }]] as const),
  ...[["12", 12], ["-1.5", -1.5]].map((
    [val, x],
  ) => [operand({ val, literal: "number" }), [{ x }]] as const),
  [operand({ val: 12, literal: "number" }), [{ x: 12 }]],
  ...[["2024-01-01", "date"], ["10:00:00", "time"], ["x", "other"], ["x", 5]].map(([val, literal]) =>
    [operand({ val, literal }), [{ x: val }]] as const
  ),
  // names of rows in front of paths, where no element has the name
  [{
    SELECT: {
      from: { ref: ["Parcels"], as: "p" },
      columns: [{ ref: ["p", "ID"] }, { ref: ["p", "depot", "name"], as: "n" }],
      where: [{ ref: ["p", "kg"] }, "<", { val: 20 }],
    },
  }, [{ ID: 1, n: "Alpha" }]],
  [{
    SELECT: { from: { ref: ["Parcels"], as: "depot" }, columns: [{ ref: ["depot", "code"] }], where: FIRST },
  }, [{
    depot_code: "AAA",
  }]],
];

testGoods("HCQL reads what queries in CQN ask for, clause by clause", async ({ run }) => {
  for (const [query, rows] of ROWS) {
    assert.deepEqual(outcome(await run(query)), [200, rows], JSON.stringify(query));
  }
});

const LIMITS = {
  filterDepth: 2,
  filterNodes: 6,
  expandDepth: 2,
  expandItems: 2,
  pathSteps: 3,
  inList: 2,
  pageSize: 3,
};

testGoods("HCQL takes queries up to the limits, and says which of them one exceeds", async ({ run }) => {
  const xpr = (levels: number): unknown[] => levels === 0 ? [{ val: true }] : [{ xpr: xpr(levels - 1) }];
  const nested = (name: string, expand: readonly unknown[]) => ({ ref: [name], expand });
  const list = (length: number) => [ONE, "in", { list: Array(length).fill({ val: 1 }) }];
  const path = (...ref: string[]) => clause({ columns: [{ ref, as: "x" }] });
  const source = (...ref: string[]) => from({ ref });
  const cases: readonly (readonly [unknown, number, string?])[] = [
    [clause({ where: xpr(2) }), 200],
    [clause({ where: xpr(3) }), 400, "Expressions are nested too deeply"],
    [from({ ref: [{ id: "Parcels", where: xpr(1) }] }), 200],
    [from({ ref: [{ id: "Parcels", where: xpr(2) }] }), 400, "Expressions are nested too deeply"],
    [clause({ columns: [ONE, ...[1, 2, 3, 4, 5].map((val) => ({ val, as: `c${val}` }))] }), 200],
    [
      clause({ columns: [ONE, ...[1, 2, 3, 4, 5, 6].map((val) => ({ val, as: `c${val}` }))] }),
      400,
      "The query has too many expressions",
    ],
    [clause({ columns: [nested("items", [nested("parcel", ID)])] }), 200],
    [
      clause({ columns: [nested("items", [nested("parcel", ID)]), nested("depot", [{ ref: ["code"] }])] }),
      400,
      "There are more than 2 nested columns",
    ],
    [
      clause({ columns: [nested("items", [nested("parcel", [nested("items", ID)])])] }),
      400,
      "Columns are nested deeper than 2",
    ],
    [path("items", "parcel", "label"), 200],
    [path("items", "parcel", "depot", "name"), 400, "A path has too many steps"],
    [source("Parcels", "items", "parcel"), 200],
    [source("Parcels", "items", "parcel", "items"), 400, "A path has too many steps"],
    [clause({ where: list(2) }), 200],
    [clause({ where: list(3) }), 400, "A list is too long"],
  ];
  for (const [query, status, message] of cases) {
    const [found, said] = outcome(await run(query));
    assert.deepEqual([found, found === 200 ? undefined : said], [status, message], JSON.stringify(query));
  }
}, { limits: LIMITS });

testGoods(
  "HCQL reads pages of the configured size, with up to the largest number of rows (fw.query.limit)",
  async ({ run }) => {
    assert.deepEqual(outcome(await run(clause({}))), [200, ids(1)]);
    assert.deepEqual(outcome(await run(clause({ limit: { rows: 2 } }))), [200, ids(1, 2)]);
    await run({ INSERT: { into: "Parcels", entries: [{ ID: 3, label: "third" }] } });
    assert.deepEqual(outcome(await run(clause({ limit: { rows: 3 } }))), [200, ids(1, 2)]);
  },
  { query: { limit: { default: 1, max: 2 } } },
);
