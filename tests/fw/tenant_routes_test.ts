/** The endpoints at which a platform subscribes, upgrades and unsubscribes tenants (docs/guides/multitenancy.md). */

import assert from "node:assert/strict";
import { EventContext, User } from "../../mod.ts";
import { runWithContext } from "../../src/context/store.ts";
import type { ServiceError } from "../../src/errors/service_error.ts";
import { AppRouter } from "../../src/fw/app_router.ts";
import type { RuntimeParts } from "../../src/fw/runtime_parts.ts";
import type { TenantOperations } from "../../src/fw/tenants/tenant_operations.ts";
import { addTenantRoutes } from "../../src/fw/tenants/tenant_routes.ts";
import { recordingLog } from "../messaging/channels.ts";

const LISTED = [
  { tenant: "t1", status: "ready", metadata: { subscribedSubdomain: "acme", tenant: "other" } },
  { tenant: "t2", status: "ready" },
];

interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

/** Routes over two tenants, and what they have asked of the operations. */
function routes(env: object = { tenants: { requires: ["boss", "platform"], concurrency: 3 } }) {
  const done: unknown[] = [];
  const find = (tenant: string) => LISTED.find((one) => one.tenant === tenant);
  const list = {
    all: () => Promise.resolve(LISTED),
    find: (tenant: string) => Promise.resolve(find(tenant)),
    run: (query: object) => {
      const [kind] = Object.keys(query);
      return Promise.resolve(kind === "SELECT" && "one" in (query as { SELECT: object }).SELECT ? null : []);
    },
  };
  const operations = {
    list,
    subscribe: (tenant: string, metadata: unknown) => {
      done.push(["subscribe", tenant, metadata]);
      return Promise.resolve(find(tenant) === undefined);
    },
    unsubscribe: (tenant: string) => {
      done.push(["unsubscribe", tenant]);
      return Promise.resolve(find(tenant) !== undefined);
    },
    upgrade: ({ tenants, concurrency }: { tenants: unknown; concurrency: unknown }) => {
      done.push(["upgrade", tenants, concurrency]);
      return Promise.resolve([]);
    },
  } as unknown as TenantOperations;
  const app = new AppRouter({ middlewares: { add: () => {} }, streamBytes: 10 } as never);
  addTenantRoutes({ app, env, log: () => recordingLog() } as unknown as RuntimeParts, operations);
  const ask = async (call: string, body?: unknown, roles = ["platform"]): Promise<Answer> => {
    const [method, path] = call.split(" ") as [string, string];
    const text = typeof body === "string" ? body : body === undefined ? null : JSON.stringify(body);
    const request = new Request(`https://shop.test:8/-/cds/${path}`, { method, body: text });
    const context = EventContext.for({ user: new User({ id: "p", roles }) });
    try {
      const response = await runWithContext(context, () => app.fetch(request));
      const answered = await response.text();
      const isJson = response.headers.get("content-type")?.startsWith("application/json");
      return {
        status: response.status,
        headers: response.headers,
        body: isJson ? JSON.parse(answered) : answered,
      };
    } catch (error) {
      const { status = 500, message } = error as ServiceError;
      return { status, headers: new Headers(), body: message };
    }
  };
  return { ask, done };
}

const CALLS = [
  ...[
    "GET saas-provisioning/dependencies",
    "GET saas-provisioning/tenant",
    "GET saas-provisioning/tenant/t1",
  ],
  ...[
    "PUT saas-provisioning/tenant/t1",
    "DELETE saas-provisioning/tenant/t1",
    "POST saas-provisioning/upgrade",
  ],
  ...["GET jobs/j1", "POST deployment/subscribe", "POST deployment/unsubscribe", "POST deployment/upgrade"],
];

Deno.test("each endpoint is there for one of the roles that are named, and 403 for all others", async () => {
  for (const call of CALLS) {
    const body = call.startsWith("GET") ? undefined : { tenant: "t1" };
    for (const role of ["boss", "platform"]) {
      const { status } = await routes().ask(call, body, [role]);
      assert.ok(call === "GET jobs/j1" ? status === 404 : status < 300, `${call}: ${status}`);
    }
    const { ask, done } = routes();
    assert.equal((await ask(call, body, ["other"])).status, 403, call);
    assert.deepEqual(done, [], call);
  }
});

Deno.test("without configuration there are no endpoints; without a role there is no start", async () => {
  const { ask } = routes({});
  for (const call of CALLS) {
    assert.equal((await ask(call, call.startsWith("GET") ? undefined : {})).status, 404, call);
  }
  assert.throws(
    () => routes({ tenants: {} }),
    /"fw\.tenants\.requires" must name the roles of those who may subscribe and remove/,
  );
  assert.throws(() => routes({ tenants: { requires: "any" } }), /but is "any"/);
});

Deno.test("what is listed of tenants is what the platform said of them, and what we know", async () => {
  const { ask } = routes();
  const t1 = { subscribedSubdomain: "acme", tenant: "t1", status: "ready" };
  const cases: readonly (readonly [call: string, status: number, body: unknown])[] = [
    ["GET saas-provisioning/dependencies", 200, []],
    ["GET saas-provisioning/tenant", 200, [t1, { tenant: "t2", status: "ready" }]],
    ["GET saas-provisioning/tenant/t1", 200, t1],
    ["GET saas-provisioning/tenant/t3", 404, "404"],
  ];
  for (const [call, status, body] of cases) {
    const answer = await ask(call);
    assert.deepEqual([answer.status, answer.body], [status, body], call);
  }
});

