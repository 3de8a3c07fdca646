import assert from "node:assert/strict";
import fw from "../../mod.ts";
import { createRuntime } from "../../src/fw/create_runtime.ts";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import type { MessagingService } from "../../src/messaging/messaging_service.ts";
import { inFolder } from "../messaging/services.ts";

const USERS = {
  operator: { password: "pw", roles: ["operator"] },
  bob: { password: "pw" },
  t1: { password: "pw", roles: ["operator"], tenant: "t1" },
};

/** A runtime whose handlers give up every message of topic `bad`. */
async function withLetters(
  env: Readonly<Record<string, unknown>>,
  run: (ask: Ask, emit: (data: unknown, headers?: Record<string, unknown>) => Promise<void>) => Promise<void>,
): Promise<void> {
  await inFolder(async (folder) => {
    const requires = {
      auth: { kind: "mocked", users: USERS },
      messaging: {
        kind: "file-based-messaging",
        file: `${folder}/box`,
        outboxed: false,
        tenantHeader: "x-tenant",
      },
      ...env.requires as object,
    };
    const runtime = createRuntime({
      ...{ name: "shop", model: { definitions: {} }, kinds: denoKinds },
      env: { ...env, requires, log: { levels: { default: "silent" } } },
    });
    await runtime.start();
    try {
      const messaging = await runtime.connect("messaging") as MessagingService;
      messaging.on("bad", () => {
        throw Object.assign(new Error("no use"), { unrecoverable: true });
      });
      let count = 0;
      await run(async (method, path, user) => {
        const headers: Record<string, string> = user === undefined
          ? {}
          : { authorization: `Basic ${btoa(`${user}:pw`)}` };
        const response = await runtime.fetch(new Request(`http://localhost${path}`, { method, headers }));
        const text = await response.text();
        return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
      }, async (data, headers = {}) => {
        count++;
        await messaging.emit("bad", data, headers);
        for (const end = Date.now() + 60_000; Date.now() < end;) {
          if ((await messaging.deadLetters!.list(100)).length === count) break;
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
      });
    } finally {
      await runtime.close();
    }
  });
}

type Ask = (
  method: string,
  path: string,
  user?: string,
) => Promise<
  { readonly status: number; readonly body: Record<string, unknown> & { value: Record<string, unknown>[] } }
>;

Deno.test("those with the role list, show, replay and discard dead letters over HTTP; others do not", () =>
  withLetters({ dead_letters: { requires: ["operator"] } }, async (ask, emit) => {
    await emit({ n: 1 }, { authorization: "pw-1", x: "y" });
    await emit(Uint8Array.of(0, 255));
    const { status, body } = await ask("GET", "/dead-letters", "operator");
    assert.equal(status, 200);
    assert.deepEqual(body.value.map(({ service, event, attempts }) => [service, event, attempts]), [
      ["messaging", "bad", 1],
      ["messaging", "bad", 1],
    ]);
    const [first, second] = body.value.map(({ id }) => String(id));
    const shown = (await ask("GET", `/dead-letters/${first}`, "operator")).body;
    assert.deepEqual([shown.data, (shown.headers as Record<string, unknown>).x], [{ n: 1 }, "y"]);
    assert.equal((shown.headers as Record<string, unknown>).authorization, "***");
    assert.match(String(shown.lastError), /^Error: no use/);
    assert.equal((await ask("GET", `/dead-letters/${second}`, "operator")).body.data_base64, "AP8=");
    assert.equal((await ask("GET", "/dead-letters?limit=1", "operator")).body.value.length, 1);
    const states = (await ask("GET", "/dead-letters/states", "operator")).body.value;
    assert.ok(states.some(({ dead }: { dead?: number }) => dead === 2), JSON.stringify(states));
    assert.equal((await ask("GET", "/dead-letters?limit=x", "operator")).status, 400);

    for (const [user, expected] of [["bob", 403], [undefined, 401]] as const) {
      for (
        const [method, path] of [
          ...[["GET", ""], ["GET", `/${first}`], ["DELETE", `/${first}`]],
          ...[["POST", `/${first}/replay`], ["POST", "/replay"]],
        ]
      ) {
        assert.equal(
          (await ask(method!, `/dead-letters${path}`, user)).status,
          expected,
          `${user} ${method} ${path}`,
        );
      }
    }
    assert.deepEqual(await ask("DELETE", `/dead-letters/${second}`, "operator"), {
      status: 204,
      body: undefined,
    });
    for (const [method, path] of [["GET", ""], ["DELETE", ""], ["POST", "/replay"]]) {
      assert.equal((await ask(method!, `/dead-letters/${second}${path}`, "operator")).status, 404);
    }
    assert.equal((await ask("GET", `/dead-letters/${first!.slice(0, 12)}`, "operator")).status, 404);
    assert.deepEqual((await ask("POST", `/dead-letters/${first}/replay`, "operator")).body, { replayed: 1 });
  }));

Deno.test("with multitenancy each tenant sees its own dead letters only", () =>
  withLetters(
    { dead_letters: { requires: "operator", path: "/ops/letters" }, requires: { multitenancy: true } },
    async (ask, emit) => {
      await emit(1, { "x-tenant": "t1" });
      await emit(2, { "x-tenant": "t2" });
      const { body } = await ask("GET", "/ops/letters", "t1");
      assert.equal(body.value.length, 1);
      const [{ id }] = body.value;
      assert.equal((await ask("GET", `/ops/letters/${id}`, "t1")).body.data, 1);
      assert.deepEqual((await ask("POST", "/ops/letters/replay", "t1")).body, { replayed: 1 });
    },
  ));

Deno.test("without a role there is no endpoint for dead letters", () =>
  withLetters({}, async (ask) => {
    assert.equal((await ask("GET", "/dead-letters", "operator")).status, 404);
  }));

Deno.test("an endpoint for dead letters that is open to everybody stops the start", async () => {
  for (
    const [settings, message] of [
      [{}, /"fw\.dead_letters\.requires" must name the roles/],
      [{ requires: "any" }, /but is "any"$/],
      [{ requires: ["operator", "authenticated-user"] }, /but is "authenticated-user"$/],
      [{ requires: "operator", path: "letters" }, /"fw\.dead_letters\.path" must be a path/],
    ] as const
  ) {
    const runtime = createRuntime({
      ...{ name: "shop", model: { definitions: {} }, kinds: denoKinds },
      env: {
        dead_letters: settings,
        requires: { auth: { kind: "dummy" } },
        log: { levels: { default: "silent" } },
      },
    });
    await assert.rejects(runtime.start(), (error: Error) => {
      assert.equal(error.name, "ConfigurationError");
      assert.match(error.message, message);
      return true;
    });
    await runtime.close();
  }
});

Deno.test("fw.deadLetters holds those of the outbox, too", () =>
  inFolder(async (folder) => {
    const runtime = createRuntime({
      ...{ name: "shop", model: { definitions: {} }, kinds: denoKinds },
      env: {
        requires: {
          auth: { kind: "dummy" },
          db: { kind: "sqlite", credentials: { url: `${folder}/db.sqlite` } },
          messaging: { kind: "file-based-messaging", file: `${folder}/box` },
        },
        log: { levels: { default: "silent" } },
      },
    });
    await runtime.start();
    try {
      const messaging = await runtime.connect("messaging") as MessagingService;
      messaging.channel.publish = () =>
        Promise.reject(Object.assign(new Error("refused"), { unrecoverable: true }));
      await messaging.emit("a/b", { n: 1 });
      await runtime.queue!.flush();
      const letters = fw.deadLetters;
      const [{ ID, target }] = await letters.list();
      assert.equal(target, "messaging");
      assert.equal((await letters.list({ id: ID.slice(0, 8) })).length, 1);
      assert.equal(await letters.replay({ id: ID }), 1);
      await runtime.queue!.flush();
      const [again] = await letters.list();
      assert.equal(await letters.discard({ id: again.ID }), true);
      assert.deepEqual(await letters.list(), []);
    } finally {
      await runtime.close();
    }
  }));
