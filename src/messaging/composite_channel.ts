/**
 * A channel that routes each event by its name to other channels (spec 6.3.4, `messaging` 2).
 *
 * Glob patterns over event names (spec 2.7, `messaging` 2).
 *
 * `**` stands for any characters, `*` for any characters but `/` and `.`, `?` for one character; everything else is
 * literal, and the whole name must match.
 *
 * @module
 */

import { ConfigurationError } from "../errors/configuration_error.ts";
import { ServiceError } from "../errors/service_error.ts";
import { isPlainObject } from "../util/is_plain_object.ts";
import {
  type Backlog,
  type Channel,
  type ChannelOptions,
  type DeadLetter,
  type DeadLetters,
  type Delivery,
  type Guarantees,
  joinBacklogs,
  type Message,
  type Subscription,
} from "./channel.ts";
import { oldestFirst } from "./dead_letter.ts";
import { withPrefixes } from "./prefix_channel.ts";
import globToRegExp from "glob-to-regexp";

/** Event names whose routes are remembered. */
const REMEMBERED = 1000;

interface Route {
  readonly name: string;
  readonly channel: Channel;
  readonly patterns: readonly string[];
  readonly expressions: readonly RegExp[];
}

/**
 * Creates a composite channel from `routes`: channel name to patterns over event names; prefixes of the entry come after.
 *
 * @param options the configuration; every channel named in `routes` has an entry of its own
 * @throws ConfigurationError for missing or expensive routes
 */
export async function createCompositeChannel(options: ChannelOptions): Promise<Channel> {
  const { routes } = options.options;
  if (!isPlainObject(routes) || Object.keys(routes).length === 0) {
    throw new ConfigurationError(
      `fw.requires.${options.name}.routes is missing, expected patterns by channel`,
    );
  }
  const compiled: Route[] = [];
  for (const [name, patterns] of Object.entries(routes)) {
    if (!Array.isArray(patterns) || !patterns.every((pattern) => typeof pattern === "string")) {
      throw new ConfigurationError(`fw.requires.${options.name}.routes.${name} must be a list of patterns`);
    }
    const expressions = patterns.map((pattern) => compileRoutePattern(pattern, name));
    const channel = withPrefixes(await options.channel(name), options.options);
    compiled.push({ name, patterns, expressions, channel });
  }
  return new CompositeChannel(compiled);
}

class CompositeChannel implements Channel {
  readonly kind = "composite-messaging";
  readonly guarantees: Guarantees;
  readonly notice: string | undefined;
  readonly keepsMessages: boolean;
  readonly #routes: readonly Route[];
  readonly #known: Map<string, ReadonlyMap<string, Channel>> = new Map();

  constructor(routes: readonly Route[]) {
    this.#routes = routes;
    this.guarantees = routes.map(({ channel }) => channel.guarantees).reduce(weakest);
    this.keepsMessages = routes.every(({ channel }) => channel.keepsMessages !== false);
    this.notice = routes.filter(({ channel }) => channel.notice)
      .map(({ name, channel }) => `${name}: ${channel.notice}`).join("\n") || undefined;
  }

  get #channels(): readonly Channel[] {
    return [...new Set(this.#routes.map(({ channel }) => channel))];
  }

  assertRoute(topic: string): void {
    if (this.routesOf(topic).size > 0) return;
    const known = this.#routes.map(({ name, patterns }) => `${name}: ${patterns.join(", ")}`).join("; ");
    throw new ServiceError({
      status: 500,
      code: "NO_ROUTE",
      message: `No route for event '${topic}', the routes are ${known}`,
      unrecoverable: true,
    });
  }

  isAway(): boolean {
    return this.#channels.some((channel) => channel.isAway?.());
  }

  async connect(signal?: AbortSignal): Promise<void> {
    await Promise.all(this.#channels.map((channel) => channel.connect(signal)));
  }

  async publish(messages: readonly Message[]): Promise<void> {
    for (const { topic } of messages) this.assertRoute(topic);
    await Promise.all(this.#channels.map((channel) => {
      const routed = messages.filter(({ topic }) => this.#isRouted(topic, channel));
      return routed.length > 0 ? channel.publish(routed) : undefined;
    }));
  }

  async subscribe(
    subscription: Subscription,
    onDelivery: (delivery: Delivery) => Promise<void>,
  ): Promise<{ close(): Promise<void> }> {
    const { topics } = subscription;
    if (topics !== "*") { for (const topic of topics) this.assertRoute(topic); }
    const opened = await Promise.all(this.#channels.map((channel) => {
      const routed = topics === "*" ? topics : topics.filter((topic) => this.#isRouted(topic, channel));
      return routed.length > 0
        ? channel.subscribe({ ...subscription, topics: routed }, onDelivery)
        : undefined;
    }));
    return { close: async () => void await Promise.all(opened.map((one) => one?.close())) };
  }

