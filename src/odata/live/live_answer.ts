/**
 * What happens in a service as it happens: server-sent events (HTML Living Standard 9.2) in place of an answer.
 *
 * `GET <service>/<event>` gives the payloads of an event, `GET <service>/<entity set>` the changes of a collection as delta
 * payloads (OData Protocol 11.3), both with `Accept: text/event-stream`. `Last-Event-ID` says what the client has already.
 *
 * @module
 */

import { runWithContext } from "../../context/store.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { LinkedDefinition, LinkedService } from "../../model/linked.ts";
import { type Answer, type Exchange, finishAnswer, rawPathOf } from "../exchange.ts";
import { parseAccept } from "../headers/accept.ts";
import { streamText } from "../stream_text.ts";
import { followChanges } from "./followed_changes.ts";
import { followEvent } from "./followed_event.ts";
import type { Followed } from "./following.ts";

const MEDIA_TYPE = "text/event-stream";

/**
 * Whether a client wants events rather than an answer.
 *
 * @param exchange the request
 */
export function asksForEvents({ method, request: { headers } }: Exchange): boolean {
  if (method !== "GET") return false;
  const accept = headers.get("accept");
  if (!accept?.includes(MEDIA_TYPE)) return false;
  const wanted = parseAccept(accept).find(({ type }) => type === MEDIA_TYPE || type === "application/json");
  return wanted?.type === MEDIA_TYPE && wanted.quality > 0;
}

/** What there is to follow. */
export interface LiveOptions {
  /** Whether clients may follow collections, too: the payloads are those of OData. */
  readonly followsChanges?: boolean;
}

/**
 * Begins a stream of events.
 *
 * @param exchange the request
 * @param options what there is to follow
 * @throws ServiceError 401, 403 as for other requests; 404, 406 where there is nothing to follow, 410 where what the client
 *   has is too old, 429 for too many streams
 */
export async function answerLive(
  exchange: Exchange,
  { followsChanges = true }: LiveOptions = {},
): Promise<Answer> {
  const { context, headerError, request, scope: { host, definition } } = exchange;
  if (headerError !== undefined) throw headerError;
  // a page of another site could hold the streams of the user
  if (request.isFromOtherSite) throw new ServiceError({ status: 403 });
  const { live } = host;
  if (!live) throw new ServiceError({ status: 406, message: "Events are not sent to clients here" });
  const event = eventAt(exchange, definition);
  if (!event && !followsChanges) throw new ServiceError({ status: 404 });
  const stream = live.streams.open(context);
  const following = { live, stream, last: request.headers.get("last-event-id") ?? undefined };
  try {
    const followed = await runWithContext(
      context,
      () => event ? followEvent(exchange, event, following) : followChanges(exchange, following),
    );
    return answerOf(exchange, followed, () => live.streams.remove(stream));
  } catch (error) {
    live.streams.remove(stream);
    throw error;
  }
}

function answerOf(exchange: Exchange, followed: Followed, remove: () => void): Answer {
  const { context, scope: { host } } = exchange;
  const { stalledStreamMs } = host.limits;
  const body = streamText(followed.parts, {
    // the stream knows when its time is over
    limits: { stalledStreamMs, streamMs: Infinity },
    signal: undefined,
    failed: (error) =>
      runWithContext(context, () => host.log("odata").info("A stream of events was cut off:", error)),
    close: () => {
      remove();
      followed.close();
    },
  });
  const headers = {
    // neither caches nor proxies keep what is sent
    "cache-control": "no-store, no-transform",
    "x-accel-buffering": "no",
  };
  return finishAnswer(exchange, { status: 200, contentType: MEDIA_TYPE, headers, stream: body });
}

/** The event that a path names by its local or full name. */
function eventAt(exchange: Exchange, { name, events }: LinkedService): LinkedDefinition | undefined {
  let path = rawPathOf(exchange);
  try {
    path = decodeURIComponent(path);
  } catch {
    return undefined;
  }
  const local = path.startsWith(`${name}.`) ? path.slice(name.length + 1) : path;
  if (!Object.hasOwn(events, local)) return undefined;
  if (/[?&](?:\$|%24)/.test(exchange.rawUrl)) {
    throw new ServiceError({ status: 400, message: "Events take no query options" });
  }
  return events[local];
}
