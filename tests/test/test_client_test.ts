import assert from "node:assert/strict";
import type { Runtime } from "../../src/fw/runtime.ts";
import {
  createCertificate,
  createIdentity,
  type Identity,
  type RequestSettings,
  test,
  TestClient,
} from "../../src/test/mod.ts";
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

/** A client whose requests are answered here, and what it sent. */
function answeringClient(
  { defaults, identity, answer = () => new Response() }: {
    readonly defaults?: RequestSettings;
    readonly identity?: Identity | readonly Identity[];
    readonly answer?: () => Response;
  } = {},
) {
  const sent: {
    method: string;
    url: string;
    headers: Record<string, string>;
    body: string;
    peer?: string;
  }[] = [];
  const runtime = {
    fetch: async (request: Request, info?: { readonly remoteAddr: { readonly hostname: string } }) => {
      const { method, url, headers } = request;
      const peer = info?.remoteAddr.hostname;
      sent.push({ method, url, headers: Object.fromEntries(headers), body: await request.text(), peer });
      return answer();
    },
  } as unknown as Runtime; // as far as clients use it
  return { client: new TestClient(runtime, defaults, { identity }), sent };
}

const PATH = "/a";

Deno.test("settings of a request win over those of all, and say who it comes from", async () => {
  const certificate = await createCertificate();
  const basic = (text: string) => `Basic ${btoa(text)}`;
  type Sent = readonly [
    authorization: string | undefined,
    peer: string | undefined,
    certificate: string | undefined,
  ];
  const cases: readonly (readonly [all: RequestSettings, one: RequestSettings | undefined, sent: Sent])[] = [
    [{}, undefined, [undefined, undefined, undefined]],
    [{}, { auth: { username: "alice", password: "pw" } }, [basic("alice:pw"), undefined, undefined]],
    [{ auth: { username: "alice" } }, {}, [basic("alice:"), undefined, undefined]],
    [{ auth: { username: "alice" } }, { auth: { username: "bob" } }, [basic("bob:"), undefined, undefined]],
    [{ token: "t" }, undefined, ["Bearer t", undefined, undefined]],
    [{ token: "t" }, { token: "u" }, ["Bearer u", undefined, undefined]],
    [{ token: "t" }, { auth: { username: "alice" } }, [basic("alice:"), undefined, undefined]],
    [{}, { peer: "10.0.0.1" }, [undefined, "10.0.0.1", undefined]],
    [{}, { certificate }, [undefined, "127.0.0.1", certificate.header]],
    [{ certificate }, { peer: "10.0.0.1" }, [undefined, "10.0.0.1", certificate.header]],
  ];
  for (const [defaults, settings, expected] of cases) {
    const { client, sent } = answeringClient({ defaults });
    await client.GET(PATH, settings);
    const [{ headers, peer }] = sent;
    assert.deepEqual([headers.authorization, peer, headers["x-forwarded-client-cert"]], expected);
  }
  const { client, sent } = answeringClient({ defaults: { headers: { a: "1", b: "1" } } });
  await client.DELETE(PATH, { headers: { b: "2" }, params: { $top: 1, $skip: undefined } });
  assert.deepEqual(sent, [
    {
      method: "DELETE",
      url: "http://localhost/a?$top=1",
      headers: { a: "1", b: "2" },
      body: "",
      peer: undefined,
    },
  ]);
});

Deno.test("text and bytes are sent as they are, anything else as JSON", async () => {
  const json = "application/json";
  const text = { headers: { "content-type": "text/plain" } };
  const cases: readonly (readonly [unknown, RequestSettings | undefined, string | undefined, string])[] = [
    [undefined, undefined, undefined, ""],
    ["text", undefined, "text/plain;charset=UTF-8", "text"],
    ["text", text, "text/plain", "text"],
    [new TextEncoder().encode("bytes"), undefined, undefined, "bytes"],
    [{ a: 1 }, undefined, json, '{"a":1}'],
    [null, undefined, json, "null"],
    [0, undefined, json, "0"],
    [{ a: 1 }, text, "text/plain", '{"a":1}'],
  ];
  for (const [body, settings, type, expected] of cases) {
    const { client, sent } = answeringClient();
    await client.POST(PATH, body, settings);
    assert.deepEqual([sent[0].headers["content-type"], sent[0].body], [type, expected]);
  }
});

Deno.test("an answer has the value of JSON, text, bytes, or nothing", async () => {
  const bytes = new TextEncoder().encode('{"a":1}');
  const cases: readonly (readonly [type: string | undefined, data: unknown])[] = [
    ["application/json", { a: 1 }],
    ["application/json;charset=utf-8", { a: 1 }],
    ["application/problem+json", { a: 1 }],
    ["text/json", { a: 1 }],
    ["text/plain", '{"a":1}'],
    ["multipart/mixed", '{"a":1}'],
    ["application/xml", '{"a":1}'],
    ["application/http", '{"a":1}'],
    [undefined, '{"a":1}'],
    ["image/png", bytes],
    ["application/jsonp", bytes],
  ];
  for (const [type, data] of cases) {
    const headers: HeadersInit = type === undefined ? {} : { "content-type": type };
    const { client } = answeringClient({ answer: () => new Response(bytes, { status: 201, headers }) });
    const answer = await client.GET(PATH);
    assert.deepEqual([answer.status, answer.data], [201, data], type);
  }
  const { client } = answeringClient({ answer: () => Response.json({}, { headers: { "x-a": "b" } }) });
  assert.equal((await client.GET(PATH)).headers.get("x-a"), "b");
  const { client: empty } = answeringClient({
    answer: () => new Response("", { headers: { "content-type": "application/json" } }),
  });
  assert.equal((await empty.GET(PATH)).data, undefined);
});

Deno.test("tokens are made by the identity service of the client, of which there must be one", async () => {
  const identity = createIdentity({ kind: "oauth2" });
  const other = createIdentity({ kind: "oidc" });
  for (const one of [identity, [identity]]) {
    const { client, sent } = answeringClient({ identity: one });
    await client.GET(PATH, { token: { user: "alice" } });
    assert.match(sent[0].headers.authorization, /^Bearer \w+\.\w+\.[-\w]+$/);
  }
  for (const none of [undefined, [], [identity, other]]) {
    const { client, sent } = answeringClient({ identity: none });
    await assert.rejects(client.GET(PATH, { token: { user: "alice" } }), {
      name: "TypeError",
      message: "Options of a token need a client with one identity service",
    });
    await client.GET(PATH, { token: "given" });
    assert.equal(sent[0].headers.authorization, "Bearer given");
  }
});
