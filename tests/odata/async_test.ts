import assert from "node:assert/strict";
import { ENGINES } from "./engines.ts";
import type { Shop, ShopOptions, TestAnswer } from "./fixture_host.ts";
import { withShop } from "./with_shop.ts";

const ASYNC = { prefer: "respond-async" };
const NEWER = { "odata-maxversion": "4.01" };
const BOOK = { ID: 9, title: "slow" };

/** A shop whose slow books wait until they are let go. */
async function withSlowShop(
  run: (shop: Shop, letGo: () => void) => Promise<void>,
  options: ShopOptions = {},
): Promise<void> {
  const gate = Promise.withResolvers<void>();
  const given: ShopOptions = {
    env: { odata: { respond_async: true } },
    ...options,
    register: (service) => {
      service.after("CREATE", "Books", async (_, req) => {
        if ((req.data as { title?: string }).title === "slow") await gate.promise;
      });
    },
  };
  await withShop(async (shop) => {
    try {
      await run(shop, gate.resolve);
    } finally {
      gate.resolve();
    }
  }, given);
}

/** Asks a monitor until there is a result. */
async function result(
  shop: Shop,
  monitor: string,
  headers: Record<string, string> = NEWER,
): Promise<TestAnswer> {
  for (;;) {
    const answer = await shop.send("GET", monitor, { headers });
    if (answer.status !== 202) return answer;
    await new Promise((resolve) => setTimeout(resolve));
  }
}

async function begin(shop: Shop, url = "Books", body: unknown = BOOK): Promise<string> {
  const answer = await shop.send(body === null ? "GET" : "POST", url, {
    body: body ?? undefined,
    headers: ASYNC,
  });
  assert.equal(answer.status, 202, JSON.stringify(answer.body));
  return answer.headers.location!;
}

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`an asynchronous request is answered by its monitor (Protocol 11.6, ${engine})`, () =>
    withSlowShop(async (shop, letGo) => {
      const answer = await shop.send("POST", "Books?$select=title", { body: BOOK, headers: ASYNC });
      const { location, ...headers } = answer.headers;
      assert.deepEqual([answer.status, answer.body], [202, undefined]);
      assert.deepEqual(headers, {
        "odata-version": "4.0",
        "preference-applied": "respond-async",
        "retry-after": "1",
      });
      const pending = await shop.send("GET", location!);
      assert.equal(pending.status, 202);
      assert.equal(new URL(pending.headers.location!, `http://x/${location}`).pathname, `/${location}`);
      letGo();
      const { status, headers: { asyncresult }, body } = await result(shop, location!);
      assert.deepEqual([status, asyncresult], [200, "201"]);
      assert.equal((body as { title: string }).title, "slow");
      assert.equal((await shop.send("GET", "Books(9)")).status, 200);
    }, { database }));

  Deno.test(`a cancelled request changes nothing, its monitor is gone (Protocol 11.6, ${engine})`, () =>
    withSlowShop(async (shop, letGo) => {
      const monitor = await begin(shop);
      assert.equal((await shop.send("DELETE", monitor)).status, 204);
      assert.equal((await shop.send("GET", monitor)).status, 404);
      letGo();
      await new Promise((resolve) => setTimeout(resolve));
      assert.equal((await shop.send("GET", "Books(9)")).status, 404);
    }, { database }));

  Deno.test(`a batch is answered as a whole, and cannot be cancelled half done (Protocol 11.7.7.7, ${engine})`, () =>
    withSlowShop(async (shop, letGo) => {
      const requests = [
        { id: "1", method: "POST", url: "Authors", body: { ID: 1 } },
        { id: "2", method: "POST", url: "Books", body: BOOK, headers: ASYNC },
      ];
      const monitor = await begin(shop, "$batch", { requests });
      const refused = await shop.send("DELETE", monitor);
      assert.deepEqual([refused.status, refused.headers.allow], [405, "GET, HEAD, OPTIONS"]);
      letGo();
      const { body } = await result(shop, monitor);
      const { responses } = body as { responses: { status: number }[] };
      assert.deepEqual(responses.map(({ status }) => status), [201, 201]);
    }, { database }));
}

