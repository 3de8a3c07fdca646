import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import { currentContext } from "../../src/context/store.ts";
import { boundedRequest, TimeLimit } from "../../src/http/request_limits.ts";

const url = new URL("http://localhost/files");

function textWithin(limit: number, body: string, headers: Record<string, string> = {}): Promise<string> {
  return boundedRequest(new Request(url, { method: "POST", body, headers }), limit, url).text();
}

Deno.test("boundedRequest() lets bodies up to the limit be read, announced or not (auth 11)", async () => {
  const announced = { "content-length": "6" };
  assert.equal(await textWithin(6, "123456"), "123456");
  assert.equal(await textWithin(6, "123456", announced), "123456");
  await assert.rejects(async () => await textWithin(5, "123456"), { status: 413 });
  assert.throws(() => textWithin(5, "123456", announced), { status: 413 });
});

Deno.test("a request keeps its URL and what middleware has noted at it, and is the same where nothing is to be changed", async () => {
  const plain = new Request(url);
  assert.equal(boundedRequest(plain, 0, url), plain);
  const other = new URL("http://localhost/else");
  assert.equal(boundedRequest(plain, 0, other).url, other.href);
  const noted = Object.assign(new Request(url, { method: "POST", body: "abc" }), { user: "ann" });
  const copy = boundedRequest(noted, 3, other) as typeof noted;
  assert.deepEqual([copy.url, copy.method, copy.user, await copy.text()], [other.href, "POST", "ann", "abc"]);
  const read = new Request(url, { method: "POST", body: "abc", headers: { "x-a": "b" } });
  await read.text();
  const again = boundedRequest(read, 3, url);
  assert.deepEqual([again.method, again.headers.get("x-a"), again.body], ["POST", "b", null]);
});

Deno.test("work ends with what it gives or throws, at once where it is done, and after its time as one that is over", async () => {
  const limit = new TimeLimit(1, false);
  const long = new TimeLimit(60_000, false);
  const context = () => new EventContext({ user: { id: "ann" } });
  const run = (work: () => unknown, by = long, at = context(), end = (value: unknown) => `ended ${value}`) =>
    by.run(at, { run: work as () => string, end, fail: (error) => `failed ${(error as Error).message}` });
  const fails = (message: string) => () => {
    throw new Error(message);
  };
  assert.equal(run(() => 1), "ended 1");
  assert.equal(run(fails("now")), "failed now");
  assert.equal(await run(() => Promise.resolve(1)), "ended 1");
  assert.equal(await run(() => Promise.reject(new Error("later"))), "failed later");
  await assert.rejects(async () => await run(() => Promise.resolve(1), long, context(), fails("end")), {
    message: "end",
  });
  const over = context();
  let told: unknown[] = [];
  const late = limit.run(over, {
    run: () => new Promise<string>(() => {}),
    end: () => "ended",
    fail: (error) => {
      const { status, code } = error as { status: number; code: string };
      told = [status, code, over.ending?.signal.aborted];
      return "failed";
    },
  });
  assert.equal(await late, "failed");
  assert.deepEqual(told, [504, "HANDLER_TIMEOUT", true]);
  assert.equal(currentContext(), undefined);
});
