import assert from "node:assert/strict";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { findService, uniqueName } from "../contract/services.ts";
import { type RunningProcess, startProcess, urlOf } from "../deno/project_processes.ts";
import { boxLines } from "../messaging/services.ts";

const { address, isThere } = await findService("nats");
const BASIC = { authorization: `Basic ${btoa("bob:")}`, "content-type": "application/json" };

/** A topology: entries of `fw.requires` for both applications. */
type Topology = (
  place: { readonly folder: string; readonly stream: string },
) => Readonly<Record<string, unknown>>;

/** What was emitted where. */
interface Seen {
  /** Topics of the lines of the box. */
  readonly box: readonly string[];
  /** Topics of the messages of the stream. */
  readonly stream: readonly string[];
}

/** Runs both examples as they are: a review changes the rating of a book, an order is announced. */
async function runExamples(topology: Topology): Promise<Seen> {
  const folder = await Deno.makeTempDir({ prefix: "fw-topology-" });
  const stream = uniqueName();
  const processes: RunningProcess[] = [];
  try {
    const requires = {
      ...topology({ folder, stream }),
      db: { kind: "sqlite", credentials: { url: ":memory:" } },
    };
    const start = async (example: string) => {
      const process = startProcess({
        args: [`examples/${example}/main.ts`],
        variables: { FW_CONFIG: JSON.stringify({ requires, log: { levels: { default: "warn" } } }) },
      });
      processes.push(process);
      return await urlOf(process);
    };
    const [bookshop, reviews] = [await start("bookshop"), await start("reviews")];
    await post(`${reviews}/odata/v4/reviews/Reviews`, { book: 201, rating: 5 });
    await post(`${bookshop}/odata/v4/catalog/submitOrder`, { book: 201, quantity: 1 });
    await eventually(async () => {
      const response = await fetch(`${bookshop}/odata/v4/catalog/Books(201)?$select=rating,reviews`);
      const { rating, reviews: count } = await response.json();
      assert.deepEqual([rating, count], [4.7, 3]);
    });
    await eventually(async () => assert.ok((await seen(folder, stream)).join().includes("OrderedBook")));
    const [box, messages] = await seen(folder, stream);
    return { box, stream: messages };
  } catch (error) {
    for (const process of processes) console.error(process.output());
    throw error;
  } finally {
    for (const process of processes) await process.close();
    await removeStream(stream);
    await Deno.remove(folder, { recursive: true });
  }
}

async function post(url: string, body: unknown): Promise<void> {
  const response = await fetch(url, { method: "POST", headers: BASIC, body: JSON.stringify(body) });
  assert.ok(response.ok, await response.text());
}

async function seen(folder: string, stream: string): Promise<[string[], string[]]> {
  const subjects: string[] = [];
  const connection = await connect({ servers: address });
  const manager = await jetstreamManager(connection);
  const info = await manager.streams.info(stream, { subjects_filter: ">" }).catch(() => undefined);
  for (const subject of Object.keys(info?.state.subjects ?? {})) {
    subjects.push(subject.replace(/^.*?\.t\./, ""));
  }
  await connection.close();
  return [boxLines(`${folder}/box`).map((line) => line.split(" ", 1)[0]!), subjects];
}

async function removeStream(stream: string): Promise<void> {
  const connection = await connect({ servers: address });
  await (await jetstreamManager(connection)).streams.delete(stream).catch(() => {});
  await connection.close();
}

async function eventually(check: () => Promise<void>): Promise<void> {
  for (const end = Date.now() + 60_000;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

Deno.test({
  name:
    "two applications change from one file to a composite of file and NATS by configuration alone [6.3.4a] [6.3.4b] [6.3.4c]",
  ignore: !isThere,
  fn: async () => {
    const file = (folder: string) => ({ kind: "file-based-messaging", file: `${folder}/box` });
    const nats = (stream: string) => ({ kind: "nats-messaging", credentials: { url: address }, stream });
    const [rating, order] = ["ReviewsService.RatingChanged", "CatalogService.OrderedBook"];

    const single = await runExamples(({ folder }) => ({ messaging: file(folder) }));
    assert.deepEqual([single.box.toSorted(), single.stream], [[order, rating], []]);

    const composite = await runExamples(({ folder, stream }) => ({
      messaging: {
        kind: "composite-messaging",
        routes: { local: ["CatalogService.**"], broker: ["ReviewsService.*"] },
      },
      local: file(folder),
      broker: nats(stream),
    }));
    assert.deepEqual([composite.box, composite.stream], [[order], [rating]]);

    const broker = await runExamples(({ stream }) => ({ messaging: nats(stream) }));
    assert.deepEqual([broker.box, broker.stream.toSorted()], [[], [order, rating]]);
  },
});
