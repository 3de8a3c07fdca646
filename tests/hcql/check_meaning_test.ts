import assert from "node:assert/strict";
import { outcome, testGoods } from "./parcels.ts";

const column = (value: string) => `SELECT from Parcels { ${value} as x } order by ID`;
const where = (condition: string) => `SELECT from Parcels { ID } where ${condition} order by ID`;
const clause = (members: object) => ({ SELECT: { from: "Parcels", columns: [{ ref: ["ID"] }], ...members } });
const kinds = (found: string, expected: string) =>
  `A value of kind ${found} stands where one of kind ${expected} is expected`;
const TEXTS = "text or number or boolean or date or time or instant";
const COUNT = { func: "count", args: ["*"] };

/** Queries by what is said about them. */
const REFUSED: Readonly<Record<string, readonly (string | object)[]>> = {
  [kinds("number", "boolean")]: [
    ...["kg", "kg + 1", "5", "true and 1", "length(label)", "indexof(label, 'o')", "-kg"].map(where),
    ...["SELECT from Parcels[kg + 1] { ID }", "SELECT from Items where parcel"],
    { DELETE: { from: "Slots", where: [{ ref: ["row"] }] } },
    { UPDATE: { entity: "Slots", data: { note: "z" }, where: [{ ref: ["row"] }] } },
  ],
  [kinds("text", "boolean")]: [
    ...["not label", "'x'", "true or label", "not 'x'", "label || 5", "exists items[name]"].map(where),
    ...["case when kg > 20 then 1 when label then 2 end", "depot[code].name"].map(column),
    "SELECT from Parcels:items[name] { ID }",
    "SELECT from Parcels { count(*) as n } having max(label)",
    clause({ columns: [{ ref: ["items"], expand: ["*"], where: [{ ref: ["name"] }] }] }),
  ],
  [kinds("date", "boolean")]: [where("date'2024-01-01'"), where("sent")],
  [kinds("time", "boolean")]: [where("at"), where("time(seen)")],
  [kinds("instant", "boolean")]: [where("$now"), where("seen"), where("due"), where("now()")],
  [kinds("binary", "boolean")]: [where("seal")],
  [kinds("text", "number")]: [
    ...["label + 1", "1 + label", "-label", "kg + 'x'", "'x' * 2", "-'x'", "substring(label, 'x')"].map(
      column,
    ),
    ...["substring(label, 1, 'x')", "round('x')", "sum(label)", "avg(label)", "average(label)"].map(column),
    ...["depot_code + 1", "slot_place + 1", "depot.name + 1", "depot + 1", "-$user", "label || '' + 1"].map(
      column,
    ),
    ...["(case when kg > 1 then 'a' end) + 1", "coalesce(label, 'x') + 1", "min(label) + 1"].map(column),
    where("depot[name + 1].name = 'x'"),
    "SELECT from Items { parcel.slot_place + 1 as s }",
    ...[{ orderBy: [{ xpr: [{ ref: ["label"] }, "+", { val: 1 }] }] }, {
      groupBy: [{ xpr: [{ ref: ["label"] }, "+", { val: 1 }] }],
      columns: [COUNT],
    }].map(clause),
    clause({
      columns: [{
        ref: ["items"],
        expand: ["*"],
        orderBy: [{ xpr: [{ ref: ["name"] }, "+", { val: 1 }] }],
      }],
    }),
  ],
  [kinds("boolean", "number")]: [
    column("-true"),
    column("contains(label, 'b') + 1"),
    column("depot.open + 1"),
  ],
  [kinds("instant", "number")]: [column("$now + 1"), column("seen - 1")],
  [kinds("number", "text")]: [where("kg like 5"), where("label like 5"), where("5 like label")],
  [kinds("instant", "text")]: [where("$now like 'x'")],
  [kinds("number", "date or instant")]: ["year(kg)", "month(5)", "day(5)", "date(kg)"].map(column),
  [kinds("time", "date or instant")]: ["year(time'10:00:00')", "year(at)", "date(at)"].map(column),
  [kinds("date", "time or instant")]: ["hour(date'2024-01-01')", "minute(sent)", "second(sent)"].map(column),
  [kinds("date", "instant")]: [column("time(sent)")],
  [kinds("text", "instant")]: [column("time($user)")],
  [kinds("binary", TEXTS)]: ["max(seal)", "min(seal)", "upper(seal)", "lower(seal)", "contains(seal, 'x')"]
    .map(column),
  [kinds("collection", TEXTS)]: ["SELECT from Items { upper(tags) as x }"],
  [kinds("collection", `${TEXTS} or binary`)]: [
    ...["tags = 'x'", "name = tags", "ID in (1, tags)", "tags in ('x')", "tags between 1 and 2"],
    ...["1 between tags and 2", "1 between 0 and tags", "length(tags) = 1"],
  ].map((condition) => `SELECT from Items where ${condition}`),
  "Values of kinds number and text stand for one another": [
    ...["coalesce(kg, label)", "coalesce(kg, 'x')", "case when kg > 20 then 1 else 'x' end"].map(column),
    column("case when kg > 1 then kg when kg > 0 then label end"),
  ],
  '"items" is no single value': [
    ...["items = 1", "items in (1)", "1 between items and 3", "items is null"].map(where),
    ...["case kg when items then 1 end", "case items when 1 then 1 end", "'x' || items"].map(column),
  ],
  '"size" is no single value': [
    ...["size between 3 and 4", "1 between 3 and size", "label || size = 'x'"].map(where),
    ...["count(size)", "trim(size)", "concat(label, size)", "coalesce(size, 1)"].map(column),
  ],
  '"size.unit" is no single value': [where("size.unit = 1")],
  '"slot" is no single value': [where("slot = 1")],
  "Behind exists the path of an association is expected": ["label", "items.name", "size"].map((
    path,
  ) => where(`exists ${path}`)),
  "Behind in a list is expected": [clause({ where: [{ ref: ["ID"] }, "in", { val: 1 }] })],
  "Behind is null is expected": [clause({ where: [{ ref: ["kg"] }, "is", { val: true }] })],
  "Behind is not null is expected": [clause({ where: [{ ref: ["kg"] }, "is", "not", { val: true }] })],
  "A list stands behind in only": [
    clause({ where: [{ list: [] }] }),
    clause({ columns: [{ list: [], as: "x" }] }),
  ],
  "Two operands stand side by side": [clause({ where: [{ ref: ["ID"] }, { ref: ["ID"] }] })],
  'Unknown operator "="': [clause({ where: ["="] })],
  "Aggregates stand in columns, having and orderBy only": [
    where("count(*) > 1"),
    "SELECT from Parcels { ID } group by count(*)",
    "SELECT from Parcels { count(*) as n } group by label, kg + sum(kg)",
  ],
  "There is nothing here to aggregate": [
    ...["sum(sum(kg))", "count(max(kg) + 1)", "depot[count(*) > 1].name"].map(column),
    ...["exists items[count(*) > 1]", "depot[count(*) > 1].name = 'x'"].map(where),
    ...["SELECT from Parcels { ID } order by sum(kg)", "SELECT from Parcels:items[count(*) > 1] { ID }"],
    ...["SELECT from Parcels[count(*) > 1] { ID }", "SELECT from Parcels { items { ID, sum(ID) as x } }"],
    clause({ columns: [{ ref: ["items"], expand: ["*"], orderBy: [COUNT] }] }),
    clause({ columns: [{ ref: ["items"], expand: ["*"], where: [COUNT, ">", { val: 1 }] }] }),
    { DELETE: { from: "Slots", where: [COUNT, ">", { val: 0 }] } },
    { UPDATE: { entity: "Slots", data: { note: "z" }, where: [COUNT, ">", { val: 0 }] } },
  ],
  "having needs groupBy or aggregates": ["SELECT from Parcels { ID } having kg > 1"],
  '"ID" is neither grouped nor aggregated': [
    ...["ID } group by label", "*, count(*) as n }", "ID + 1 as x } group by label", "ID, sum(kg) as x }"]
      .map((rest) => `SELECT from Parcels { ${rest}`),
    clause({ groupBy: [] }),
  ],
  '"kg" is neither grouped nor aggregated': [
    ...[
      "group by label having kg > 1",
      "group by label order by kg",
      "group by upper(label) having max(ID) > kg",
    ]
      .map((rest) => `SELECT from Parcels { count(*) as n } ${rest}`),
  ],
  '"depot.name" is neither grouped nor aggregated': ["SELECT from Parcels { depot.name, count(*) as n }"],
  "Groups have no other columns than their values": ["SELECT from Parcels { items { ID }, count(*) as n }"],
  "Different rows are ordered by their columns only": [
    "SELECT distinct from Parcels { label } order by ID",
    "SELECT distinct from Parcels { label, items { ID } } order by label, kg",
  ],
  'Several columns are named "a"': [
    "SELECT from Parcels { ID as a, label as a }",
    clause({ columns: [{ ref: ["items"], expand: [{ ref: ["ID"], as: "a" }, { ref: ["name"], as: "a" }] }] }),
  ],
  'Several columns are named "depot_name"': ["SELECT from Parcels { ID as depot_name, depot.name }"],
  "A column has an empty name": [clause({ columns: [{ val: 1, as: "" }] })],
  '"substring" does not take 1 argument': [column("substring(label)")],
  '"substring" does not take 4 arguments': [column("substring(label, 1, 2, 3)")],
  '"coalesce" does not take 1 argument': [column("coalesce(kg)")],
  '"concat" does not take 1 argument': [column("concat(label)")],
  '"round" does not take 2 arguments': [column("round(kg, 1)")],
  '"sum" does not take 2 arguments': [column("sum(kg, kg)")],
  '"lower" does not take 0 arguments': [column("lower()")],
  '"now" does not take 1 argument': [column("now(1)")],
  '"sum" does not take "*"': [column("sum(*)")],
  '"upper" does not take "*"': [column("upper(*)")],
};

