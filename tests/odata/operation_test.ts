import assert from "node:assert/strict";
import { ServiceError } from "../../src/errors/service_error.ts";
import type { ApplicationService } from "../../src/service/application_service.ts";
import type { ServiceRequest } from "../../src/service/requests/service_request.ts";
import type { Shop } from "./fixture_host.ts";
import { withShop as openAndRun } from "./with_shop.ts";

const JSON_HEADERS = { "content-type": "application/json", "odata-version": "4.0" };

interface Sum {
  readonly a: number;
  readonly b: number;
}

function register(service: ApplicationService): void {
  const data = <T>(req: unknown) => (req as ServiceRequest).data as T;
  service.on("add", (req) => data<Sum>(req).a + data<Sum>(req).b);
  service.on("echo", (req) => data<{ p: unknown }>(req).p);
  service.on("inline", () => ({ x: 1, hidden: 2 }));
  service.on("names", (req) => ["a", "b", "c"].slice(0, data<{ n?: number }>(req).n ?? 3));
  service.on("cheapest", (req) => {
    (req as ServiceRequest).res!.status(201);
    return { ID: 5, title: "Made", other: 1 };
  });
  service.on("top", () => [{ ID: 5, title: "Top" }]);
  service.on(
    "restock",
    "Books",
    (req) => Number((req as ServiceRequest).params[0]!.ID) + data<{ by: number }>(req).by,
  );
  service.on("twin", "Books", () => null);
  service.on("fail", (req) => fail(req as ServiceRequest, data<{ kind: string }>(req).kind));
}

function fail(req: ServiceRequest, kind: string): void {
  if (kind === "custom") {
    const more = { secret: "x", "@my.prop": "kept", additionalTargets: ["b"] };
    throw new ServiceError({ status: 422, code: "MINE", message: "Mine", target: "a", ...more });
  }
  if (kind === "crash") throw new TypeError("password=123");
  if (kind === "kept") throw new ServiceError({ status: 500, message: "Wanted", $sanitize: false });
  if (kind === "login") req.reject(401);
  if (kind === "two") {
    req.error(400, "First", "a");
    req.error({ status: 409, code: "SECOND", message: "Second", target: "b" });
  }
  req.warn("Careful ü");
}

const withShop = (run: (shop: Shop) => Promise<void>) => openAndRun(run, { register, database: undefined });

async function expectResult(url: string, body: Record<string, unknown>, post?: unknown): Promise<void> {
  await withShop(async (shop) => {
    const answer = await shop.send(post === undefined ? "GET" : "POST", url, { body: post });
    assert.deepEqual(answer, { status: 200, headers: JSON_HEADERS, body });
  });
}

Deno.test("actions and functions answer values, collections and structures [4.1.ops]", async () => {
  await expectResult("add", { "@odata.context": "$metadata#Edm.Int32", value: 3 }, { a: 1, b: 2 });
  await expectResult("echo", { "@odata.context": "$metadata#ShopService.Point", x: 1, y: null }, {
    p: { x: 1, y: null },
  });
  await expectResult("inline()", {
    "@odata.context": "$metadata#ShopService.return_ShopService_inline",
    x: 1,
  });
  await expectResult("names(n=2)", {
    "@odata.context": "$metadata#Collection(Edm.String)",
    value: ["a", "b"],
  });
  await expectResult("top()", { "@odata.context": "$metadata#Books", value: [{ ID: 5, title: "Top" }] });
});

Deno.test("actions answer nothing when the client wants nothing, functions always answer (Protocol 8.2.8.7)", () =>
  withShop(async (shop) => {
    const headers = { prefer: "return=minimal" };
    const added = await shop.send("POST", "add", { body: { a: 1, b: 2 }, headers });
    assert.deepEqual([added.status, added.headers["preference-applied"]], [204, "return=minimal"]);
    assert.equal((await shop.send("GET", "inline()", { headers })).status, 200);
  }));

Deno.test("bound operations know their instance", () =>
  expectResult("Books(201)/restock", { "@odata.context": "../$metadata#Edm.Int32", value: 206 }, { by: 5 }));

Deno.test("the status of a handler stays, 201 with an entity gets a location, null is 204", () =>
  withShop(async (shop) => {
    assert.deepEqual(await shop.send("GET", "cheapest()"), {
      status: 201,
      headers: { ...JSON_HEADERS, location: "Books(5)" },
      body: { "@odata.context": "$metadata#Books/$entity", ID: 5, title: "Made" },
    });
    assert.equal((await shop.send("GET", "Books(201)/twin()")).status, 204);
  }));

