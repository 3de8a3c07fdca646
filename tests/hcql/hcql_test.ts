import assert from "node:assert/strict";
import type { ApplicationService, ServiceRequest } from "../../mod.ts";
import { type RunningApp, testOnEngines, withApp } from "../service/rules/on_engines.ts";

const APP = {
  cdl: `
    entity db.Depots { key code : String(3); name : localized String(40); open : Boolean; }
    entity db.Parcels {
      key ID : Integer; label : String(40) @mandatory; kg : Decimal(7,2);
      depot : Association to db.Depots;
      hidden : String(10) @cds.api.ignore;
      secret : Association to db.Secrets;
      items : Composition of many db.Items on items.parcel = $self;
      marks : Association to many db.Marks on marks.parcel = $self;
    }
    entity db.Items {
      key ID : Integer; parcel : Association to db.Parcels; name : String(40); tags : many String;
    }
    entity db.Marks { key ID : Integer; parcel : Association to db.Parcels; }
    entity db.Secrets { key ID : Integer; text : String(40); }
    @hcql @odata
    service Goods {
      @restrict: [{ grant: 'READ', where: (open = true) }, { grant: '*', to: 'boss' }]
      entity Depots as projection on db.Depots;
      entity Parcels as projection on db.Parcels;
      @readonly entity Items as projection on db.Items;
      @cds.query.limit.default: 1 entity Marks as projection on db.Marks;
      function hello(to : String, times : Integer) returns String;
      action weigh(ID : Integer) returns Decimal(7,2);
    }
  `,
  data: {
    "db.Depots": [{ code: "AAA", name: "Alpha", open: true }, { code: "CCC", name: "Gamma", open: false }],
    "db.Parcels": [
      { ID: 1, label: "books", kg: 12.5, depot_code: "AAA", hidden: "h" },
      { ID: 2, label: "stove", kg: 80, depot_code: "CCC" },
    ],
    "db.Items": [{ ID: 1, parcel_ID: 1, name: "atlas" }, { ID: 2, parcel_ID: 1, name: "novel" }],
    "db.Marks": [{ ID: 1, parcel_ID: 1 }, { ID: 2, parcel_ID: 1 }],
    "db.Secrets": [{ ID: 1, text: "s" }],
  },
  env: {
    requires: {
      auth: { kind: "mocked", id_prefix: "", users: { ann: { roles: [] }, bob: { roles: ["boss"] } } },
    },
  },
  handlers: {
    Goods(srv: ApplicationService): void {
      srv.on(
        "hello",
        (req: ServiceRequest<{ to: string; times: number }>) => req.data.to.repeat(req.data.times),
      );
      srv.on("weigh", () => 12.5);
    },
  },
};

const ROOT = "/hcql/goods";

async function run(
  { send }: RunningApp,
  query: unknown,
  user = "ann",
): Promise<{ status: number; body: unknown }> {
  const isText = typeof query === "string";
  const headers = { "content-type": isText ? "text/plain" : "application/json" };
  const { status, body } = await send("POST", `${ROOT}/`, query, { user, headers });
  return { status, body };
}

testOnEngines("HCQL reads by CQN, by CQL and by the path", APP, async (app) => {
  const cqn = {
    SELECT: {
      from: { ref: ["Parcels"] },
      columns: [{ ref: ["label"] }, { ref: ["items"], expand: [{ ref: ["name"] }] }, {
        ref: ["depot", "name"],
        as: "at",
      }],
      where: [{ ref: ["kg"] }, "<", { val: 20 }],
    },
  };
  const expected = { data: [{ label: "books", items: [{ name: "atlas" }, { name: "novel" }], at: "Alpha" }] };
  assert.deepEqual(await run(app, cqn), { status: 200, body: expected });
  const cql = "SELECT from Parcels { label, items { name }, depot.name as at } where kg < 20";
  assert.deepEqual(await run(app, cql), { status: 200, body: expected });
  const byPath = await app.send("GET", `${ROOT}/Parcels%20{%20ID%20}%20order%20by%20ID%20desc`, undefined, {
    user: "ann",
  });
  assert.deepEqual(byPath.body.data as unknown, [{ ID: 2 }, { ID: 1 }]);
});

