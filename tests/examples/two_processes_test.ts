import assert from "node:assert/strict";
import { type RunningProcess, startProcess, urlOf } from "../deno/project_processes.ts";

const BASIC = { authorization: `Basic ${btoa("alice:")}` };
const JSON_BODY = { ...BASIC, "content-type": "application/json" };

/** A message box and a database file that processes share and outlive. */
interface Place {
  start(example: "bookshop" | "reviews"): Promise<Served>;
}

interface Served {
  readonly url: string;
  readonly process: RunningProcess;
}

async function withPlace(test: (place: Place) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "fw-two-" });
  const processes: RunningProcess[] = [];
  try {
    await test({
      async start(example) {
        const process = startProcess({
          args: [`examples/${example}/main.ts`],
          variables: {
            FW_REQUIRES_MESSAGING_FILE: `${folder}/box`,
            FW_CONFIG: JSON.stringify({
              requires: { db: { kind: "sqlite", credentials: { url: `${folder}/${example}.db` } } },
              log: { levels: { default: "warn" } },
            }),
          },
        });
        processes.push(process);
        return { url: await urlOf(process), process };
      },
    });
  } catch (error) {
    for (const process of processes) console.error(process.output());
    throw error;
  } finally {
    for (const process of processes) await process.close();
    await Deno.remove(folder, { recursive: true });
  }
}

/** Sends requests in one JSON batch and expects each to succeed. */
async function batch(root: string, requests: readonly { url: string; body: unknown }[]): Promise<void> {
  const response = await fetch(`${root}/$batch`, {
    method: "POST",
    headers: JSON_BODY,
    body: JSON.stringify({
      requests: requests.map((request, i) => ({
        id: String(i),
        method: "POST",
        headers: { "content-type": "application/json" },
        ...request,
      })),
    }),
  });
  const { responses } = await response.json();
  for (const { status, body } of responses) assert.equal(status, 201, JSON.stringify(body));
  assert.equal(responses.length, requests.length);
}

/** Polls until a check passes. */
async function eventually(check: () => Promise<void>): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (true) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

async function json(url: string): Promise<Record<string, unknown>> {
  return await (await fetch(url, { headers: BASIC })).json();
}

function range(from: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => from + i);
}

Deno.test("an event emitted while the receiver is down arrives after it starts [6.3.5]", async () => {
  await withPlace(async (place) => {
    const reviews = await place.start("reviews");
    const answer = await fetch(`${reviews.url}/odata/v4/reviews/Reviews`, {
      method: "POST",
      headers: JSON_BODY,
      body: JSON.stringify({ book: 201, rating: 4 }), // two ratings of this book are there,
    });
    assert.equal(answer.status, 201, await answer.text());
    const bookshop = await place.start("bookshop");
    await eventually(async () => {
      const book = await json(`${bookshop.url}/odata/v4/catalog/Books(201)?$select=rating,reviews`);
      assert.deepEqual([book.rating, book.reviews], [4.3, 3]);
    });
  });
});

Deno.test("of 1,000 events none is lost while the receiver is killed five times [1.6]", async () => {
  await withPlace(async (place) => {
    let bookshop = await place.start("bookshop");
    for (const from of range(0, 10).map((i) => 1001 + i * 100)) {
      const books = range(from, 100).map((ID) => ({ url: "Books", body: { ID, title: `Number ${ID}` } }));
      await batch(`${bookshop.url}/odata/v4/admin`, books);
    }
    const reviews = await place.start("reviews");
    for (const round of range(0, 20)) {
      const written = range(1001 + round * 50, 50).map((book) => ({
        url: "Reviews",
        body: { book, rating: 3 },
      }));
      await batch(`${reviews.url}/odata/v4/reviews`, written);
      if (round % 4 !== 2) continue;
      bookshop.process.kill("SIGKILL");
      await bookshop.process.ended;
      bookshop = await place.start("bookshop");
    }
    await eventually(async () => {
      const missing = await json(
        `${bookshop.url}/odata/v4/catalog/Books?$filter=ID gt 1000 and reviews ne 1&$select=ID&$top=5&$count=true`,
      );
      assert.deepEqual(missing.value, [], `${missing["@odata.count"]} events are missing`);
    });
  });
});
