/*
 * Cases left out, with the reason: none of this area. `authorization-002` runs with the technical mock user `system`,
 * as strategies for tokens are missing; the row of `-005` and the target of `-020` are refused as auth 7 says.
 */

import assert from "node:assert/strict";
import { type App, column, withApp } from "./app.ts";

const ROOT = "/odata/v4/area";

function secured(id: string, rule: string, run: (app: App) => Promise<void>): void {
  Deno.test(`${rule} (${id})`, () => withApp({}, run));
}

secured("authorization-002", "a technical user needs the role as well", async ({ call }) => {
  assert.equal((await call("GET /odata/v4/bosses/Things", { as: "system:" })).status, 403);
});

secured(
  "authorization-003",
  "a row outside the own area is answered like a missing one",
  async ({ call }) => {
    const hidden = await call(`GET ${ROOT}/Orders(2)`, { as: "clara:" });
    const missing = await call(`GET ${ROOT}/Orders(99)`, { as: "clara:" });
    assert.equal(hidden.status, 404);
    assert.equal(hidden.text, missing.text);
  },
);

secured("authorization-005", "a row cannot be moved or created outside the own area", async ({ call }) => {
  assert.equal(
    (await call(`PATCH ${ROOT}/Orders(1)`, { as: "clara:", body: { owner: "carl" } })).status,
    403,
  );
  assert.equal(
    (await call(`POST ${ROOT}/Orders`, { as: "clara:", body: { ID: 9, owner: "carl" } })).status,
    403,
  );
  const own = await call(`PATCH ${ROOT}/Orders(1)`, { as: "clara:", body: { amount: 7 } });
  assert.equal(own.status, 200);
  const { json } = await call(`GET ${ROOT}/Orders?$orderby=ID`, { as: "boris:" });
  assert.deepEqual((json as { value: { owner: string }[] }).value.map(({ owner }) => owner), [
    "clara",
    "carl",
    "Clara",
    "clara ",
  ]);
});

secured("authorization-007", "$expand of an entity that may not be read is refused", async ({ call }) => {
  for (
    const url of ["Visits?$expand=who", "Visits(1)?$expand=who", "Folders?$expand=people", "Visits(1)/who"]
  ) {
    assert.equal((await call(`GET ${ROOT}/${url}`, { as: "clara:" })).status, 403, url);
  }
});

secured("authorization-008", "$expand holds permitted rows only", async ({ call }) => {
  const visits = await call(`GET ${ROOT}/Visits?$expand=town&$orderby=ID`, { as: "clara:" });
  assert.deepEqual((column(visits, "town") as ({ ID: number } | null)[]).map((town) => town?.ID), [
    1,
    undefined,
  ]);
  const cities = await call(`GET ${ROOT}/Cities?$expand=orders($count=true)`, { as: "clara:" });
  assert.deepEqual((column(cities, "orders") as { ID: number }[][]).flat().map(({ ID }) => ID), [1]);
  assert.deepEqual(column(cities, "orders@odata.count"), [1]);
});

secured(
  "authorization-010",
  "paths in $filter and $orderby do not tell about rows that may not be read",
  async ({ call }) => {
    for (
      const option of [
        "$filter=who/ssn eq '1'",
        "$orderby=who/ssn",
        "$compute=who/ssn as x",
        "$filter=contains(who/ssn,'1')",
      ]
    ) {
      assert.equal((await call(`GET ${ROOT}/Visits?${option}`, { as: "clara:" })).status, 403, option);
    }
    const oracle = await call(`GET ${ROOT}/Visits?$filter=town/secret eq 's2'`, { as: "clara:" });
    assert.deepEqual(column(oracle, "ID"), []);
    const own = await call(`GET ${ROOT}/Visits?$filter=town/secret eq 's1'`, { as: "clara:" });
    assert.deepEqual(column(own, "ID"), [1]);
  },
);

secured("authorization-012", "lambdas do not tell about rows that may not be read", async ({ call }) => {
  for (
    const filter of [
      "people/any()",
      "people/any(p:p/ssn eq '1')",
      "people/all(p:p/ssn eq '1')",
      "people/$count gt 0",
    ]
  ) {
    assert.equal((await call(`GET ${ROOT}/Folders?$filter=${filter}`, { as: "clara:" })).status, 403, filter);
  }
});

secured("authorization-013", "$apply over an entity that may not be read is refused", async ({ call }) => {
  const groups = "groupby((who/ssn),aggregate($count as n))";
  assert.equal((await call(`GET ${ROOT}/Visits?$apply=${groups}`, { as: "clara:" })).status, 403);
  assert.equal(
    (await call(`GET ${ROOT}/Visits?$apply=aggregate(who/ID with max as m)`, { as: "nils:" })).status,
    403,
  );
  const sums = await call(`GET ${ROOT}/Orders?$apply=aggregate(amount with sum as total)`, { as: "clara:" });
  assert.deepEqual(column(sums, "total"), [1]);
});

secured("authorization-015", "elements outside the projection do not exist", async ({ call }) => {
  for (const option of ["$filter=hidden eq 'h'", "$orderby=hidden", "$select=hidden"]) {
    assert.equal((await call(`GET ${ROOT}/Slim?${option}`, { as: "clara:" })).status, 400, option);
  }
  assert.ok(!(await call(`GET ${ROOT}/Slim`, { as: "clara:" })).text.includes('"h"'));
});

