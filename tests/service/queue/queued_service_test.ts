/** What calls of a queued service store: the call as it was made (api 1). */

import assert from "node:assert/strict";
import { ConfigurationError } from "../../../mod.ts";
import type { ApplicationService } from "../../../src/service/application_service.ts";
import { queued, unqueued } from "../../../src/service/queue/queued_service.ts";
import { ScheduledTask } from "../../../src/service/queue/scheduled_task.ts";
import type { QueuedWork, WorkQueue } from "../../../src/service/queue/work_queue.ts";
import { ServiceEvent } from "../../../src/service/requests/service_event.ts";
import { ServiceRequest } from "../../../src/service/requests/service_request.ts";
import { createHost, createService } from "../fixture.ts";

/** A service, and what its queue was given. */
function createQueued(): {
  readonly own: ApplicationService;
  readonly service: ApplicationService;
  readonly stored: QueuedWork[];
  readonly queue: WorkQueue;
} {
  const stored: QueuedWork[] = [];
  const queue = {
    enqueue: (work: QueuedWork) => void stored.push(work),
    flush: () => Promise.resolve(void stored.splice(0)),
  } as unknown as WorkQueue;
  const service = createService(undefined, Object.assign(createHost(), { queue }));
  return { own: queued(service), service, stored, queue };
}

/** What is stored without members that are undefined. */
const plain = (stored: readonly QueuedWork[]) => JSON.parse(JSON.stringify(stored));
const work = (kind: string, more: object) => ({ service: "ShopService", kind, ...more });

Deno.test("events are stored by their name, however it is given, with data and headers", async () => {
  const { own, stored } = createQueued();
  const [data, headers] = [{ book: 1 }, { "x-a": "b" }];
  await own.emit("ordered", data, headers);
  await own.emit({ name: "ordered" } as never, data, headers);
  await own.emit({ event: "ordered", data, headers });
  await own.dispatch(new ServiceEvent({ event: "ordered", data, headers }));
  assert.deepEqual(plain(stored), Array(4).fill(work("emit", { event: "ordered", data, headers })));
});

Deno.test("requests are stored as they were sent: by name, by path, and with their queries where they have any", async () => {
  const { own, stored } = createQueued();
  const [data, headers] = [{ book: 1 }, { "x-a": "b" }];
  await own.send("order", data, headers);
  await own.send("POST", "Books", { ID: 1 });
  await own.send({ event: "order", data, headers });
  await own.dispatch(new ServiceRequest({ event: "order", data, headers }));
  await own.dispatch({ event: "order", data, headers });
  const query = { SELECT: { from: { ref: ["ShopService.Books"] } } };
  await own.dispatch(new ServiceRequest({ event: "READ", query }));
  await own.run(query);
  assert.deepEqual(plain(stored), [
    work("send", { event: "order", data, headers }),
    work("send", { request: { method: "POST", path: "Books", data: { ID: 1 } } }),
    work("send", { request: { event: "order", data, headers } }),
    work("send", { event: "order", data, headers }),
    work("send", { event: "order", data, headers }),
    work("run", { query }),
    work("run", { query }),
  ]);
});

Deno.test("values of queries are stored in the forms that databases take in text", async () => {
  const { own, stored } = createQueued();
  const values = [new Uint8Array([1, 2]), 12n, NaN, Infinity, -Infinity, 0, -1.5, "x", null, true];
  await own.run({ INSERT: { into: "ShopService.Books", columns: [], values } } as never);
  const [{ query }] = plain(stored);
  assert.deepEqual(query.INSERT.values, ["AQI=", "12", "NaN", "INF", "-INF", 0, -1.5, "x", null, true]);
});

Deno.test("what names nothing, and functions, are refused before anything is stored", async () => {
  const { own, stored } = createQueued();
  for (const event of [null, undefined, "", {}]) {
    await assert.rejects(async () => await own.emit(event as never), TypeError);
  }
  await assert.rejects(async () => await own.run((() => {}) as never), /A function cannot be queued/);
  assert.deepEqual(stored, []);
});

Deno.test("a queued service has one that is not, flushes its queue, and is not queued twice", async () => {
  const { own, service, stored } = createQueued();
  assert.equal(unqueued(own), service);
  assert.equal(unqueued(service), service);
  await queued(own).emit("ordered", {});
  assert.equal(stored.length, 1);
  await (own as unknown as { flush(): Promise<void> }).flush();
  assert.equal(stored.length, 0);
});

Deno.test("a service that queues its events itself is told whether to", () => {
  const { service } = createQueued();
  const isQueued = (given: object) => (given as { isQueued?: boolean }).isQueued;
  const aware = Object.assign(service, { isQueued: true });
  assert.deepEqual([isQueued(queued(aware)), isQueued(unqueued(aware))], [true, false]);
  assert.equal(isQueued(queued(unqueued(aware))), true);
  for (const own of [queued(unqueued(aware)), unqueued(queued(aware)), unqueued(unqueued(aware))]) {
    assert.equal(Object.getPrototypeOf(own), aware, "nothing stands between");
  }
  aware.isQueued = false;
  assert.equal(unqueued(aware), aware);
});

Deno.test("a service without outbox cannot be queued", () => {
  assert.throws(() => queued(createService()), (error) => {
    assert.ok(error instanceof ConfigurationError);
    assert.match(error.message, /"ShopService" cannot be queued/);
    return true;
  });
});

Deno.test("a task is awaited until it is stored, or could not be", async () => {
  const timings: unknown[] = [];
  const works: QueuedWork[] = [];
  const enqueue = async (work: QueuedWork, timing: unknown) => {
    await new Promise((go) => setTimeout(go, 0));
    works.push(work);
    timings.push(timing);
    if (timings.length > 1) throw new Error("no database");
  };
  const task = () =>
    new ScheduledTask({ enqueue } as unknown as WorkQueue, { service: "S", kind: "send", event: "tidy" });
  await task().after(2, "s").every("1 min").as("daily");
  assert.deepEqual(timings, [{ task: "daily", after: 2_000 }]);
  await assert.rejects(async () => await task(), /no database/);
  assert.deepEqual(timings[1], { task: "tidy" });
  const call = { service: "S", kind: "send", event: "tidy" };
  assert.deepEqual(works, [{ ...call, every: 60_000 }, call]);
});
