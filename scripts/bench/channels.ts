/**
 * Publishing through channels beside the client library alone, with the same confirmations; and the file channel beside
 * plain appends.
 *
 * @module
 */

import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect as connectNats } from "@nats-io/transport-node";
import { connect as connectRabbit } from "amqplib";
import { Redis } from "ioredis";
import { Buffer } from "node:buffer";
import { DEFAULT_LIMITS } from "../../src/config/limits.ts";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import { rhea } from "../../src/messaging/brokers/amqp/amqp_message.ts";
import type { Channel } from "../../src/messaging/channel.ts";
import { type BrokerKind, BROKERS } from "../faults/broker_setups.ts";
import { SILENT } from "../faults/silent_log.ts";
import { answers, serviceAddress, SERVICES } from "../test_services.ts";

/** Publishes one message. */
type Publish = () => void | Promise<void>;

/** Both sides of a row. */
export interface ChannelSides {
  readonly name: string;
  readonly ours: Publish;
  readonly baseline: Publish;
  close(): Promise<void>;
}

/** A client library, ready to publish. */
interface Client {
  readonly publish: Publish;
  close(): Promise<unknown>;
}

const MESSAGE = {
  topic: "bench.Orders.submitted",
  data: { ID: 4711, customer: "Emily", text: "x".repeat(100) },
  headers: {},
};
const BODY = JSON.stringify(MESSAGE.data);

const nameOf = ({ kind }: BrokerKind) => `publish ${kind.replace("-messaging", "")}`;

/** Names of the rows. */
export const CHANNEL_NAMES: readonly string[] = ["publish file", ...BROKERS.map(nameOf)];

/**
 * The sides of the channels whose servers are there, one after the other; the others are named.
 *
 * @param isWanted whether a row is wanted
 */
export async function* channelSides(isWanted: (name: string) => boolean): AsyncGenerator<ChannelSides> {
  if (isWanted("publish file")) yield await fileSides();
  for (const broker of BROKERS.filter((broker) => isWanted(nameOf(broker)))) {
    const address = serviceAddress(broker.service);
    if (await answers(address)) yield await brokerSides(broker, address);
    else console.error(`"${broker.kind}" is left out: ${SERVICES[broker.service].title} does not answer`);
  }
}

async function open(entry: Readonly<Record<string, unknown>> & { readonly kind: string }): Promise<Channel> {
  const create = await denoKinds.channels![entry.kind]();
  const channel = (name: string) => Promise.reject(new Error(`No other channel ${name}`));
  return await create({ name: "messaging", options: entry, limits: DEFAULT_LIMITS, log: SILENT, channel });
}

async function fileSides(): Promise<ChannelSides> {
  const folder = Deno.makeTempDirSync();
  const channel = await open({ kind: "file-based-messaging", file: `${folder}/box` });
  const file = Deno.openSync(`${folder}/plain`, { create: true, append: true });
  const line = () =>
    new TextEncoder().encode(`\n${MESSAGE.topic} ${JSON.stringify({ data: MESSAGE.data, headers: {} })}\n`);
  return {
    name: "publish file",
    ours: () => channel.publish([MESSAGE]),
    baseline: () => void file.writeSync(line()),
    close: async () => {
      await channel.close();
      file.close();
      Deno.removeSync(folder, { recursive: true });
    },
  };
}

async function brokerSides(broker: BrokerKind, address: string): Promise<ChannelSides> {
  const name = `fwbench-${crypto.randomUUID().slice(0, 13)}`;
  const setup = await broker.setUp(address, name, ["g"]);
  const channel = await open(setup.entry(address));
  await channel.connect();
  const client = await CLIENTS[broker.kind](address, name);
  return {
    name: nameOf(broker),
    ours: () => channel.publish([MESSAGE]),
    baseline: client.publish,
    close: async () => {
      await channel.close();
      await client.close();
      await setup.clean();
    },
  };
}

/** What somebody would write with the client library alone, and the same promise: stored when it resolves. */
const CLIENTS: Readonly<Record<string, (address: string, name: string) => Promise<Client>>> = {
  "nats-messaging": async (servers, name) => {
    const connection = await connectNats({ servers });
    await jetstreamManager(connection);
    const client = jetstream(connection);
    return {
      publish: async () =>
        void await client.publish(`${name}.t.${MESSAGE.topic}`, JSON.stringify(MESSAGE.data), {
          msgID: crypto.randomUUID(),
        }),
      close: () => connection.close(),
    };
  },
  "rabbitmq-messaging": async (address, name) => {
    const connection = await connectRabbit(`amqp://guest:guest@${address}`, { noDelay: true });
    const channel = await connection.createConfirmChannel();
    return {
      publish: () =>
        new Promise((resolve, reject) => {
          const content = Buffer.from(JSON.stringify(MESSAGE.data));
          const confirmed = (error: unknown) => error ? reject(error) : resolve();
          channel.publish(name, MESSAGE.topic, content, { persistent: true }, confirmed);
        }),
      close: () => connection.close(),
    };
  },
  "redis-messaging": (address, name) => {
    const redis = new Redis(`redis://${address}`);
    const publish = async () =>
      void await redis.xadd(
        `{${name}}:t`,
        "*",
        "topic",
        MESSAGE.topic,
        "headers",
        "{}",
        "data",
        JSON.stringify(MESSAGE.data),
      );
    return Promise.resolve({ publish, close: () => redis.quit() });
  },
  "enterprise-messaging": async (address, name) => {
    const [host, port] = address.split(":");
    const login = { username: "guest", password: "guest", reconnect: false as const };
    const connection = rhea.create_container().connect({ host, port: Number(port), ...login });
    const sender = connection.open_sender({ target: { address: `/exchange/${name}` } });
    await new Promise((resolve) => sender.once("sendable", resolve));
    const pending = new Map<unknown, () => void>();
    sender.on("accepted", ({ delivery }: { delivery?: unknown }) => pending.get(delivery)?.());
    return {
      publish: () =>
        new Promise((resolve) => {
          const body = rhea.message.data_section(Buffer.from(BODY));
          pending.set(sender.send({ durable: true, subject: MESSAGE.topic, body }), resolve);
        }),
      close: () =>
        new Promise((resolve) => {
          connection.once("connection_close", resolve);
          connection.close();
        }),
    };
  },
};
