/**
 * The payloads of a declared event.
 *
 * @module
 */

import { ServiceError } from "../../errors/service_error.ts";
import type { LinkedDefinition } from "../../model/linked.ts";
import { eventConditions } from "../../service/authorization/event_access.ts";
import { declaredPayload } from "../../service/live/declared_payload.ts";
import type { FeedBounds, FeedEntry, PayloadCondition } from "../../service/live/live_data.ts";
import type { Exchange } from "../exchange.ts";
import { stringify } from "../payload/write_value.ts";
import { beginning, eventText, type Followed, type Following, silence } from "./following.ts";

const POSITION = /^\d{1,16}$/;

/**
 * Follows an event, with the restrictions of the user.
 *
 * @param exchange the request
 * @param event the event
 * @param following the stream, and what the client has
 * @throws ServiceError 401 without login, 403 without role, 410 where what the client has is too old
 */
export async function followEvent(
  exchange: Exchange,
  event: LinkedDefinition,
  { live, stream, last }: Following,
): Promise<Followed> {
  const { context, scope } = exchange;
  const conditions = eventConditions(context, scope, event).map((where) => live.condition(event, where));
  const feed = live.feed(context.tenant);
  const close = () => feed.leave(stream.wake);
  const bounds = await feed.enter(stream.wake);
  let position: number;
  try {
    position = positionOf(last, bounds);
  } catch (error) {
    close();
    throw error;
  }
  const { liveSilenceMs } = scope.host.limits;
  async function* parts(): AsyncGenerator<string, void> {
    yield beginning(String(position));
    let sentAt = Date.now();
    while (!stream.isOver) {
      const page = await feed.read(position);
      const texts = await textsOf(page);
      position = page.at(-1)?.position ?? position;
      if (texts.length > 0) yield texts.join("");
      else if (Date.now() - sentAt >= liveSilenceMs) yield silence(String(position));
      else {
        if (page.length === 0) await stream.sleep(liveSilenceMs - (Date.now() - sentAt));
        continue;
      }
      sentAt = Date.now();
    }
  }
  async function textsOf(page: readonly FeedEntry[]): Promise<readonly string[]> {
    const texts: string[] = [];
    for (const entry of page) {
      if (entry.event !== event.name) continue;
      const payload: unknown = JSON.parse(entry.data);
      if (!await areMet(conditions, payload, exchange)) continue;
      texts.push(eventText(String(entry.position), stringify(declaredPayload(payload, event.elements))));
    }
    return texts;
  }
  return { parts: parts(), close };
}

/** From where on a client listens: from now on, or behind what it has. */
function positionOf(given: string | undefined, { removed, last }: FeedBounds): number {
  if (given === undefined || given === "") return last;
  const position = POSITION.test(given) ? Number(given) : NaN;
  if (position >= removed && position <= last) return position;
  throw new ServiceError({ status: 410, code: "EVENTS_GONE" });
}

async function areMet(
  conditions: readonly PayloadCondition[],
  payload: unknown,
  { context }: Exchange,
): Promise<boolean> {
  for (const isMet of conditions) if (!await isMet(payload, context)) return false;
  return true;
}
