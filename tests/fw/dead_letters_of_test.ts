/** The endpoint of dead letters: who may see, replay and discard which, and what is answered. */

import assert from "node:assert/strict";
import { EventContext, User } from "../../mod.ts";
import { runWithContext } from "../../src/context/store.ts";
import type { ServiceError } from "../../src/errors/service_error.ts";
import { AppRouter } from "../../src/fw/app_router.ts";
import { addDeadLetterRoutes, addLetterRoutes, deadLettersOf } from "../../src/fw/dead_letters_of.ts";
import type { RuntimeParts } from "../../src/fw/runtime_parts.ts";
import { MessagingService } from "../../src/messaging/messaging_service.ts";

const LETTERS = [
  {
    ...{ ID: "a-1", target: "mail", attempts: 3, lastError: "no route", lastAttemptTimestamp: "2026-01-02" },
    timestamp: "2026-01-01",
    work: {
      ...{ kind: "emit", id: "c-1", user: "ann", tenant: "t1", event: "sent", data: { n: 1 } },
      headers: { authorization: "Bearer x", plain: "y" },
    },
  },
  {
    ID: "a-2",
    target: "mail",
    attempts: 1,
    timestamp: "2026-01-03",
    task: "clean",
    work: { request: { event: "READ" }, data: Uint8Array.of(255) },
  },
  { ID: "b-1", target: "jobs", attempts: 2, task: "clean", timestamp: "2026-01-04" },
];

interface Given {
  readonly env?: object;
  readonly services?: Readonly<Record<string, unknown>>;
  /** The first id that discarding does not find. */
  readonly gone?: string;
}

/** A runtime with three letters in its outbox, and what that was asked. */
function runtimeWith({ env = {}, services = {}, gone }: Given = {}) {
  const asked: unknown[] = [];
  const queue = {
    deadLetters: ({ id = "", ...query }: { readonly id?: string }) => {
      asked.push(["list", id, query]);
      return Promise.resolve(LETTERS.filter(({ ID }) => ID.startsWith(id)));
    },
    revive: (query: object) => (asked.push(["revive", query]), Promise.resolve(2)),
    discard: (query: { id: string }) => (asked.push(["discard", query]), Promise.resolve(query.id !== gone)),
    states: () => Promise.resolve([{ target: "mail", waiting: 1 }]),
  };
  const app = new AppRouter({ middlewares: { add: () => {} }, streamBytes: 10 } as never);
  const runtime = { app, queue, services, env: { requires: {}, ...env } } as unknown as RuntimeParts;
  const ask = async (call: string, roles: readonly string[] = ["op"], tenant?: string) => {
    const [method, path] = call.split(" ") as [string, string];
    const context = EventContext.for({ user: new User({ id: "u", roles: [...roles] }), tenant });
    asked.length = 0;
    try {
      const response = await runWithContext(
        context,
        () => app.fetch(new Request(`http://x${path}`, { method })),
      );
      const text = await response.text();
      return [response.status, text === "" ? undefined : JSON.parse(text)] as const;
    } catch (error) {
      const { status = 500, message } = error as ServiceError;
      return [status, message] as const;
    }
  };
  return { runtime, ask, asked };
}

function routes(given?: Given) {
  const made = runtimeWith(given);
  addLetterRoutes(made.runtime, "/letters", ["boss", "op"]);
  return made;
}

Deno.test("dead letters are listed in short, 1,000 at most, those of the tenant", async () => {
  const { ask, asked } = routes();
  assert.deepEqual(await ask("GET /letters", ["boss"], "t1"), [200, {
    value: [
      {
        id: "a-1",
        service: "mail",
        event: "sent",
        attempts: 3,
        lastAttemptAt: "2026-01-02",
        lastError: "no route",
      },
      { id: "a-2", service: "mail", event: "READ", attempts: 1 },
      { id: "b-1", service: "jobs", event: "clean", attempts: 2 },
    ],
  }]);
  assert.deepEqual(asked, [["list", "", { limit: 1_000, tenant: "t1" }]]);
  const limits: readonly (readonly [string, number | undefined])[] = [
    ...[["2", 2], ["0", 0], ["1000", 1_000], ["1001", 1_000], ["999999", 1_000]] as const,
    ...[["1000000", undefined], ["x", undefined], ["-1", undefined], ["1x", undefined], [
      "",
      undefined,
    ]] as const,
  ];
  for (const [given, limit] of limits) {
    const [status, body] = await ask(`GET /letters?limit=${given}`);
    if (limit === undefined) {
      assert.deepEqual([status, body], [400, `limit must be a whole number, but is "${given}"`]);
    } else assert.deepEqual([status, asked], [200, [["list", "", { limit, tenant: undefined }]]]);
  }
});

