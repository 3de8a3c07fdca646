import assert from "node:assert/strict";
import type { Query } from "../../src/cqn/cqn.ts";
import type { Csn } from "../../src/model/csn.ts";
import type { DatabaseFactory } from "../../src/service/database.ts";
import { ENGINES } from "./engines.ts";
import type { Shop, ShopOptions } from "./fixture_host.ts";
import { SHOP } from "./fixture_model.ts";
import { withShop } from "./with_shop.ts";

const TRACKED = { prefer: "track-changes" };
const NEWER = { "odata-maxversion": "4.01" };

/** The shop with tracked books. */
function trackedShop(more: object = {}): Csn {
  const definitions = { ...SHOP.definitions! };
  const books = { ...definitions["ShopService.Books"]!, "@odata.trackChanges": true, ...more };
  return { definitions: { ...definitions, "ShopService.Books": books } };
}

function withTracked(
  run: (shop: Shop) => Promise<void>,
  options: ShopOptions = {},
): Promise<void> {
  return withShop(run, { model: trackedShop(), ...options });
}

interface Body {
  readonly value: readonly Record<string, unknown>[];
  readonly "@odata.context"?: string;
  readonly "@odata.count"?: number;
  readonly "@odata.nextLink"?: string;
  readonly "@odata.deltaLink"?: string;
}

async function read(shop: Shop, url: string, headers: Record<string, string> = {}): Promise<Body> {
  const answer = await shop.send("GET", url, { headers });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body as Body;
}

/** Follows the link to changes. */
async function follow(shop: Shop, { "@odata.deltaLink": link }: Body, headers = {}): Promise<Body> {
  assert.ok(link);
  return await read(shop, link, headers);
}

const removed = (id: string, reason = "deleted") => ({
  "@odata.context": "#Books/$deletedEntity",
  id,
  reason,
});

async function run(shop: Shop, query: Query): Promise<void> {
  await shop.service.host.db!.run(query);
}

const book = (ID: number) => [{ ref: ["ID"] }, "=", { val: ID }] as const;
const stock = (ID: number, stock: number): Query => ({
  UPDATE: { entity: "shop.Books", where: book(ID), data: { stock } },
});

for (const [engine, database] of Object.entries(ENGINES) as [string, DatabaseFactory][]) {
  Deno.test(`a delta link gives what was added, changed and removed since (Protocol 11.3, ${engine})`, () =>
    withTracked(async (shop) => {
      const answer = await shop.send("GET", "Books?$select=stock&$orderby=ID", { headers: TRACKED });
      assert.equal(answer.headers["preference-applied"], "track-changes");
      const first = answer.body as Body;
      assert.equal(first.value.length, 3);
      const none = await follow(shop, first);
      assert.deepEqual(none.value, []);
      await shop.send("POST", "Books", { body: { ID: 9, title: "New", stock: 1 } });
      await shop.send("PATCH", "Books(251)", { body: { stock: 7 } });
      await shop.send("PATCH", "Books(252)", { body: { title: "not selected" } });
      await shop.send("DELETE", "Books(201)");
      const { "@odata.deltaLink": link, ...delta } = await follow(shop, none);
      assert.deepEqual(delta, {
        "@odata.context": "$metadata#Books(stock,ID)/$delta",
        value: [{ stock: 1, ID: 9 }, { stock: 7, ID: 251 }, removed("Books(201)")],
      });
      assert.deepEqual((await read(shop, link!)).value, []);
      assert.equal((await follow(shop, first)).value.length, 3);
    }, { database }));

  Deno.test(`a row that leaves the filter is removed from it, a row that enters is added (Protocol 11.3.2, ${engine})`, () =>
    withTracked(async (shop) => {
      const first = await read(shop, "Books?$filter=stock gt 100&$select=ID&$count=true", TRACKED);
      await shop.send("PATCH", "Books(201)", { body: { stock: 101 } });
      await shop.send("PATCH", "Books(251)", { body: { stock: 1 } });
      const delta = await follow(shop, first, NEWER);
      assert.deepEqual(delta.value, [
        { ID: 201 },
        { "@odata.removed": { reason: "changed" }, "@odata.id": "Books(251)" },
      ]);
      assert.equal(delta["@odata.count"], 2);
    }, { database }));

  Deno.test(`changes between the pages of a collection are not lost (Protocol 11.3.1, ${engine})`, () =>
    withTracked(async (shop) => {
      const headers = { prefer: "track-changes,maxpagesize=2" };
      const first = await read(shop, "Books?$select=stock&$orderby=ID", headers);
      assert.equal(first["@odata.deltaLink"], undefined);
      await shop.send("PATCH", "Books(201)", { body: { stock: 1 } });
      const second = await read(shop, first["@odata.nextLink"]!, { prefer: "maxpagesize=2" });
      assert.deepEqual(second.value, [{ stock: 555, ID: 252 }]);
      assert.deepEqual((await follow(shop, second)).value, [{ stock: 1, ID: 201 }]);
    }, { database }));

  Deno.test(`nothing is told of rows that restrictions hide (auth 7, Protocol 11.3, ${engine})`, () => {
    const restricted = [{ grant: "READ", to: "any", where: "stock > 100" }];
    return withTracked(async (shop) => {
      const first = await read(shop, "Books?$select=ID", TRACKED);
      assert.deepEqual(first.value.map(({ ID }) => ID), [251, 252]);
      await run(shop, stock(201, 13));
      await run(shop, { INSERT: { into: "shop.Books", entries: [{ ID: 9, title: "x", stock: 1 }] } });
      assert.deepEqual((await follow(shop, first)).value, []);
      await run(shop, stock(251, 1));
      await run(shop, { DELETE: { from: "shop.Books", where: book(201) } });
      // hidden now: as if it were deleted
      assert.deepEqual((await follow(shop, first)).value, [removed("Books(251)")]);
    }, { database, model: trackedShop({ "@restrict": restricted }) });
  });
}

