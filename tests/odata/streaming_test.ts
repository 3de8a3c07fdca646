import assert from "node:assert/strict";
import { fw } from "../../mod.ts";
import { eventually } from "../contract/channel.ts";
import {
  BUFFERED,
  ENGINE_NAMES,
  type Large,
  ROWS,
  settled,
  TAGGED,
  terminate,
  withLarge,
} from "./large_results.ts";

interface Page {
  readonly "@odata.context": string;
  readonly "@odata.count"?: number;
  readonly "@odata.nextLink"?: string;
  readonly value: readonly Readonly<Record<string, unknown>>[];
}

/** Parts in which a body comes. */
async function partsOf(response: Response): Promise<string[]> {
  const parts: string[] = [];
  for await (const part of response.body!.pipeThrough(new TextDecoderStream())) parts.push(part);
  return parts;
}

async function pageOf(response: Response): Promise<{ page: Page; parts: number }> {
  const parts = await partsOf(response);
  assert.equal(response.status, 200, parts.join(""));
  return { page: JSON.parse(parts.join("")), parts: parts.length };
}

const ids = ({ value }: Page) => value.map(({ ID }) => ID);
const upTo = (end: number, start = 1) => Array.from({ length: end - start + 1 }, (_, i) => start + i);

for (const engine of ENGINE_NAMES) {
  const test = (
    name: string,
    run: (large: Large) => Promise<void>,
    options: Parameters<typeof withLarge>[2] = {},
  ) => Deno.test(`${name} (${engine})`, () => withLarge(engine, run, options));

  test("a large collection comes in parts, with all its rows [11.2.6]", async ({ get, busy }) => {
    const { page, parts } = await pageOf(await get("odata/v4/s/Books"));
    assert.ok(parts > 3, `${parts} parts`);
    assert.equal(page["@odata.context"], "$metadata#Books");
    assert.deepEqual(ids(page), upTo(ROWS));
    assert.deepEqual(page.value[1], {
      ID: 2,
      title: "Book 2",
      price: 1.5,
      filler: "x".repeat(500),
      more: null,
    });
    assert.equal("@odata.nextLink" in page, false);
    assert.deepEqual(await busy(), []);
  });

  test("a large collection keeps its order, and what is skipped and left out [11.2.6.2]", async ({ get }) => {
    const { page } = await pageOf(await get("odata/v4/s/Books?$orderby=ID desc&$skip=100&$filter=ID ne 7"));
    assert.deepEqual(ids(page), upTo(ROWS - 100).reverse().filter((id) => id !== 7));
  });

  test("two large collections that are taken in turn hold their own rows [11.2.6]", async ({ get }) => {
    const streams = ["Books?$filter=ID le 1500", "Books?$filter=ID gt 1000"].map(async (path) => ({
      reader: (await get(`odata/v4/s/${path}`)).body!.pipeThrough(new TextDecoderStream()).getReader(),
      text: "",
    }));
    const open = await Promise.all(streams);
    for (let left = open; left.length > 0;) {
      const results = await Promise.all(left.map(({ reader }) => reader.read()));
      results.forEach(({ value = "" }, at) => left[at]!.text += value);
      left = left.filter((_, at) => !results[at]!.done);
    }
    const [one, other] = open.map(({ text }) => ids(JSON.parse(text)));
    assert.deepEqual([one, other], [upTo(1500), upTo(ROWS, 1001)]);
  });

  test("$count stands in front of the rows of a large collection [11.2.6.5]", async ({ get }) => {
    const { page } = await pageOf(await get(`odata/v4/s/Books?$count=true&$top=400&$filter=ID gt 100`));
    assert.equal(page["@odata.count"], ROWS - 100);
    assert.deepEqual(ids(page), upTo(500, 101));
    assert.equal("@odata.nextLink" in page, false);
  });

  test(
    "a large page leads to the next one exactly where there are more rows [11.2.6.7]",
    async ({ get, busy }) => {
      const first = await pageOf(await get("odata/v4/s/Books?$filter=ID le 2000&$select=ID"));
      assert.deepEqual(ids(first.page), upTo(1000));
      const link = first.page["@odata.nextLink"];
      assert.match(link!, /^Books\?\$filter=ID%20le%202000&\$select=ID&\$skiptoken=v\.[\w-]+$/);
      const second = await pageOf(await get(`odata/v4/s/${link}`));
      assert.deepEqual(ids(second.page), upTo(2000, 1001));
      assert.equal("@odata.nextLink" in second.page, false);
      const wanted = await pageOf(await get("odata/v4/s/Books?$top=1000&$select=ID"));
      assert.equal("@odata.nextLink" in wanted.page, false);
      assert.deepEqual(await busy(), []);
    },
    { page: 1000 },
  );

  test("rows are written one by one where they hold more than the database writes [11.2.4]", async ({ get }) => {
    const tagged = await pageOf(await get("odata/v4/s/Tagged"));
    assert.ok(tagged.parts > 2);
    assert.deepEqual(ids(tagged.page), upTo(TAGGED));
    assert.equal(tagged.page.value[6]["@odata.etag"], 'W/"7"');
    const full = await pageOf(
      await get("odata/v4/s/Books?$select=ID", {
        headers: { accept: "application/json;odata.metadata=full" },
      }),
    );
    assert.equal(full.page.value[2498]["@odata.id"], "Books(2499)");
    const references = await pageOf(await get("odata/v4/s/Books/$ref"));
    assert.deepEqual(references.page.value[2499], { "@odata.id": "Books(2500)" });
  });

  test("few rows come as one text, however many a page may have", async ({ get, busy }) => {
    for (const path of ["Books?$top=5", `Books?$filter=ID lt ${BUFFERED}`, "Books?$filter=ID lt 0"]) {
      const { parts } = await pageOf(await get(`odata/v4/s/${path}`));
      assert.equal(parts, 1, path);
    }
    assert.deepEqual(await busy(), []);
  });

  test("HEAD of a large collection leaves nothing open", async ({ get, busy }) => {
    const response = await get("odata/v4/s/Books", { method: "HEAD" });
    assert.deepEqual([response.status, await response.text()], [200, ""]);
    assert.deepEqual(await busy(), []);
  });

  test("batches and REST hold all rows of a large collection", async ({ get }) => {
    const batch = await get("odata/v4/s/$batch", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ requests: [{ id: "1", method: "GET", url: "Books?$select=ID" }] }),
    });
    const { responses: [{ body }] } = await batch.json();
    assert.deepEqual(ids(body), upTo(ROWS));
    const rows = await (await get("rest/r/Books")).json();
    assert.equal(rows.length, ROWS);
  });

  test("whoever goes away in the middle leaves nothing open", async (large) => {
    const { get, busy } = large;
    // more often than there are connections
    for (let i = 0; i < 5; i++) {
      const response = await get("odata/v4/s/Books");
      const reader = response.body!.getReader();
      await reader.read();
      await reader.read();
      await reader.cancel();
    }
    assert.deepEqual(await busy(), []);
    assert.equal((await pageOf(await get("odata/v4/s/Books?$top=300"))).page.value.length, 300);
    assert.deepEqual(large.errors, []);
  });

  test("a stream sees one state of the data, and keeps no writer waiting", async (large) => {
    const { get, runtime, busy } = large;
    const response = await get("odata/v4/s/Books?$select=ID,title");
    const reader = response.body!.getReader();
    const first = new TextDecoder().decode((await reader.read()).value);
    await runtime.db!.run(fw.ql.UPDATE.entity("my.Books").with({ title: "Changed" }).where({ ID: ROWS }));
    await runtime.db!.run(fw.ql.DELETE.from("my.Books").where({ ID: ROWS - 1 }));
    reader.releaseLock();
    const page: Page = JSON.parse(first + (await partsOf(response)).join(""));
    assert.deepEqual(ids(page), upTo(ROWS));
    assert.deepEqual(page.value.at(-1), { ID: ROWS, title: `Book ${ROWS}` });
    assert.deepEqual(await busy(), []);
    const after = await pageOf(await get(`odata/v4/s/Books?$filter=ID gt ${ROWS - 200}`));
    assert.equal(after.page.value.at(-1)!.title, "Changed");
  });

  test(
    "a client that takes nothing is given up, and is never told that it has all",
    async ({ get, busy, errors }) => {
      const response = await get("odata/v4/s/Books");
      const reader = response.body!.getReader();
      await reader.read();
      await eventually(() => errors.length > 0);
      await assert.rejects(reader.read(), /does not take the next part/);
      await settled(busy);
      assert.match(errors[0], /An answer was broken off/);
    },
    { limits: { stalledStreamMs: 500 } },
  );

  test("an answer that takes too long is broken off", async ({ get, busy, errors }) => {
    const response = await get("odata/v4/s/Books");
    await assert.rejects(response.text(), /takes too long/);
    await settled(busy);
    assert.equal(errors.length, 1);
  }, { limits: { streamMs: 0 } });

  test("beyond the number of streams an answer is made as one text", async ({ get }) => {
    const response = await get("odata/v4/s/Books");
    const { parts } = await pageOf(await get("odata/v4/s/Books"));
    assert.equal(parts, 1);
    assert.ok((await pageOf(response)).parts > 3);
    assert.ok((await pageOf(await get("odata/v4/s/Books"))).parts > 3);
  }, { limits: { streams: 1 } });

  test("handlers behind READ see all rows", async ({ get }) => {
    const { page, parts } = await pageOf(await get("odata/v4/s/Books?$select=ID,title"));
    assert.equal(parts, 1);
    assert.equal(page.value[2000].title, "seen");
  }, {
    handlers: {
      S: (service) => {
        service.after("READ", "Books", (rows) => {
          for (const row of rows as { title: string }[]) row.title = "seen";
        });
      },
    },
  });

  test(
    "what vetoes the commit of a large read is answered, and leaves nothing open",
    async ({ get, busy }) => {
      const response = await get("odata/v4/s/Books");
      assert.equal(response.status, 409);
      assert.equal((await response.json()).error.code, "409");
      assert.deepEqual(await busy(), []);
    },
    {
      handlers: {
        S: (service) => {
          service.before("READ", "Books", (req) => {
            req.before("commit", () => {
              throw Object.assign(new Error("No"), { status: 409 });
            });
          });
        },
      },
    },
  );
}

Deno.test("a row that the database cannot write breaks the answer off (sqlite file)", () =>
  withLarge("sqlite file", async ({ get, runtime, busy, errors }) => {
    await runtime.db!.run("UPDATE my_Books SET title = x'00ff' WHERE ID = 2000");
    const response = await get("odata/v4/s/Books");
    assert.equal(response.status, 200);
    await assert.rejects(response.text(), /failed before its last row/);
    await settled(busy);
    assert.match(errors.join(), /An answer was broken off.*failed before its last row/s);
  }));

Deno.test({
  name: "a connection that breaks in the middle breaks the answer off, and is replaced (postgres)",
  ignore: !ENGINE_NAMES.includes("postgres"),
  fn: () =>
    withLarge("postgres", async ({ get, busy, errors }) => {
      const response = await get("odata/v4/s/Books");
      const reader = response.body!.getReader();
      await reader.read();
      const [{ pid }] = await busy() as { pid: number }[];
      await terminate(pid);
      await assert.rejects(async () => {
        while (!(await reader.read()).done);
      });
      await settled(busy);
      assert.equal(errors.length, 1);
      assert.equal((await pageOf(await get("odata/v4/s/Books"))).page.value.length, ROWS);
    }),
});
