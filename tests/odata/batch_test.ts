import assert from "node:assert/strict";
import type { ApplicationService } from "../../src/service/application_service.ts";
import type { ServiceRequest } from "../../src/service/requests/service_request.ts";
import { ROOT, type Shop } from "./fixture_host.ts";
import { withShop } from "./with_shop.ts";

interface PartBody {
  readonly id: string;
  readonly status: number;
  readonly body?: Record<string, unknown>;
  readonly headers: Record<string, string>;
  readonly atomicityGroup?: string;
}

async function batch(shop: Shop, requests: unknown[], headers = {}): Promise<readonly PartBody[]> {
  const answer = await shop.send("POST", "$batch", { body: { requests }, headers });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers["content-type"], "application/json");
  return (answer.body as { responses: readonly PartBody[] }).responses;
}

const get = (id: string, url: string, more = {}) => ({ id, method: "GET", url, ...more });
const post = (id: string, body: unknown, more = {}) => ({ id, method: "POST", url: "Books", body, ...more });
const statuses = (parts: readonly PartBody[]) => parts.map(({ id, status }) => [id, status]);

Deno.test("$batch answers reads in order, each URL form of this service", () =>
  withShop(async (shop) => {
    const parts = await batch(shop, [
      get("a", "Authors(101)?$select=name"),
      get("b", "/Authors/$count"),
      get("c", `${ROOT}/Authors(101)/name`),
      get("d", `http://example.org${ROOT}/Authors(9)`),
    ]);
    assert.deepEqual(parts, [
      {
        id: "a",
        status: 200,
        headers: { "content-type": "application/json", "odata-version": "4.0" },
        body: { "@odata.context": "$metadata#Authors(name,ID)/$entity", name: "Emily", ID: 101 },
      },
      {
        id: "b",
        status: 200,
        headers: { "content-type": "text/plain;charset=utf-8", "odata-version": "4.0" },
        body: "2",
      },
      {
        id: "c",
        status: 200,
        headers: { "content-type": "application/json", "odata-version": "4.0" },
        body: { "@odata.context": "../$metadata#Authors(101)/name", value: "Emily" },
      },
      {
        id: "d",
        status: 404,
        headers: { "content-language": "en", "content-type": "application/json", "odata-version": "4.0" },
        body: { error: { code: "404", message: "Not Found", "@Common.numericSeverity": 4 } },
      },
    ]);
  }));

Deno.test("$batch in JSON goes on after an error unless told otherwise", () =>
  withShop(async (shop) => {
    const requests = [get("1", "Books(9)"), get("2", "Books(201)")];
    assert.deepEqual(statuses(await batch(shop, requests)), [["1", 404], ["2", 200]]);
    const stopped = await batch(shop, requests, { prefer: "continue-on-error=false" });
    assert.deepEqual(statuses(stopped), [["1", 404]]);
  }));

Deno.test("each part has the status that it was answered with, also where all its headers are those of the part before", () =>
  withShop(async (shop) => {
    const accepted = { id: "2", method: "POST", url: "add", body: { a: 1, b: 2 } };
    const parts = await batch(shop, [get("1", "Books(201)"), accepted, get("3", "Books(201)")]);
    assert.deepEqual(statuses(parts), [["1", 200], ["2", 202], ["3", 200]]);
    assert.deepEqual(parts[1]!.headers, parts[0]!.headers);
  }, {
    register: (service: ApplicationService) => {
      service.on("add", (req) => {
        (req as ServiceRequest).res!.status(202);
        return 3;
      });
    },
  }));

Deno.test("$batch tells by OPTIONS that it takes POST (RFC 9110, 9.3.7)", () =>
  withShop(async (shop) => {
    const { status, headers } = await shop.send("OPTIONS", "$batch");
    assert.deepEqual([status, headers.allow], [204, "POST, OPTIONS"]);
  }));