Deno.test("tokens that are unknown, old, changed or of another collection are gone (Protocol 11.3.3)", async () => {
  await withTracked(async (shop) => {
    const { "@odata.deltaLink": link } = await read(shop, "Books", TRACKED);
    for (
      const url of ["Books?$deltatoken=1", "Books?deltatoken=", link!.replace("?", "?$filter=ID%20gt%201&")]
    ) {
      assert.equal((await shop.send("GET", url)).status, 410, url);
    }
    assert.equal((await shop.send("GET", link!.replace("Books", "Authors"))).status, 410);
    assert.equal((await shop.send("GET", link!.replace("Books", "Nope"))).status, 404);
    assert.equal((await shop.send("GET", `${link}&$top=1`)).status, 410);
  });
  await withTracked(async (shop) => {
    const { "@odata.deltaLink": link } = await read(shop, "Books", TRACKED);
    assert.equal((await shop.send("GET", link!)).status, 410);
  }, { limits: { deltaMs: 0 } });
});

Deno.test("the oldest of too many states is forgotten (deltaSnapshots, deltaSnapshotsOfUser)", async () => {
  for (const limits of [{ deltaSnapshots: 2 }, { deltaSnapshotsOfUser: 2 }]) {
    await withTracked(async (shop) => {
      const links: string[] = [];
      for (let count = 0; count < 3; count++) {
        links.push((await read(shop, "Books", TRACKED))["@odata.deltaLink"]!);
      }
      const statuses: number[] = [];
      for (const link of links.reverse()) statuses.push((await shop.send("HEAD", link)).status);
      assert.equal(statuses[0], 200);
      assert.equal(statuses[2], 410);
    }, { limits });
  }
});

Deno.test("the preference is not applied where changes cannot be told (Protocol 8.2.8.6)", () =>
  withTracked(async (shop) => {
    const urls = [
      "Authors",
      "Books?$top=2",
      "Books?$skip=1",
      "Books(201)",
      "Books/$count",
      "Books?$expand=author",
    ];
    for (const url of [...urls, "Books?$apply=groupby((stock))"]) {
      const answer = await shop.send("GET", url, { headers: TRACKED });
      assert.equal(answer.status, 200, url);
      assert.equal(answer.headers["preference-applied"], undefined, url);
      assert.equal((answer.body as Body)["@odata.deltaLink"], undefined, url);
    }
    const nested = await read(shop, "Books?$expand=author&$select=ID", { ...TRACKED, ...NEWER });
    await shop.send("PATCH", "Authors(101)", { body: { name: "E" } });
    const { value } = await follow(shop, nested, NEWER);
    assert.deepEqual(value, [{ ID: 201, author: { ID: 101, name: "E" } }]);
  }));

Deno.test("collections are tracked up to the limit (deltaRows)", () =>
  withTracked(async (shop) => {
    assert.equal((await read(shop, "Books", TRACKED))["@odata.deltaLink"], undefined);
    const some = await read(shop, "Books?$filter=stock gt 100", TRACKED);
    await shop.send("PATCH", "Books(201)", { body: { stock: 101 } });
    assert.equal((await shop.send("GET", some["@odata.deltaLink"]!)).status, 410);
  }, { limits: { deltaRows: 2 } }));

Deno.test("$metadata tells which sets are tracked (Capabilities.ChangeTracking)", () =>
  withTracked(async (shop) => {
    const { body } = await shop.send("GET", "$metadata", { headers: { accept: "application/xml" } });
    assert.match(
      String(body),
      /<Annotation Term="Capabilities.ChangeTracking">\s*<Record Type="Capabilities.ChangeTrackingType">\s*<PropertyValue Property="Supported" Bool="true"\/>/,
    );
  }));
