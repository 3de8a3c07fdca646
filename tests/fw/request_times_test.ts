import assert from "node:assert/strict";
import { EventContext, User } from "../../mod.ts";
import { RequestTimes, requestTimes, timedHandler, timedStrategy } from "../../src/fw/request_times.ts";

type Given = Parameters<typeof requestTimes>[0];
const timesOf = (timing: unknown, production: boolean) =>
  requestTimes({ env: { server: { timing } }, production } as unknown as Given);

Deno.test("times are told to everybody in development, and to roles in production (fw.server.timing)", () => {
  assert.equal(timesOf(undefined, false), undefined);
  assert.equal(timesOf(false, true), undefined);
  assert.equal(requestTimes({ env: {}, production: true } as unknown as Given), undefined);
  assert.equal(timesOf(true, false)!.roles, undefined);
  assert.deepEqual(timesOf({ requires: "operator" }, true)!.roles, ["operator"]);
  assert.throws(() => timesOf(true, true), {
    name: "ConfigurationError",
    message:
      '"fw.server.timing" is true, which tells everybody how long requests take: in production name roles, like ' +
      '{ "requires": "operator" }',
  });
  assert.throws(() => timesOf({ requires: "any" }, false), {
    message:
      '"fw.server.timing.requires" must name the roles of those who may see how long requests take, but is "any"',
  });
});

Deno.test("times of a request are those of all that it calls, and nobody else's", () => {
  const times = new RequestTimes(undefined);
  const context = new EventContext();
  times.begin(context);
  assert.equal(
    times.headerOf(context, 12.34),
    'total;dur=12.3, auth;dur=0.0, db;dur=0.0;desc="0 statements"',
  );
  times.addAuthentication(context, 1.26);
  times.addAuthentication(context, 1);
  times.addStatement(context, 2.5);
  assert.equal(times.headerOf(context, 5), 'total;dur=5.0, auth;dur=2.3, db;dur=2.5;desc="1 statement"');
  times.addStatement(context, 0.25);
  times.addStatement(undefined, 100);
  times.addStatement(new EventContext(), 100);
  times.addAuthentication(new EventContext(), 100);
  assert.equal(times.headerOf(context, 5), 'total;dur=5.0, auth;dur=2.3, db;dur=2.8;desc="2 statements"');
  assert.equal(times.headerOf(new EventContext(), 5), undefined);
});

Deno.test("times are told to those with one of the roles", () => {
  const times = new RequestTimes(["operator", "admin"]);
  const header = (roles: readonly string[]) => {
    const context = EventContext.for({ user: new User({ id: "u", roles: [...roles] }) });
    times.begin(context);
    return times.headerOf(context, 1) !== undefined;
  };
  assert.deepEqual([header([]), header(["other"]), header(["admin"]), header(["operator"])], [
    false,
    false,
    true,
    true,
  ]);
});

Deno.test("timedHandler() adds the header beside others, where the request is known and its user may see it", async () => {
  const times = new RequestTimes(undefined);
  const answer = () =>
    new Response("body", { status: 201, statusText: "Made", headers: { "server-timing": "a;dur=1" } });
  const known = timedHandler(() => {
    times.begin(new EventContext());
    return Promise.resolve(answer());
  }, times);
  const response = await known(new Request("http://a/"));
  assert.deepEqual([response.status, response.statusText, await response.text()], [201, "Made", "body"]);
  assert.match(
    response.headers.get("server-timing")!,
    /^a;dur=1, total;dur=\d+\.\d, auth;dur=0\.0, db;dur=0\.0;/,
  );
  const unknown = answer();
  assert.equal(await timedHandler(() => Promise.resolve(unknown), times)(new Request("http://a/")), unknown);
});

Deno.test("timedStrategy() adds what authentication took, in milliseconds, and decides as before", async () => {
  const { now } = performance;
  const context = new EventContext();
  const times = new RequestTimes(undefined);
  times.begin(context);
  const asked: unknown[] = [];
  let at = 5_000;
  performance.now = () => at;
  try {
    const strategy = {
      kind: "own",
      authenticate: (...given: unknown[]) => {
        asked.push(...given);
        at += 2_000;
        return { refused: true };
      },
    } as unknown as Parameters<typeof timedStrategy>[0];
    const request = new Request("http://a/");
    assert.deepEqual(await timedStrategy(strategy, times).authenticate(request, context, "client" as never), {
      refused: true,
    });
    assert.deepEqual(asked, [request, context, "client"]);
  } finally {
    performance.now = now;
  }
  assert.match(times.headerOf(context, 1)!, /auth;dur=2000\.0,/);
});
