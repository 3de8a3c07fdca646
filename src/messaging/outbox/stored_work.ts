import { sha256 } from "@oslojs/crypto/sha2";
import { EventContext } from "../../context/event_context.ts";
import { User } from "../../context/user.ts";
import type { Row } from "../../cqn/cqn.ts";
import { type DataMember, fromDataMember, jsonOf, toDataMember } from "../message_json.ts";
import type { QueuedWork, QueueTiming, StoredSender } from "../../service/queue/work_queue.ts";

/** Queued work with what is kept of the context it was stored in: never claims, roles only of senders that are known. */
export interface StoredWork extends QueuedWork {
  /** Correlation id. */
  readonly id?: string;
  /** Tenant. */
  readonly tenant?: string;
  /** Id of the user. */
  readonly user?: string;
  /** Locale of the user. */
  readonly locale?: string;
}

/** A row of the outbox, read. */
export interface OutboxMessage {
  /** Key of the row. */
  readonly ID: string;
  /** Name of the service, and of the channel if it has several: `messaging`, `messaging/broker`. */
  readonly target: string;
  /** When it was stored. */
  readonly timestamp: string;
  /** Failed attempts so far. */
  readonly attempts: number;
  /** Hash of the key; 0 without one. */
  readonly partition: number;
  /** Name of the task, if it is one. */
  readonly task: string | null;
  /** Why the last attempt failed. */
  readonly lastError: string | null;
  /** When the last attempt was made. */
  readonly lastAttemptTimestamp: string | null;
  /** The next attempt is not made before. */
  readonly due: string;
  /** `dead` of a dead letter. */
  readonly status: string | null;
  /** The call; undefined if the row cannot be read. */
  readonly work: StoredWork | undefined;
}

/** Whether a message is handed to a channel; else a handler does its work. */
export function isPublished(
  message: OutboxMessage,
): message is OutboxMessage & { readonly work: StoredWork } {
  return message.work?.kind === "publish";
}

/** Rows of one key each, in order; those without key alone. */
export function lanesOf(messages: readonly OutboxMessage[]): readonly (readonly OutboxMessage[])[] {
  const lanes = Map.groupBy(messages, ({ ID, partition }) => partition === 0 ? ID : String(partition));
  return [...lanes.values()];
}

/** Behind the name of a service, the target of messages that wait for its handlers. */
const RECEIVED = "received";

/**
 * The row that stores work.
 *
 * @param work the call
 * @param context the context it is stored in
 * @param timing when it is done
 */
export function toRow(
  work: QueuedWork,
  context: EventContext | undefined,
  { application, after = 0, task }: QueueTiming & { readonly application: string },
): Row {
  const now = Date.now();
  const timestamp = new Date(now).toISOString();
  return {
    ID: task === undefined ? crypto.randomUUID() : taskId([application, work.service, task]),
    timestamp,
    target: targetOf(work),
    msg: jsonOf(storedWork(work, context)),
    attempts: 0,
    partition: work.key === undefined ? 0 : partitionOf(work.key),
    task: task ?? null,
    appid: application,
    due: after === 0 ? timestamp : new Date(now + after).toISOString(),
  };
}

/** Members by name, as that costs a part of what taking the object apart does; what is undefined is not stored. */
function storedWork(work: QueuedWork, context: EventContext | undefined): StoredWork & DataMember {
  const { service, kind, event, headers, channel, key, request, query, params, sender, every } = work;
  const { data, data_base64 } = toDataMember(work.data);
  return {
    service,
    kind,
    event,
    headers,
    channel,
    key,
    request,
    query,
    params,
    sender,
    every,
    id: context?.id,
    tenant: context?.tenant,
    user: context?.user.id,
    locale: context?.locale,
    data,
    data_base64,
  } satisfies Complete<StoredWork & DataMember>;
}

/** All members are named, so that none is forgotten. */
type Complete<T> = { [Name in keyof Required<T>]: T[Name] };

/**
 * Work of one target is done by one worker: of a service; of a messaging service with several channels each of them, and what
 * came in, so that handlers that take long keep nothing from leaving.
 */
export function targetOf({ service, channel, kind }: QueuedWork): string {
  const part = kind === "receive" ? RECEIVED : channel;
  return part === undefined ? service : `${service}/${part}`;
}

/** Reads a row. */
export function fromRow(row: Row): OutboxMessage {
  const { ID, target, timestamp, attempts, partition, task, lastError, lastAttemptTimestamp, due, status } =
    row as unknown as OutboxMessage;
  const work = parse(row.msg);
  return {
    ...{ ID, target, timestamp, attempts, partition, task, lastError, lastAttemptTimestamp, due, status },
    work,
  };
}

/**
 * The context that stored work is done in: privileged, as the user who stored it; for a message of a sender who is known,
 * this sender.
 */
export function contextOfWork({ id, tenant, user, locale, sender }: StoredWork): EventContext {
  return new EventContext({
    id,
    tenant,
    locale,
    user: sender ? fromStoredSender(sender) : new User.Privileged(user),
  });
}

/**
 * The number of a key, never 0 (FNV-1a of its bytes in UTF-8). Keys that share a number share their order.
 *
 * @param key the key
 */
export function partitionOf(key: string): number {
  let hash = FNV_OFFSET;
  for (let at = 0; at < key.length; at++) {
    const code = key.charCodeAt(at);
    if (code > LAST_OF_ASCII) return positive(new TextEncoder().encode(key).reduce(withByte, FNV_OFFSET));
    hash = withByte(hash, code);
  }
  return positive(hash);
}

const [FNV_OFFSET, FNV_PRIME] = [0x811c9dc5, 0x01000193];
/** Up to here a character is its byte: a call of the encoder takes as long as all the rest of a row. */
const LAST_OF_ASCII = 0x7f;

function withByte(hash: number, byte: number): number {
  return Math.imul(hash ^ byte, FNV_PRIME);
}

function positive(hash: number): number {
  return (hash >>> 1) || 1;
}

/**
 * Whether what is stored is a repeated task, and the same as another one; who has scheduled it by which request does not
 * matter.
 *
 * @param one the text of a row
 * @param other the text of another row
 */
export function isSameTask(one: unknown, other: unknown): boolean {
  const work = parse(one);
  if (work?.every === undefined) return false;
  const scheduler = { id: undefined, user: undefined, locale: undefined };
  return JSON.stringify({ ...work, ...scheduler }) === JSON.stringify({ ...parse(other), ...scheduler });
}

/** The key of the row of a task: the same for the same name, so that there is one. */
function taskId(parts: readonly string[]): string {
  const hash = sha256(new TextEncoder().encode(JSON.stringify(parts)));
  const hex = Array.from(hash.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

function parse(msg: unknown): StoredWork | undefined {
  try {
    const { data_base64, ...work } = JSON.parse(String(msg));
    if (typeof work.service !== "string" || typeof work.kind !== "string") return undefined;
    return data_base64 === undefined ? work : { ...work, ...fromDataMember({ data_base64 }) };
  } catch {
    return undefined;
  }
}

/**
 * What is kept of a sender, so that the message is handled later with the rights of now and no others.
 *
 * @param user the sender
 */
export function toStoredSender(user: User): StoredSender {
  const { id, roles, attr, tenant, features } = user;
  return { id, roles, attr, tenant, features: [...features], isPrivileged: user instanceof User.Privileged };
}

/**
 * The sender of a message that waited.
 *
 * @param stored what was kept
 */
export function fromStoredSender({ isPrivileged, ...properties }: StoredSender): User {
  return isPrivileged ? new User.Privileged(properties) : new User(properties);
}
