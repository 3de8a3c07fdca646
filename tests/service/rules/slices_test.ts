import assert from "node:assert/strict";
import { type ApplicationService, DELETE, UPDATE } from "../../../mod.ts";
import { ConfigurationError } from "../../../src/errors/configuration_error.ts";
import { type RunningApp, testOnEngines, withApp } from "./on_engines.ts";

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

testOnEngines(
  "a change by a query hits the slice that is valid by key, and all that it asks for",
  APP,
  async (app) => {
    const srv = app.runtime.services.Time as ApplicationService;
    const as = (work: () => PromiseLike<unknown>) => srv.tx({ user: "ann" }, async () => await work());
    await as(() => srv.run(UPDATE("Time.Units", 1).with("name = name || '!'")));
    assert.deepEqual(await slices(app), ["1 2010 old", "1 2020 new!", "2 2010 b"]);
    await as(() =>
      srv.run(UPDATE("Time.Units").set({ name: "x" }).where("validTo >", "2030-01-01T00:00:00Z"))
    );
    assert.deepEqual(await slices(app), ["1 2010 old", "1 2020 x", "2 2010 x"]);
    await as(() => srv.run(DELETE.from("Time.Units", 1)));
    assert.deepEqual(await slices(app), ["1 2010 old", "2 2010 x"]);
  },
);

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

const OWN_KEYS = {
  cdl: APP.cdl.replace("key ID : Integer; name", "@cds.valid.key slice : UUID; key ID : Integer; name"),
  data: {
    ...APP.data,
    "db.Units": APP.data["db.Units"].map((row, at) => ({
      ...row,
      slice: `00000000-0000-4000-8000-00000000000${at}`,
    })),
  },
};

testOnEngines(
  "slices with @cds.valid.key have a key of their own, that of the API stays",
  OWN_KEYS,
  async (app) => {
    const { send } = app;
    const next = { ID: 2, validFrom: "2030-01-01T00:00:00Z", name: "later" };
    const created = await send("POST", `${ROOT}/Units`, next);
    assert.equal(created.status, 201, created.text);
    const again = await send("POST", `${ROOT}/Units`, next);
    assert.equal(again.status, 409, again.text);
    assert.equal(
      (await send("PATCH", `${ROOT}/Units(1)?sap-valid-at=2015-01-01`, { name: "x" })).status,
      200,
    );
    assert.deepEqual(await slices(app), ["1 2010 x", "1 2020 new", "2 2010 b", "2 2030 later"]);
    const deep = await send("PATCH", `${ROOT}/Teams(7)`, {
      units: [{ ID: 1, name: "y" }, { ID: 3, name: "z", validFrom: "2020-01-01T00:00:00Z" }],
    });
    assert.equal(deep.status, 200, deep.text);
    assert.deepEqual(await slices(app), ["1 2010 x", "1 2020 y", "2 2010 b", "2 2030 later", "3 2020 z"]);
    assert.equal((await send("DELETE", `${ROOT}/Units(1)`)).status, 204);
    assert.deepEqual(await slices(app), ["1 2010 x", "2 2010 b", "2 2030 later", "3 2020 z"]);
    const stored = await send("GET", `${ROOT}/Units?$select=slice&sap-valid-from=0001-01-01`);
    const keys = (stored.body.value as unknown as { slice: string }[]).map(({ slice }) => slice);
    assert.equal(new Set(keys.filter((key) => /^[0-9a-f-]{36}$/.test(key))).size, 4);
  },
);

const HIDDEN_KEYS = {
  ...OWN_KEYS,
  cdl: OWN_KEYS.cdl.replace(
    "projection on db.Units;",
    "select from db.Units { ID, name, validFrom, validTo, team };",
  ),
};

testOnEngines("slices are written where the API does not show their own key", HIDDEN_KEYS, async (app) => {
  const { send } = app;
  const created = await send("POST", `${ROOT}/Units`, {
    ID: 2,
    validFrom: "2030-01-01T00:00:00Z",
    name: "later",
  });
  assert.equal(created.status, 201, created.text);
  const deep = await send("PATCH", `${ROOT}/Teams(7)`, { units: [{ ID: 1, name: "y" }] });
  assert.equal(deep.status, 200, deep.text);
  assert.deepEqual(await slices(app), ["1 2010 old", "1 2020 y", "2 2010 b", "2 2030 later"]);
  assert.equal((await send("DELETE", `${ROOT}/Units(1)?sap-valid-at=2015-01-01`)).status, 204);
  assert.equal((await send("DELETE", `${ROOT}/Teams(7)`)).status, 204);
  assert.deepEqual(await slices(app), ["2 2010 b", "2 2030 later"]);
});

Deno.test("bounds of validity that make no sense stop the start, with their place", async () => {
  const mistakes: Readonly<Record<string, RegExp>> = {
    "a : Date @cds.valid.from; b : Date @cds.valid.from;": /@cds.valid.from stands at "a" and "b"/,
    "a : String @cds.valid.to;": /@cds.valid.to stands at "a", which is no date and no time/,
    "a : UUID @cds.valid.key;": /@cds.valid.key at "a" needs an element with @cds.valid.from/,
  };
  for (const [elements, reason] of Object.entries(mistakes)) {
    const cdl = `service S { entity E { key ID : Integer; ${elements} } }`;
    await assert.rejects(
      () => withApp({ cdl }, "memory", () => Promise.resolve()),
      (error) =>
        error instanceof ConfigurationError && reason.test(error.message) && /app\.cds:1/.test(error.message),
    );
  }
});