secured("authorization-017", "$compute cannot name elements outside the projection", async ({ call }) => {
  for (const option of ["$compute=hidden as x", "$compute=concat(hidden,'a') as x&$filter=x eq 'ha'"]) {
    assert.equal((await call(`GET ${ROOT}/Slim?${option}`, { as: "clara:" })).status, 400, option);
  }
});

secured("authorization-018", "counts are those of permitted rows", async ({ call }) => {
  assert.equal((await call(`GET ${ROOT}/Orders/$count`, { as: "clara:" })).text, "1");
  assert.equal((await call(`GET ${ROOT}/Orders/$count`, { as: "boris:" })).text, "4");
  const { json } = await call(`GET ${ROOT}/Orders?$count=true&$top=0`, { as: "clara:" });
  assert.equal((json as Record<string, unknown>)["@odata.count"], 1);
});

secured("authorization-020", "a link to a hidden row is refused like one to no row", async ({ call }) => {
  const link = (ID: number) => ({ ID: 50 + ID, owner: "clara", "city@odata.bind": `Cities(${ID})` });
  const hidden = await call(`POST ${ROOT}/Orders`, { as: "clara:", body: link(2) });
  const missing = await call(`POST ${ROOT}/Orders`, { as: "clara:", body: link(9) });
  assert.equal(hidden.status, 400);
  assert.equal(hidden.text, missing.text);
  assert.equal((await call(`POST ${ROOT}/Orders`, { as: "clara:", body: link(1) })).status, 201);
});

secured("authorization-022", "a bound action on a row outside the own area is refused", async ({ call }) => {
  assert.equal((await call(`POST ${ROOT}/Orders(1)/mark`, { as: "clara:", body: {} })).status, 200);
  assert.equal((await call(`POST ${ROOT}/Orders(2)/mark`, { as: "clara:", body: {} })).status, 403);
  assert.equal((await call(`POST ${ROOT}/Orders(1)/mark`, { as: "nils:", body: {} })).status, 403);
});

secured(
  "authorization-023",
  "entities exposed for compositions are reached by navigation only",
  async ({ call }) => {
    for (const path of ["/odata/v4/shop/Books_notes", "/odata/v4/shop/Books_texts", `${ROOT}/Visits_items`]) {
      assert.equal((await call(`GET ${path}`, { as: "boris:" })).status, 405, path);
    }
    for (
      const path of [
        "/odata/v4/shop/Books(1)/notes",
        "/odata/v4/shop/Books(1)/texts",
        `${ROOT}/Visits(1)/items`,
      ]
    ) {
      assert.equal((await call(`GET ${path}`, { as: "boris:" })).status, 200, path);
    }
  },
);

secured("authorization-025", "creating by PUT needs CREATE", async ({ call }) => {
  assert.equal((await call(`PUT ${ROOT}/Rates(9)`, { as: "clara:", body: { rate: 2 } })).status, 403);
  assert.equal((await call(`PUT ${ROOT}/Rates(1)`, { as: "clara:", body: { rate: 2 } })).status, 200);
  assert.equal((await call(`GET ${ROOT}/Rates/$count`, { as: "clara:" })).text, "1");
});

secured("authorization-027", "attributes of users are values, whatever they hold", async ({ call }) => {
  const { status, json } = await call(`GET ${ROOT}/Cities`, { as: "carl:" });
  assert.deepEqual([status, (json as { value: unknown[] }).value], [200, []]);
});

secured("authorization-028", "user ids are compared exactly", async ({ call }) => {
  assert.deepEqual(column(await call(`GET ${ROOT}/Orders`, { as: "clara:" }), "ID"), [1]);
});

secured("authorization-030", "an empty list of roles admits nobody", async ({ call }) => {
  for (const as of ["boris:", "clara:", "system:"]) {
    assert.equal((await call("GET /odata/v4/nobody/Things", { as })).status, 403);
  }
  assert.equal((await call("GET /odata/v4/nobody/Things")).status, 401);
});

secured("authorization-032", "names of object members are no roles", async ({ call }) => {
  assert.equal((await call("GET /odata/v4/odd/Things", { as: "boris:" })).status, 403);
});

secured("authorization-033", "no way to write an option gets around the condition", async ({ call }) => {
  for (const option of ["$Filter", "%24filter", "filter", "$FILTER", "%2524filter"]) {
    const found = await call(`GET ${ROOT}/Orders?${option}=owner eq 'carl'`, { as: "clara:" });
    assert.ok([200, 400].includes(found.status), option);
    if (found.status === 200) assert.ok((column(found, "ID") as number[]).every((ID) => ID === 1), option);
  }
  const both = await call(`GET ${ROOT}/Orders?$filter=ID eq 1) or (1 eq 1`, { as: "clara:" });
  assert.equal(both.status, 400);
  const or = await call(`GET ${ROOT}/Orders?$filter=ID eq 2 or true`, { as: "clara:" });
  assert.deepEqual(column(or, "ID"), [1]);
});