testOnEngines("HCQL reads a row by the key in the path", APP, async (app) => {
  const get = async (path: string, user = "ann") => {
    const { status, body } = await app.send("GET", `${ROOT}/${encodeURI(path)}`, undefined, { user });
    return [status, (body as { data?: unknown }).data];
  };
  assert.deepEqual(await get("Parcels/1 { label, depot.name as at }"), [200, {
    label: "books",
    at: "Alpha",
  }]);
  assert.equal(((await get("Parcels/1"))[1] as { ID: number }).ID, 1);
  assert.deepEqual(await get("Parcels/1 { ID } where kg < 20"), [200, { ID: 1 }]);
  assert.deepEqual(await get("Parcels/ID=2 { ID }"), [200, { ID: 2 }]);
  assert.deepEqual(await get("Depots/'AAA' { code }"), [200, { code: "AAA" }]);
  for (const path of ["Parcels/7", "Parcels/1 where kg > 20", "Depots/CCC", "Depots/'A'' or 1=1'"]) {
    assert.deepEqual(await get(path), [404, undefined], path);
  }
  for (const path of ["Parcels/x", "Parcels/ID=1,kg=2", "Nothing/1", "Parcels/1/2"]) {
    assert.equal((await get(path))[0], 400, path);
  }
});

testOnEngines("HCQL shows what OData shows to the user, in paths and nested rows, too", APP, async (app) => {
  assert.deepEqual((await run(app, "SELECT from Depots { code }")).body, { data: [{ code: "AAA" }] });
  assert.deepEqual((await run(app, "SELECT from Depots { code }", "bob")).body, {
    data: [{ code: "AAA" }, { code: "CCC" }],
  });
  const nested = await run(app, "SELECT from Parcels { ID, depot { code }, depot.name as at } order by ID");
  assert.deepEqual(nested.body, {
    data: [{ ID: 1, depot: { code: "AAA" }, at: "Alpha" }, { ID: 2, depot: null, at: null }],
  });
  const found = await run(
    app,
    "SELECT from Parcels { ID } where depot.name = 'Gamma' or exists depot[code = 'CCC']",
  );
  assert.deepEqual(found.body, { data: [] });
  const all = await run(app, "SELECT from Parcels where ID = 1");
  assert.deepEqual(Object.keys((all.body as { data: object[] }).data[0]!).sort(), [
    ...["ID", "depot_code", "kg", "label", "secret_ID"],
  ]);
});

for (
  const [query, status] of [
    ["SELECT from db.Secrets", 400],
    ["SELECT from Parcels { hidden }", 400],
    ["SELECT from Parcels { secret.text }", 400],
    ["SELECT from Parcels { secret { text } }", 400],
    ["SELECT from Parcels where hidden = 'h'", 400],
    ["SELECT from Parcels where exists secret", 400],
    ["SELECT from Parcels[secret.text = 's']", 400],
    ["SELECT from Parcels where ID in (SELECT from db.Secrets { ID })", 501],
    ["SELECT from (SELECT from db.Secrets) as x", 501],
    ["SELECT from Parcels as p join db.Secrets as s on 1 = 1", 501],
    ["SELECT from Parcels { sqlite_version() as v }", 400],
    ["SELECT from Parcels order by hidden", 400],
    ["SELECT from Parcels { $user.tenant as t }", 400],
    [{ SELECT: { from: { ref: ["Parcels"] }, where: [{ ref: ["ID"] }, "= 1 or 1 =", { val: 1 }] } }, 400],
    [{ SELECT: { from: { ref: ["Parcels"] }, history: true } }, 501],
    [{ SELECT: { from: { ref: [{ id: "Parcels", query: {} }] } } }, 501],
    ["SELECT from Parcels { depot.{ name } }", 501],
    ["SELECT from Parcels { cast(label as Integer) as n }", 501],
    [{ DELETE: { from: "Parcels" } }, 400],
    [{ DELETE: { from: "Items", where: [{ ref: ["ID"] }, "=", { val: 1 }] } }, 405],
    [{ INSERT: { into: "Depots", entries: [{ code: "X" }] } }, 403],
    [{ INSERT: { into: "Parcels", entries: [{ ID: 7, nothing: 1 }] } }, 400],
    [{ INSERT: { into: "Parcels", entries: [{ ID: 7 }] } }, 400],
    [{ UPDATE: { entity: "Parcels", data: { kg: "x" }, where: [{ ref: ["ID"] }, "=", { val: 1 }] } }, 400],
    [{ INSERT: { into: "db.Secrets", entries: [{ ID: 7 }] } }, 400],
    ["no query", 400],
    [[], 400],
  ] as const
) {
  testOnEngines(`HCQL refuses with ${status}: ${JSON.stringify(query)}`, APP, async (app) => {
    const answer = await run(app, query);
    assert.equal(answer.status, status, JSON.stringify(answer.body));
    assert.ok((answer.body as { errors: { message: string }[] }).errors[0]!.message);
  });
}