Deno.test("clients of 4.0 get the result as HTTP message (Protocol 11.6)", () =>
  withSlowShop(async (shop, letGo) => {
    letGo();
    const monitor = await begin(shop, "Books", { ID: 9 });
    const answer = await result(shop, monitor, {});
    assert.equal(answer.headers["content-type"], "application/http");
    assert.equal(answer.headers.asyncresult, undefined);
    const [head, body] = String(answer.body).split("\r\n\r\n");
    assert.match(head!, /^HTTP\/1\.1 400 Bad Request\r\n/);
    assert.match(head!, /content-type: application\/json/);
    assert.equal(JSON.parse(body!).error.target, "title");
    const asked = await result(shop, monitor, { accept: "application/http", ...NEWER });
    assert.equal(asked.headers["content-type"], "application/http");
    const json = await result(shop, monitor, { accept: "application/json" });
    assert.equal(json.headers.asyncresult, "400");
  }));

Deno.test("what is done cannot be cancelled, what changed nothing can (Protocol 11.6)", () =>
  withSlowShop(async (shop, letGo) => {
    letGo();
    const written = await begin(shop);
    await result(shop, written);
    assert.equal((await shop.send("DELETE", written)).status, 409);
    assert.equal((await result(shop, written)).headers.asyncresult, "201");
    const read = await begin(shop, "Books", null);
    await result(shop, read);
    assert.equal((await shop.send("DELETE", read)).status, 204);
    assert.equal((await shop.send("GET", read)).status, 404);
    assert.equal((await shop.send("PATCH", written, { body: {} })).status, 405);
  }));