testGoods("HCQL says what has no meaning in a query, before a database does", async ({ run }) => {
  for (const [message, queries] of Object.entries(REFUSED)) {
    for (const query of queries) {
      assert.deepEqual(outcome(await run(query)), [400, message], JSON.stringify(query));
    }
  }
});

/** What is calculated for the two parcels, where it is not empty. */
const VALUES: Readonly<Record<string, readonly [unknown, unknown]>> = {
  ...{ "substring(label, 1)": ["ooks", "tove"], "substring(label, 1, 2)": ["oo", "to"] },
  ...{ "round(kg)": [13, 80], "floor(kg)": [12, 80], "ceiling(kg)": [13, 80], "-kg": [-12.5, -80] },
  ...{ "lower(kg)": ["12.5", "80"], "upper(label)": ["BOOKS", "STOVE"], "length(label)": [5, 5] },
  ...{ "tolower('A')": ["a", "a"], "toupper(label)": ["BOOKS", "STOVE"], "trim(' x ')": ["x", "x"] },
  ...{ "concat(label, 'x', 1)": ["booksx1", "stovex1"], "label || kg": ["books12.5", "stove80"] },
  ...{ "indexof(label, 'o')": [1, 2], "contains(label, 'oo')": [true, false] },
  ...{ "case when kg > 20 then 1 else 2 end": [2, 1], "case kg when 80 then 'x' end": [null, "x"] },
  ...{ "case label when 'books' then 1 else null end": [1, null], "coalesce(slot_row, 7)": [1, 7] },
  ...{
    "year(date'2024-02-03')": [2024, 2024],
    "month(date'2024-02-03')": [2, 2],
    "day(date'2024-02-03')": [3, 3],
  },
  ...{
    "hour(time'10:11:12')": [10, 10],
    "minute(time'10:11:12')": [11, 11],
    "second(time'10:11:12')": [12, 12],
  },
  ...{ "year(timestamp'2024-02-03T10:00:00Z')": [2024, 2024], "date(seen)": [null, null] },
  ...{ "hour(seen)": [null, null], "time(due)": [null, null], "year(sent)": [null, null] },
  ...{
    "size.width + 1": [4, 10],
    "size_width": [3, 9],
    "slot.row": [1, null],
    "slot_row || 'x'": ["1x", null],
  },
  ...{
    "depot": [undefined, undefined],
    "depot_code": ["AAA", "C'C"],
    "price * 2": [null, null],
    "$user": ["bob", "bob"],
  },
  ...{ "length(seal)": [null, null], "length(photo)": [null, null], "1 + 2": [3, 3], "null": [null, null] },
};

