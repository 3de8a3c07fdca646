/** What waits for a group in NATS. */

import assert from "node:assert/strict";
import { type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { natsBacklog } from "../../../src/messaging/brokers/nats/nats_backlog.ts";
import { createNatsChannel } from "../../../src/messaging/brokers/nats/nats_channel.ts";
import { NatsNames } from "../../../src/messaging/brokers/nats/nats_names.ts";
import { findService, uniqueName } from "../../contract/services.ts";
import { channelOptions } from "../channels.ts";

const { address, isThere } = await findService("nats");

Deno.test({
  name: "messages wait until they are handled, and the age of the oldest is told as long as there are some",
  ignore: !isThere,
  fn: async () => {
    const stream = uniqueName();
    const channel = createNatsChannel(channelOptions({ credentials: { url: address }, stream }));
    const connection = await connect({ servers: address });
    const manager = await jetstreamManager(connection);
    const { promise: isFree, resolve: free } = Promise.withResolvers<void>();
    try {
      assert.equal(await channel.backlog!("g"), undefined, "nobody knows the group");
      await channel.subscribe({ group: "g", topics: "*", concurrency: 1 }, async ({ ack }) => {
        await isFree;
        await ack();
      });
      assert.deepEqual(await channel.backlog!("g"), { waiting: 0 });
      await channel.publish([1, 2, 3].map((data) => ({ topic: "T.e", data, headers: {} })));
      await channel.publish([{ topic: "T.e", data: 4, headers: {}, key: "k" }]);
      const { waiting, oldestAgeMs, ...others } = (await channel.backlog!("g"))!;
      assert.deepEqual([waiting, typeof oldestAgeMs, others], [4, "number", {}]);
      assert.ok(oldestAgeMs! >= 0);
      free();
      let left = await channel.backlog!("g");
      for (let attempt = 0; attempt < 3_000 && left!.waiting > 0; attempt++) {
        left = await channel.backlog!("g");
      }
      assert.deepEqual(left, { waiting: 0 });
    } finally {
      free();
      await channel.close();
      await manager.streams.delete(stream);
      await connection.close();
    }
  },
});

/** What a consumer of the server tells. */
interface Waiting {
  readonly num_pending: number;
  readonly num_ack_pending: number;
  readonly ack_floor: { readonly stream_seq: number };
}

const waitingFor = (pending: number, unsettled: number, floor = 0): Waiting => ({
  ...{ num_pending: pending, num_ack_pending: unsettled, ack_floor: { stream_seq: floor } },
});

/** What waits for group `g` at a server with these consumers, and which messages it was asked for. */
async function backlogOf(
  consumers: Readonly<Record<string, Waiting>>,
  { missing = { code: 10014 } as object, messages = {} as Readonly<Record<number, number>> } = {},
) {
  const asked: unknown[] = [];
  const manager = {
    consumers: {
      info: (_stream: string, name: string) =>
        name in consumers
          ? Promise.resolve(consumers[name])
          : Promise.reject(Object.assign(new Error("missing"), missing)),
    },
    streams: {
      getMessage: (_stream: string, { seq, next_by_subj }: { seq: number; next_by_subj: string }) => {
        asked.push([seq, next_by_subj]);
        return seq in messages
          ? Promise.resolve({ time: new Date(Date.now() - messages[seq]!) })
          : Promise.reject(Object.assign(new Error("no message found"), { code: 10037 }));
      },
    },
  };
  const found = await natsBacklog(manager as unknown as JetStreamManager, new NatsNames("fw", "e"), "g");
  return { found, asked };
}

Deno.test("what waits for a group is what was not given to its consumers, and what they have not settled, of all partitions", async () => {
  const consumers = {
    ...{
      g: waitingFor(3, 2, 4),
      "g-k0": waitingFor(0, 1, 7),
      "g-k3": waitingFor(5, 0),
      "g-k7": waitingFor(0, 0, 9),
    },
    ...{ "g-k8": waitingFor(100, 0), h: waitingFor(100, 0) },
  };
  const messages = { 5: 60_000, 8: 3_600_000, 1: 1_000 };
  const { found, asked } = await backlogOf(consumers, { messages });
  assert.equal(found!.waiting, 11);
  assert.ok(found!.oldestAgeMs! >= 3_600_000 && found!.oldestAgeMs! < 3_700_000, String(found!.oldestAgeMs));
  assert.deepEqual(asked, [[5, "fw.t.>"], [8, "fw.k.0.>"], [1, "fw.k.3.>"]]);
});

Deno.test("a group without consumers is unknown; where the oldest message has gone meanwhile, its age is", async () => {
  const missing = [{ code: 10014 }, { code: 10059 }, { api_error: { err_code: 10014 } }];
  for (const one of missing) assert.equal((await backlogOf({}, { missing: one })).found, undefined);
  assert.deepEqual((await backlogOf({ g: waitingFor(0, 0) })).found, { waiting: 0 });
  assert.deepEqual((await backlogOf({ g: waitingFor(2, 0) })).found, { waiting: 2 });
  await assert.rejects(backlogOf({}, { missing: { code: 503 } }), { message: "missing", code: 503 });
});