const MEANINGLESS: readonly (string | object)[] = [
  ...["SELECT from Parcels { substring(label) as x }", "SELECT from Parcels { year(kg) as x }"],
  ...[
    "SELECT from Parcels where kg",
    "SELECT from Parcels where not label",
    "SELECT from Parcels where kg + 1",
  ],
  ...["SELECT from Parcels { label + 1 as x }", "SELECT from Parcels { -label as x }"],
  ...["SELECT from Parcels where kg like 5", "SELECT from Parcels { coalesce(kg, label) as x }"],
  ...["SELECT from Parcels where items = 1", "SELECT from Parcels where exists label"],
  ...["SELECT from Parcels where count(*) > 1", "SELECT from Parcels { sum(sum(kg)) as x }"],
  ...["SELECT from Parcels { ID } having kg > 1", "SELECT from Parcels { ID } group by label"],
  ...["SELECT from Parcels { ID } order by sum(kg)", "SELECT from Parcels { sum(label) as x }"],
  ...["SELECT from Parcels { ID as a, label as a }", "SELECT from Parcels[kg + 1] { ID }"],
  ...["SELECT from Parcels { items[name + 1] { ID } }", "SELECT from Parcels { depot[code] .name as x }"],
  ...["SELECT distinct from Parcels { label } order by ID", "SELECT from Parcels { year(depot_code) as x }"],
  ...[["="], ["and", { val: 1 }], [{ list: [] }], [{ ref: ["ID"] }, { ref: ["ID"] }], ["exists", { val: 1 }]]
    .map((
      where,
    ) => ({ SELECT: { from: "Parcels", where } })),
  ...[
    [{ ref: ["ID"] }, "in", { val: 1 }],
    [{ ref: ["kg"] }, "is", { val: true }],
    [{ func: "count", args: ["*"] }, ">", { val: 0 }],
  ].flatMap((where) => [
    { SELECT: { from: "Parcels", where } },
    { DELETE: { from: "Parcels", where } },
  ]),
  ...["SELECT from Items where tags = 'x'", "SELECT from Items where name = tags"],
  ...["SELECT from Items { substring(name, name) as x }"],
  ...[
    "SELECT from Parcels { items { count(*) as n } }",
    "SELECT from Parcels where case ID when tags then true end",
  ],
  { SELECT: { from: "Parcels", columns: [{ val: 1, as: "" }] } },
  { SELECT: { from: "Parcels", columns: [{ ref: ["items"], expand: ["*"], where: [{ ref: ["name"] }] }] } },
  { SELECT: { from: "Parcels", limit: { offset: 1e18 } } },
  { SELECT: { from: "Parcels", orderBy: [{ ref: ["ID"], nulls: "middle" }] } },
  { SELECT: { from: "Parcels", columns: [{ ref: ["items", "parcel"], expand: ["*"] }] } },
  ...["SELECT from Items where ID in (1, tags)", "SELECT from Parcels where items in (1)"],
  ...["SELECT from Items where tags in ('x')", "SELECT from Parcels:items[tags = 'x'] { ID }"],
  ...[
    "SELECT from Parcels where depot[name + 1].name = 'x'",
    "SELECT from Parcels { depot[kg = 1].name as x }",
  ],
  // literals and variables have kinds, too
  ...["5", "'x'", "date'2024-01-01'", "$now", "true and 1", "not 'x'", "label like 5", "$now like 'x'"].map((
    condition,
  ) => `SELECT from Parcels where ${condition}`),
  ...[
    "kg + 'x'",
    "'x' * 2",
    "-true",
    "-'x'",
    "$now + 1",
    "coalesce(kg, 'x')",
    "year(5)",
    "year(time'10:00:00')",
  ].map((
    value,
  ) => `SELECT from Parcels { ${value} as x }`),
  ...["substring(label, 'x')", "round('x')", "case when kg > 1 then 1 else 'x' end", "sum('x')"].map((
    value,
  ) => `SELECT from Parcels { ${value} as x }`),
  // the user is a text
  ...["-$user", "1 - $user", "time($user)", "second($user)", "$user * 2"].map((value) =>
    `SELECT from Parcels { ${value} as x }`
  ),
  ...["1e400", "-1e400"].map((value) => `SELECT from Parcels { ${value} as x }`),
  ...["x", "1.", "", "0x10", "1e400", "NaN"].map((val) => ({
    SELECT: { from: "Parcels", columns: [{ val, literal: "number", as: "x" }] },
  })),
  // the values of a case stand for one another
  ...[
    "SELECT from Parcels { case when kg > 1 then kg else label end as x }",
    "SELECT from Parcels { case when kg > 1 then kg when kg > 0 then label end as x }",
    "SELECT from Parcels { (case when kg > 1 then label else 'light' end) + 1 as x }",
  ],
];