Deno.test("a subscription is 201 with the place of the application where it is new, and 200 where it is not", async () => {
  const { ask, done } = routes();
  for (const [tenant, status] of [["t3", 201], ["t1", 200]] as const) {
    const answer = await ask(`PUT saas-provisioning/tenant/${tenant}`, { subscribedSubdomain: "acme" });
    assert.deepEqual([answer.status, answer.body], [status, "https://shop.test:8"]);
    assert.equal(answer.headers.get("content-type"), "text/plain");
  }
  assert.equal((await ask("PUT saas-provisioning/tenant/t4", "")).status, 201);
  for (const tenant of ["t1", "t9"]) {
    const answer = await ask(`DELETE saas-provisioning/tenant/${tenant}`);
    assert.deepEqual([answer.status, answer.body], [204, ""]);
  }
  assert.deepEqual(done, [
    ["subscribe", "t3", { subscribedSubdomain: "acme" }],
    ["subscribe", "t1", { subscribedSubdomain: "acme" }],
    ["subscribe", "t4", {}],
    ["unsubscribe", "t1"],
    ["unsubscribe", "t9"],
  ]);
});

Deno.test("deployments name the tenant in the body, and what is said of it where that is an object", async () => {
  const { ask, done } = routes();
  const calls: readonly (readonly [what: string, body: object])[] = [
    ["subscribe", { tenant: "t3", metadata: { a: 1 } }],
    ["subscribe", { tenant: "t3", metadata: "text" }],
    ["subscribe", { tenant: "t3" }],
    ["unsubscribe", { tenant: "t1" }],
  ];
  for (const [what, body] of calls) {
    const answer = await ask(`POST deployment/${what}`, body);
    assert.deepEqual([answer.status, answer.body], [204, ""]);
  }
  assert.deepEqual(done, [
    ["subscribe", "t3", { a: 1 }],
    ["subscribe", "t3", undefined],
    ["subscribe", "t3", undefined],
    ["unsubscribe", "t1"],
  ]);
});

Deno.test("upgrades are accepted with the place that tells how they go, for all tenants or those that are named", async () => {
  for (
    const [call, body, tenants] of [
      ["saas-provisioning/upgrade", {}, ["t1", "t2"]],
      ["saas-provisioning/upgrade", "", ["t1", "t2"]],
      ["saas-provisioning/upgrade", { tenants: ["*"] }, ["t1", "t2"]],
      ["saas-provisioning/upgrade", { tenants: ["t2"] }, ["t2"]],
      ["saas-provisioning/upgrade", { tenants: [] }, []],
      ["deployment/upgrade", { tenant: "t1" }, ["t1"]],
    ] as const
  ) {
    const { ask, done } = routes();
    const { status, headers, body: job } = await ask(`POST ${call}`, body);
    const { ID, status: state, tenants: told } = job as { ID: string; status: string; tenants: object };
    assert.deepEqual([status, headers.get("location"), state], [202, `/-/cds/jobs/${ID}`, "RUNNING"]);
    assert.deepEqual(Object.keys(told), tenants);
    assert.deepEqual(done, [["upgrade", tenants, 3]]);
  }
});

Deno.test("what is no tenant, no list of tenants and no object in JSON is refused before anything is done", async () => {
  const { ask, done } = routes();
  const [tenant, list, json, object] = [
    ...["Expected a tenant", 'Expected a list as "tenants"', "Expected JSON", "Expected an object"],
  ];
  const long = JSON.stringify({ text: "x".repeat(100_000) });
  const cases: readonly (readonly [call: string, body: unknown, status: number, message?: string])[] = [
    ["PUT saas-provisioning/tenant/_x", {}, 400, tenant],
    ["GET saas-provisioning/tenant/_x", undefined, 400, tenant],
    ["DELETE saas-provisioning/tenant/_x", undefined, 400, tenant],
    ["POST deployment/subscribe", {}, 400, tenant],
    ["POST deployment/unsubscribe", { tenant: 1 }, 400, tenant],
    ["POST deployment/upgrade", { tenant: "*" }, 400, tenant],
    ["POST saas-provisioning/upgrade", { tenants: ["*", "t1"] }, 400, tenant],
    ["POST saas-provisioning/upgrade", { tenants: [1] }, 400, tenant],
    ["POST saas-provisioning/upgrade", { tenants: null }, 400, list],
    ["POST saas-provisioning/upgrade", { tenants: "t1" }, 400, list],
    ["POST saas-provisioning/upgrade", { tenants: { length: 1, 0: "*" } }, 400, list],
    ["POST saas-provisioning/upgrade", { tenants: ["t9"] }, 404],
    ["POST deployment/subscribe", "{", 400, json],
    ["POST deployment/subscribe", "[]", 400, object],
    ["POST deployment/subscribe", "null", 400, object],
    ["PUT saas-provisioning/tenant/t1", long, 413],
  ];
  for (const [call, body, status, message] of cases) {
    const answer = await ask(call, body);
    assert.equal(answer.status, status, JSON.stringify([call, body])?.slice(0, 200));
    if (message) assert.equal(answer.body, message, call);
  }
  assert.deepEqual(done, []);
  const longest = JSON.stringify({ text: "x".repeat(100_000 - 11) });
  assert.equal((await ask("PUT saas-provisioning/tenant/t1", longest)).status, 200);
});

Deno.test("bodies have 100,000 characters at most: 413", async () => {
  const { ask } = routes();
  const body = (length: number) => `{"tenant":"t1"}`.padEnd(length);
  const put = async (length: number) => (await ask("PUT saas-provisioning/tenant/t1", body(length))).status;
  assert.deepEqual([await put(100_000), await put(100_001)], [200, 413]);
});
