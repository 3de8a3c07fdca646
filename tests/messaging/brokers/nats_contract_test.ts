import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { createNatsChannel } from "../../../src/messaging/brokers/nats/nats_channel.ts";
import { testChannel } from "../../contract/channel.ts";
import { findService, uniqueName } from "../../contract/services.ts";
import { channelOptions } from "../channels.ts";
import { brokerTransport } from "./broker_transport.ts";

const { address, isThere } = await findService("nats");

testChannel({
  name: "NATS",
  isStored: true,
  ignore: !isThere,
  create: ({ ackWaitMs } = {}) => {
    const stream = uniqueName();
    return Promise.resolve(brokerTransport({
      address,
      create: (at) =>
        createNatsChannel(
          channelOptions({
            kind: "nats-messaging",
            credentials: { url: `nats://${at}` },
            stream,
            ackWaitMs,
          }),
        ),
      clean: async () => {
        const connection = await connect({ servers: address });
        const manager = await jetstreamManager(connection);
        await manager.streams.delete(stream).catch(() => {});
        await connection.close();
      },
    }));
  },
});