testOnEngines(
  "HCQL refuses what no database understands with 400, before it gets there",
  APP,
  async (app) => {
    for (const query of MEANINGLESS) {
      const { status, body } = await run(app, query, "bob");
      assert.equal(status, 400, `${JSON.stringify(query)}: ${JSON.stringify(body)}`);
    }
  },
);

testOnEngines("HCQL reads by an alias, by steps as objects, and compares with null", APP, async (app) => {
  const rows = async (query: unknown) => (await run(app, query, "bob")).body;
  const aliased = "SELECT from Parcels as p { p.label, depot.name as at } where p.ID = 1";
  assert.deepEqual(await rows(aliased), { data: [{ label: "books", at: "Alpha" }] });
  const steps = {
    from: { ref: [{ id: "Parcels" }] },
    columns: [{ ref: [{ id: "depot" }, "name"], as: "at" }],
    where: [{ ref: ["label"] }, "=", { val: "stove" }],
  };
  assert.deepEqual(await rows({ SELECT: steps }), { data: [{ at: "Gamma" }] });
  assert.deepEqual(await rows("SELECT from Parcels { ID } where label = null"), { data: [] });
  assert.deepEqual(await rows("SELECT from Items { ID } where tags = null"), {
    data: [{ ID: 1 }, { ID: 2 }],
  });
});

testOnEngines(
  "HCQL orders and cuts nested rows where it is asked for, and reads all of them else",
  APP,
  async (app) => {
    const nested = async (ref: string, more: object) => {
      const columns = [{ ref: [ref], expand: [{ ref: ["ID"] }], ...more }];
      const query = {
        SELECT: { from: { ref: ["Parcels"] }, columns, where: [{ ref: ["ID"] }, "=", { val: 1 }] },
      };
      return (await run(app, query)).body;
    };
    const orderBy = [{ ref: ["ID"], sort: "desc" }];
    assert.deepEqual(await nested("items", { orderBy }), { data: [{ items: [{ ID: 2 }, { ID: 1 }] }] });
    const limit = { rows: { val: 1 } };
    assert.deepEqual(await nested("items", { orderBy, limit }), { data: [{ items: [{ ID: 2 }] }] });
    const [{ items }] = (await nested("items", { limit }) as { data: [{ items: unknown[] }] }).data;
    assert.equal(items.length, 1);
    const [{ marks }] = (await nested("marks", {}) as { data: [{ marks: unknown[] }] }).data;
    assert.equal(marks.length, 2, "the default of a page is that of pages");
  },
);

testOnEngines(
  "HCQL reads the rows behind an association with conditions on each of them",
  APP,
  async (app) => {
    const found = async (name: string) =>
      (await run(app, `SELECT from Parcels[label = 'books']:items[name = '${name}'] { ID }`)).body;
    assert.deepEqual(await found("novel"), { data: [{ ID: 2 }] });
    assert.deepEqual(await found("stove"), { data: [] });
  },
);

Deno.test("HCQL bounds how deep expressions and columns are nested (filterDepth, expandDepth)", () => {
  const limits = { filterDepth: 2, expandDepth: 2 };
  return withApp({ ...APP, env: { ...APP.env, limits } }, "memory", async (app) => {
    const read = async (query: object) => (await run(app, { SELECT: { from: "Parcels", ...query } })).status;
    const nested = (levels: number): unknown[] =>
      levels === 0 ? [{ ref: ["ID"] }, "=", { val: 1 }] : [{ xpr: nested(levels - 1) }];
    const expanded = (levels: number): object[] =>
      levels === 0 ? [{ ref: ["ID"] }] : [{
        ref: [levels % 2 === 0 ? "items" : "parcel"],
        expand: expanded(levels - 1),
      }];
    assert.deepEqual([await read({ where: nested(2) }), await read({ where: nested(3) })], [200, 400]);
    assert.equal(await read({ columns: expanded(2) }), 200);
    assert.equal(
      await read({ columns: [{ ref: ["items"], expand: [{ ref: ["parcel"], expand: expanded(2) }] }] }),
      400,
    );
  });
});

