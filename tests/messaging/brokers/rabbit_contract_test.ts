import { createRabbitChannel } from "../../../src/messaging/brokers/rabbitmq/rabbit_channel.ts";
import { CONTRACT_GROUPS, testChannel } from "../../contract/channel.ts";
import { findService, uniqueName } from "../../contract/services.ts";
import { channelOptions } from "../channels.ts";
import { brokerTransport } from "./broker_transport.ts";
import { removeRabbit } from "./rabbit_cleaning.ts";

const { address, isThere } = await findService("rabbitmq");

testChannel({
  name: "RabbitMQ",
  isStored: true,
  ignore: !isThere,
  create: () => {
    const stream = uniqueName();
    return Promise.resolve(brokerTransport({
      address,
      create: (at) =>
        createRabbitChannel(
          channelOptions({
            kind: "rabbitmq-messaging",
            credentials: { url: `amqp://guest:guest@${at}` },
            stream,
          }),
        ),
      clean: () => removeRabbit(address, stream, CONTRACT_GROUPS),
    }));
  },
});
