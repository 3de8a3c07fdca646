import assert from "node:assert/strict";
import { fw, type ServiceRequest } from "../../mod.ts";
import { DEFAULT_LIMITS } from "../../src/config/limits.ts";
import { errorOf, messagesOf, withLibrary } from "./library.ts";

Deno.test("Identifiers of the framework carry the prefix fw [0.1]", () =>
  withLibrary((srv) => {
    srv.on("run", (req) => {
      assert.equal(fw.context, req);
      req.info(`${fw.requires.auth?.kind} ${req.user instanceof fw.User}`);
      return "run";
    });
  }, async (library) => {
    const answer = await library.post("run");
    assert.equal(messagesOf(answer)[0].message, "mocked true");
    const names = [...answer.headers.keys()].join();
    assert.match(names, /\bfw-messages\b/);
    assert.doesNotMatch(names, /\b(?:cap|cds|sap)-/);
  }));

Deno.test("Rules of runtime B apply: its API of requests, and open services in development without a mode [0.2]", () => {
  const members = ["reply", "reject", "error", "notify", "info", "warn", "on", "before"];
  return withLibrary((srv) => {
    srv.on("run", (req) => {
      const own = req as unknown as Record<string, unknown>;
      return members.filter((name) => typeof own[name] === "function").join();
    });
  }, async (library) => {
    const answer = await library.post("run");
    assert.deepEqual([answer.status, answer.body.value], [200, members.join()]);
    assert.equal((await library.get("$metadata")).status, 200);
    assert.equal((await library.get("/odata/v4/admin/$metadata")).status, 401);
  });
});

