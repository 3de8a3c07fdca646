import assert from "node:assert/strict";
import { type App, errorOf, withApp } from "../data/app.ts";

const MODEL = `
@odata.nested type Geo { lat : Integer; zone : Association to db_Zones; }
@odata.nested type Address { street : String(20); geo : Geo; country : Association to db_Countries; }
entity db_Countries { key code : String(3); name : String(20); }
entity db_Zones { key area : Integer; key no : Integer; name : String(20); }
entity db_People { key ID : Integer; home : Address; work : Address; others : many Address; }
service Test {
  entity Countries as projection on db_Countries;
  entity Zones as projection on db_Zones;
  entity People as projection on db_People;
  action move(to : Address) returns String;
  function place() returns Address;
}
`;

const ROWS = {
  db_Countries: [{ code: "DE", name: "Germany" }, { code: "FR", name: "France" }],
  db_Zones: [{ area: 1, no: 2, name: "Z" }],
  db_People: [{
    ID: 1,
    home_street: "Main",
    home_country_code: "DE",
    home_geo_lat: 5,
    home_geo_zone_area: 1,
    home_geo_zone_no: 2,
    others: [{ street: "O", country_code: "FR" }, { street: "P", country_code: null }],
  }],
};

const HOME = { street: "Main", geo: { lat: 5, zone_area: 1, zone_no: 2 }, country_code: "DE" };

function withPeople(test: (app: App) => Promise<unknown>): Promise<void> {
  return withApp({
    model: MODEL,
    rows: ROWS,
    handlers: (srv) => {
      srv.on("move", (req) => JSON.stringify(req.data));
      srv.on("place", () => HOME);
    },
  }, test);
}

Deno.test("foreign keys in nested structures are members as in the complex types of $metadata (CSDL 4.01, clause 9)", () =>
  withPeople(async (app) => {
    const { text } = await app.get("$metadata", { accept: "application/xml" });
    for (const name of ["country_code", "zone_area", "zone_no"]) {
      assert.match(text, new RegExp(`Property Name="${name}"`));
    }
    const [row] = await app.rows("People");
    const others = [{ street: "O", country_code: "FR" }, { street: "P", country_code: null }];
    assert.deepEqual(row as unknown, { ID: 1, home: HOME, work: null, others });
    for (
      const [query, found] of [
        ["$select=home/country_code", { ID: 1, home: { country_code: "DE" } }],
        ["$select=home/geo", { ID: 1, home: { geo: HOME.geo } }],
        ["$select=home($select=geo/zone_no)", { ID: 1, home: { geo: { zone_no: 2 } } }],
        ["$filter=home/country_code eq 'DE' and home/geo/zone_no eq 2&$select=ID", { ID: 1 }],
        ["$orderby=home/geo/zone_area desc&$select=ID", { ID: 1 }],
        ["$filter=others/any(o:o/country_code eq 'FR')&$select=ID", { ID: 1 }],
        ["$select=others/country_code", { ID: 1, others: [{ country_code: "FR" }, { country_code: null }] }],
        ["$select=others($select=street;$filter=country_code eq 'FR')", { ID: 1, others: [{ street: "O" }] }],
        ["$apply=groupby((home/country_code))", { home: { country_code: "DE" } }],
      ] as const
    ) assert.deepEqual((await app.rows(`People?${query}`))[0] as unknown, found, query);
    assert.equal((await app.get("People(1)/home/country_code")).body.value, "DE");
    assert.equal((await app.get("People(1)/home/geo/zone_no/$value")).text, "2");
    assert.equal((await app.get("People(1)/home/geo")).body.zone_no, 2);
    assert.equal((await app.get("People(1)/others/0/country_code")).body.value, "FR");
    errorOf(await app.get("People?$filter=others/any(o:o/country eq 'FR')"), 400);
    errorOf(await app.get("People(1)/home/country"), 404);
    errorOf(await app.get("People?$filter=home/country/name eq 'x'"), 400);
    errorOf(await app.get("People(1)/home/geo/lat/x"), 400);
  }));

for (
  const [form, country, zone] of [
    ["foreign keys", { country_code: "FR" }, { zone_area: 7, zone_no: 8 }],
    ["nested keys", { country: { code: "FR" } }, { zone: { area: 7, no: 8 } }],
    ["links", { "country@odata.bind": "Countries('FR')" }, { "zone@odata.bind": "Zones(area=7,no=8)" }],
  ] as const
) {
  Deno.test(`${form} in nested structures are written (JSON Format 4.01, clause 14)`, () =>
    withPeople(async (app) => {
      const home = { street: "S", geo: { lat: 1, ...zone }, ...country };
      const written = { street: "S", geo: { lat: 1, zone_area: 7, zone_no: 8 }, country_code: "FR" };
      const created = await app.post("People", { ID: 2, home });
      assert.deepEqual([created.status, created.body.home] as unknown, [201, written]);
      const changed = await app.patch("People(1)", { home: { ...country, geo: zone } });
      assert.deepEqual(changed.body.home as unknown, {
        street: "Main",
        geo: { lat: 5, zone_area: 7, zone_no: 8 },
        country_code: "FR",
      });
      const put = await app.send("PUT", "People(1)/home", { body: home });
      assert.deepEqual([put.status, put.body.country_code] as unknown, [200, "FR"]);
      const name = Object.keys(country)[0]!;
      const none = await app.patch("People(1)", { home: { [name]: null } });
      assert.equal((none.body.home as unknown as { country_code: unknown }).country_code, null, none.text);
    }));
}

Deno.test("links in structures are parameters of operations, and their foreign keys are in results (JSON Format 4.01, clause 14)", () =>
  withPeople(async (app) => {
    const to = { street: "S", "country@odata.bind": "Countries('FR')" };
    const moved = await app.post("move", { to });
    assert.deepEqual(JSON.parse(String(moved.body.value)), { to: { street: "S", country: { code: "FR" } } });
    const { "@odata.context": _context, ...place } = (await app.get("place()")).body;
    assert.deepEqual(place as unknown, HOME);
    errorOf(await app.post("move", { to: { "country@odata.bind": 5 } }), 400);
    errorOf(await app.patch("People(1)", { home: { "country@odata.bind": "Zones(area=1,no=2)" } }), 400);
  }));

Deno.test("a structure of which null is selected is null only where all of it is (Protocol 11.2.5.1)", () =>
  withPeople(async (app) => {
    await app.post("People", { ID: 2, home: { street: "S" } });
    await app.post("People", { ID: 3 });
    const read = async (query: string) => (await app.rows(`People?$filter=ID gt 1&${query}`)) as unknown;
    const lat = { geo: { lat: null } };
    assert.deepEqual(await read("$select=home/geo/lat"), [{ home: lat, ID: 2 }, { home: null, ID: 3 }]);
    assert.deepEqual(await read("$select=home/country_code,home/geo/lat"), [
      { home: { ...lat, country_code: null }, ID: 2 },
      { home: null, ID: 3 },
    ]);
    assert.deepEqual(await read("$select=home($select=geo/lat)"), [{ home: lat, ID: 2 }, {
      home: null,
      ID: 3,
    }]);
    const { home } = (await app.get("People(2)?$select=home,home/street")).body as unknown as {
      home: object;
    };
    assert.deepEqual(Object.keys(home), ["street", "geo", "country_code"]);
  }));
