import assert from "node:assert/strict";
import { type RunningApp, testOnEngines } from "./on_engines.ts";

const FIRST = {
  ID: 1,
  validFrom: "2010-01-01T00:00:00.000Z",
  validTo: "2020-01-01T00:00:00.000Z",
  name: "old",
};
const SECOND = {
  ID: 1,
  validFrom: "2020-01-01T00:00:00.000Z",
  validTo: "9999-12-31T23:59:59.999Z",
  name: "new",
};
const OTHER = {
  ID: 2,
  validFrom: "2010-01-01T00:00:00.000Z",
  validTo: "9999-12-31T23:59:59.999Z",
  name: "b",
};

const APP = {
  cdl: `
    aspect temporal { validFrom : Timestamp @cds.valid.from; validTo : Timestamp @cds.valid.to; }
    entity db.Units : temporal { key ID : Integer; name : String(20); team : Association to db.Teams; }
    entity db.Teams { key ID : Integer; units : Composition of many db.Units on units.team = $self; }
    service Time {
      entity Units as projection on db.Units;
      entity Teams as projection on db.Teams;
    }
  `,
  data: {
    "db.Units": [{ ...FIRST, team_ID: 7 }, { ...SECOND, team_ID: 7 }, OTHER],
    "db.Teams": [{ ID: 7 }],
  },
};

const ROOT = "/odata/v4/time";

/** All slices of a key: key, beginning and name. */
async function slices({ send }: RunningApp): Promise<string[]> {
  const path = `${ROOT}/Units?$select=ID,validFrom,name&$orderby=ID,validFrom&sap-valid-from=0001-01-01`;
  const { body } = await send("GET", path);
  return (body.value as unknown as { ID: number; validFrom: string; name: string }[])
    .map(({ ID, validFrom, name }) => `${ID} ${validFrom.slice(0, 4)} ${name}`);
}

testOnEngines("Several slices of a key are stored, and read as the one that is valid", APP, async (app) => {
  assert.deepEqual(await slices(app), ["1 2010 old", "1 2020 new", "2 2010 b"]);
  assert.equal((await app.send("GET", `${ROOT}/Units(1)`)).body.name, "new");
  assert.equal((await app.send("GET", `${ROOT}/Units(1)?sap-valid-at=2015-01-01`)).body.name, "old");
});

testOnEngines("PATCH by key changes the slice that is valid now", APP, async (app) => {
  assert.equal((await app.send("PATCH", `${ROOT}/Units(1)`, { name: "x" })).status, 200);
  assert.deepEqual(await slices(app), ["1 2010 old", "1 2020 x", "2 2010 b"]);
});

testOnEngines("PATCH and DELETE by key hit the slice valid at sap-valid-at", APP, async (app) => {
  const patched = await app.send("PATCH", `${ROOT}/Units(1)?sap-valid-at=2015-01-01`, { name: "x" });
  assert.equal(patched.body.name, "x");
  assert.deepEqual(await slices(app), ["1 2010 x", "1 2020 new", "2 2010 b"]);
  assert.equal((await app.send("DELETE", `${ROOT}/Units(1)?sap-valid-at=2015-01-01`)).status, 204);
  assert.deepEqual(await slices(app), ["1 2020 new", "2 2010 b"]);
  assert.equal((await app.send("DELETE", `${ROOT}/Units(1)?sap-valid-at=2015-01-01`)).status, 404);
});

testOnEngines("a new slice needs its beginning, and two slices differ in it", APP, async (app) => {
  const none = await app.send("POST", `${ROOT}/Units`, { ID: 3, name: "c" });
  assert.equal(none.status, 400);
  assert.equal(none.body.error.code, "ASSERT_NOT_NULL");
  assert.equal(none.body.error.target, "validFrom");
  const next = { ID: 2, validFrom: "2030-01-01T00:00:00Z", name: "later" };
  assert.equal((await app.send("POST", `${ROOT}/Units`, next)).status, 201);
  assert.equal((await app.send("POST", `${ROOT}/Units`, next)).status, 409);
  assert.deepEqual(await slices(app), ["1 2010 old", "1 2020 new", "2 2010 b", "2 2030 later"]);
});

testOnEngines("a deep update replaces the slices that are valid, and leaves the others", APP, async (app) => {
  const sent = { units: [{ ID: 1, name: "y" }] };
  assert.equal((await app.send("PATCH", `${ROOT}/Teams(7)`, sent)).status, 200);
  assert.deepEqual(await slices(app), ["1 2010 old", "1 2020 y", "2 2010 b"]);
  assert.equal((await app.send("PATCH", `${ROOT}/Teams(7)`, { units: [] })).status, 200);
  assert.deepEqual(await slices(app), ["1 2010 old", "2 2010 b"]);
});
