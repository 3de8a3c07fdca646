import { CONTRACT_GROUPS, testChannel } from "../../contract/channel.ts";
import { findService, uniqueName } from "../../contract/services.ts";
import { amqpSetting } from "./amqp_setting.ts";
import { brokerTransport } from "./broker_transport.ts";

const { address, isThere } = await findService("rabbitmq");

testChannel({
  name: "AMQP 1.0",
  lacks: ["backlog"],
  isStored: true,
  ignore: !isThere,
  create: async () => {
    const { create, clean } = await amqpSetting(address, uniqueName(), CONTRACT_GROUPS);
    return brokerTransport({ address, create, clean });
  },
});
