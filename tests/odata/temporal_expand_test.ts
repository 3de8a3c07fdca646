import assert from "node:assert/strict";
import type { Row } from "../../src/cqn/cqn.ts";
import type { Csn } from "../../src/model/csn.ts";
import type { DatabaseFactory } from "../../src/service/database.ts";
import { toMany, toOne } from "./associations.ts";
import { ENGINES } from "./engines.ts";
import { openShop, type Shop } from "./fixture_host.ts";

const key = { key: true, type: "cds.Integer" };
const text = { type: "cds.String", length: 40 };
const period = (type: string) => ({
  since: { type, "@cds.valid.from": true },
  until: { type, "@cds.valid.to": true },
});

const MODEL: Csn = {
  definitions: {
    "ShopService": { kind: "service" },
    "ShopService.People": {
      kind: "entity",
      elements: {
        ID: key,
        jobs: toMany("jobs", "ShopService.Jobs", "person"),
        homes: toMany("homes", "ShopService.Homes", "person"),
      },
    },
    "ShopService.Jobs": {
      kind: "entity",
      elements: {
        ID: key,
        title: text,
        ...period("cds.Timestamp"),
        person: toOne("ShopService.People"),
        office: toOne("ShopService.Offices"),
      },
    },
    "ShopService.Offices": {
      kind: "entity",
      elements: {
        ID: key,
        name: text,
        ...period("cds.DateTime"),
        jobs: toMany("jobs", "ShopService.Jobs", "office"),
      },
    },
    "ShopService.Homes": {
      kind: "entity",
      elements: { ID: key, city: text, ...period("cds.Date"), person: toOne("ShopService.People") },
    },
  },
};

const ROWS: ReadonlyMap<string, readonly Row[]> = new Map<string, readonly Row[]>([
  ["ShopService.People", [{ ID: 1 }]],
  ["ShopService.Offices", [
    { ID: 1, name: "Old", since: "2000-01-01T00:00:00Z", until: "2012-01-01T00:00:00Z" },
  ]],
  ["ShopService.Jobs", [
    {
      ID: 1,
      title: "Junior",
      since: "2005-01-01T00:00:00.000Z",
      until: "2010-01-01T00:00:00.000Z",
      person_ID: 1,
      office_ID: 1,
    },
    {
      ID: 2,
      title: "Senior",
      since: "2010-01-01T00:00:00.000Z",
      until: null,
      person_ID: 1,
      office_ID: 1,
    },
  ]],
  ["ShopService.Homes", [
    { ID: 1, city: "Rome", since: "2000-01-01", until: "2011-01-01", person_ID: 1 },
    { ID: 2, city: "Oslo", since: "2011-01-01", until: null, person_ID: 1 },
  ]],
]);

async function withPeople(database: DatabaseFactory, run: (shop: Shop) => Promise<void>): Promise<void> {
  const shop = await openShop({ model: MODEL, data: ROWS, database });
  try {
    await run(shop);
    assert.deepEqual(shop.logged, []);
  } finally {
    await shop.close();
  }
}

