import assert from "node:assert/strict";
import { SHOP } from "./fixture_model.ts";
import { JSON_HEADERS, withShop } from "./with_shop.ts";

const NULLABLE = {
  definitions: {
    ...SHOP.definitions,
    "ShopService.Settings": {
      ...SHOP.definitions!["ShopService.Settings"],
      "@odata.singleton.nullable": true,
    },
  },
};

const KEYLESS = {
  definitions: {
    ...NULLABLE.definitions,
    "shop.Settings": { kind: "entity" as const, elements: { theme: { type: "cds.String" } } },
  },
};

Deno.test("a singleton is read and changed, never created or deleted", () =>
  withShop(async (shop) => {
    const body = { "@odata.context": "$metadata#Settings", ID: 1, theme: "dark" };
    assert.deepEqual(await shop.send("GET", "Settings"), { status: 200, headers: JSON_HEADERS, body });
    const patched = await shop.send("PATCH", "Settings", { body: { theme: "light" } });
    assert.deepEqual(patched, { status: 200, headers: JSON_HEADERS, body: { ...body, theme: "light" } });
    for (const method of ["POST", "DELETE"]) {
      const { status, headers } = await shop.send(method, "Settings", method === "POST" ? { body: {} } : {});
      assert.deepEqual({ status, allow: headers.allow }, {
        status: 405,
        allow: "GET, PATCH, PUT, HEAD, OPTIONS",
      });
    }
  }));

Deno.test("a singleton that is not nullable is never created by a change, whatever the change says", () =>
  withShop(async (shop) => {
    const changes = [["PUT", {}, 404], ["PATCH", {}, 404], ["PUT", { "if-none-match": "*" }, 412]] as const;
    for (const [method, headers, expected] of changes) {
      const { status } = await shop.send(method, "Settings", { body: { theme: "dark" }, headers });
      assert.equal(status, expected, method + JSON.stringify(headers));
    }
    assert.equal((await shop.send("GET", "Settings")).status, 404);
  }, { data: new Map(), env: { odata: { patch_as_upsert: true } } }));

Deno.test("a nullable singleton is deleted, and then 204", () =>
  withShop(async (shop) => {
    const empty = { status: 204, headers: { "odata-version": "4.0" }, body: undefined };
    assert.deepEqual(await shop.send("DELETE", "Settings"), empty);
    assert.deepEqual(await shop.send("GET", "Settings"), empty);
    assert.equal((await shop.send("DELETE", "Settings")).status, 404);
  }, { model: NULLABLE }));

Deno.test("a nullable singleton that is missing is created by PUT, unless that is not to be (OData Protocol 11.4.4)", () =>
  withShop(async (shop) => {
    const body = { "@odata.context": "$metadata#Settings", ID: 2, theme: "red" };
    const sent = { ID: 2, theme: "red" };
    await shop.send("DELETE", "Settings");
    const statusOf = async (method: string, headers: Record<string, string>) =>
      (await shop.send(method, "Settings", { body: sent, headers })).status;
    assert.equal(await statusOf("PUT", { "if-match": "*" }), 412);
    // as for all entities, PATCH creates where the configuration says so
    assert.equal(await statusOf("PATCH", {}), 404);
    const created = await shop.send("PUT", "Settings", { body: sent });
    assert.deepEqual(created, { status: 201, headers: { ...JSON_HEADERS, location: "Settings" }, body });
    assert.deepEqual((await shop.send("GET", "Settings")).body, body);
    // now it is there
    assert.equal(await statusOf("PUT", { "if-none-match": "*" }), 412);
    assert.deepEqual((await shop.send("PUT", "Settings", { body: { ID: 3, theme: "blue" } })).body, {
      ...body,
      theme: "blue",
    });
    await shop.send("DELETE", "Settings");
    assert.equal(await statusOf("PATCH", { "if-none-match": "*" }), 201);
  }, { model: NULLABLE }));

Deno.test("a nullable singleton without key is created, changed and deleted like others (OData Protocol 11.4.4)", () =>
  withShop(async (shop) => {
    const statusOf = async (method: string, body?: object, headers: Record<string, string> = {}) =>
      (await shop.send(method, "Settings", { body, headers })).status;
    const always = { "if-none-match": "*" };
    assert.equal(await statusOf("PATCH", { theme: "dark" }), 200);
    assert.equal(await statusOf("PUT", { theme: "red" }, always), 412);
    assert.equal(await statusOf("DELETE"), 204);
    assert.equal(await statusOf("GET"), 204);
    assert.equal(await statusOf("PATCH", { theme: "red" }), 404);
    assert.equal(await statusOf("PUT", { theme: "red" }), 201);
    assert.equal(await statusOf("PUT", { theme: "blue" }), 200);
    const { theme } = (await shop.send("GET", "Settings")).body as Record<string, unknown>;
    assert.equal(theme, "blue");
    assert.equal(await statusOf("PUT", { theme: "red" }, always), 412);
  }, { model: KEYLESS }));

Deno.test("$metadata tells that a singleton is nullable", () =>
  withShop(async (shop) => {
    const { body } = await shop.send("GET", "$metadata");
    assert.match(String(body), /<Singleton Name="Settings" Type="ShopService.Settings" Nullable="true"\/>/);
    const json = (await shop.send("GET", "$metadata?$format=json")).body as {
      ShopService: { EntityContainer: { Settings: unknown } };
    };
    assert.deepEqual(json.ShopService.EntityContainer.Settings, {
      $Nullable: true,
      $Type: "ShopService.Settings",
    });
  }, { model: NULLABLE }));