  async close(options?: { drainMs: number }): Promise<void> {
    await Promise.all(this.#channels.map((channel) => channel.close(options)));
  }

  routesOf(topic: string): ReadonlyMap<string, Channel> {
    let channels = this.#known.get(topic);
    if (channels === undefined) {
      const matching = this.#routes.filter(({ expressions }) => expressions.some((one) => one.test(topic)));
      channels = new Map(matching.map(({ name, channel }) => [name, channel]));
      if (this.#known.size >= REMEMBERED) this.#known.clear();
      this.#known.set(topic, channels);
    }
    return channels;
  }

  /** What waits in all channels together. */
  async backlog(group: string): Promise<Backlog | undefined> {
    const found = await Promise.all(this.#channels.map((channel) => channel.backlog?.(group)));
    return joinBacklogs(found);
  }

  /** The dead letters of all channels, their ids behind the names of the channels. */
  deadLetters(group: string): DeadLetters | undefined {
    const all = new Map<string, DeadLetters>();
    const seen = new Set<Channel>();
    for (const { name, channel } of this.#routes) {
      const letters = seen.has(channel) ? undefined : channel.deadLetters?.(group);
      if (letters) all.set(name, letters);
      seen.add(channel);
    }
    return all.size > 0 ? new RoutedLetters(all) : undefined;
  }

  #isRouted(topic: string, channel: Channel): boolean {
    return [...this.routesOf(topic).values()].includes(channel);
  }
}

/** The dead letters of several channels. */
class RoutedLetters implements DeadLetters {
  readonly #channels: ReadonlyMap<string, DeadLetters>;

  constructor(channels: ReadonlyMap<string, DeadLetters>) {
    this.#channels = channels;
  }

  async list(limit: number): Promise<readonly DeadLetter[]> {
    const lists = await Promise.all(
      [...this.#channels].map(async ([name, letters]) =>
        (await letters.list(limit)).map((one) => ({ ...one, id: `${name}:${one.id}` }))
      ),
    );
    return oldestFirst(lists.flat(), limit);
  }

  replay(id: string): Promise<boolean> {
    const [letters, rest] = this.#find(id);
    return letters?.replay(rest) ?? Promise.resolve(false);
  }

  discard(id: string): Promise<boolean> {
    const [letters, rest] = this.#find(id);
    return letters?.discard(rest) ?? Promise.resolve(false);
  }

  #find(id: string): readonly [DeadLetters | undefined, string] {
    const end = id.indexOf(":");
    return [this.#channels.get(id.slice(0, end)), id.slice(end + 1)];
  }
}

const SURVIVES: readonly Guarantees["survives"][] = ["nothing", "process crash", "host crash"];
const ORDERS: readonly Guarantees["order"][] = ["none", "key", "topic"];

/** What two channels promise together. */
function weakest(one: Guarantees, other: Guarantees): Guarantees {
  const lower = <T>(order: readonly T[], a: T, b: T) => order[Math.min(order.indexOf(a), order.indexOf(b))];
  const both = [one.delivery, other.delivery];
  return {
    delivery: both.includes("at-most-once") ? "at-most-once" : "at-least-once",
    survives: lower(SURVIVES, one.survives, other.survives),
    order: lower(ORDERS, one.order, other.order),
    dedupeWindowMs: Math.min(one.dedupeWindowMs, other.dedupeWindowMs),
    maxMessageBytes: Math.min(one.maxMessageBytes, other.maxMessageBytes),
    delayedRetry: one.delayedRetry && other.delayedRetry,
    deadLetters: one.deadLetters && other.deadLetters,
    replay: one.replay && other.replay,
  };
}

/** Wildcards in the order in which they are recognized, and what they become. */
const WILDCARDS: readonly (readonly [glob: string, mark: string, source: string])[] = [
  ["**", "\uE000", "[^]*"],
  ["*", "\uE001", "[^/.]*"],
  ["?", "\uE002", "[^]"],
  ["\\", "\uE003", "\\\\"],
];

const MAX_DEEP_WILDCARDS = 2;
const MAX_SEGMENT_WILDCARDS = 2;
const MAX_TRADING_WILDCARDS = 3;

/**
 * Compiles a pattern after checking that no event name can make it slow.
 *
 * @param pattern the glob
 * @param channel name of the channel, for messages
 * @throws ConfigurationError for a pattern with too many wildcards
 */
export function compileRoutePattern(pattern: string, channel: string): RegExp {
  assertCheap(pattern, channel);
  let marked = pattern;
  for (const [glob, mark] of WILDCARDS) marked = marked.replaceAll(glob, mark);
  // Escapes of characters that need none are errors in expressions with the flag u.
  let source = globToRegExp(marked).source.replace(/\\([=!,])/g, "$1");
  for (const [, mark, replacement] of WILDCARDS) source = source.replaceAll(mark, () => replacement);
  return new RegExp(source, "u");
}

function assertCheap(pattern: string, channel: string): void {
  const refuse = (reason: string): never => {
    throw new ConfigurationError(`Route '${pattern}' of channel '${channel}' ${reason}`);
  };
  if (pattern.length === 0) refuse("is empty");
  if (/[\uE000-\uE003]/.test(pattern)) refuse("holds a private-use character");
  const deep = pattern.split("**").length - 1;
  if (deep > MAX_DEEP_WILDCARDS) refuse(`has more than ${MAX_DEEP_WILDCARDS} '**'`);
  let trading = deep;
  for (const segment of pattern.split(/[/.]/)) {
    const wide = segment.split("**").length - 1;
    const stars = segment.replaceAll("**", "").split("*").length - 1;
    const others = wide + segment.split("?").length - 1;
    if (stars > MAX_SEGMENT_WILDCARDS) refuse(`has more than ${MAX_SEGMENT_WILDCARDS} '*' in one segment`);
    if (stars + others > 1) trading += stars;
  }
  if (trading > MAX_TRADING_WILDCARDS) {
    refuse(`has more than ${MAX_TRADING_WILDCARDS} wildcards that can trade characters`);
  }
}
