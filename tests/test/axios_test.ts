import assert from "node:assert/strict";
import { expect, TestClient } from "../../src/test/mod.ts";
import { type AxiosSettings, createAxios } from "../../src/test/axios_like.ts";
import { createShop } from "../fw/shop.ts";

Deno.test("test.axios rejects answers of 4xx, and shares its defaults with the client", async () => {
  const client = new TestClient(createShop());
  const { axios, GET } = client;
  axios.defaults.auth = { username: "alice" };
  assert.equal(client.defaults.auth?.username, "alice");
  const { status, data, headers } = await axios.get<{ ID: number }>("/odata/v4/catalog/Books(1)");
  assert.deepEqual([status, data.ID, headers["odata-version"]], [200, 1, "4.0"]);
  const { data: { value } } = await GET<{ value: { ID: number }[] }>(
    "/odata/v4/catalog/Books?$filter=ID eq 1",
  );
  assert.equal(value[0]!.ID, 1);
  await assert.rejects(
    axios.get("/odata/v4/catalog/Books(99)"),
    (error: Error & { response?: { status: number } }) =>
      error.response?.status === 404 && error.message === "404 - Not Found",
  );
  assert.equal((await GET("/odata/v4/catalog/Books(99)")).status, 404);
  await axios.post("/odata/v4/catalog/Authors", { ID: 9, name: "New" });
  await axios.patch("/odata/v4/catalog/Authors(9)", { name: "Newer" });
  await axios.put("/odata/v4/catalog/Authors(9)", { name: "Newest" });
  const gone = await axios.delete("/odata/v4/catalog/Authors(9)");
  assert.deepEqual([gone.status, gone.data], [204, ""]);
  await client.close();
});

Deno.test("test.log() captures the console until it is released", () => {
  const client = new TestClient(createShop());
  const log = client.log();
  console.log("one", { a: 1 });
  console.warn("two");
  const seen = log.output;
  log.clear();
  const cleared = log.output;
  log.release();
  assert.deepEqual([seen, cleared], ["one { a: 1 }\ntwo\n", ""]);
});

Deno.test("expect() holds for what is so, and throws for what is not", () => {
  expect(1).to.equal(1).and.not.to.equal(2);
  expect({ a: [1] }).to.eql({ a: [1] });
  expect({ a: [1] }).to.deep.equal({ a: [1] });
  expect([1, 2]).to.include(2);
  expect([{ a: 1 }]).to.deep.include({ a: 1 });
  expect("text").to.contain("ex").and.match(/^t/);
  expect({ a: 1, b: { c: [1, 2, { d: 3 }] } }).to.containSubset({ b: { c: [{ d: 3 }] } });
  expect({ a: 3 }).to.containSubset({ a: (value: number) => value > 2 });
  expect({ a: 1 }).to.have.property("a", 1);
  expect([1]).to.have.lengthOf(1).and.have.length(1);
  expect([]).to.be.an("array").that.is.empty;
  expect(null).to.be.null;
  expect(undefined).to.be.undefined;
  expect(0).not.to.be.ok;
  expect(true).to.be.true;
  expect(false).to.be.false;
  expect(5).to.be.above(4).and.below(6).and.least(5).and.most(5);
  expect(new TypeError("x")).to.be.instanceOf(TypeError);
  expect(() => {
    throw new Error("no way");
  }).to.throw("no");
  for (
    const wrong of [
      () => expect(1).to.equal(2),
      () => expect({}).to.equal({}),
      () => expect({ a: 1 }).not.to.have.property("a"),
      () => expect([1]).to.containSubset([2]),
      () => expect({ a: 1 }).to.containSubset({ a: (value: number) => value > 2 }),
      () => expect(null).to.exist,
      () => expect(() => {}).to.throw(),
    ]
  ) assert.throws(wrong, assert.AssertionError);
});

Deno.test("expect().rejectedWith() looks at the reason of a promise", async () => {
  await expect(Promise.reject(new Error("not found"))).to.be.rejectedWith(/found/);
  await assert.rejects(expect(Promise.resolve(1)).to.be.rejectedWith("x"), assert.AssertionError);
});

Deno.test("requests take query options apart from the path, and are tags of templates (api 10)", async () => {
  const client = new TestClient(createShop());
  const { GET, POST, PATCH, DELETE, axios } = client;
  const books = "/odata/v4/catalog/Books";
  const params = { $filter: "title eq 'a&b' or ID eq 2", $select: "ID", $top: undefined };
  const ids = (answer: { data: { value: { ID: number }[] } }) => answer.data.value.map(({ ID }) => ID);
  type Books = { value: { ID: number }[] };
  assert.deepEqual(ids(await GET<Books>(books, { params })), [2]);
  assert.deepEqual(ids(await axios.get<Books>(`${books}?$orderby=ID`, { params: { $top: 1 } })), [1]);
  assert.deepEqual(ids(await GET<Books>`${books} ${{ params }}`), [2]);
  assert.deepEqual(ids(await GET<Books>`/odata/v4/catalog/Books?$filter=ID ge ${2}&$orderby=ID`), [2, 3]);
  assert.equal((await POST`/odata/v4/catalog/Authors ${{ ID: 9, name: "New" }}`).status, 201);
  assert.equal(
    (await PATCH`/odata/v4/catalog/Authors(${9}) ${{ name: "Newer" }} ${{ headers: {} }}`).status,
    200,
  );
  assert.equal(axios.constructor.name, "Naxios"); // tests ask it whether GET may have a body
  assert.equal((await DELETE`/odata/v4/catalog/Authors(${9})`).status, 204);
  await client.close();
});