testOnEngines("HCQL orders rows without a value where the query says", APP, async (app) => {
  await run(app, { INSERT: { into: { ref: ["Parcels"] }, entries: [{ ID: 3, label: "weightless" }] } });
  const ids = async (sort: string, nulls: string) => {
    const orderBy = [{ ref: ["kg"], sort, nulls }];
    const { body } = await run(app, { SELECT: { from: "Parcels", columns: [{ ref: ["ID"] }], orderBy } });
    return (body as { data: { ID: number }[] }).data.map(({ ID }) => ID);
  };
  assert.deepEqual([await ids("asc", "first"), await ids("asc", "last")], [[3, 1, 2], [1, 2, 3]]);
  assert.deepEqual([await ids("desc", "first"), await ids("desc", "last")], [[3, 2, 1], [2, 1, 3]]);
});

testOnEngines("HCQL groups, aggregates and calculates", APP, async (app) => {
  const rows = async (query: string) => (await run(app, query, "bob")).body;
  assert.deepEqual(await rows("SELECT from Parcels { count(*) as n, max(kg) as m } where not depot.open"), {
    data: [{ n: 1, m: 80 }],
  });
  const groups = "SELECT from Parcels { depot.code as d, sum(kg) * 2 as s } group by depot.code";
  assert.deepEqual(await rows(`${groups} having count(*) > 0 order by depot.code`), {
    data: [{ d: "AAA", s: 25 }, { d: "CCC", s: 160 }],
  });
  assert.deepEqual(await rows("SELECT from Depots { min(open) as least, max(open) as most }"), {
    data: [{ least: false, most: true }],
  });
  const cases = "case when kg > 20 then upper(label) else concat(label, depot.name) end as x";
  assert.deepEqual(await rows(`SELECT from Parcels { ${cases} } where depot_code is not null order by ID`), {
    data: [{ x: "booksAlpha" }, { x: "STOVE" }],
  });
  const without = "SELECT from Parcels { (case when kg > 20 then kg end) + 1 as x } order by ID";
  assert.deepEqual(await rows(without), { data: [{ x: null }, { x: 81 }] });
});

testOnEngines("HCQL writes rows that the user may write, and tells keys and numbers", APP, async (app) => {
  const insert = {
    INSERT: { into: { ref: ["Parcels"] }, entries: [{ ID: 7, label: "a" }, { ID: 8, label: "b" }] },
  };
  assert.deepEqual(await run(app, insert), {
    status: 201,
    body: { data: [{ ID: 7 }, { ID: 8 }], affected: 2 },
  });
  const where = [{ ref: ["ID"] }, ">", { val: 6 }];
  const update = { UPDATE: { entity: { ref: ["Parcels"] }, data: { label: "c" }, where } };
  assert.deepEqual(await run(app, update), { status: 200, body: { data: [], affected: 2 } });
  assert.deepEqual(await run(app, { DELETE: { from: { ref: ["Parcels"] }, where } }), {
    status: 200,
    body: { data: [], affected: 2 },
  });
});

testOnEngines("HCQL calls operations by their names", APP, async ({ send }) => {
  const hello = await send("GET", `${ROOT}/hello?to=ab&times=2`, undefined, { user: "ann" });
  assert.deepEqual([hello.status, hello.body.data as unknown], [200, "abab"]);
  const weigh = await send("POST", `${ROOT}/weigh`, { ID: 1 }, { user: "ann" });
  assert.deepEqual([weigh.status, weigh.body.data as unknown], [200, 12.5]);
  assert.equal((await send("POST", `${ROOT}/weigh`, { ID: "x" }, { user: "ann" })).status, 400);
  const named = await send("GET", `${ROOT}/Goods.hello?to=ab&times=1`, undefined, { user: "ann" });
  assert.deepEqual([named.status, named.body.data as unknown], [200, "ab"]);
  assert.equal((await send("GET", `${ROOT}/`, undefined, { user: "ann" })).status, 400);
});