/** Titles, cities and names behind `People?$expand=…`. */
const EXPANDED: Readonly<Record<string, readonly unknown[]>> = {
  "jobs": ["Senior"],
  "jobs($at=2006-05-01)": ["Junior"],
  "jobs($at=2010-01-01T00:00:00Z)": ["Senior"],
  "jobs($at=2009-12-31T23:59:59.999Z)": ["Junior"],
  "jobs($at=1999-01-01)": [],
  "jobs($from=2009-01-01;$to=2011-01-01)": ["Junior", "Senior"],
  "jobs($from=min;$to=2010-01-01)": ["Junior"],
  "jobs($from=min;$toInclusive=2010-01-01)": ["Junior", "Senior"],
  "jobs($from=2020-01-01;$to=max)": ["Senior"],
  "jobs($at=@then)": ["Junior"],
  "jobs($at=2006-05-01;$filter=title ne 'Junior')": [],
  "jobs($at=2006-05-01;$count=true;$top=1)": ["Junior"],
  "homes": ["Oslo"],
  "homes($at=2010-12-31)": ["Rome"],
  "homes($at=2011-01-01)": ["Oslo"],
  "homes($at=2010-12-31T12:00:00Z)": ["Rome"],
};

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`$expand reads related rows as of the time it asks for, on ${engine} (Temporal Data 4.2)`, () =>
    withPeople(database, async (shop) => {
      for (const [item, expected] of Object.entries(EXPANDED)) {
        const url = `People?$select=ID&@then=2006-05-01&$expand=${item}`;
        const { status, body } = await shop.send("GET", encodeURI(url));
        assert.equal(status, 200, `${item}: ${JSON.stringify(body)}`);
        const [{ jobs = [], homes = [] }] = (body as { value: [{ jobs?: Row[]; homes?: Row[] }] }).value;
        assert.deepEqual([...jobs, ...homes].map(({ title, city }) => title ?? city), expected, item);
      }
    }));

  Deno.test(`a request reads days as of the time it asks for, on ${engine} (Temporal Data 4.2)`, () =>
    withPeople(database, async (shop) => {
      const cities = async (time: string) => {
        const { body } = await shop.send("GET", `Homes?$select=city&${time}`);
        return (body as { value: Row[] }).value.map(({ city }) => city);
      };
      assert.deepEqual(await cities("$at=2011-01-01"), ["Oslo"]);
      assert.deepEqual(await cities("$at=2010-12-31T12:00:00Z"), ["Rome"]);
      assert.deepEqual(await cities("$AT=2010-12-31"), ["Rome"]); // names have no letter case (URL 5.1)
      assert.deepEqual(await cities("$%61t=2010-12-31"), ["Rome"]);
      assert.deepEqual(await cities("$From=min&$TOINCLUSIVE=2010-12-31"), ["Rome"]);
      assert.deepEqual(await cities("at=2010-12-31"), ["Oslo"]); // a custom option
      assert.deepEqual(await cities("$from=min&$to=2011-01-01"), ["Rome"]);
      assert.deepEqual(await cities("$from=2010-12-31&$to=max"), ["Rome", "Oslo"]);
    }));

  Deno.test(`time ends with the last instant and begins with the first, on ${engine} (Temporal Data 4.2)`, () =>
    withPeople(database, async (shop) => {
      const titles = async (url: string) => {
        const { status, body } = await shop.send("GET", encodeURI(url));
        assert.equal(status, 200, `${url}: ${JSON.stringify(body)}`);
        const { value } = body as { value: { title?: string; jobs?: Row[] }[] };
        return value.flatMap(({ title, jobs }) => jobs ? jobs.map((job) => job.title) : [title]);
      };
      const times = { max: 1, min: 0, "0001-01-01": 0, "9999-12-31": 1, "9999-12-31T23:59:59.999Z": 1 };
      for (const [time, jobs] of Object.entries(times)) {
        const expected = ["Senior"].slice(0, jobs);
        assert.deepEqual(await titles(`Jobs?$select=title&$at=${time}`), expected, time);
        assert.deepEqual(await titles(`People?$expand=jobs($select=title;$at=${time})`), expected, time);
      }
      for (const time of ["0000-12-31", "9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00"]) {
        const filter = `$filter=since lt ${time.includes("T") ? time : `${time}T00:00:00Z`}`;
        for (const query of [`$at=${time}`, `$from=${time}`, `$toInclusive=${time}`, filter]) {
          const { status } = await shop.send("GET", `Jobs?${encodeURI(query).replaceAll("+", "%2B")}`);
          assert.equal(status, 400, query);
        }
      }
      assert.deepEqual(await titles("Jobs?$from=2011-01-01&$toInclusive=9999-12-31"), ["Senior"]);
    }));

  Deno.test(`what is below reads as of the same time, on ${engine} (Temporal Data 4.2)`, () =>
    withPeople(database, async (shop) => {
      const names = async (item: string) => {
        const { body } = await shop.send("GET", encodeURI(`People(1)?$select=ID&$expand=${item}`));
        const { jobs } = body as { jobs: { title: string; office: { name: string } | null }[] };
        return jobs.map(({ title, office }) => [title, office?.name]);
      };
      assert.deepEqual(await names("jobs($expand=office)"), [["Senior", undefined]]);
      assert.deepEqual(await names("jobs($at=2011-01-01;$expand=office)"), [["Senior", "Old"]]);
      assert.deepEqual(await names("jobs($at=2015-01-01;$expand=office($at=2011-06-01T10:00:00Z))"), [
        ["Senior", "Old"],
      ]);
      assert.deepEqual(await names("jobs($at=2006-01-01;$expand=office($at=2013-01-01))"), [
        ["Junior", undefined],
      ]);
    }));
}

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`$apply and counts are about rows as of the time they ask for, on ${engine} (Temporal Data 4.2)`, () =>
    withPeople(database, async (shop) => {
      const count = "$apply=aggregate($count as n)";
      const bodies: Readonly<Record<string, unknown>> = {
        "Jobs/$count?$at=2006-05-01": "1",
        "Jobs/$count?$from=min&$to=max": "2",
        "People(1)/jobs/$count?$at=1999-01-01": "0",
        [`Jobs?$at=2006-05-01&$apply=groupby((title))`]: [{ title: "Junior" }],
        [`Jobs?$from=min&$to=max&${count}`]: [{ n: 2 }],
        [`People?$select=ID&$expand=jobs($at=2006-05-01;${count})`]: [{ ID: 1, jobs: [{ n: 1 }] }],
        [`People?$select=ID&$expand=jobs($at=1999-01-01;${count})`]: [{ ID: 1, jobs: [{ n: 0 }] }],
        "People?$select=ID&$expand=jobs($from=min;$to=max;$apply=groupby((title)))": [
          { ID: 1, jobs: [{ title: "Junior" }, { title: "Senior" }] },
        ],
        "People?$select=ID&$expand=jobs($at=2006-01-01;$apply=filter(ID gt 0)/aggregate(office/name with min as o))":
          [{ ID: 1, jobs: [{ o: "Old" }] }],
        // the row around need not be valid then
        [`Offices?$at=2011-01-01&$select=ID&$expand=jobs($at=2015-01-01;${count})`]: [
          { ID: 1, jobs: [{ n: 1 }] },
        ],
        "Jobs?$at=2011-01-01&$apply=groupby((office_ID))&$expand=office($select=name)": [
          { office_ID: 1, office: { ID: 1, name: "Old" } },
        ],
        "Jobs?$at=2015-01-01&$apply=groupby((office_ID))&$expand=office($select=name)": [
          { office_ID: 1, office: null },
        ],
        "Jobs?$at=2015-01-01&$apply=groupby((office_ID))&$expand=office($at=2011-01-01;$select=name)": [
          { office_ID: 1, office: { ID: 1, name: "Old" } },
        ],
      };
      for (const [url, expected] of Object.entries(bodies)) {
        const { status, body } = await shop.send("GET", encodeURI(url));
        assert.equal(status, 200, `${url}: ${JSON.stringify(body)}`);
        assert.deepEqual(typeof body === "string" ? body : (body as { value: unknown }).value, expected, url);
      }
    }));
}

Deno.test("times that are none, and places without rows, are refused (Temporal Data 4.2)", () =>
  withPeople(ENGINES.memory!, async (shop) => {
    const messages: Readonly<Record<string, readonly [number, RegExp]>> = {
      "jobs($at=title)": [400, /A date or a time is expected \(offset 24\)/],
      "jobs($at=5)": [400, /A date or a time is expected \(offset 24\)/],
      "jobs/$count($at=2006-01-01)": [400, /./],
    };
    for (const [item, [status, message]] of Object.entries(messages)) {
      const answer = await shop.send("GET", encodeURI(`People?$expand=${item}`));
      assert.equal(answer.status, status, `${item}: ${JSON.stringify(answer.body)}`);
      assert.match((answer.body as { error: { message: string } }).error.message, message, item);
    }
  }));