/** Functions of axios whose answers are given, and what they sent. */
function answering(status: number, data?: unknown, defaults: AxiosSettings = {}) {
  const sent: unknown[] = [];
  const axios = createAxios({
    defaults,
    send: <T>(method: string, path: string, options: object) => {
      sent.push([method, path, options]);
      return Promise.resolve({ status, data: data as T, headers: new Headers({ "X-One": "1" }) });
    },
  });
  return { axios, sent };
}

Deno.test("axios sends methods, bodies and settings; paths stand behind those of all requests", async () => {
  const { axios, sent } = answering(200);
  await axios({ url: "/a" });
  await axios.request({ url: "/a", method: "post", data: 1, headers: { b: "c" } });
  await axios.head("/a", { params: { d: 1 } });
  await axios.options("/a");
  await axios.put("/a", [2], { params: { d: 1 } });
  assert.deepEqual(sent, [
    ["GET", "/a", { body: undefined, settings: {} }],
    ["POST", "/a", { body: 1, settings: { headers: { b: "c" } } }],
    ["HEAD", "/a", { body: undefined, settings: { params: { d: 1 } } }],
    ["OPTIONS", "/a", { body: undefined, settings: {} }],
    ["PUT", "/a", { body: [2], settings: { params: { d: 1 } } }],
  ]);
  const paths: readonly (readonly [settings: AxiosSettings, url: string, path: string])[] = [
    [{}, "a", "a"],
    [{ baseURL: "" }, "a", "a"],
    [{ baseURL: "/base" }, "a", "/base/a"],
    [{ baseURL: "/base//" }, "//a", "/base/a"],
    [{ path: "more" }, "a", "more/a"],
    [{ baseURL: "http://h", path: "/more/" }, "/a", "http://h/more/a"],
    [{ baseURL: "/base", path: "/more" }, "http://h/a", "http://h/a"],
    [{ baseURL: "/base" }, "https://h/a", "https://h/a"],
    [{ baseURL: "/base" }, "https", "/base/https"],
  ];
  for (const [settings, url, path] of paths) {
    const { axios, sent } = answering(200, undefined, settings);
    await axios.get(url);
    assert.equal((sent as [string, string][])[0]![1], path);
  }
});

Deno.test("axios reads JSON where text is some, unless bodies are to be text", async () => {
  const cases:
    readonly (readonly [status: number, data: unknown, type: string | undefined, read: unknown])[] = [
      [200, '{"a":1}', undefined, { a: 1 }],
      [200, '{"a":1}', "json", { a: 1 }],
      [200, '{"a":1}', "text", '{"a":1}'],
      [200, '{"a":1}', "arraybuffer", '{"a":1}'],
      [200, "no json", undefined, "no json"],
      [200, { a: 1 }, undefined, { a: 1 }],
      [204, undefined, undefined, ""],
      [200, undefined, undefined, undefined],
    ];
  for (const [status, data, responseType, read] of cases) {
    const { axios } = answering(status, data);
    const answer = await axios.get("/a", { responseType });
    assert.deepEqual(answer, { status, data: read, headers: { "x-one": "1" } });
  }
});

Deno.test("axios rejects from 400 on, unless settings say which answers are good", async () => {
  const bad = { error: { code: "E1", message: "why" } };
  const cases: readonly (readonly [number, AxiosSettings["validateStatus"], unknown, string | undefined])[] =
    [
      [399, undefined, bad, undefined],
      [400, undefined, bad, "400 - why"],
      [500, undefined, undefined, "Request failed with status code 500"],
      [500, undefined, { error: {} }, "Request failed with status code 500"],
      [500, null, bad, undefined],
      [500, () => true, bad, undefined],
      [200, (status) => status !== 200, bad, "200 - why"],
    ];
  for (const [status, validateStatus, data, message] of cases) {
    for (const isDefault of [true, false]) {
      const settings = { validateStatus };
      const { axios } = answering(status, data, isDefault ? settings : {});
      const outcome = await axios.get("/a", isDefault ? {} : settings).catch((error) => error);
      assert.equal(outcome.message, message);
      assert.equal(outcome.status, status);
      if (message) assert.equal(outcome.response.data, data);
      if (message?.endsWith("why")) assert.equal(outcome.code, "E1");
    }
  }
});
