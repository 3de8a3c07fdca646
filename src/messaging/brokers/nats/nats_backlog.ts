import type { JetStreamManager, MsgRequest } from "@nats-io/jetstream";
import { type Backlog, backlogSince, joinBacklogs } from "../../channel.ts";
import { type NatsNames, PARTITIONS } from "./nats_names.ts";

/** JetStream errors: there is no such consumer, stream or message. */
const NOT_THERE: ReadonlySet<unknown> = new Set([10014, 10059, 10037]);

/**
 * What waits for the consumers of a group: what was not given to them yet, and what is not acknowledged.
 *
 * @param manager of the streams of the server
 * @param names stream and consumers
 * @param group the group
 * @returns undefined where the group has no consumers
 */
export async function natsBacklog(
  manager: JetStreamManager,
  names: NatsNames,
  group: string,
): Promise<Backlog | undefined> {
  const partitions = [undefined, ...Array.from({ length: PARTITIONS }, (_, n) => n)];
  const found = await Promise.all(partitions.map(async (partition) => {
    const info = await orNone(manager.consumers.info(names.stream, names.consumer(group, partition)));
    if (!info) return undefined;
    const waiting = info.num_pending + info.num_ack_pending;
    if (waiting === 0) return backlogSince(waiting, []);
    const next = { seq: info.ack_floor.stream_seq + 1, next_by_subj: names.filter(partition) } as MsgRequest;
    const first = await orNone(manager.streams.getMessage(names.stream, next));
    return backlogSince(waiting, [first?.time.getTime()]);
  }));
  return joinBacklogs(found);
}

async function orNone<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    const { code, api_error: api } = error as { code?: unknown; api_error?: { err_code?: unknown } };
    if (NOT_THERE.has(code) || NOT_THERE.has(api?.err_code)) return undefined;
    throw error;
  }
}
