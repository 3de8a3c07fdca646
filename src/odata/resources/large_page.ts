/**
 * Collections that are too large for one text: the answer is made as the client takes it.
 *
 * @module
 */

import { runWithContext } from "../../context/store.ts";
import { JsonRows, type Rows } from "../../service/database.ts";
import type { CursorRow, RowCursor } from "../../service/row_cursor.ts";
import type { ServiceRequest } from "../../service/requests/service_request.ts";
import type { Answer, Exchange } from "../exchange.ts";
import type { EntityPlan } from "../plan/plan.ts";
import type { ReadPage } from "./next_link.ts";
import { streamText } from "../stream_text.ts";

/** Characters of JSON text that are enough for the first part. */
const HEAD_TEXT = 256 * 1024;

/** The first rows of a collection, and where the others come from. */
export class LargePage {
  /** The first rows. */
  readonly head: readonly CursorRow[];
  /** Gives the others. */
  readonly cursor: RowCursor;
  /** The request that reads them. */
  readonly request: ServiceRequest;

  /**
   * @param head the first rows
   * @param cursor gives the others
   * @param request reads them
   */
  constructor(head: readonly CursorRow[], cursor: RowCursor, request: ServiceRequest) {
    this.head = head;
    this.cursor = cursor;
    this.request = request;
  }
}

/**
 * Whether the answer may be streamed: neither parts of batches nor results that are kept, and nothing that fits into one
 * text.
 */
export function mayStream({ streams, scope }: Exchange, { paging }: EntityPlan): boolean {
  return streams === true && paging !== undefined && paging.rows > scope.host.limits.bufferedRows &&
    scope.streams.hasRoom;
}

/**
 * Reads the first rows; a cursor with more outlives its transaction.
 *
 * @param exchange says how many one text may hold
 * @param request the request that opened the cursor
 * @param cursor gives the rows
 * @returns all rows if there are no more, as text if they come as text
 */
export async function readHead(
  { scope }: Exchange,
  request: ServiceRequest,
  cursor: RowCursor,
): Promise<Rows | JsonRows | LargePage> {
  const head: CursorRow[] = [];
  let characters = 0;
  while (head.length < scope.host.limits.bufferedRows && characters < HEAD_TEXT) {
    const rows = await cursor.next();
    if (rows.length === 0) return allRows(head, cursor);
    for (const row of rows) {
      head.push(row);
      if (typeof row === "string") characters += row.length;
    }
  }
  cursor.detach();
  return new LargePage(head, cursor, request);
}

function allRows(head: readonly CursorRow[], { isText, count }: RowCursor): Rows | JsonRows {
  if (isText) {
    const last = head.at(-1) as string | undefined; // rows are text
    return new JsonRows(`[${head.join(",")}]`, head.length, { count, last });
  }
  const rows = [...head] as Rows; // rows are objects where they are not text
  return count === undefined ? rows : Object.assign(rows, { $count: count });
}

/** What is known of a page at its end. */
export interface EndOfPage extends Omit<ReadPage, "total"> {
  /** Rows of the page; `rows` has the last one only. */
  readonly given: number;
}

/** What stands around the rows of a page, and how each is written. */
export interface PageText {
  /** What stands in front of the rows. */
  readonly before: string;
  /** What stands behind them, once all were written; gets the end of the page where others follow. */
  readonly after: (page: EndOfPage | undefined) => Promise<string>;
  readonly write: (row: CursorRow) => string;
}

/**
 * The text of a large page.
 *
 * @param exchange the request
 * @param page its rows
 * @param text what stands around them
 */
export function streamPage(
  exchange: Exchange,
  page: LargePage,
  text: PageText,
): NonNullable<Answer["stream"]> {
  const { scope, context } = exchange;
  const logged = (message: string) => (error: unknown) =>
    runWithContext(context, () => scope.host.log("odata").error(message, error));
  scope.streams.add();
  return streamText(pageParts(page, text), {
    limits: scope.host.limits,
    signal: context.signal,
    failed: logged("An answer was broken off:"),
    close: async () => {
      scope.streams.remove();
      await Promise.resolve(page.cursor.close()).catch(logged("A cursor was not closed:"));
    },
  });
}

async function* pageParts(page: LargePage, text: PageText): AsyncGenerator<string, void> {
  const { head, cursor } = page;
  // what the database has written is not looked at
  const written = (rows: readonly CursorRow[]) => cursor.isText ? rows : rows.map(text.write);
  let last = head.at(-1)!; // without rows there is no large page
  yield text.before + written(head).join(",");
  for (;;) {
    const rows = await cursor.next();
    if (rows.length === 0) break;
    last = rows.at(-1)!;
    // one text with the comma in front, which is not put together again
    yield ["", ...written(rows)].join(",");
  }
  // whoever has the end of the text finds nothing open
  await cursor.close();
  yield await text.after(cursor.hasMore ? endOf(page, last) : undefined);
}

function endOf({ cursor: { given }, request }: LargePage, last: CursorRow): EndOfPage {
  const rows = typeof last === "string" ? new JsonRows(`[${last}]`, 1, { last }) : [last];
  return { request, rows, given };
}
