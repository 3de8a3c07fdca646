/** What waits for a group in NATS. */

import assert from "node:assert/strict";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { createNatsChannel } from "../../../src/messaging/brokers/nats/nats_channel.ts";
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