Deno.test("a group is one transaction whose members see each other", () =>
  withShop(async (shop) => {
    const parts = await batch(shop, [
      post("1", { ID: 9, title: "New" }, { atomicityGroup: "g" }),
      { id: "2", method: "PATCH", url: "$1", body: { stock: 4 }, atomicityGroup: "g" },
      get("3", "$1/stock", { atomicityGroup: "g" }),
    ]);
    assert.deepEqual(statuses(parts), [["1", 201], ["2", 200], ["3", 200]]);
    assert.equal(parts[0]!.headers.location, "Books(9)");
    assert.equal(parts[2]!.body!.value, 4);
  }));

Deno.test("a group that fails leaves nothing behind and reports no success", () =>
  withShop(async (shop) => {
    const parts = await batch(shop, [
      post("1", { ID: 9, title: "New" }, { atomicityGroup: "g" }),
      post("2", { ID: 201, title: "Duplicate" }, { atomicityGroup: "g" }),
      post("3", { ID: 10, title: "Later" }, { atomicityGroup: "g" }),
      get("4", "Books(9)", { dependsOn: ["g"] }),
      get("5", "Books(9)"),
    ]);
    assert.deepEqual(statuses(parts), [["1", 424], ["2", 409], ["3", 424], ["4", 424], ["5", 404]]);
    assert.deepEqual(parts.map((part) => part.atomicityGroup), ["g", "g", "g", undefined, undefined]);
    assert.ok(parts.every(({ headers }) => headers.location === undefined), "nothing was created");
  }));

Deno.test("a veto at the commit is reported by every member of the group", () =>
  withShop(async (shop) => {
    const parts = await batch(shop, [
      post("1", { ID: 9, title: "New" }, { atomicityGroup: "g" }),
      post("2", { ID: 10, title: "veto" }, { atomicityGroup: "g" }),
    ]);
    assert.deepEqual(statuses(parts), [["1", 409], ["2", 409]]);
    assert.deepEqual(parts.map(({ headers }) => headers.location), ["Books(9)", "Books(10)"]);
    assert.equal((await shop.send("GET", "Books(9)")).status, 404);
  }, {
    register: (service: ApplicationService) => {
      service.before("CREATE", "Books", (req) => {
        const request = req as ServiceRequest;
        if ((request.data as { title?: string }).title !== "veto") return;
        request.before("commit", () => request.reject(409, "Vetoed"));
      });
    },
  }));

Deno.test("headers of a batch count for its parts, which may have others; those about its own body and caller do not (11.7.5)", () => {
  const seen: unknown[] = [];
  return withShop(async (shop) => {
    const headers = {
      "odata-maxversion": "4.01",
      "accept-language": "de",
      "prefer": "maxpagesize=1",
      "if-match": "*",
      "x-own": "batch",
    };
    const own = { "OData-MaxVersion": "4.0", "Accept-Language": "fr", "X-Own": "part", "Authorization": "x" };
    const parts = await batch(shop, [
      get("a", "Books(201)"),
      get("b", "Books(201)", { headers: own }),
      get("c", "Authors", { headers: { Prefer: "maxpagesize=1" } }),
      get("d", "Authors"),
    ], headers);
    assert.deepEqual(parts.map((part) => part.headers["odata-version"]), ["4.01", "4.0", "4.01", "4.01"]);
    assert.deepEqual(parts.map((part) => part.headers["preference-applied"]), [
      undefined,
      undefined,
      "maxpagesize=1",
      undefined,
    ]);
    const base = { "odata-maxversion": "4.01", "accept-language": "de", "x-own": "batch" };
    assert.deepEqual(seen, [
      { locale: "de", headers: base },
      {
        locale: "fr",
        headers: { "odata-maxversion": "4.0", "accept-language": "fr", "x-own": "part" },
      },
    ]);
  }, {
    register: (service: ApplicationService) => {
      service.before("READ", "Books", (req) => {
        const { host: _host, ...headers } = Object.fromEntries(req.req!.headers);
        assert.equal(req.req!.get("x-own"), headers["x-own"]);
        seen.push({ locale: req.locale, headers });
      });
    },
  });
});

