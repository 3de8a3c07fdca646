/**
 * The payloads of a declared event, without what handlers emit beside its declared members.
 *
 * @module
 */

import { ServiceError } from "../../errors/service_error.ts";
import type { LinkedDefinition, LinkedElement, LinkedElements } from "../../model/linked.ts";
import { eventConditions } from "../../service/authorization/event_access.ts";
import type { FeedBounds, FeedEntry, PayloadCondition } from "../../service/live/live_data.ts";
import type { Exchange } from "../exchange.ts";
import { stringify } from "../payload/write_value.ts";
import { beginning, eventText, type Followed, type Following, silence } from "./following.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";

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

/**
 * A payload without members that its event does not declare: they are not for clients. Payloads of events without elements
 * are whole.
 *
 * @param payload the payload
 * @param elements the elements of the event
 */
function declaredPayload(payload: unknown, elements: LinkedElements): unknown {
  const declared = [...elements];
  if (declared.length === 0 || !isPlainObject(payload)) return payload;
  return Object.fromEntries(
    Object.entries(payload).flatMap(([name, value]): [string, unknown][] => {
      const element = Object.hasOwn(elements, name) ? elements[name]! : undefined;
      if (element) return [[name, declaredValue(value, element)]];
      return declared.some((one) => isPartOf(name, one)) ? [[name, value]] : [];
    }),
  );
}

/** Whether a name is that of a foreign key, or of a member of a structure. */
function isPartOf(name: string, { name: owner, $target, $type }: LinkedElement): boolean {
  return ($target !== undefined || $type.elements !== undefined) && name.startsWith(`${owner}_`);
}

function declaredValue(value: unknown, { $target, $type }: LinkedElement): unknown {
  const elements = $target?.elements ?? $type.elements ?? $type.items?.$type.elements;
  if (!elements) return value;
  return Array.isArray(value)
    ? value.map((one) => declaredPayload(one, elements))
    : declaredPayload(value, elements);
}
