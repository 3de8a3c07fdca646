import assert from "node:assert/strict";
import { test } from "../../src/test/mod.ts";
import { SMALL, withProject } from "../deno/project.ts";

const OFFLINE = { requires: { messaging: false } };

Deno.test("test() sends requests of all methods to a project folder", async () => {
  const { GET, POST, PATCH, DELETE, data, close } = test("examples/bookshop", OFFLINE);
  const auth = { username: "alice" };
  const created = await POST("/odata/v4/admin/Authors", { name: "New" }, { auth });
  assert.equal(created.status, 201);
  const { ID } = created.data as { ID: number };
  const changed = await PATCH(`/odata/v4/admin/Authors(${ID})`, { name: "Newer" }, { auth });
  assert.equal((changed.data as { name: string }).name, "Newer");
  assert.equal((await DELETE(`/odata/v4/admin/Authors(${ID})`, { auth })).status, 204);
  assert.equal((await GET("/odata/v4/admin/Authors")).status, 401);
  await POST("/odata/v4/catalog/submitOrder", { book: 201, quantity: 2 }, { auth });
  const stock = async () =>
    ((await GET("/odata/v4/catalog/Books(201)?$select=stock")).data as { stock: number }).stock;
  assert.equal(await stock(), 10);
  await data.reset();
  assert.equal(await stock(), 12);
  await close();
});

Deno.test("test() keeps two applications in one process apart", async () => {
  const shop = test("examples/bookshop", OFFLINE);
  const reviews = test("examples/reviews", OFFLINE);
  assert.equal((await shop.GET("/odata/v4/catalog/Books/$count")).data, "48");
  assert.equal((await reviews.GET("/odata/v4/reviews/Reviews/$count")).data, "3");
  assert.equal((await reviews.GET("/odata/v4/catalog/Books")).status, 404);
  await shop.close();
  await reviews.close();
});

Deno.test("a PUT along an association to a pseudo variable is a client's error, not a 500", async () => {
  const { PUT, close } = test("examples/bookshop", OFFLINE);
  const settings = { auth: { username: "alice" } };
  const missing = await PUT("/odata/v4/admin/Genres(0)/localized", {}, settings);
  assert.equal(missing.status, 404);
  const incomplete = await PUT("/odata/v4/admin/Genres(10)/localized", {}, settings);
  assert.equal(incomplete.status, 400);
  assert.equal((incomplete.data as { error: { code: string } }).error.code, "ASSERT_MANDATORY");
  await close();
});

Deno.test("test() sends bytes as they are, and gives those of streams", () =>
  withProject({
    "srv/media.cds": `service Media { entity Photos {
      key ID : Integer;
      @Core.MediaType: 'image/png' photo : LargeBinary;
      @Core.MediaType: 'text/plain' note : LargeBinary;
    } }`,
  }, async (folder) => {
    const { GET, POST, PUT, close } = test(folder);
    await POST("/odata/v4/media/Photos", { ID: 1 });
    const photo = Uint8Array.from({ length: 256 }, (_, at) => at);
    const headers = { "content-type": "image/png" };
    assert.equal((await PUT("/odata/v4/media/Photos(1)/photo", photo, { headers })).status, 204);
    assert.deepEqual((await GET("/odata/v4/media/Photos(1)/photo")).data, photo);
    await PUT("/odata/v4/media/Photos(1)/note", "Öl", { headers: { "content-type": "text/plain" } });
    assert.equal((await GET("/odata/v4/media/Photos(1)/note")).data, "Öl");
    await close();
  }));

const STORED = {
  ...SMALL,
  "deno.json": JSON.stringify({
    fw: {
      requires: { db: { kind: "sqlite", credentials: { url: "shop.sqlite" } } },
      "[test]": { query: { limit: { max: 1 } } },
    },
  }),
};

Deno.test("test() leaves the file of the database alone, and is in the profile test", () =>
  withProject(STORED, async (folder) => {
    const { GET, data, runtime, close } = test(folder);
    assert.deepEqual((await GET<{ value: unknown[] }>("/odata/v4/cat/Books")).data.value.length, 1);
    await data.reset();
    assert.deepEqual(runtime.env.profiles, ["development", "test"]);
    await close();
    assert.deepEqual([...Deno.readDirSync(folder)].filter(({ name }) => name.startsWith("shop.sqlite")), []);
  }));

Deno.test("test() uses the file of a database that its configuration names", () =>
  withProject(STORED, async (folder) => {
    const { GET, close } = test(folder, { requires: { db: { credentials: { url: "test.sqlite" } } } });
    assert.equal((await GET("/odata/v4/cat/Books/$count")).data, "2");
    await close();
    const names = [...Deno.readDirSync(folder)].map(({ name }) => name);
    assert.ok(names.includes("test.sqlite"), String(names));
  }));