testGoods("HCQL calculates what has a meaning", async ({ run }) => {
  for (const [value, expected] of Object.entries(VALUES)) {
    const [status, rows] = outcome(await run(column(value)));
    assert.deepEqual([status, (rows as { x?: unknown }[]).map(({ x }) => x)], [200, expected], value);
  }
});

/** Conditions by the parcels that fulfil them. */
const FULFILLED: Readonly<Record<string, readonly number[]>> = {
  ...{ "kg > 20 and label = 'stove'": [2], "kg > 20 or label = 'books'": [1, 2], "not kg > 20": [1] },
  ...{
    "kg is not null": [1, 2],
    "price is null": [1, 2],
    "price = null": [1, 2],
    "ID in (1, 7)": [1],
    "ID not in (1)": [2],
  },
  ...{
    "ID between 2 and 3": [2],
    "label like 'b%'": [1],
    "label not like 'b%'": [2],
    "seal = seal": [],
    "depot.open": [1],
  },
  ...{ "startswith(label, 'b')": [1], "endswith(label, 'e')": [2], "exists items[name = 'atlas']": [1] },
  ...{
    "exists depot[code = 'AAA']": [1],
    "depot = 'AAA'": [1],
    "exists items.parcel": [1],
    "seen < $now": [],
  },
  ...{
    "not exists items": [2],
    "size.width >= 9": [2],
    "depot[open = true].name = 'Gamma'": [],
    "true": [1, 2],
  },
};