Deno.test("no result is 204 where a handler chose 200, and any other status that it chose (Protocol 11.5.5.2)", async () => {
  for (const [chosen, status] of [[200, 204], [201, 201], [202, 202], [204, 204]] as const) {
    for (const result of [null, undefined, []]) {
      await openAndRun(async (shop) => {
        assert.equal((await shop.send("GET", "Books(201)/twin()")).status, status, `${chosen} ${result}`);
      }, {
        register: (service) =>
          service.on("twin", "Books", (req) => {
            (req as ServiceRequest).res!.status(chosen);
            return result;
          }),
      });
    }
  }
});

Deno.test("operations take the method that belongs to them and declared parameters only", () =>
  withShop(async (shop) => {
    const get = await shop.send("GET", "add");
    assert.deepEqual([get.status, get.headers.allow], [405, "POST, OPTIONS"]);
    assert.equal((await shop.send("POST", "inline()", { body: {} })).status, 405);
    const unknown = await shop.send("POST", "add", { body: { a: 1, summand: 2 } });
    assert.deepEqual(unknown.body, {
      error: {
        code: "400",
        message: 'Property "summand" does not exist in ShopService.add',
        target: "ShopService.add",
        "@Common.numericSeverity": 4,
      },
    });
  }));

Deno.test("errors hold code, message and target, and of custom members those named with @ [7.2.0a] [7.2.4]", () =>
  withShop(async (shop) => {
    assert.deepEqual(await shop.send("POST", "fail", { body: { kind: "custom" } }), {
      status: 422,
      headers: { "content-language": "en", ...JSON_HEADERS },
      body: {
        error: {
          code: "MINE",
          message: "Mine",
          target: "a",
          "@Common.numericSeverity": 4,
          "@Common.additionalTargets": ["b"],
          "@my.prop": "kept",
        },
      },
    });
  }));

Deno.test("recorded errors are answered as details", () =>
  withShop(async (shop) => {
    const { status, body } = await shop.send("POST", "fail", { body: { kind: "two" } });
    assert.equal(status, 400);
    const { error } = body as { error: { code: string; details: unknown } };
    assert.equal(error.code, "MULTIPLE_ERRORS");
    assert.deepEqual(error.details, [
      { code: "400", message: "First", target: "a", "@Common.numericSeverity": 4 },
      { code: "SECOND", message: "Second", target: "b", "@Common.numericSeverity": 4 },
    ]);
  }));

Deno.test("crashes are answered without their text, and logged", () =>
  withShop(async (shop) => {
    assert.deepEqual(await shop.send("POST", "fail", { body: { kind: "crash" } }), {
      status: 500,
      headers: { "content-language": "en", ...JSON_HEADERS },
      body: { error: { code: "500", message: "Internal Server Error" } },
    });
    assert.match(String(shop.logged.flat().find((value) => value instanceof TypeError)), /password=123/);
    const kept = await shop.send("POST", "fail", { body: { kind: "kept" } });
    assert.deepEqual(kept.body, { error: { code: "500", message: "Wanted" } });
  }));

Deno.test("a 401 of a handler carries the challenge", () =>
  withShop(async (shop) => {
    const { status, headers } = await shop.send("POST", "fail", { body: { kind: "login" } });
    assert.equal(status, 401);
    assert.equal(headers["www-authenticate"], 'Basic realm="Users"');
  }));

Deno.test("messages are returned in a header, not in the body [2.3.notify.a] [4.1.h.msgs]", () =>
  withShop(async (shop) => {
    assert.deepEqual(await shop.send("POST", "fail", { body: {} }), {
      status: 204,
      headers: {
        "odata-version": "4.0",
        "fw-messages": '[{"code":"","message":"Careful \\u00fc","numericSeverity":3}]',
      },
      body: undefined,
    });
  }));

Deno.test("what a handler sends by itself is the answer: text, bytes or nothing (`req.res.send`)", async () => {
  const sent: readonly (readonly [given: unknown, body: unknown])[] = [
    ["text", "text"],
    [new TextEncoder().encode("bytes"), "bytes"],
    [undefined, undefined],
    [null, undefined],
    ["", undefined],
  ];
  for (const [given, body] of sent) {
    await openAndRun(async (shop) => {
      const answer = await shop.send("POST", "add", { body: { a: 1, b: 2 } });
      assert.deepEqual([answer.status, answer.body], [203, body]);
    }, {
      register: (service) =>
        service.on("add", (req) => {
          (req as ServiceRequest).res!.status(203).send(given as string);
          return 3;
        }),
    });
  }
});

Deno.test("snapshots across requests are refused, by whichever name they are asked for (Protocol 8.2.6)", () =>
  withShop(async (shop) => {
    for (const name of ["isolation", "odata-isolation"]) {
      const answer = await shop.send("GET", "Books", { headers: { [name]: "snapshot" } });
      assert.equal(answer.status, 412, name);
    }
  }));
