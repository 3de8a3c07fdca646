import assert from "node:assert/strict";
import { type App, type AppOptions, errorOf, withApp } from "./app.ts";

const MODEL = `
using { temporal } from '@sap/cds/common';

entity Departments {
  key ID   : Integer;
  name     : String(40);
  from     : DateTime @cds.valid.from;
  to       : DateTime @cds.valid.to;
  staff    : Association to many Employees on staff.dept = $self;
}
entity Employees {
  key ID : Integer;
  name   : String(40);
  jobs   : Composition of many Jobs on jobs.employee = $self;
  dept   : Association to Departments;
}
entity Jobs : temporal {
  key ID   : Integer;
  title    : String(40);
  employee : Association to Employees;
}
entity Rates {
  key code  : String(3);
  key since : Date @cds.valid.from;
  until     : Date @cds.valid.to;
  rate      : Integer;
}
service Test {
  entity Departments as projection on db_Departments;
  entity Employees as projection on db_Employees;
  entity Jobs as projection on db_Jobs;
  entity Rates as projection on db_Rates;
}
`.replace(/^entity (\w+)/gm, "entity db_$1").replaceAll(
  /to (?:many )?(Departments|Employees)|many (Jobs)/g,
  (found) => found.replace(/(\w+)$/, "db_$1"),
);

const ROWS = {
  db_Departments: [
    { ID: 1, name: "Old", from: "2000-01-01T00:00:00Z", to: "2010-01-01T00:00:00Z" },
    { ID: 2, name: "New", from: "2010-01-01T00:00:00Z", to: null },
  ],
  db_Employees: [{ ID: 1, name: "Ada", dept_ID: 1 }, { ID: 2, name: "Bob", dept_ID: 2 }],
  db_Jobs: [
    {
      ID: 1,
      title: "Junior",
      employee_ID: 1,
      validFrom: "2005-01-01T00:00:00.000Z",
      validTo: "2010-01-01T00:00:00.000Z",
    },
    {
      ID: 2,
      title: "Senior",
      employee_ID: 1,
      validFrom: "2010-01-01T00:00:00.000Z",
      validTo: "9999-12-31T00:00:00.000Z",
    },
    {
      ID: 3,
      title: "Future",
      employee_ID: 2,
      validFrom: "2999-01-01T00:00:00.000Z",
      validTo: "9999-12-31T00:00:00.000Z",
    },
  ],
  db_Rates: [
    { code: "EUR", since: "2020-01-01", until: "2021-01-01", rate: 10 },
    { code: "EUR", since: "2021-01-01", until: "2999-01-01", rate: 11 },
  ],
};

type Titled = { title?: unknown; name?: unknown; rate?: unknown };

async function names(app: App, path: string): Promise<unknown[]> {
  const rows = await app.rows(path);
  return rows.map((row) => (row as Titled).title ?? (row as Titled).name ?? (row as Titled).rate);
}