Deno.test("Every service of the model is served as OData v4, or as its annotation says [1.1a] [1.1b]", () =>
  withLibrary({
    cdl: `
      service MyOrderService { entity Books as projection on library.Books; }
      @protocol: 'none' service Hidden { entity Books as projection on library.Books; }
      @protocol: ['odata', 'rest'] service Both { entity Books as projection on library.Books; }
    `,
  }, async (library) => {
    assert.deepEqual(library.runtime.endpoints.map(({ protocol, path }) => `${protocol} ${path}`).sort(), [
      "odata /odata/v4/admin",
      "odata /odata/v4/both",
      "odata /odata/v4/catalog",
      "odata /odata/v4/my-order",
      "rest /rest/both",
      "rest /rest/rest",
    ]);
    for (const path of ["/odata/v4/catalog", "/odata/v4/my-order", "/odata/v4/both"]) {
      const answer = await library.get(`${path}/Books(201)?$select=ID`);
      assert.equal(answer.headers.get("odata-version"), "4.0");
      assert.match(answer.text, /^\{"@odata.context":/);
      const { text } = await library.get(`${path}/$metadata`);
      assert.match(text, /<edmx:Edmx Version="4.0"/);
    }
    for (const path of ["/rest/rest", "/rest/both"]) {
      const answer = await library.get(`${path}/Books/201?$select=ID`);
      assert.deepEqual([answer.body, answer.headers.get("odata-version")], [{ ID: 201 }, null]);
    }
    assert.equal((await library.get("/odata/v4/hidden/Books")).status, 404);
  }));

Deno.test("Handlers get context, request, messages and lifecycle events [1.4]", () => {
  const seen: unknown[] = [];
  return withLibrary((srv) => {
    srv.on("run", (req: ServiceRequest) => {
      seen.push([req.tenant, req.user.id, req.locale, req.timestamp instanceof Date, req.id]);
      seen.push([req.event, req.method, typeof req.query, typeof req.data]);
      req.before("commit", () => void seen.push("commit"));
      req.on("succeeded", () => void seen.push("succeeded"));
      req.info("Said");
      return "run";
    });
  }, async (library) => {
    const headers = { "accept-language": "de", "x-correlation-id": "c1" };
    const answer = await library.send("POST", "run", { body: {}, headers, user: "bob" });
    assert.deepEqual(seen, [
      [undefined, "mock/bob", "de", true, "c1"],
      ["run", "run", "object", "object"],
      "commit",
      "succeeded",
    ]);
    assert.equal(messagesOf(answer)[0].message, "Said");
  });
});

Deno.test("Errors are rendered per protocol, server errors sanitized [1.5]", () => {
  const fail = (req: ServiceRequest) =>
    (req.data as { n?: number }).n === 1
      ? req.reject({ status: 409, code: "C", message: "M", own: 1 })
      : req.reject({ status: 500, code: "C", message: "M", own: 1 });
  return withLibrary({
    catalog: (srv) => void srv.on("run", fail),
    rest: (srv) => void srv.on("run", fail),
  }, async (library) => {
    const error = async (path: string, n: number, status: number) =>
      errorOf(await library.post(path, { n }), status);
    assert.deepEqual(await error("run", 1, 409), { code: "C", message: "M", "@Common.numericSeverity": 4 });
    assert.deepEqual(await error("/rest/rest/run", 1, 409), { code: "C", message: "M", own: 1 });
    const generic = { code: "500", message: "Internal Server Error" };
    assert.deepEqual(await error("run", 2, 500), generic);
    assert.deepEqual(await error("/rest/rest/run", 2, 500), generic);
  });
});

Deno.test("Every limit that the specification leaves open has a bound, which configuration changes [8.4]", async () => {
  const { queryCost, ...bounds } = DEFAULT_LIMITS;
  assert.equal(queryCost, 0, "a budget that operators set");
  for (const [name, bound] of Object.entries(bounds)) {
    assert.ok(Number.isInteger(bound) && bound > 0 && bound <= 2 ** 30, name);
  }
  const limits = { urlLength: 200, bodyBytes: 300, jsonDepth: 5, batchParts: 2, inList: 3, expandDepth: 1 };
  await withLibrary({ env: { limits } }, async (library) => {
    const status = async (answer: Promise<{ status: number }>) => (await answer).status;
    const get = (path: string) => status(library.get(path));
    const title = (length: number) => ({ ID: 1, title: "x".repeat(length) });
    assert.equal(await get(`Books?x=${"y".repeat(100)}`), 200);
    assert.equal(await get(`Books?x=${"y".repeat(200)}`), 414);
    assert.equal(await status(library.post("Books", title(20))), 201);
    assert.equal(await status(library.post("Books", title(400))), 413);
    assert.equal(await status(library.post("run", JSON.parse("[".repeat(9) + "]".repeat(9)))), 400);
    assert.equal(await get("Books?$filter=ID in (1,2,3)"), 200);
    assert.equal(await get("Books?$filter=ID in (1,2,3,4)"), 400);
    assert.equal(await get("Books?$expand=author"), 200);
    assert.equal(await get("Books?$expand=author($expand=books)"), 400);
    const requests = (count: number) =>
      Array.from({ length: count }, (_, id) => ({ id: `${id}`, method: "GET", url: "Books" }));
    assert.equal(await status(library.post("$batch", { requests: requests(2) })), 200);
    assert.equal(await status(library.post("$batch", { requests: requests(3) })), 429);
  });
});

Deno.test("The version of OData is the path segment v4, nothing else of a path is a version [9.1]", () =>
  withLibrary({}, async (library) => {
    for (const { protocol, path } of library.runtime.endpoints) {
      const versions = path.split("/").filter((segment) => /^v\d/.test(segment));
      assert.deepEqual(versions, protocol === "odata" ? ["v4"] : [], path);
    }
    assert.equal((await library.get("/odata/v4/catalog/Books")).status, 200);
    for (const path of ["/odata/v2/catalog/Books", "/odata/v5/catalog/Books", "/odata/catalog/Books"]) {
      assert.equal((await library.get(path)).status, 404);
    }
  }));
