import assert from "node:assert/strict";
import type { Exchange } from "../../../src/odata/exchange.ts";
import type { EntityPlan } from "../../../src/odata/plan/plan.ts";
import { isJsonRows } from "../../../src/odata/payload/json_rows.ts";
import { LargePage, mayStream, readHead } from "../../../src/odata/resources/large_page.ts";
import { OpenStreams } from "../../../src/odata/stream_text.ts";
import type { CursorRow, RowCursor } from "../../../src/service/row_cursor.ts";
import type { ServiceRequest } from "../../../src/service/requests/service_request.ts";

const REQUEST = {} as ServiceRequest;

function exchange(bufferedRows: number, streams = true, most = 1): Exchange {
  const scope = { host: { limits: { bufferedRows } }, streams: new OpenStreams(most) };
  return { streams, scope } as unknown as Exchange;
}

function plan(rows: number | undefined): EntityPlan {
  return { paging: rows === undefined ? undefined : { rows } } as unknown as EntityPlan;
}

Deno.test("pages with more rows than fit into one text may be streamed, where the request takes that and there is room", () => {
  const cases: readonly (readonly [of: Exchange, rows: number | undefined, expected: boolean])[] = [
    [exchange(10), 11, true],
    [exchange(10), 10, false],
    [exchange(10), undefined, false],
    [exchange(10, false), 11, false],
    [{ ...exchange(10), streams: undefined } as unknown as Exchange, 11, false],
    [exchange(10, false), undefined, false],
    [exchange(10, true, 0), 11, false],
  ];
  for (const [index, [of, rows, expected]] of cases.entries()) {
    assert.equal(mayStream(of, plan(rows)), expected, `case ${index}`);
  }
});

/** Groups of rows; what was done with the cursor. */
function cursorOf(groups: readonly (readonly CursorRow[])[], more: Partial<RowCursor> = {}) {
  const left = [...groups];
  const done: string[] = [];
  const cursor = {
    ...{ isText: false, count: undefined, hasMore: false, given: 0, ...more },
    next: () => Promise.resolve(left.shift() ?? []),
    detach: () => void done.push("detached"),
    close: () => void done.push("closed"),
  } as unknown as RowCursor;
  return { cursor, left, done };
}

Deno.test("rows that end within the first text are given at once, as text where they come as text, with their number", async () => {
  const objects = cursorOf([[{ ID: 1 }], [{ ID: 2 }]], { count: 7 });
  const rows = await readHead(exchange(10), REQUEST, objects.cursor);
  assert.ok(Array.isArray(rows));
  assert.deepEqual([...rows], [{ ID: 1 }, { ID: 2 }]);
  assert.equal((rows as { $count?: number }).$count, 7);
  assert.deepEqual(objects.done, []);

  const texts = await readHead(
    exchange(10),
    REQUEST,
    cursorOf([['{"ID":1}', '{"ID":2}']], { isText: true }).cursor,
  );
  assert.ok(isJsonRows(texts));
  assert.deepEqual([texts.json, texts.rows, texts.last], ['[{"ID":1},{"ID":2}]', 2, '{"ID":2}']);
  const none = await readHead(exchange(10), REQUEST, cursorOf([], { isText: true }).cursor);
  assert.equal(isJsonRows(none) && none.json, "[]");
  const empty = await readHead(exchange(10), REQUEST, cursorOf([]).cursor);
  assert.deepEqual(empty, []);
  assert.ok(!("$count" in empty));
});

Deno.test("the first part of a page ends with as many rows, or as much text, as one text may hold", async () => {
  const long = "x".repeat(128 * 1024);
  const cases: readonly (readonly [groups: readonly (readonly CursorRow[])[], head: number, left: number])[] =
    [
      [[[{ ID: 1 }, { ID: 2 }], [{ ID: 3 }], [{ ID: 4 }]], 3, 1],
      [[[{ ID: 1 }, { ID: 2 }, { ID: 3 }, { ID: 4 }], [{ ID: 5 }]], 4, 1],
      [[[long], [long], [long]], 2, 1],
      [[[long], [long.slice(1)], ["x"], [long]], 3, 1],
    ];
  for (const [groups, head, left] of cases) {
    const { cursor, left: rest, done } = cursorOf(groups);
    const page = await readHead(exchange(3), REQUEST, cursor);
    assert.ok(page instanceof LargePage);
    assert.deepEqual([page.head.length, rest.length, done], [head, left, ["detached"]]);
    assert.equal(page.request, REQUEST);
  }
});