for (const database of ["sqlite", "memory"] as const) {
  const withTime = (test: (app: App) => Promise<unknown>, more: Partial<AppOptions> = {}) =>
    withApp({ model: MODEL, rows: ROWS, database, ...more }, test);

  Deno.test(`temporal entities show what is valid now (${database})`, () =>
    withTime(async (app) => {
      assert.deepEqual(await names(app, "Jobs"), ["Senior"]);
      assert.deepEqual(await names(app, "Departments"), ["New"]);
      assert.deepEqual(await names(app, "Rates"), [11]);
      assert.equal((await app.get("Jobs/$count")).text, "1");
      assert.equal((await app.get("Jobs(2)")).status, 200);
      errorOf(await app.get("Jobs(1)"), 404);
    }));

  Deno.test(`sap-valid-at shows what was valid at that time, its end excluded (${database})`, () =>
    withTime(async (app) => {
      assert.deepEqual(await names(app, "Jobs?sap-valid-at=2006-01-01"), ["Junior"]);
      assert.deepEqual(await names(app, "Jobs?sap-valid-at=date'2006-01-01'"), ["Junior"]);
      assert.deepEqual(await names(app, "Jobs?sap-valid-at=2009-12-31T23:59:59.999Z"), ["Junior"]);
      assert.deepEqual(await names(app, "Jobs?sap-valid-at=2010-01-01T00:00:00Z"), ["Senior"]);
      assert.deepEqual(await names(app, "Jobs?sap-valid-at=2010-01-01T00:30:00%2B01:00"), ["Junior"]);
      assert.deepEqual(await names(app, "Jobs?sap-valid-at=1999-01-01"), []);
      assert.deepEqual(await names(app, "Departments?sap-valid-at=2010-01-01T00:00:00Z"), ["New"]);
      assert.deepEqual(await names(app, "Departments?sap-valid-at=2009-12-31T23:59:59.5Z"), ["Old"]);
      assert.deepEqual(await names(app, "Rates?sap-valid-at=2020-12-31"), [10]);
      assert.deepEqual(await names(app, "Rates?sap-valid-at=2021-01-01"), [11]);
    }));

  Deno.test(`$at, $from, $to and $toInclusive do the same (${database}) (Temporal Data 4.2)`, () =>
    withTime(async (app) => {
      assert.deepEqual(await names(app, "Jobs?$at=2006-01-01"), ["Junior"]);
      assert.deepEqual(await names(app, "Jobs?$at=2010-01-01T00:00:00Z"), ["Senior"]);
      assert.deepEqual(await names(app, "Jobs?$from=2009-01-01&$to=2010-01-01"), ["Junior"]);
      assert.deepEqual(await names(app, "Jobs?$from=2009-01-01&$toInclusive=2010-01-01"), [
        "Junior",
        "Senior",
      ]);
      assert.deepEqual(await names(app, "Jobs?$from=min&$to=max"), ["Junior", "Senior", "Future"]);
    }));

  Deno.test(`sap-valid-from and sap-valid-to show every slice of a period (${database})`, () =>
    withTime(async (app) => {
      const period = "sap-valid-from=2009-01-01&sap-valid-to=2011-01-01";
      assert.deepEqual(await names(app, `Jobs?${period}`), ["Junior", "Senior"]);
      assert.deepEqual(await names(app, "Jobs?sap-valid-from=2001-01-01"), ["Junior", "Senior", "Future"]);
      assert.deepEqual(await names(app, "Jobs?sap-valid-to=2010-01-01"), ["Junior"]);
    }));

  Deno.test(`navigation and expand show what is valid (${database})`, () =>
    withTime(async (app) => {
      const [ada, bob] = await app.rows("Employees?$expand=dept,jobs");
      assert.equal(ada!.dept, null);
      assert.equal(bob!.dept!.name, "New");
      assert.deepEqual((ada!.jobs as unknown as Titled[]).map(({ title }) => title), ["Senior"]);
      assert.deepEqual(bob!.jobs, []);
      assert.deepEqual(await names(app, "Employees(1)/jobs"), ["Senior"]);
      assert.deepEqual(await names(app, "Employees(1)/jobs?sap-valid-at=2006-01-01"), ["Junior"]);
      const [then] = await app.rows("Employees?$expand=dept,jobs&sap-valid-at=2006-01-01");
      assert.equal(then!.dept!.name, "Old");
      assert.deepEqual((then!.jobs as unknown as Titled[]).map(({ title }) => title), ["Junior"]);
      errorOf(await app.get("Departments(1)/staff"), 404);
    }));

  Deno.test(`conditions along associations see what is valid (${database})`, () =>
    withTime(async (app) => {
      const any = "Employees?$filter=jobs/any(j:startswith(j/title,'Jun'))";
      assert.deepEqual(await names(app, any), []);
      assert.deepEqual(await names(app, `${any}&sap-valid-at=2006-01-01`), ["Ada"]);
      const byPath = "Employees?$filter=dept/name eq 'Old'";
      assert.deepEqual(await names(app, byPath), []);
      assert.deepEqual(await names(app, `${byPath}&sap-valid-at=2006-01-01`), ["Ada"]);
    }));

  Deno.test(`writes reach every slice, deletion cascades to all (${database})`, () =>
    withTime(async (app) => {
      assert.equal((await app.patch("Jobs(1)?sap-valid-at=2006-01-01", { title: "Trainee" })).status, 200);
      assert.deepEqual(await names(app, "Jobs?sap-valid-at=2006-01-01"), ["Trainee"]);
      assert.equal((await app.send("DELETE", "Employees(1)")).status, 204);
      assert.deepEqual(await names(app, "Jobs?sap-valid-from=2001-01-01"), ["Future"]);
    }));

  Deno.test(`sap-valid-at of a batch part counts for the part only (${database})`, () =>
    withTime(async (app) => {
      const [then, now] = await app.batch([
        { method: "GET", url: "Jobs?sap-valid-at=2006-01-01" },
        { method: "GET", url: "Jobs" },
      ]);
      const titles = (part: unknown) =>
        (part as { body: { value: Titled[] } }).body.value.map(({ title }) => title);
      assert.deepEqual(titles(then), ["Junior"]);
      assert.deepEqual(titles(now), ["Senior"]);
    }));

  Deno.test(`sap-valid-at that is no time is refused (${database})`, () =>
    withTime(async (app) => {
      for (const value of ["yesterday", "2023-02-30", "2023-01-01T99:00", "", "%27"]) {
        const error = errorOf(await app.get(`Jobs?sap-valid-at=${value}`), 400);
        assert.match(String(error.message), /is no date or time for sap-valid-at/);
      }
      errorOf(await app.get("Jobs?sap-valid-from=2020-01-01&sap-valid-to=2019-01-01"), 400);
    }));

  Deno.test(`handlers read at the time of the request, or all slices (${database})`, async () => {
    const seen: unknown[] = [];
    await withTime(async (app) => {
      await app.rows("Employees?sap-valid-at=2006-01-01");
      await app.rows("Employees");
      assert.deepEqual(seen, [1, 3, 1, 3]);
    }, {
      handlers: (srv) =>
        srv.before("READ", "Employees", async () => {
          const from = { ref: ["db_Jobs"] };
          for (const history of [false, true]) {
            const rows = await srv.run({ SELECT: { from, history } });
            seen.push((rows as unknown[]).length);
          }
        }),
    });
  });
}

Deno.test("views select by $at.from and $at.to", () =>
  withApp({
    model: `
      entity Jobs { key ID : Integer; validFrom : Timestamp; validTo : Timestamp; }
      service Test {
        entity Current as select from Jobs { * } where validFrom < $at.to and validTo > $at.from;
      }`,
    rows: {
      Jobs: [
        { ID: 1, validFrom: "2005-01-01T00:00:00.000Z", validTo: "2010-01-01T00:00:00.000Z" },
        { ID: 2, validFrom: "2010-01-01T00:00:00.000Z", validTo: "2999-01-01T00:00:00.000Z" },
      ],
    },
  }, async (app) => {
    assert.deepEqual((await app.rows("Current")).map((row) => row.ID), [2]);
    assert.deepEqual((await app.rows("Current?sap-valid-at=2005-01-01")).map((row) => row.ID), [1]);
  }));
