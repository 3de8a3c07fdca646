import {
  DiscardPolicy,
  jetstream,
  type JetStreamClient,
  type JetStreamManager,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from "@nats-io/jetstream";
import {
  connect,
  type ConnectionOptions,
  headers as natsHeaders,
  nanos,
  type NatsConnection,
} from "@nats-io/transport-node";
import type {
  Backlog,
  Channel,
  ChannelOptions,
  DeadLetters,
  Delivery,
  Guarantees,
  Message,
  Subscription,
} from "../../channel.ts";
import { ConsumerSet, publishInLanes } from "../consumer_set.ts";
import { type BrokerOptions, brokerOptions, credential } from "../broker_options.ts";
import { ChannelConnection, retryUntil } from "../channel_connection.ts";
import { GROUP_HEADER, messageId, toWire, type WireMessage } from "../wire_message.ts";
import { encodeAttribute } from "../../http/event_format.ts";
import { toPublishError } from "./nats_message.ts";
import { natsBacklog } from "./nats_backlog.ts";
import { NatsConsumer } from "./nats_consumer.ts";
import { NatsDeadLetters } from "./nats_dead_letters.ts";
import { NatsNames } from "./nats_names.ts";
import { ConfigurationError } from "../../../errors/configuration_error.ts";
import { isPlainObject } from "../../../util/is_plain_object.ts";

/** Ids that the server remembers. */
const DEDUPE_WINDOW_MS = 2 * 60 * 1000;
/** How long one attempt to store a message may take before it is repeated under the same id. */
const ATTEMPT_MS = 2_000;
/**
 * Time after which a message of an instance that is gone goes to another one, as well as one that was lost on its way. Short,
 * as messages of its key wait for it; instances renew it, and handle nothing that they could not renew.
 */
const ACK_WAIT_MS = 1_500;
/** JetStream error: a stream of that name exists with other settings. */
const STREAM_EXISTS = 10058;

const KIND = "nats-messaging";
const NOTICE =
  "At least once per consumer group for every message whose emit returned; messages of one key in order, one at a time " +
  "in all instances of a group; messages of equal id within two minutes count as one. Messages are kept for the retention time, a new " +
  "group begins with the oldest one. The server survives a host crash only with sync_interval: always (sync: true here)";

/**
 * Creates a channel over NATS JetStream. Options of the entry: `credentials` (`url`, `user`, `password`, `token`, `tls`),
 * `stream`, `retentionMs`, `timeoutMs`, `ackWaitMs`, `maxMessageBytes`,
 * `sync`.
 *
 * @param options the configuration
 * @throws ConfigurationError if credentials are missing
 */
export function createNatsChannel(options: ChannelOptions): Channel {
  return new NatsChannel(options);
}

interface Connected {
  readonly connection: NatsConnection;
  readonly client: JetStreamClient;
  readonly manager: JetStreamManager;
}

/** A message and what the server gets. */
interface Prepared {
  readonly message: Message;
  readonly wire: {
    readonly headers: ReturnType<typeof natsHeaders>;
    readonly msgID: string;
    readonly body: WireMessage["body"];
  };
}

class NatsChannel implements Channel {
  readonly kind = KIND;
  readonly notice = NOTICE;
  readonly #options: ChannelOptions;
  readonly #broker: BrokerOptions;
  readonly #names: NatsNames;
  readonly #consumers: ConsumerSet = new ConsumerSet();
  readonly #connection: ChannelConnection<Connected>;

  constructor(options: ChannelOptions) {
    this.#options = options;
    this.#broker = brokerOptions(options, KIND, { ackWaitMs: ACK_WAIT_MS });
    this.#names = new NatsNames(this.#broker.stream, this.#broker.entry);
    this.#connection = new ChannelConnection((signal) => this.#open(signal));
  }

  get guarantees(): Guarantees {
    const { sync, maxMessageBytes } = this.#broker;
    return {
      delivery: "at-least-once",
      survives: sync ? "host crash" : "process crash",
      order: "key",
      dedupeWindowMs: DEDUPE_WINDOW_MS,
      maxMessageBytes,
      delayedRetry: true,
      deadLetters: true,
      replay: true,
    };
  }

  async connect(signal?: AbortSignal): Promise<void> {
    await this.#connection.get(signal);
  }

  async publish(messages: readonly Message[]): Promise<void> {
    const prepared = messages.map((message) => ({ message, wire: this.#prepare(message) }));
    await this.#connection.get();
    const publish = ({ message, wire }: Prepared) => this.#publish(message, wire);
    await publishInLanes(prepared, publish);
  }

  deadLetters(group: string): DeadLetters {
    const { stream } = this.#names;
    return new NatsDeadLetters({
      stream,
      subject: this.#names.dead(group),
      reading: {
        names: this.#names,
        limits: { ...this.#options.limits, messageBytes: this.#broker.maxMessageBytes },
      },
      manager: async () => (await this.#connection.get()).manager,
      publish: async (message, id) => {
        const wire = this.#prepare(message);
        wire.headers.append(GROUP_HEADER, encodeAttribute(group));
        await this.#publish(message, { ...wire, msgID: encodeAttribute(id) });
      },
    });
  }

  async backlog(group: string): Promise<Backlog | undefined> {
    const { manager } = await this.#connection.get();
    return await natsBacklog(manager, this.#names, group);
  }

  async #publish({ topic, key }: Message, { body, ...publishOptions }: Prepared["wire"]): Promise<void> {
    const { client } = await this.#connection.get();
    const subject = this.#names.subject(topic, key);
    await this.#retrying(async () => {
      this.#connection.assertOpen();
      try {
        await client.publish(subject, body, { ...publishOptions, timeout: ATTEMPT_MS });
      } catch (error) {
        throw toPublishError(error, topic);
      }
    });
  }

  async subscribe(
    subscription: Subscription,
    onDelivery: (delivery: Delivery) => Promise<void>,
  ): Promise<{ close(): Promise<void> }> {
    const { connection, client, manager } = await this.#connection.get();
    const { log, limits } = this.#options;
    const consumer = new NatsConsumer({
      ...{ connection, client, manager, names: this.#names, subscription, onDelivery, log },
      ackWaitMs: this.#broker.ackWaitMs,
      timeoutMs: ATTEMPT_MS,
      limits: { ...limits, messageBytes: this.#broker.maxMessageBytes },
    });
    await this.#retrying(() => consumer.open());
    return this.#consumers.add(consumer);
  }

  async close(_options?: { drainMs: number }): Promise<void> {
    const open = this.#connection.close();
    await this.#consumers.close();
    await (await open)?.connection.close();
  }

  /** The headers and the payload of a message, with an id under which repetitions are recognized. */
  #prepare(message: Message): Prepared["wire"] {
    const { attributes, own, body } = toWire(message, this.#broker.maxMessageBytes);
    const headers = natsHeaders();
    for (const [name, value] of Object.entries(attributes)) {
      headers.append(`ce-${name}`, encodeAttribute(value));
    }
    for (const [name, value] of Object.entries(own)) headers.append(name, value);
    const msgID = encodeAttribute(messageId(message) ?? crypto.randomUUID());
    return { headers, msgID, body };
  }

  async #open(signal?: AbortSignal): Promise<Connected> {
    const connection = await connectNats(this.#broker, signal);
    try {
      const manager = await this.#retrying(
        () => jetstreamManager(connection, { timeout: ATTEMPT_MS }),
        signal,
      );
      await this.#retrying(() => this.#ensureStream(manager), signal);
      return { connection, manager, client: jetstream(connection) };
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  /** Creates the stream where it is missing; one that the operator has made stays as it is. */
  async #ensureStream(manager: JetStreamManager): Promise<void> {
    try {
      await manager.streams.add({
        name: this.#names.stream,
        subjects: [this.#names.all],
        storage: StorageType.File,
        retention: RetentionPolicy.Limits,
        discard: DiscardPolicy.Old,
        max_age: nanos(this.#broker.retentionMs),
        duplicate_window: nanos(DEDUPE_WINDOW_MS),
      });
    } catch (error) {
      if ((error as { code?: unknown }).code !== STREAM_EXISTS) throw error;
    }
  }

  #retrying<T>(attempt: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return retryUntil(attempt, { broker: "NATS", timeoutMs: this.#broker.timeoutMs, signal });
  }
}

/** Pause between attempts to reconnect. */
const RECONNECT_MS = 250;

/**
 * Connects; the connection is restored by itself for as long as it is not closed.
 *
 * @param options address, login and time
 * @param signal ends the attempt
 * @throws ConfigurationError if the server refuses the login
 * @throws ServiceError `CHANNEL_UNREACHABLE` if it does not answer in time
 */
export async function connectNats(options: BrokerOptions, signal?: AbortSignal): Promise<NatsConnection> {
  const connection = natsConnection(options);
  const attempt = async () => {
    try {
      return await connect(connection);
    } catch (error) {
      if (error instanceof Error && error.name !== "AuthorizationError") throw error;
      // Without the cause: nothing that could tell a secret leaves this place.
      throw new ConfigurationError(`NATS refuses the login of ${options.entry}.credentials`);
    }
  };
  return await retryUntil(attempt, { broker: "NATS", timeoutMs: options.timeoutMs, signal });
}

/** What the client connects with. */
export function natsConnection(
  { credentials, attemptMs }: Pick<BrokerOptions, "credentials" | "attemptMs">,
): ConnectionOptions {
  const url = credential(credentials, "url")!;
  return {
    // Several servers of a cluster stand side by side, with commas.
    servers: url.split(",").map((one) => one.trim().replace(/^(nats|tls):\/\/([^@/]*@)?/, "")),
    ...loginOf(url),
    ...defined({
      user: credential(credentials, "user", "username"),
      pass: credential(credentials, "password", "pass"),
      token: credential(credentials, "token"),
    }),
    ...url.startsWith("tls://") || credentials.tls !== undefined
      ? { tls: isPlainObject(credentials.tls) ? credentials.tls : {} }
      : {},
    timeout: attemptMs,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_MS,
    // A login that is refused for a moment, while the server starts, is no reason to give up for good.
    ignoreAuthErrorAbort: true,
    noAsyncTraces: true,
  };
}

/** `nats://user:password@host` and `nats://token@host`. */
function loginOf(url: string): { user?: string; pass?: string; token?: string } {
  const login = /^\w+:\/\/([^@/]*)@/.exec(url)?.[1];
  if (!login) return {};
  const [user, pass] = login.split(":", 2).map(decodeURIComponent);
  return pass === undefined ? { token: user } : { user, pass };
}

function defined<T extends object>(value: T): Partial<T> {
  const entries = Object.entries(value).filter(([, one]) => one !== undefined);
  // Members of T only, some of them left out.
  return Object.fromEntries(entries) as Partial<T>;
}