testGoods("HCQL reads the rows that conditions with a meaning ask for", async ({ run }) => {
  for (const [condition, ids] of Object.entries(FULFILLED)) {
    const rows = ids.map((ID) => ({ ID }));
    assert.deepEqual(outcome(await run(where(condition))), [200, rows], condition);
  }
});

testGoods("HCQL groups by values and by what they are calculated from", async ({ run }) => {
  const cases: readonly (readonly [string, unknown])[] = [
    ["SELECT distinct from Parcels { label } order by label desc", [{ label: "stove" }, { label: "books" }]],
    ["SELECT distinct from Parcels { label as l } order by label", [{ l: "books" }, { l: "stove" }]],
    ["SELECT from Parcels { upper(label) as u } group by upper(label) order by upper(label)", [
      { u: "BOOKS" },
      {
        u: "STOVE",
      },
    ]],
    ["SELECT from Parcels { upper(label) as u } group by label order by label desc", [{ u: "STOVE" }, {
      u: "BOOKS",
    }]],
    ["SELECT from Parcels { count(label) as n, sum(kg) as s, avg(kg) as a, min(label) as l, max(kg) as m }", [
      {
        ...{ n: 2, s: 92.5, a: 46.25, l: "books", m: 80 },
      },
    ]],
    ["SELECT from Items { parcel.label as p, countdistinct(name) as n } group by parcel.label", [{
      p: "books",
      n: 2,
    }]],
    ["SELECT from Parcels { max(kg) + 1 as x } having count(*) > 1", [{ x: 81 }]],
  ];
  for (const [query, rows] of cases) assert.deepEqual(outcome(await run(query)), [200, rows], query);
});
