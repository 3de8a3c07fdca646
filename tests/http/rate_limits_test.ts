import assert from "node:assert/strict";
import { createRuntime } from "../../src/fw/create_runtime.ts";
import { pause } from "../../src/util/time.ts";
import { User } from "../../src/context/user.ts";
import { RateLimits, Usage } from "../../src/http/rate_limits.ts";

const MODEL = {
  definitions: {
    "Shop": { kind: "service" },
    "Shop.wait": { kind: "function", returns: { type: "cds.String" } },
    "Shop.hello": { kind: "function", returns: { type: "cds.String" } },
  },
} as const;

const USERS = {
  ann: { password: "pw", tenant: "t1" },
  ben: { password: "pw", tenant: "t1" },
  eve: { password: "pw", tenant: "t2" },
};

type Ask = (
  path: string,
  user?: string,
  more?: { readonly from?: string; readonly headers?: Readonly<Record<string, string>> },
) => Promise<Response>;

async function withLimits(
  server: Readonly<Record<string, unknown>>,
  run: (ask: Ask, release: () => void) => Promise<void>,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const runtime = createRuntime({
    model: MODEL,
    handlers: {
      Shop: (srv) => {
        srv.on("hello", () => "hello");
        srv.on("wait", () => promise.then(() => "waited"));
      },
    },
    env: {
      ...{ server, log: { levels: { default: "silent" } } },
      requires: { auth: { kind: "mocked", users: USERS }, multitenancy: true, db: false, messaging: false },
    },
  });
  await runtime.start();
  try {
    await run((path, user, { from = "192.0.2.1", headers = {} } = {}) => {
      const login: Record<string, string> = user === undefined
        ? {}
        : { authorization: `Basic ${btoa(`${user}:pw`)}` };
      const request = new Request(`http://localhost${path}`, { headers: { ...headers, ...login } });
      return runtime.fetch(request, { remoteAddr: { transport: "tcp", hostname: from, port: 1 } });
    }, resolve);
  } finally {
    resolve();
    await runtime.close();
  }
}

const HELLO = "/odata/v4/shop/hello()";

async function statusOf(answer: Promise<Response>): Promise<number> {
  const response = await answer;
  await response.body?.cancel();
  return response.status;
}

Deno.test("the requests of a limit come back evenly over its time", () => {
  const limits = new RateLimits({ per_user: 2, window_ms: 1_000 });
  const taken = (now: number) => limits.takeHere("user", "ann", now)!.remaining;
  assert.deepEqual([0, 0, 0, 500, 600, 990, 1010, 5000].map(taken), [1, 0, -1, 0, -1, -1, 0, 1]);
});

Deno.test("requests of a user beyond the limit are 429 with the time to come again; those of others are not", async () => {
  await withLimits({ rate_limits: { per_user: 2, window_ms: 3_600_000 } }, async (ask) => {
    const first = await ask(HELLO, "ann");
    assert.equal(first.headers.get("ratelimit-policy"), '"user";q=2;w=3600');
    assert.match(first.headers.get("ratelimit") ?? "", /^"user";r=1;t=\d+$/);
    await first.body?.cancel();
    assert.equal(await statusOf(ask(HELLO, "ann")), 200);
    const refused = await ask(HELLO, "ann");
    assert.equal(refused.status, 429);
    const { error } = await refused.json();
    assert.equal(error.code, "TOO_MANY_REQUESTS");
    assert.equal(error.message, "Too many requests");
    const seconds = Number(refused.headers.get("retry-after"));
    assert.ok(seconds > 1_700 && seconds <= 1_800, String(seconds));
    assert.equal(await statusOf(ask(HELLO, "eve")), 200);
    assert.equal(await statusOf(ask("/health", "ann")), 200);
  });
});

Deno.test("users of a tenant share its limit", async () => {
  await withLimits({ rate_limits: { per_tenant: 2, window_ms: 3_600_000 } }, async (ask) => {
    assert.equal(await statusOf(ask(HELLO, "ann")), 200);
    assert.equal(await statusOf(ask(HELLO, "ben")), 200);
    assert.equal(await statusOf(ask(HELLO, "ann")), 429);
    assert.equal(await statusOf(ask(HELLO, "eve")), 200);
  });
});

Deno.test("addresses are counted before anybody logs in, and no client names another one", async () => {
  await withLimits({ rate_limits: { per_address: 2, window_ms: 3_600_000 } }, async (ask) => {
    assert.equal(
      await statusOf(ask(HELLO, undefined, { headers: { authorization: `Basic ${btoa("ann:no")}` } })),
      401,
    );
    assert.equal(await statusOf(ask(HELLO, "ann", { headers: { "x-forwarded-for": "203.0.113.9" } })), 200);
    assert.equal(await statusOf(ask(HELLO, "ann", { headers: { "x-forwarded-for": "203.0.113.8" } })), 429);
    assert.equal(await statusOf(ask(HELLO, "ann", { from: "192.0.2.2" })), 200);
  });
});

