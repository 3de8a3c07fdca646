/*
 * Services of OData 2: metadata, URIs, verbose JSON (https://www.odata.org/documentation/odata-version-2-0).
 */

import assert from "node:assert/strict";
import { DELETE, SELECT } from "../../../../mod.ts";
import type { Query, Row, SelectQuery } from "../../../../src/cqn/cqn.ts";
import { parseCqlQuery } from "../../../../src/cqn/parse_cql.ts";
import { partner, withPartner } from "../v2_partner.ts";

const KEY = "11111111-1111-1111-1111-111111111111";

Deno.test("rows have values of their types, wherever OData 2 writes them in another way", () =>
  withPartner({ "GET Partners('P1')": partner() }, async ({ remote, sent }) => {
    const row = await remote.run(SELECT.one.from("PartnerService.Partners", "P1"));
    assert.deepEqual(row, {
      ...{ ID: "P1", Name: "Meyer", Guid: KEY, Limit: 1500.5, Visits: 12, Rating: 4.5, Active: true },
      ...{ Logo: "AQID", Since: "2020-01-01", ChangedAt: "2020-01-01T12:00:01.250Z" },
      ...{ SeenAt: "2020-01-01T12:00:01Z", OpensAt: "08:30:00" },
    });
    const { headers } = sent[0]!;
    assert.equal(headers.get("maxdataserviceversion"), "2.0");
    assert.equal(headers.get("accept"), "application/json");
    assert.equal(headers.get("odata-version"), null);
  }));

/** The URL that a query is sent as. */
async function sentFor(query: Query): Promise<string> {
  let url = "";
  await withPartner({}, async ({ remote, sent }) => {
    await remote.run(query).catch((error) => {
      if (sent.length === 0) throw error;
    });
    url = sent[0]!.request;
  });
  return url;
}

const CONDITIONS: readonly (readonly [cql: string, filter: string])[] = [
  ["contains(Name,'ey')", "substringof('ey',Name)"],
  ["Name like 'M%'", "startswith(Name,'M')"],
  ["Visits > 5", "Visits gt 5L"],
  ["Limit <= 1500.5", "Limit le 1500.5M"],
  ["Rating >= 4", "Rating ge 4d"],
  [`Guid = '${KEY}'`, `Guid eq guid'${KEY}'`],
  ["Since = '2020-01-01'", "Since eq datetime'2020-01-01T00:00:00'"],
  ["ChangedAt < '2021-01-01T00:00:00.500Z'", "ChangedAt lt datetime'2021-01-01T00:00:00.500'"],
  ["SeenAt < '2021-01-01T00:00:00Z'", "SeenAt lt datetimeoffset'2021-01-01T00:00:00Z'"],
  ["OpensAt = '08:30:00'", "OpensAt eq time'PT08H30M00S'"],
  ["Active = true", "Active eq true"],
  ["Name <> 'it''s'", "Name ne 'it''s'"],
  ["ID in ('P1','P2') and Active = true", "(ID eq 'P1' or ID eq 'P2') and Active eq true"],
  ["not (length(Name) > 3)", "not (length(Name) gt 3)"],
  ["Name is null", "Name eq null"],
];

for (const [cql, filter] of CONDITIONS) {
  Deno.test(`the condition ${cql} is written as OData 2 does`, async () => {
    const query = parseCqlQuery(`SELECT from PartnerService.Partners where ${cql}`) as Query;
    assert.equal(await sentFor(query), `GET Partners?$filter=${filter}`);
  });
}

Deno.test("options of OData 2: $inlinecount, paths of $expand and $select", async () => {
  const query = parseCqlQuery(
    `SELECT from PartnerService.Partners { ID, Addresses { No, City } } order by Name desc limit 3 offset 2`,
  );
  assert.equal(
    await sentFor({ SELECT: { ...(query as SelectQuery).SELECT, count: true } }),
    "GET Partners?$orderby=Name desc&$select=ID,Addresses/No,Addresses/City&$expand=Addresses&$skip=2&$top=3&$inlinecount=allpages",
  );
  const filtered = parseCqlQuery(
    `SELECT from PartnerService.Partners { ID, Addresses[City='Ulm'] { No } }`,
  ) as Query;
  await assert.rejects(withPartner({}, async ({ remote }) => void await remote.run(filtered)), {
    status: 501,
  });
  const any = parseCqlQuery(
    `SELECT from PartnerService.Partners where exists Addresses[City='Ulm']`,
  ) as Query;
  await assert.rejects(withPartner({}, async ({ remote }) => void await remote.run(any)), { status: 501 });
});

