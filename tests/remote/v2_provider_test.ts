/*
 * A service of OData 2 that others have written: imported, read, written and called. Whoever answers here is
 * `@cap-js-community/odata-v2-adapter`, which runs as plugin in a project of ours.
 */

import assert from "node:assert/strict";
import { DELETE, INSERT, SELECT, type Service, UPSERT } from "../../mod.ts";
import type { Query, Row } from "../../src/cqn/cqn.ts";
import { parseCqlQuery } from "../../src/cqn/parse_cql.ts";
import { findClientPackages } from "../clients/packages.ts";
import { withProvider } from "./v2_provider.ts";

const GUID = "11111111-1111-1111-1111-111111111111";

const P1: Row = {
  ...{ ID: "P1", guid: GUID, name: "Meyer", limit: 1500.5, visits: 12, rating: 4.5, since: "2020-01-01" },
  ...{ changedAt: "2020-01-01T12:00:01.250Z", seenAt: "2020-01-01T12:00:01Z", opensAt: "08:30:00" },
  ...{ active: true, logo: null, country_code: "DE" },
};

/** Conditions, and the partners they hold for. */
const CONDITIONS: readonly (readonly [string, ...string[]])[] = [
  ["name = 'O''Neil & Co/1'", "P2"],
  ["contains(name,'ey')", "P1"],
  ["name like '%yer'", "P1"],
  ["lower(name) = 'meyer' and length(name) = 5", "P1"],
  ["limit = 1500.50", "P1"],
  ["limit between 1 and 11", "P2"],
  ["visits = 9007199254740993", "P2"],
  ["rating < 0", "P2"],
  [`guid = '${GUID}'`, "P1"],
  ["since < '1970-01-01'", "P2"],
  ["changedAt = '2020-01-01T12:00:01.250Z'", "P1"],
  ["seenAt = '2020-01-01T12:00:01Z'", "P1"],
  ["opensAt = '08:30:00'", "P1"],
  ["year(since) = 2020", "P1"],
  ["ID in ('P1','P3')", "P1"],
  ["not (limit > 100 or active = true)", "P2"],
  ["country.name = 'Italy'", "P2"],
  ["name is not null", "P1", "P2"],
];

async function reads(remote: Service): Promise<void> {
  const run = async (cql: string) => await remote.run(parseCqlQuery(cql) as Query) as Row[];
  assert.deepEqual(await remote.run(SELECT.one.from("P.Partners", "P1")), P1);
  assert.equal(await remote.run(SELECT.one.from("P.Partners", "P7")), null);
  for (const [condition, ...expected] of CONDITIONS) {
    const rows = await run(`SELECT from P.Partners { ID } where ${condition} order by ID`);
    assert.deepEqual(rows.map(({ ID }) => ID), expected, condition);
  }
  assert.deepEqual(
    await run(
      "SELECT from P.Partners { ID, country { name }, addresses { city } } order by name limit 1 offset 1",
    ),
    [{ ID: "P2", country: { name: "Italy" }, addresses: [] }],
  );
  assert.deepEqual(await run("SELECT from P.Partners { count(*) as n } where active = true"), [{ n: 1 }]);
  const counted = { SELECT: { from: { ref: ["P.Partners"] }, count: true, limit: { rows: { val: 1 } } } };
  assert.equal((await remote.run(counted) as { $count: number }).$count, 2);
  assert.deepEqual(await run("SELECT from P.Partners[ID='P1'].country"), [{ code: "DE", name: "Germany" }]);
}

async function writes(remote: Service): Promise<void> {
  const given = {
    ...{ ID: "P9", guid: "33333333-3333-3333-3333-333333333333", name: `Größe €'"\\`, limit: 10.5 },
    ...{
      visits: "9007199254740993",
      rating: 1e-7,
      since: "1900-02-28",
      changedAt: "2020-01-01T12:00:01.257Z",
    },
    ...{
      seenAt: "2020-01-01T12:00:01Z",
      opensAt: "23:59:59",
      active: false,
      logo: "AQID",
      country_code: "DE",
    },
  };
  const addresses = [{ no: 1, city: "Ulm" }, { no: 2, city: "Köln" }];
  const stored = { ...given, addresses: addresses.map((one) => ({ partner_ID: "P9", ...one })) };
  assert.deepEqual(await remote.create("Partners", { ...given, addresses }), stored);
  const deep = SELECT.one.from("P.Partners", "P9").columns(
    "*",
    { ref: ["addresses"], expand: ["*"] } as never,
  );
  assert.deepEqual(await remote.run(deep), stored);
  const change = { limit: "99999999.99", since: null, opensAt: null, country: { code: "IT" } };
  assert.equal(await remote.update("Partners", "P9").with(change), 1);
  const changed = await remote.run(
    SELECT.one.from("P.Partners", "P9").columns("limit", "since", "opensAt", "country_code", "name"),
  );
  assert.deepEqual(changed, {
    ...{ limit: 99999999.99, since: null, opensAt: null, country_code: "IT", name: given.name },
  });
  await remote.run(UPSERT.into("P.Partners").entries({ ID: "P8", name: "New" }));
  await remote.run(INSERT.into("P.Countries").entries({ code: "FR" }, { code: "ES" }));
  assert.equal(await remote.run(DELETE.from("P.Addresses").where({ partner_ID: "P9", no: 1 })), 1);
  assert.equal(await remote.run(DELETE.from("P.Addresses").where({ partner_ID: "P9", no: 1 })), 0);
  assert.equal(await remote.update("Partners", "P7").with({ name: "x" }), 0);
  assert.equal(await remote.delete("Partners", "P9"), 1);
  assert.equal(await remote.run(SELECT.one.from("P.Partners", "P9")), null);
}

async function calls(remote: Service): Promise<void> {
  const sent = { city: "Ulm's & Söhne/?#", since: "2020-01-01" };
  assert.deepEqual(JSON.parse(String(await remote.send("countOf", sent))), sent);
  const found = await remote.send("best", { least: 100.5, ident: GUID, at: "2020-01-01T00:00:00.500Z" });
  assert.deepEqual(found, [P1], "rows of results have values of their types, too");
  const raise = { amount: 12.34, at: "2020-01-01T00:00:00Z", when: "08:30:00", yes: true };
  assert.equal(await remote.send("raise", raise), 12.34);
  const blocked = await remote.send("Partners_block", { ID: "P1", reason: "a'b" });
  assert.deepEqual(blocked, { ...P1, active: false, name: "a'b" });
  assert.equal(await remote.send("Partners_addressesIn", { ID: "P1", city: "Ulm" }), 0);
}

async function fails(remote: Service): Promise<void> {
  const failed =
    (code: string) => ({ status, cause }: { status: number; cause: { status: number; body: Row } }) => {
      assert.deepEqual([status, cause.status, (cause.body.error as Row).code], [502, 409, code]);
      return true;
    };
  await assert.rejects(async () => void await remote.send("fail"), failed("409"));
  const twice = INSERT.into("P.Countries").entries({ code: "DE" });
  await assert.rejects(async () => void await remote.run(twice), failed("ENTITY_ALREADY_EXISTS"));
}

const packages = await findClientPackages();

Deno.test({
  name: "a service of OData 2 of others is imported, read, written and called",
  ignore: !packages.areThere,
  sanitizeOps: false, // express and its parsers load while requests run
  sanitizeResources: false,
  fn: () =>
    withProvider(packages.folder, async ({ remote }) => {
      await reads(remote);
      await writes(remote);
      await calls(remote);
      await fails(remote);
    }),
});
