import { createRedisChannel } from "../../../src/messaging/brokers/redis/redis_channel.ts";
import { testChannel } from "../../contract/channel.ts";
import { findService, uniqueName } from "../../contract/services.ts";
import { channelOptions } from "../channels.ts";
import { brokerTransport } from "./broker_transport.ts";
import { removeRedis } from "./redis_cleaning.ts";

const { address, isThere } = await findService("redis");

testChannel({
  name: "Redis",
  isStored: true,
  ignore: !isThere,
  create: ({ ackWaitMs } = {}) => {
    const stream = uniqueName();
    const options = { kind: "redis-messaging", stream, ackWaitMs };
    return Promise.resolve(brokerTransport({
      address,
      create: (at) =>
        createRedisChannel(channelOptions({ ...options, credentials: { url: `redis://${at}` } })),
      clean: () => removeRedis(address, stream),
    }));
  },
});