Deno.test("results, pages and counts are read; what is deferred is left out", () => {
  const address = {
    __metadata: {},
    PartnerID: "P1",
    No: 1,
    City: "Ulm",
    Partner: { __deferred: { uri: "x" } },
  };
  const next = "http://partner.test/sap/opu/odata/PARTNER_SRV/Partners?$skiptoken=2";
  return withPartner({
    "GET Partners?$inlinecount=allpages": {
      results: [partner({ Addresses: { results: [address] } })],
      __count: "2",
      __next: next,
    },
    "GET Partners?$skiptoken=2": { results: [partner({ ID: "P2" })] },
    "GET Partners/$count": "2",
  }, async ({ remote }) => {
    const all = { SELECT: { from: { ref: ["PartnerService.Partners"] }, count: true } };
    const rows = await remote.run(all) as Row[] & { $count: number };
    assert.deepEqual(rows.map(({ ID }) => ID), ["P1", "P2"]);
    assert.deepEqual(rows[0]!.Addresses, [{ PartnerID: "P1", No: 1, City: "Ulm" }]);
    assert.equal(rows[1]!.Addresses, undefined);
    assert.equal(rows.$count, 2);
    const count = await remote.run(
      parseCqlQuery("SELECT from PartnerService.Partners { count(*) as n }") as Query,
    );
    assert.deepEqual(count, [{ n: 2 }]);
  });
});

Deno.test("changes are sent with MERGE and the request token of the service, fetched once", () =>
  withPartner({
    "POST Partners": { status: 201, body: { d: partner({ ID: "P9" }) } },
    "MERGE Partners('P9')": { status: 204 },
    "DELETE Addresses(PartnerID='P9',No=1)": { status: 204 },
  }, async ({ remote, sent }) => {
    const created = await remote.create("Partners", {
      ...{ ID: "P9", Limit: 10.5, Visits: 3, Since: "2020-01-01", SeenAt: "2020-01-01T12:00:01Z" },
      ...{ ChangedAt: "2020-01-01T12:00:01.250Z", OpensAt: "08:30:00", Addresses: [{ No: 1, City: "Ulm" }] },
    }) as Row;
    assert.equal(created.ID, "P9");
    assert.deepEqual(sent.map(({ request }) => request), ["POST Partners", "GET ", "POST Partners"]);
    assert.deepEqual(sent[2]!.body, {
      ...{ ID: "P9", Limit: "10.5", Visits: "3", Since: "/Date(1577836800000)/" },
      ...{ SeenAt: "/Date(1577880001000+0000)/", ChangedAt: "/Date(1577880001250)/", OpensAt: "PT08H30M00S" },
      Addresses: [{ No: 1, City: "Ulm" }],
    });
    assert.equal(await remote.update("Partners", "P9").with({ Name: "New" }), 1);
    assert.deepEqual(sent.at(-1)!.body, { Name: "New" });
    assert.equal(
      await remote.run(DELETE.from("PartnerService.Addresses").where({ PartnerID: "P9", No: 1 })),
      1,
    );
    assert.equal(sent.length, 5, "the token is kept");
  }));

Deno.test("texts that only look like dates, and dates that are none, are sent as they are", () =>
  withPartner({}, async ({ remote, sent }) => {
    const given = {
      ...{ ID: "2020-01-01", Name: "2020-01-01T12:00:01Z" },
      ...{ Since: "soon", SeenAt: "2020", ChangedAt: "later", OpensAt: "early" },
    };
    await assert.rejects(async () => await remote.create("Partners", given), { status: 502 });
    assert.deepEqual(sent.at(-1)!.body, given);
  }));

Deno.test("function imports take their parameters in the URL", () =>
  withPartner({
    "GET CountOf?City='Ulm'&Since=datetime'2020-01-01T00:00:00'": { CountOf: 3 },
    "POST Block?ID='P1'": partner({ Active: false }),
    "GET Best": { results: [partner()] },
  }, async ({ remote }) => {
    assert.equal(await remote.send("CountOf", { City: "Ulm", Since: "2020-01-01T00:00:00Z" }), 3);
    assert.equal((await remote.send("Block", { ID: "P1" }) as Row).Active, false);
    assert.deepEqual((await remote.send("Best") as Row[]).map(({ ID }) => ID), ["P1"]);
  }));

Deno.test("a service that answers with an error is 502, with its body in the cause", () =>
  withPartner({
    "GET Partners": { status: 400, body: { error: { code: "X/1", message: { lang: "en", value: "No" } } } },
  }, async ({ remote }) => {
    await assert.rejects(
      remote.run(SELECT.from("PartnerService.Partners")),
      ({ status, cause }: { status: number; cause: { body: Row } }) => {
        assert.equal(status, 502);
        assert.equal((cause.body.error as Row).code, "X/1");
        return true;
      },
    );
  }));