Deno.test("a dead letter is shown with all that it holds, but secrets; bytes are told as Base64", async () => {
  const { ask } = routes();
  assert.deepEqual(await ask("GET /letters/a-1"), [200, {
    ...{
      id: "a-1",
      service: "mail",
      event: "sent",
      attempts: 3,
      lastAttemptAt: "2026-01-02",
      lastError: "no route",
    },
    ...{
      kind: "emit",
      correlationId: "c-1",
      user: "ann",
      tenant: "t1",
      storedAt: "2026-01-01",
      data: { n: 1 },
    },
    headers: { authorization: "***", plain: "y" },
  }]);
  assert.deepEqual(await ask("GET /letters/a-2"), [200, {
    ...{
      id: "a-2",
      service: "mail",
      event: "READ",
      attempts: 1,
      storedAt: "2026-01-03",
      data_base64: "/w==",
      request: { event: "READ" },
    },
  }]);
  assert.deepEqual(await ask("GET /letters/b-1"), [200, {
    id: "b-1",
    service: "jobs",
    event: "clean",
    attempts: 2,
    storedAt: "2026-01-04",
  }]);
});

Deno.test("a dead letter is replayed or discarded by its whole id, all are replayed together", async () => {
  const { ask, asked } = routes({ gone: "b-1" });
  assert.deepEqual(await ask("POST /letters/a-1/replay", ["op"], "t1"), [200, { replayed: 2 }]);
  assert.deepEqual(asked.at(-1), ["revive", { tenant: "t1", id: "a-1" }]);
  assert.deepEqual(await ask("POST /letters/replay", ["op"], "t1"), [200, { replayed: 2 }]);
  assert.deepEqual(asked, [["revive", { tenant: "t1" }]]);
  assert.deepEqual(await ask("DELETE /letters/a-2", ["op"], "t1"), [204, undefined]);
  assert.deepEqual(asked.at(-1), ["discard", { tenant: "t1", id: "a-2" }]);
  assert.equal((await ask("DELETE /letters/b-1"))[0], 404);
  for (const call of ["GET /letters/a", "DELETE /letters/a", "POST /letters/a/replay", "GET /letters/c"]) {
    assert.equal((await ask(call))[0], 404, call);
    assert.equal(asked.length, 1, "nothing but looking for it");
  }
});

Deno.test("the endpoint needs one of its roles; what waits is told where tenants are not kept apart", async () => {
  const { ask, asked } = routes();
  const calls = ["GET /letters", "GET /letters/states", "GET /letters/a-1", "DELETE /letters/a-1"];
  for (const call of [...calls, "POST /letters/replay", "POST /letters/a-1/replay"]) {
    assert.equal((await ask(call, ["other"]))[0], 403, call);
    assert.deepEqual(asked, []);
  }
  assert.deepEqual(await ask("GET /letters/states"), [200, {
    value: [{ target: "mail", waiting: 1, place: "outbox" }],
  }]);
  const multitenant = routes({ env: { requires: { multitenancy: true } } });
  assert.equal((await multitenant.ask("GET /letters/states"))[0], 404);
});

Deno.test("the configuration names roles and path of the endpoint; without it there is none", async () => {
  const cases: readonly [object, string, number][] = [
    [{}, "GET /dead-letters", 404],
    [{ dead_letters: { requires: "op" } }, "GET /dead-letters", 200],
    [{ dead_letters: { requires: ["x", "op"], path: "/own" } }, "GET /own", 200],
    [{ dead_letters: { requires: "op", path: "/own" } }, "GET /dead-letters", 404],
    [{ dead_letters: { requires: "boss" } }, "GET /dead-letters", 403],
  ];
  for (const [env, call, status] of cases) {
    const { runtime, ask } = runtimeWith({ env });
    addDeadLetterRoutes(runtime);
    assert.equal((await ask(call))[0], status, call);
  }
});

Deno.test("letters are those of messaging services, whose channels may tell what waits and what the tenant is", async () => {
  const messaging = (options: object, channel: object, letters: readonly object[] | undefined) =>
    Object.create(MessagingService.prototype, {
      ...{ name: { value: "news" }, options: { value: options }, channel: { value: channel } },
      ...{ deadLetters: { value: letters && { list: () => Promise.resolve(letters) } } },
      backlog: { value: () => Promise.resolve({ waiting: 7 }) },
    });
  const letter = { id: "1", deliveries: 1, message: { topic: "t", data: 1, headers: { tenant: "t2" } } };
  const read = async (service: unknown, env?: object) => {
    const { runtime } = runtimeWith({ services: { news: service, other: { name: "other" } }, env });
    const letters = deadLettersOf({ ...runtime, queue: undefined });
    const list = async (tenant?: string) => (await letters.list({ tenant })).map(({ ID }) => ID);
    return [await list("t1"), await list("t2"), await letters.states()];
  };
  const backlog = () => {};
  const told = (more: object) => [{ place: "channel", target: "news", ...more }];
  assert.deepEqual(await read(messaging({}, { backlog }, [letter])), [
    ...[["news:1"], ["news:1"], told({ waiting: 7, dead: 1 })],
  ]);
  assert.deepEqual(await read(messaging({}, {}, [letter])), [["news:1"], ["news:1"], told({ dead: 1 })]);
  assert.deepEqual(await read(messaging({}, { backlog }, undefined)), [[], [], told({ waiting: 7 })]);
  const env = { requires: { multitenancy: true } };
  assert.deepEqual((await read(messaging({ tenantHeader: "tenant" }, {}, [letter]), env)).slice(0, 2), [[], [
    "news:1",
  ]]);
  assert.deepEqual((await read(messaging({ tenantHeader: 5 }, {}, [letter]), env)).slice(0, 2), [[], []]);
});
