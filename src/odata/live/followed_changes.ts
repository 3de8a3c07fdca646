/**
 * The changes of a collection, as delta payloads: it is read again with the restrictions of the user when something was
 * written, and now and then, as others may have written something.
 *
 * @module
 */

import { runWithContext } from "../../context/store.ts";
import { ServiceError } from "../../errors/service_error.ts";
import { PartExchanges } from "../batch/part_exchanges.ts";
import { type Exchange, rawPathOf } from "../exchange.ts";
import { HeaderList } from "../header_list.ts";
import { beginTracking, deltaBody, deltaToken, PLAIN, readChanges } from "../resources/track_changes.ts";
import { beginning, eventText, type Followed, type Following, silence } from "./following.ts";

/** Between two looks without any news, */
const LOOK_MS = 2_000;
/** of which each may cost this part of the time only. */
const SHARE = 0.05;
/** Between two looks, whatever the news. */
const PAUSE_MS = 100;

/**
 * Follows a collection.
 *
 * @param exchange a request for the collection, or by its delta link
 * @param following the stream, and what the client has
 * @throws ServiceError 406 where changes are not tracked, 410 where what the client has is gone
 */
export async function followChanges(
  exchange: Exchange,
  { live, stream, last }: Following,
): Promise<Followed> {
  const url = exchange.rawUrl;
  const known = last || deltaToken(exchange);
  const first = known ?? await inPart(exchange, url, beginTracking);
  if (first === undefined) throw notTracked(exchange);
  // whoever has the wrong token, or may not read, learns it at once
  let news = known === undefined ? undefined : await look(first);
  let token = first;
  live.streams.watch(stream);

  async function look(from: string): Promise<{ readonly token: string; readonly body?: string }> {
    return await inPart(exchange, url, async (part) => {
      const delta = await readChanges(part, from, PLAIN);
      return {
        token: delta.token,
        ...(delta.texts.length > 0 ? { body: deltaBody(part, delta, PLAIN) } : {}),
      };
    });
  }
  async function* parts(): AsyncGenerator<string, void> {
    yield beginning(token);
    let sentAt = Date.now();
    const { liveSilenceMs } = exchange.scope.host.limits;
    while (!stream.isOver) {
      let cost = 0;
      news ??= await live.streams.looks.take(stream, async () => {
        const began = Date.now();
        const found = await look(token);
        cost = Date.now() - began;
        return found;
      });
      if (news === undefined) return;
      token = news.token;
      const { body } = news;
      news = undefined;
      if (body !== undefined) yield eventText(token, body);
      else if (Date.now() - sentAt >= liveSilenceMs) yield silence(token);
      else {
        const untilSilence = liveSilenceMs - (Date.now() - sentAt);
        await stream.sleep(Math.min(Math.max(LOOK_MS, cost / SHARE), untilSilence));
        await rest();
        continue;
      }
      sentAt = Date.now();
    }
  }
  return { parts: parts(), close: () => {} };
}

/** Many writes are one change. */
function rest(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}

/** Does something as part of a request that has been answered, in a transaction and context of its own. */
async function inPart<T>(outer: Exchange, url: string, run: (part: Exchange) => Promise<T>): Promise<T> {
  const headers = new HeaderList([["accept", "application/json"], ["odata-version", outer.version]]);
  const part = { id: "1", named: false, method: "GET", url, headers, body: undefined, dependsOn: [] };
  const exchange = new PartExchanges(outer, new Map()).create(part, outer.context);
  // what has changed is there: whoever does not see it now is not told of it later
  exchange.context.mayLag = false;
  return await runWithContext(exchange.context, () => run(exchange));
}

function notTracked(exchange: Exchange): ServiceError {
  return new ServiceError({
    status: 406,
    message: `There is nothing to follow at "${
      rawPathOf(exchange)
    }": neither an event, nor a collection whose changes are tracked (@odata.trackChanges)`,
  });
}