Deno.test("behind a trusted proxy the address is the one that it forwards", async () => {
  const server = { trusted_proxies: ["192.0.2.1"], rate_limits: { per_address: 1, window_ms: 3_600_000 } };
  await withLimits(server, async (ask) => {
    const from = (address: string) => ({ headers: { "x-forwarded-for": address } });
    assert.equal(await statusOf(ask(HELLO, "ann", from("203.0.113.9"))), 200);
    assert.equal(await statusOf(ask(HELLO, "ann", from("203.0.113.8"))), 200);
    assert.equal(await statusOf(ask(HELLO, "ann", from("198.51.100.1, 203.0.113.8"))), 429);
  });
});

Deno.test("no more requests of a tenant run at once than configured, and each that ends makes room", async () => {
  await withLimits({ rate_limits: { concurrent_per_tenant: 1 } }, async (ask, release) => {
    const waiting = ask("/odata/v4/shop/wait()", "ann");
    const refused = await ask(HELLO, "ben");
    assert.deepEqual([refused.status, refused.headers.get("retry-after")], [429, "1"]);
    await refused.body?.cancel();
    assert.equal(await statusOf(ask(HELLO, "eve")), 200);
    release();
    assert.equal(await statusOf(waiting), 200);
    assert.equal(await statusOf(ask(HELLO, "ben")), 200);
  });
});

Deno.test("a request of a tenant that ends makes room for one, those that still run keep theirs", () => {
  const limits = new RateLimits({ concurrent_per_tenant: 2 });
  const [leave] = [limits.enter("t1"), limits.enter("t1")];
  leave();
  limits.enter("t1");
  assert.throws(() => limits.enter("t1"), { status: 429 });
});

Deno.test("of limits that leave as many requests, the headers tell the first", async () => {
  await withLimits({ rate_limits: { per_address: 5, per_user: 5 } }, async (ask) => {
    const response = await ask(HELLO, "ann");
    await response.body?.cancel();
    assert.match(response.headers.get("ratelimit-policy")!, /^"address";q=5/);
  });
});

Deno.test("without limits nothing is counted; a limit below one stops the start", async () => {
  await withLimits({}, async (ask) => {
    const response = await ask(HELLO, "ann");
    assert.equal(response.headers.get("ratelimit"), null);
    await response.body?.cancel();
  });
  await assert.rejects(withLimits({ rate_limits: { per_user: 0 } }, () => Promise.resolve()), /per_user/);
  await assert.rejects(withLimits({ rate_limits: { perUser: 5 } }, () => Promise.resolve()), /per_user/);
});

Deno.test("buckets fill again with time, and a flood of addresses keeps a bounded number of them", () => {
  const limits = new RateLimits({ per_address: 10, window_ms: 1_000 });
  for (let i = 0; i < 10; i++) assert.equal(limits.takeHere("address", "a", 0)?.remaining, 9 - i);
  assert.equal(limits.takeHere("address", "a", 50)?.remaining, -1);
  assert.equal(limits.takeHere("address", "a", 100)?.remaining, 0);
  assert.equal(limits.takeHere("address", "a", 5_000)?.remaining, 9);
  for (let i = 0; i < 50_000; i++) limits.takeHere("address", `flood ${i}`, 5_000);
  // the bucket unused for longest was forgotten: it is full again
  assert.equal(limits.takeHere("address", "a", 5_000)?.remaining, 9);
});

Deno.test("a process that answers as many requests as it may refuses others with 503, but says that it lives", async () => {
  await withLimits({ rate_limits: { concurrent: 2 } }, async (ask, release) => {
    const running = [ask("/odata/v4/shop/wait()", "ann"), ask("/odata/v4/shop/wait()", "eve")];
    for (let n = 0; n < 3; n++) {
      const refused = await ask(HELLO, "ben");
      assert.equal(refused.status, 503);
      assert.equal(refused.headers.get("retry-after"), "1");
      await refused.body?.cancel();
    }
    assert.equal(await statusOf(ask("/health")), 200);
    release();
    assert.deepEqual(await Promise.all(running.map(statusOf)), [200, 200]);
    for (let n = 0; n < 3; n++) assert.equal(await statusOf(ask(HELLO, "ben")), 200);
    for (let n = 0; n < 3; n++) assert.equal(await statusOf(ask("/odata/v4/shop/nothing", "ben")), 404);
    assert.equal(await statusOf(ask(HELLO, "ben")), 200);
  });
});

