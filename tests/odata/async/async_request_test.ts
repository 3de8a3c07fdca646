/** A request that runs on behind its first answer (OData Protocol 11.6). */

import assert from "node:assert/strict";
import { DEFAULT_LIMITS } from "../../../src/config/limits.ts";
import { EventContext } from "../../../src/context/event_context.ts";
import { type AsyncOptions, AsyncRequest, calledOff } from "../../../src/odata/async/async_request.ts";
import { type Answer, createExchange, type ProtocolScope } from "../../../src/odata/exchange.ts";
import { HeaderList } from "../../../src/odata/header_list.ts";
import { recordingLog } from "../../messaging/channels.ts";

const ANSWER: Answer = { status: 200, headers: new HeaderList(), body: "x" };

function asyncRequest(options: Partial<AsyncOptions>): AsyncRequest {
  const host = { limits: DEFAULT_LIMITS, env: {}, log: () => recordingLog(), texts: () => undefined };
  const scope = { host, root: "/s", settings: {} } as unknown as ProtocolScope;
  const request = { method: "POST", headers: new HeaderList(), body: null };
  const exchange = createExchange(scope, { request, context: new EventContext(), rawUrl: "E" });
  const usual = { id: "1", run: () => ANSWER, limitMs: 1e6, isOneTransaction: true };
  return new AsyncRequest(exchange, new Uint8Array(), { ...usual, ...options });
}

/** Starts a request, and ends it; what happens in which order. */
async function ended(request: AsyncRequest): Promise<readonly unknown[]> {
  const order: unknown[] = [];
  const done = request.start().then(({ status }) => order.push(status));
  order.push(await request.end(calledOff()));
  await done;
  return order;
}

Deno.test("a request that is ended has its answer before that is told", async () => {
  const work = Promise.withResolvers<Answer>();
  assert.deepEqual(await ended(asyncRequest({ run: () => work.promise })), [409, true]);
});

Deno.test("a request that is done, or whose commit has begun, is not ended any more", async () => {
  const request = asyncRequest({});
  assert.equal((await request.start()).status, 200);
  assert.equal(await request.end(calledOff()), false);
  assert.equal(await request.start(), await request.start());

  const [committing, committed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const changing = asyncRequest({
    run: async ({ context }) => {
      await context.ending!.askBeforeCommit!();
      committing.resolve();
      await committed.promise;
      return ANSWER;
    },
  });
  const done = changing.start();
  await committing.promise;
  assert.equal(await changing.end(calledOff()), false);
  committed.resolve();
  assert.equal((await done).status, 200);
});

Deno.test("a request that was called off elsewhere is not committed", async () => {
  const request = asyncRequest({
    run: async ({ context }) => {
      await assert.rejects(async () => await context.ending!.askBeforeCommit!(), { status: 409 });
      return { ...ANSWER, status: 204 };
    },
  });
  request.mayCommit = () => Promise.resolve(false);
  assert.equal((await request.start()).status, 204);
});

Deno.test("a request that takes too long is 504", async () => {
  const work = Promise.withResolvers<Answer>();
  const { status, body } = await asyncRequest({ run: () => work.promise, limitMs: 1 }).start();
  assert.equal(status, 504);
  assert.match(String(body), /HANDLER_TIMEOUT/);
});
