import { isPlainObject } from "../util/is_plain_object.ts";

type Entry = Readonly<Record<string, unknown>>;

/** What a group is found by. */
export interface GroupOwner {
  /** Name of the messaging service. */
  readonly name: string;
  /** Its configuration entry. */
  readonly options: Entry;
  /** Name of the application. */
  readonly application: string;
  /** All entries below `fw.requires`. */
  readonly requires: Entry;
}

/** Kinds whose channels are not shared by entries. */
const OWN_CHANNELS: ReadonlySet<unknown> = new Set(["local-messaging", "http-messaging"]);

/**
 * The group: what the entry says, else the name of the application. Services of one application that receive from one place
 * (a box, a stream, a queue; for composite channels that of a route) would take each other's messages away in one group: all
 * but the first one, `messaging` before others and these by name, have their own name behind that of the application.
 *
 * @param owner the service
 */
export function consumerGroup({ name, options, application, requires }: GroupOwner): string {
  if (typeof options.group === "string") return options.group;
  const entries: Entry = { ...requires, [name]: options };
  const places = placesOf(name, entries);
  const isTaken = Object.keys(entries).some((other) => {
    const entry = entries[other];
    if (!isPlainObject(entry) || !isBefore(other, name)) return false;
    const { group = application } = entry;
    return group === application && placesOf(other, entries).some((place) => places.includes(place));
  });
  return isTaken ? `${application}.${name}` : application;
}

function isBefore(one: string, other: string): boolean {
  if (one === other || other === "messaging") return false;
  return one === "messaging" || one < other;
}

/** Where an entry receives from. */
function placesOf(name: string, entries: Entry, outer: readonly string[] = []): readonly string[] {
  const entry = entries[name];
  if (!isPlainObject(entry) || outer.includes(name)) return [];
  const { kind, routes, file, stream, address, queue, credentials } = entry;
  if (isPlainObject(routes)) {
    return Object.keys(routes).flatMap((part) => placesOf(part, entries, [...outer, name]));
  }
  const url = isPlainObject(credentials) ? credentials.url : undefined;
  const own = OWN_CHANNELS.has(kind) ? name : undefined;
  return [JSON.stringify([kind, own, file, stream, address, queue, url].map((part) => part ?? null))];
}

const DEFAULT_NAME = "app";

/**
 * The name of an application.
 *
 * @param host the runtime: its own name comes before that of the configuration
 */
export function applicationName(
  { name, env }: { readonly name?: string | undefined; readonly env: Readonly<Record<string, unknown>> },
): string {
  return name ?? (typeof env.name === "string" ? env.name : DEFAULT_NAME);
}