Deno.test("$batch as a whole is refused when it is broken or too long", () =>
  withShop(async (shop) => {
    const status = async (requests: unknown) =>
      (await shop.send("POST", "$batch", { body: { requests } })).status;
    assert.equal(await status([get("1", "A"), get("1", "B")]), 400);
    assert.equal(await status([get("1", "$batch")]), 400);
    assert.equal(await status([get("1", "A"), get("2", "A"), get("3", "A")]), 429);
    const wrong = await shop.send("POST", "$batch", { headers: { "content-type": "text/plain" }, body: "x" });
    assert.equal(wrong.status, 415);
    const method = await shop.send("GET", "$batch");
    assert.deepEqual([method.status, method.headers.allow], [405, "POST, OPTIONS"]);
  }, { limits: { batchParts: 2 } }));

const multipart = (...lines: readonly string[]) => lines.join("\r\n");
const HTTP = ["Content-Type: application/http", "Content-Transfer-Encoding: binary"];

Deno.test("multipart batches answer multipart, failed change sets by one part", () =>
  withShop(async (shop) => {
    const body = multipart(
      "--b",
      ...HTTP,
      "",
      "GET Authors(101)/name/$value HTTP/1.1",
      "",
      "",
      "--b",
      "Content-Type: multipart/mixed;boundary=c",
      "",
      "--c",
      ...HTTP,
      "Content-ID: 1",
      "",
      "POST Books HTTP/1.1",
      "Content-Type: application/json",
      "",
      '{"ID":9,"title":"ä"}',
      "--c",
      ...HTTP,
      "Content-ID: 2",
      "",
      "POST Books HTTP/1.1",
      "Content-Type: application/json",
      "",
      '{"ID":201,"title":"Dup"}',
      "--c--",
      "--b",
      ...HTTP,
      "",
      "GET Books(9) HTTP/1.1",
      "",
      "",
      "--b--",
      "",
    );
    const headers = { "content-type": "multipart/mixed;boundary=b" };
    const answer = await shop.send("POST", "$batch", { headers, body });
    const boundary = /boundary=(\S+)$/.exec(answer.headers["content-type"]!)![1]!;
    const error =
      '{"error":{"code":"ENTITY_ALREADY_EXISTS","message":"An entry with this key exists already",' +
      '"@Common.numericSeverity":4,"@Core.ContentID":"2"}}';
    assert.equal(
      answer.body,
      multipart(
        `--${boundary}`,
        ...HTTP,
        "",
        "HTTP/1.1 200 OK",
        "content-type: text/plain;charset=utf-8",
        "odata-version: 4.0",
        "",
        "Emily",
        `--${boundary}`,
        ...HTTP,
        "Content-ID: 2",
        "",
        "HTTP/1.1 409 Conflict",
        "content-language: en",
        "content-type: application/json",
        "odata-version: 4.0",
        "",
        error,
        `--${boundary}--`,
        "",
      ),
    );
    assert.equal((await shop.send("GET", "Books(9)")).status, 404);
  }));

Deno.test("the delimiter of a change set in the answer does not begin with that of the batch (RFC 2046, 5.1.2)", () =>
  withShop(async (shop) => {
    const body = multipart(
      "--b",
      "Content-Type: multipart/mixed;boundary=c",
      "",
      "--c",
      ...HTTP,
      "Content-ID: 1",
      "",
      "DELETE Books(201) HTTP/1.1",
      "",
      "",
      "--c--",
      "--b--",
      "",
    );
    const headers = { "content-type": "multipart/mixed;boundary=b" };
    const answer = await shop.send("POST", "$batch", { headers, body });
    const boundary = /boundary=(\S+)$/.exec(answer.headers["content-type"]!)![1]!;
    // clients that compare the beginning of a line only see one part and the end
    const parts = String(answer.body).split(`--${boundary}`);
    assert.deepEqual([parts.length, parts[0], parts[2]], [3, "", "--\r\n"]);
    assert.match(
      parts[1]!,
      /^\r\nContent-Type: multipart\/mixed;boundary=(\S+)\r\n\r\n--\1\r\n[^]*\r\n--\1--\r\n$/,
    );
  }));
