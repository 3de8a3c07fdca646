import assert from "node:assert/strict";
import { createRuntime, type Runtime } from "../../mod.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { send } from "../http/fixture.ts";
import { ENGINES } from "./engines.ts";

const MODEL = parseCdl(`service S {
  entity Books { key ID : Integer; title : String(50); text : LargeString; genre : Association to Genres; }
  @odata.etag entity Genres { key ID : Integer; @odata.etag name : String(50);
    books : Association to many Books on books.genre = $self; }
  function long(count : Integer) returns LargeString;
}
@protocol: 'rest' service R { entity Books as projection on S.Books; }`);

const DATA = new Map<string, readonly Record<string, unknown>[]>([
  ["S.Genres", [{ ID: 1, name: "g" }]],
  [
    "S.Books",
    Array.from(
      { length: 20 },
      (_, at) => ({ ID: at + 1, title: "Title", text: "x".repeat(1000), genre_ID: 1 }),
    ),
  ],
]);

/** Runs a test on a service over an engine. */
async function withBooks(
  engine: string,
  limits: Readonly<Record<string, number>>,
  run: (get: (path: string) => ReturnType<typeof send>, runtime: Runtime) => Promise<void>,
): Promise<void> {
  const runtime = createRuntime({
    model: MODEL,
    data: DATA,
    handlers: {
      S: (srv) => {
        srv.on("long", (req) => "x".repeat((req.data as { count: number }).count));
        srv.on("READ", "Genres", async (_req, next) => await next());
      },
    },
    kinds: { databases: { [engine]: () => (given) => ENGINES[engine]!(given) } },
    env: { requires: { db: { kind: engine } }, limits, log: { levels: { default: "silent" } } },
  });
  await runtime.start();
  try {
    await run((path) => send(runtime, `/odata/v4/s/${path}`), runtime);
  } finally {
    await runtime.close();
  }
}

/** `c0`, and names that each join the one before with itself. */
function doubled(times: number, first: string): string {
  return [
    `${first} as c0`,
    ...Array.from({ length: times }, (_, at) => `concat(c${at},c${at}) as c${at + 1}`),
  ].join();
}

/** Queries that join a title so often that it is longer than the limit, and those that do not. */
const JOINED: readonly (readonly [path: (times: number) => string, least: number])[] = [
  [(times) => `Books?$select=ID,c${times}&$compute=${doubled(times, "concat(title,'/')")}`, 8],
  [(times) => `Books(1)?$select=ID,c${times}&$compute=${doubled(times, "concat(title,'/')")}`, 8],
  [(times) => `Books?$filter=contains(c${times},'e/T')&$compute=${doubled(times, "concat(title,'/')")}`, 8],
  [(times) => `Books?$orderby=c${times} desc,ID&$compute=${doubled(times, "concat(title,'/')")}`, 8],
  [
    (times) => `Books?$select=ID,u&$compute=${doubled(times, "concat(title,'/')")},toupper(c${times}) as u`,
    8,
  ],
  [(times) => `Books?$apply=compute(${doubled(times, "concat(title,'/')")})`, 8],
  [(times) => `Books?$apply=compute(${doubled(times, "concat(title,'/')")})/groupby((c${times}))`, 8],
  [(times) => `Books?$apply=groupby((title))/compute(${doubled(times, "concat(title,'/')")})`, 8],
  [
    (times) => `Genres?$expand=books($select=ID,c${times};$compute=${doubled(times, "concat(title,'/')")})`,
    8,
  ],
  [
    (times) =>
      `Books?$filter=contains(@a0,'e/T')&${
        Array.from({ length: times }, (_, at) => `@a${at}=concat(@a${at + 1},@a${at + 1})`).join("&")
      }&@a${times}=concat('Title','/')`,
    8,
  ],
];

for (const engine of Object.keys(ENGINES)) {
  Deno.test(`fw.limits.computedLength bounds what expressions join, wherever they stand, on ${engine}`, () =>
    withBooks(engine, { computedLength: 1000 }, async (get) => {
      for (const [path, least] of JOINED) {
        const short = await get(path(4));
        assert.equal(short.status, 200, `${path(4)}: ${JSON.stringify(short.body)}`);
        assert.ok((short.body.value ?? [short.body]).length > 0, path(4));
        const { status, body } = await get(path(least));
        assert.equal(status, 400, path(least));
        assert.equal(body.error.code, "COMPUTED_TOO_LONG", path(least));
        assert.match(
          body.error.message,
          /^The computed texts are longer than 1000 characters: .*\(fw\.limits\.computedLength\)$/,
        );
      }
      const both = (times: number) =>
        `Books?$select=${Array.from({ length: times }, (_, at) => `d${at}`)}&$compute=${
          doubled(5, "concat(title,'/')")
        },${Array.from({ length: times }, (_, at) => `concat(c5,'${at}') as d${at}`)}`;
      assert.equal((await get(both(3))).status, 200);
      assert.equal(
        (await get(both(9))).body.error.code,
        "COMPUTED_TOO_LONG",
        "the columns of a row together",
      );
      const exact = (await get("Books(1)?$select=c6&$compute=" + doubled(6, "concat(title,'/')"))).body.c6;
      assert.equal(exact, "Title/".repeat(64));
    }));

  Deno.test(`fw.limits.answerBytes bounds answers to reading requests, on ${engine}`, () =>
    withBooks(engine, { answerBytes: 15_000 }, async (get, runtime) => {
      const large = [
        "Books",
        "Books?$orderby=text desc",
        "Books?$format=application/json;odata.metadata=full",
        "Books?$apply=filter(ID gt 0)",
        "Genres?$expand=books",
        "Genres(1)?$expand=books",
        "Genres(1)/books",
        "Books(1)?$expand=genre($expand=books)",
        "Books?$select=c3&$compute=" + doubled(3, "concat(text,'')") + "&$top=2",
        "long(count=20000)",
        "$crossjoin(Books,Genres)?$expand=Books",
      ];
      for (const path of large) {
        const { status, body } = await get(path);
        assert.deepEqual([status, body.error?.code], [413, "ANSWER_TOO_LARGE"], path);
        assert.match(
          body.error.message,
          /^The answer is larger than 15000 bytes: .*\$top \(fw\.limits\.answerBytes\)$/,
        );
      }
      const small = [
        "Books?$top=10",
        "Books?$select=ID,title",
        "Books/$count",
        "Books?$top=10&$count=true",
        "long(count=9000)",
        "$metadata",
      ];
      for (const path of small) assert.equal((await get(path)).status, 200, path);
      assert.equal((await send(runtime, "/rest/r/Books")).status, 413);
      // handlers read what they want
      const { S } = runtime.services as unknown as Record<
        string,
        { read(entity: string): Promise<unknown[]> }
      >;
      assert.equal((await S!.read("Books")).length, 20);
    }));
}

Deno.test("fw.limits.answerBytes leaves what is streamed, and what describes the model", () =>
  withBooks("sqlite", { answerBytes: 300_000, bufferedRows: 5, pageSize: 1000 }, async (get) => {
    const long = "Books?$select=ID,c5&$compute=" + doubled(5, "concat(text,'')");
    const { status, body } = await get(long);
    assert.deepEqual([status, body.value.length, body.value.at(-1).c5.length], [200, 20, 32_000]);
    assert.equal((await get(`${long}&$top=5`)).status, 200);
    assert.equal((await get("$metadata")).status, 200);
  }));
