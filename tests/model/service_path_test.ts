import assert from "node:assert/strict";
import { linkModel } from "../../src/model/link_model.ts";
import { servicePaths } from "../../src/model/service_path.ts";

function paths(
  name: string,
  annotations: Record<`@${string}`, unknown> = {},
  others: readonly string[] = [],
): string[] {
  const model = linkModel({ definitions: { [name]: { kind: "service", ...annotations } } });
  return servicePaths(model.services[0], others).map(({ protocol, path }) => `${protocol} ${path}`);
}

Deno.test("servicePaths() derives the path from the last segment without Service, in kebab case", () => {
  assert.deepEqual(paths("CatalogService"), ["odata /odata/v4/catalog"]);
  assert.deepEqual(paths("conf.MyOrder_EntryV2Service"), ["odata /odata/v4/my-order-entry-v2"]);
  assert.deepEqual(paths("Service"), ["odata /odata/v4/service"]);
});

Deno.test("servicePaths() takes @path relative to the root of the protocol or absolute", () => {
  assert.deepEqual(paths("S", { "@path": "a/b" }), ["odata /odata/v4/a/b"]);
  assert.deepEqual(paths("S", { "@path": "/a/" }), ["odata /a"]);
});

Deno.test("servicePaths() serves the protocols of @protocol, none included", () => {
  assert.deepEqual(paths("S", { "@protocol": "rest" }), ["rest /rest/s"]);
  assert.deepEqual(paths("S", { "@protocol": "none" }), []);
  assert.deepEqual(paths("S", { "@protocol": ["odata-v4", "rest"], "@path": "both" }), [
    "odata /odata/v4/both",
    "rest /rest/both",
  ]);
  assert.deepEqual(
    paths("S", { "@protocol": [{ kind: "odata", path: "/o" }, { kind: "rest", path: "r" }] }),
    ["odata /o", "rest /rest/r"],
  );
  assert.deepEqual(paths("S", { "@rest": true }), ["rest /rest/s"]);
});

Deno.test("servicePaths() gives a path that protocols share to the first one, the others are below their roots", () => {
  assert.deepEqual(paths("S", { "@protocol": ["odata", "rest", "hcql"], "@path": "/shop" }, ["hcql"]), [
    "odata /shop",
    "rest /rest/shop",
    "hcql /hcql/shop",
  ]);
  assert.deepEqual(paths("S", { "@protocol": ["rest", "odata"], "@path": "/" }), [
    "rest ",
    "odata /odata/v4",
  ]);
});

Deno.test("servicePaths() refuses an unknown protocol", () => {
  assert.throws(() => paths("S", { "@protocol": "soap" }), /Unknown protocol "soap" of service "S"/);
});

Deno.test("servicePaths() serves no service by OData that asks for a protocol which is not there", () => {
  assert.deepEqual(paths("S", { "@protocol": "graphql" }), []);
  assert.deepEqual(paths("S", { "@graphql": true }), []);
  assert.deepEqual(paths("S", { "@graphql": true, "@odata": true }), ["odata /odata/v4/s"]);
  assert.deepEqual(paths("S", { "@protocol": ["graphql", "rest"] }), ["rest /rest/s"]);
  const annotations = { "@hcql": true, "@mcp": "m" };
  assert.deepEqual(paths("S", annotations), []);
  assert.deepEqual(paths("S", annotations, ["hcql", "mcp"]), ["hcql /hcql/s", "mcp /mcp/m"]);
});