Deno.test("a request that is committed already is not cancelled while it ends (Protocol 11.6)", async () => {
  const [committed, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const register: ShopOptions["register"] = (service) => {
    service.before("CREATE", "Books", (req) => {
      req.on("succeeded", async () => {
        committed.resolve();
        await ended.promise;
      });
    });
  };
  await withShop(async (shop) => {
    const monitor = await begin(shop);
    await committed.promise;
    const cancelled = shop.send("DELETE", monitor);
    ended.resolve();
    assert.equal((await cancelled).status, 409);
    assert.equal((await result(shop, monitor)).headers.asyncresult, "201");
    assert.equal((await shop.send("GET", "Books(9)")).status, 200);
  }, { env: { odata: { respond_async: true } }, database: ENGINES.memory, register });
});

Deno.test("a request that is done within the time to wait is answered at once (RFC 7240 4.3)", () =>
  withSlowShop(async (shop, letGo) => {
    letGo();
    const headers = { prefer: "respond-async, wait=20" };
    assert.equal((await shop.send("POST", "Books", { body: BOOK, headers })).status, 201);
  }));

Deno.test("a request that is done in time leaves its place to others (asyncRequests)", () =>
  withSlowShop(async (shop, letGo) => {
    const headers = { prefer: "respond-async, wait=20" };
    for (const ID of [11, 12, 13]) {
      const body = { ID, title: "quick" };
      assert.equal((await shop.send("POST", "Books", { body, headers })).status, 201);
    }
    const monitor = await begin(shop);
    letGo();
    assert.equal((await result(shop, monitor)).headers.asyncresult, "201");
  }, { limits: { asyncRequests: 1 }, database: ENGINES.memory }));

Deno.test("a request that is not done within the time to wait is answered by its monitor (RFC 7240 4.3)", () =>
  withSlowShop(async (shop, letGo) => {
    const headers = { prefer: "respond-async, wait=0" };
    const { status, headers: { location } } = await shop.send("POST", "Books", { body: BOOK, headers });
    assert.equal(status, 202);
    letGo();
    assert.equal((await result(shop, location!)).headers.asyncresult, "201");
  }));

Deno.test("what is refused by its headers, OPTIONS and HEAD are answered at once (Protocol 8.2.8.8)", () =>
  withSlowShop(async (shop) => {
    const answered = async (method: string, more = {}) =>
      (await shop.send(method, "Books", { headers: { ...ASYNC, ...more } })).status;
    assert.deepEqual([await answered("OPTIONS"), await answered("HEAD")], [204, 200]);
    assert.equal(await answered("GET", { "odata-maxversion": "3.0" }), 406);
    assert.equal(await answered("GET"), 202);
  }));

Deno.test("a request may take longer than timers can wait (asyncMs)", () =>
  withSlowShop(async (shop, letGo) => {
    const monitor = await begin(shop);
    await new Promise((resolve) => setTimeout(resolve, 2));
    assert.equal((await shop.send("GET", monitor)).status, 202);
    letGo();
    assert.equal((await result(shop, monitor)).headers.asyncresult, "201");
  }, { limits: { asyncMs: 2 ** 33 }, database: ENGINES.memory }));

Deno.test("beyond the limits requests are answered at once (asyncRequests, asyncRequestsOfUser)", async () => {
  for (const limits of [{ asyncRequests: 1 }, { asyncRequestsOfUser: 1 }]) {
    await withSlowShop(async (shop, letGo) => {
      const monitor = await begin(shop);
      assert.equal((await shop.send("GET", "", { headers: ASYNC })).status, 200);
      letGo();
      await result(shop, monitor);
      assert.equal((await shop.send("GET", "", { headers: ASYNC })).status, 200);
    }, { limits });
  }
});

Deno.test("requests whose bodies arrive at the same time count, too (asyncRequests, asyncRequestsOfUser)", async () => {
  for (const limits of [{ asyncRequests: 2 }, { asyncRequestsOfUser: 2 }]) {
    await withSlowShop(async (shop, letGo) => {
      const requests = [11, 12, 13, 14].map((ID) =>
        shop.send("POST", "Books", { body: { ...BOOK, ID }, headers: ASYNC })
      );
      const [first, second] = await Promise.all(requests.slice(0, 2));
      letGo();
      const others = await Promise.all(requests.slice(2));
      assert.deepEqual([first, second, ...others].map(({ status }) => status), [202, 202, 201, 201]);
    }, { limits, database: ENGINES.memory });
  }
});

Deno.test("results are kept for a while only (asyncResultMs)", () =>
  withSlowShop(async (shop, letGo) => {
    const monitor = await begin(shop);
    assert.equal((await shop.send("GET", monitor)).status, 202);
    letGo();
    assert.equal((await result(shop, monitor)).status, 404);
  }, { limits: { asyncResultMs: 0 } }));

Deno.test("results are kept up to a length of all of them, the oldest goes first (asyncResultLength)", () =>
  withSlowShop(async (shop) => {
    const read = () => begin(shop, "Books?$top=1&$select=ID", null);
    const first = await read();
    assert.equal((await result(shop, first)).status, 200);
    const others = [await read(), await read()];
    for (const other of others) assert.equal((await result(shop, other)).status, 200);
    assert.equal((await result(shop, first)).status, 404);
    // what does not fit alone is not kept
    const kept = await read();
    assert.equal((await result(shop, kept)).status, 200);
    const large = await begin(shop, "Books", null);
    assert.equal((await result(shop, large)).status, 404);
    // and takes no room of others
    assert.equal((await shop.send("GET", kept)).status, 200);
    // nor does what is answered in time
    const full = await read();
    assert.equal((await result(shop, full)).status, 200);
    const waiting = { prefer: "respond-async, wait=20" };
    assert.equal((await shop.send("GET", "Books?$top=1&$select=ID", { headers: waiting })).status, 200);
    for (const one of [kept, full]) assert.equal((await shop.send("GET", one)).status, 200);
  }, { limits: { asyncResultLength: 160 } }));

Deno.test("a request that takes too long is rolled back, its result is 504 (asyncMs)", () =>
  withSlowShop(async (shop, letGo) => {
    const monitor = await begin(shop);
    assert.equal((await result(shop, monitor)).headers.asyncresult, "504");
    letGo();
    await new Promise((resolve) => setTimeout(resolve));
    assert.equal((await shop.send("GET", "Books(9)")).status, 404);
  }, { limits: { asyncMs: 1 } }));

Deno.test("without fw.odata.respond_async, and for unknown monitors, nothing is asynchronous (Protocol 11.6)", () =>
  withSlowShop(async (shop, letGo) => {
    letGo();
    assert.equal((await shop.send("POST", "Books", { body: BOOK, headers: ASYNC })).status, 201);
    assert.equal((await shop.send("GET", "$async/1")).status, 404);
    assert.equal((await shop.send("GET", "$async/")).status, 404);
  }, { env: {} }));
