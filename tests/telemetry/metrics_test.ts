import assert from "node:assert/strict";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import { createRuntime } from "../../src/fw/create_runtime.ts";
import type { Runtime } from "../../src/fw/runtime.ts";
import type { MessagingService } from "../../src/messaging/messaging_service.ts";

const MODEL = {
  definitions: {
    "Shop": { kind: "service" },
    "Shop.Books": {
      kind: "entity",
      elements: { ID: { key: true, type: "cds.Integer" }, title: { type: "cds.String" } },
    },
  },
} as const;

/** Requests that clients and measurements count. */
const COUNTED = 10_000;
const USERS = { operator: { password: "pw", roles: ["operator"] }, bob: { password: "pw" } };

async function withRuntime(
  server: Readonly<Record<string, unknown>>,
  run: (ask: Ask, runtime: Runtime) => Promise<void>,
  requires: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const runtime = createRuntime({
    model: MODEL,
    kinds: denoKinds,
    env: {
      ...{ server, log: { levels: { default: "silent" } } },
      requires: {
        auth: { kind: "mocked", users: USERS },
        db: { kind: "sqlite", credentials: { url: ":memory:" } },
        ...requires,
      },
    },
  });
  await runtime.start();
  try {
    await run(async (path, user, init = {}) => {
      const headers = new Headers(init.headers);
      if (user !== undefined) headers.set("authorization", `Basic ${btoa(`${user}:pw`)}`);
      const response = await runtime.fetch(new Request(`http://localhost${path}`, { ...init, headers }));
      return {
        status: response.status,
        type: response.headers.get("content-type"),
        text: await response.text(),
      };
    }, runtime);
  } finally {
    await runtime.close();
  }
}

type Ask = (
  path: string,
  user?: string,
  init?: RequestInit,
) => Promise<{ readonly status: number; readonly type: string | null; readonly text: string }>;

/** The value of one line of the text. */
function valueOf(text: string, line: RegExp): number {
  const found = text.split("\n").filter((one) => line.test(one)).map((one) => Number(one.split(" ").at(-1)));
  return found.reduce((sum, value) => sum + value, 0);
}

Deno.test("measurements are OpenMetrics text for those with the role, and 401 or 403 for all others", async () => {
  await withRuntime({ metrics: { requires: "operator" } }, async (ask) => {
    assert.equal((await ask("/metrics")).status, 401);
    const refused = await ask("/metrics", "bob");
    assert.equal(refused.status, 403);
    assert.doesNotMatch(refused.text, /http_server/);
    const { status, type, text } = await ask("/metrics", "operator");
    assert.equal(status, 200);
    assert.equal(type, "application/openmetrics-text; version=1.0.0; charset=utf-8");
    assert.ok(text.endsWith("# EOF\n"), text.slice(-20));
  });
});

Deno.test("measurements count what clients counted, by route and status", async () => {
  await withRuntime({ metrics: { requires: "operator", path: "/-/metrics" } }, async (ask) => {
    const statuses: number[] = [];
    for (let i = 0; i < COUNTED; i++) {
      const missing = i % 3 === 0 ? "(99)" : "";
      statuses.push((await ask(`/odata/v4/shop/Books${missing}`, "bob")).status);
    }
    await ask("/odata/v4/shop/Books", "bob", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ID: 1, title: "Secret title" }),
    });
    const { text } = await ask("/-/metrics", "operator");
    const requests = (status: number) =>
      valueOf(
        text,
        new RegExp(
          `^http_server_request_duration_seconds_count.*method="GET".*"/odata/v4/shop".*"${status}"`,
        ),
      );
    assert.equal(requests(200), statuses.filter((status) => status === 200).length);
    assert.equal(requests(404), statuses.filter((status) => status === 404).length);
    assert.equal(requests(200) + requests(404), COUNTED);
    const statements = /^db_client_operation_duration_seconds_count.*"INSERT".*"Shop.Books"/;
    assert.equal(valueOf(text, statements), 1);
    assert.doesNotMatch(text, /Secret title/);
  });
});

Deno.test("nothing is measured unless the configuration asks for it, and a role that everybody has is no role", async () => {
  await withRuntime({}, async (ask, { telemetry }) => {
    assert.equal(telemetry, undefined);
    assert.equal((await ask("/metrics", "operator")).status, 404);
  });
  await assert.rejects(
    withRuntime({ metrics: { requires: "any" } }, () => Promise.resolve()),
    /"fw.server.metrics.requires" must name the roles .* but is "any"/,
  );
  await assert.rejects(
    withRuntime({ metrics: { requires: "operator", path: "metrics" } }, () => Promise.resolve()),
    /"fw.server.metrics.path" must be a path that begins with a slash/,
  );
});

Deno.test("the outbox tells how much waits, since when, and what was given up", async () => {
  const messaging = { kind: "local-messaging", outboxed: true, maxAttempts: 1 };
  await withRuntime({ metrics: { requires: "operator" } }, async (ask, runtime) => {
    await runtime.db!.run({
      INSERT: {
        into: "fw.outbox.Messages",
        entries: ["a", "b"].map((ID, seq) => ({
          ...{ ID, seq, target: "elsewhere", appid: "app", msg: "{}", attempts: 0, partition: 0 },
          ...{ due: new Date(Date.now() - 60_000).toISOString(), status: ID === "b" ? "dead" : null },
        })),
      },
    } as never);
    const { text } = await ask("/metrics", "operator");
    assert.equal(valueOf(text, /^fw_outbox_messages\{target="elsewhere"/), 1);
    assert.equal(valueOf(text, /^fw_dead_letters\{target="elsewhere"/), 1);
    const age = valueOf(text, /^fw_outbox_oldest_age_seconds\{target="elsewhere"/);
    assert.ok(age >= 60 && age < 600, String(age));
  }, { messaging });
});

Deno.test("measurements count the dead letters of channels, and leave out a channel that is away", async () => {
  const requires = {
    db: false,
    messaging: { kind: "file-based-messaging", file: ":memory:", maxAttempts: 1 },
    away: { kind: "redis-messaging", credentials: { url: "redis://127.0.0.1:1" }, timeoutMs: 100 },
  };
  const folder = await Deno.makeTempDir();
  requires.messaging.file = `${folder}/box`;
  try {
    await withRuntime({ metrics: { requires: "operator" } }, async (ask, runtime) => {
      const messaging = await runtime.connect("messaging") as MessagingService;
      messaging.on("a/b", () => {
        throw Object.assign(new Error("no use"), { unrecoverable: true });
      });
      await messaging.emit("a/b", { n: 1 });
      let text = "";
      for (let i = 0; i < 500 && valueOf(text, /^fw_dead_letters\{target="messaging"/) === 0; i++) {
        await new Promise((resolve) => setTimeout(resolve, 10));
        text = (await ask("/metrics", "operator")).text;
      }
      assert.equal(valueOf(text, /^fw_dead_letters\{target="messaging"/), 1);
      assert.doesNotMatch(text, /target="away"/);
    }, requires);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