Deno.test("that requests are refused is told now and then, not with each of them", () => {
  const told: string[] = [];
  const limits = new RateLimits({ concurrent: 1 }, undefined, { warn: (text) => told.push(String(text)) });
  assert.equal(limits.begin(), true);
  for (let n = 0; n < 100; n++) assert.equal(limits.begin(), false);
  assert.deepEqual(told, [
    '1 requests are running, and others are refused ("fw.server.rate_limits.concurrent")',
  ]);
});

Deno.test("rate_limits.delay_ms: while a process is late with what it has to do it takes no more, unless it answers nothing", async () => {
  const told: string[] = [];
  const limits = new RateLimits({ delay_ms: 100 }, undefined, { warn: (text) => told.push(String(text)) });
  const block = () => {
    for (const end = performance.now() + 300; performance.now() < end;);
  };
  assert.equal(limits.begin(), true);
  assert.equal(limits.begin(), true);
  block();
  assert.equal(limits.begin(), false);
  assert.match(told.join(), /^What is due waits for \d{3} ms, and requests are refused \(".*delay_ms"\)$/);
  limits.leave();
  limits.leave();
  assert.equal(limits.begin(), true);
  // as soon as timers fire in time again
  while (!limits.begin()) await pause(1);
  limits.leave();
  limits.leave();
  await pause(50);
});

Deno.test("quotas that processes share are taken there, and here where nobody answers", async () => {
  const asked: unknown[] = [];
  let left: { isTaken: boolean; tokens: number } | undefined = { isTaken: true, tokens: 1.5 };
  const shared = {
    take(given: unknown) {
      asked.push(given);
      return Promise.resolve(left);
    },
  };
  const limits = new RateLimits({ per_user: 3, window_ms: 30_000 }, shared as never);
  const quota = { scope: "user", limit: 3, windowSeconds: 30 };
  assert.deepEqual(await limits.take("user", "ann"), { ...quota, remaining: 1, resetSeconds: 15 });
  left = { isTaken: false, tokens: 0.5 };
  assert.deepEqual(await limits.take("user", "ann"), { ...quota, remaining: -1, resetSeconds: 5 });
  left = undefined;
  assert.deepEqual(await limits.take("user", "ann"), { ...quota, remaining: 2, resetSeconds: 10 });
  assert.equal(await limits.take("tenant", "t"), undefined);
  assert.deepEqual(asked, Array(3).fill({ key: '["user","ann"]', limit: 3, windowMs: 30_000 }));
});

Deno.test("as many requests of a tenant run at once as may, and each ends once", () => {
  const limits = new RateLimits({ concurrent_per_tenant: 2 });
  const [first, second] = [limits.enter("t"), limits.enter("t")];
  assert.throws(() => limits.enter("t"), { status: 429, code: "TOO_MANY_REQUESTS" });
  assert.doesNotThrow(() => limits.enter("u"));
  first();
  first();
  const third = limits.enter("t");
  assert.throws(() => limits.enter("t"), { status: 429 });
  second();
  third();
  const all = [limits.enter("t"), limits.enter("t")];
  assert.throws(() => limits.enter("t"), { status: 429 });
  for (const end of all) end();
  const free = new RateLimits({});
  for (let count = 0; count < 5; count++) assert.doesNotThrow(() => free.enter("t"));
});

Deno.test("a process takes as many requests as may run, and tells now and then that it refuses others", () => {
  const told: unknown[] = [];
  const limits = new RateLimits({ concurrent: 2 }, undefined, {
    warn: (...given) => void told.push(...given),
  });
  assert.deepEqual([limits.begin(), limits.begin(), limits.begin(), limits.begin()], [
    true,
    true,
    false,
    false,
  ]);
  limits.leave();
  assert.deepEqual([limits.begin(), limits.begin()], [true, false]);
  assert.deepEqual(told, [
    '2 requests are running, and others are refused ("fw.server.rate_limits.concurrent")',
  ]);
});

Deno.test("requests without tenant are not counted as those of one, nor any whose time is over meanwhile", async () => {
  const limits = new RateLimits({ concurrent_per_tenant: 1 });
  const user = new User({ id: "ann" });
  const admitted = async (tenant: string | undefined, isOver = false) => {
    const usage = new Usage(limits);
    if (isOver) usage.end(new Headers());
    await usage.admitUser({ user, tenant }, undefined);
    return usage;
  };
  await admitted(undefined);
  await admitted(undefined);
  await admitted("t", true);
  const running = await admitted("t");
  await assert.rejects(admitted("t"), { status: 429 });
  running.end(new Headers());
  await admitted("t");
});
