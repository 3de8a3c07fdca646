/**
 * The channel `http-messaging`: CloudEvents over HTTP, received by a webhook of the application (`messaging` 5, 8). Runs
 * wherever `fetch` does.
 *
 * @module
 */

import { ConfigurationError } from "../../errors/configuration_error.ts";
import { shownUrl } from "../../log/redact.ts";
import type { Channel, ChannelOptions, Delivery, Guarantees, Message, Subscription } from "../channel.ts";
import { cloudEventHeaders, sourceOf } from "../cloud_events.ts";
import { MESSAGE_ID } from "../message_headers.ts";
import { EventReceiver, SENDER_ROLE } from "./event_receiver.ts";
import { assertDataSize } from "../message_json.ts";
import { type ContentMode, withOthers, writeBatch, writeBinary, writeStructured } from "./event_format.ts";
import { EventSender, type SenderOptions } from "./event_sender.ts";
import { encodeBase64 } from "../../util/bytes.ts";

/**
 * Creates the channel. Options of its entry: `path` (default `/messaging/<name>`), `requires` (roles
 * one of which senders need, default: `event-sender`), `contentMode` (default `binary`), `timeoutMs` (default 10 s), `credentials` with `url` (a text, or a list of texts: one for each receiver), `username`
 * and `password`, or `headers`. Without `url` it only receives.
 *
 * @param options name, configuration, limits
 * @throws ConfigurationError for a path or URL that is none, or where requests can be neither received nor sent
 */
export function createHttpChannel(options: ChannelOptions): Channel {
  return new HttpChannel(options);
}

class HttpChannel implements Channel {
  readonly kind = "http-messaging";
  readonly keepsMessages = false;
  readonly guarantees: Guarantees;
  readonly notice: string;
  readonly #options: ChannelOptions;
  readonly #mode: ContentMode;
  readonly #sender: EventSender;
  readonly #receiver: EventReceiver;

  constructor(options: ChannelOptions) {
    const { name, web, limits, log, options: entry } = options;
    if (!web) throw new ConfigurationError(`fw.requires.${name}: http-messaging needs a runtime around it`);
    const path = pathOf(name, entry.path);
    const roles = [(entry.requires ?? SENDER_ROLE) as string | readonly string[]].flat();
    this.#options = options;
    this.#mode = (entry.contentMode ?? "binary") as ContentMode;
    this.#sender = new EventSender(senderOptions(options));
    this.#receiver = new EventReceiver({
      limits,
      log,
      roles,
      tenantHeader: typeof entry.tenantHeader === "string" ? entry.tenantHeader : undefined,
    });
    this.guarantees = {
      delivery: "at-least-once",
      survives: "process crash",
      order: "none",
      dedupeWindowMs: 0,
      maxMessageBytes: limits.messageBytes,
      delayedRetry: true,
      deadLetters: false,
      replay: false,
    };
    this.notice =
      `At least once: an event counts as sent when its receivers have handled it. Events are received at ${path}, ` +
      sendersWith(roles);
    web.route(path, (request) => this.#receiver.answer(request));
  }

  connect(): Promise<void> {
    return Promise.resolve();
  }

  async publish(messages: readonly Message[]): Promise<void> {
    const events = messages.map((message) => this.#toEvent(message));
    if (this.#mode === "batch" && events.length > 0) return await this.#sender.send(writeBatch(events));
    const write = this.#mode === "structured" ? writeStructured : writeBinary;
    // one after the other: the next event of a key may not overtake a failing one
    for (const event of events) await this.#sender.send(write(event));
  }

  subscribe(
    subscription: Subscription,
    onDelivery: (delivery: Delivery) => Promise<void>,
  ): Promise<{ close(): Promise<void> }> {
    return Promise.resolve(this.#receiver.add(subscription, onDelivery));
  }

  async close({ drainMs } = { drainMs: 5_000 }): Promise<void> {
    this.#sender.close();
    await this.#receiver.close(drainMs);
  }

  #toEvent({ topic, headers, data, key }: Message): Message {
    const { name, application = name, options } = this.#options;
    const source = typeof options.source === "string" ? options.source : sourceOf(application);
    // what is sent again is the same event
    const { [MESSAGE_ID]: id } = headers;
    const attributes = cloudEventHeaders(withOthers(headers), {
      id: typeof id === "string" && id !== "" ? id : crypto.randomUUID(),
      type: topic,
      source,
      time: new Date().toISOString(),
    });
    if (key !== undefined) attributes.partitionkey ??= key;
    if (attributes.type !== topic) attributes.topic = topic;
    assertDataSize(topic, data, this.guarantees.maxMessageBytes);
    return { topic, data, headers: attributes };
  }
}

/** Who may send, in words. */
function sendersWith(roles: readonly string[]): string {
  if (roles.length === 0) return `from nobody, as "requires" is empty`;
  return `from users with ${roles.length > 1 ? "one of the roles" : "the role"} ${roles.join(", ")}`;
}

function senderOptions({ name, web, options, log }: ChannelOptions): SenderOptions {
  const { url, username, password, headers } = (options.credentials ?? {}) as {
    url?: unknown;
    username?: unknown;
    password?: unknown;
    headers?: Readonly<Record<string, string>>;
  };
  const given = new Headers(headers);
  if (typeof username === "string") {
    const bytes = new TextEncoder().encode(`${username}:${password ?? ""}`);
    given.set("authorization", `Basic ${encodeBase64(bytes)}`);
  }
  return {
    urls: (url === undefined ? [] : [url].flat()).map((one) => urlOf(name, one)),
    headers: given,
    timeoutMs: typeof options.timeoutMs === "number" ? options.timeoutMs : 10_000,
    fetch: (request) => web!.fetch(request),
    log,
  };
}

function pathOf(name: string, path: unknown): string {
  const value = path ?? `/messaging/${encodeURIComponent(name)}`;
  if (typeof value === "string" && /^\/[^?#:*\s]+$/.test(value)) return value;
  throw new ConfigurationError(
    `"fw.requires.${name}.path" must be a path that begins with a slash, but is ${JSON.stringify(path)}`,
  );
}

function urlOf(name: string, url: unknown): string {
  const parsed = typeof url === "string" && URL.canParse(url) ? new URL(url) : undefined;
  if (parsed && /^https?:$/.test(parsed.protocol)) return parsed.href;
  throw new ConfigurationError(
    `"fw.requires.${name}.credentials.url" must be an http or https URL, but is ${shownUrl(url)}`,
  );
}
