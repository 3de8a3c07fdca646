import assert from "node:assert/strict";
import type { Runtime } from "../../mod.ts";
import { ENGINES } from "./engines.ts";
import { answerTo, ID, open, type Sent } from "./routes_fixture.ts";

const ROWS: readonly Sent[] = [
  ["Things", { ID: 1, title: "One", isbn: "1-1" }],
  ["Things", { ID: 2, title: "Two", isbn: "1-2", author_ID: 1 }],
  ["Notes", { ID, text: "x", must: 1 }],
  ["Orders", { ID, no: "1", items: [{ pos: 1, what: "x" }] }],
  ["Pairs", { a: "it's", b: 2, text: "x" }],
  ["Versions", { ID: 1, name: "x" }],
  ["Secrets", { ID: 9, name: "x" }],
  ["Referring", { ID: 1, author_ID: 1 }],
  ["Linked", { ID: 1, author_ID: 1 }],
  ["Linked", { ID: 2 }],
  ["Tasks", { ID: 1, who: "me", title: "a", boss_ID: 1 }],
  ["Tasks", { ID: 2, who: "you", title: "b" }],
];
const FIRST = "Things(1)";
/** A change in a change set. */
function grouped(id: string, url: string, body: Record<string, unknown>): Record<string, unknown> {
  return { id, atomicityGroup: "all", method: "PATCH", url, body };
}
const PATCHES: readonly Sent[] = [
  [FIRST, { title: "First" }],
  [FIRST, { ID: 77, title: "Key" }],
  [FIRST, { title: "All", kind: "b", stock: 1, price: 9.5, rate: 0.1, big: 12, flag: true, bytes: "AAEC" }],
  [FIRST, { day: "2024-02-29", at: "10:11", since: "2024-02-29T10:11:12.5Z", size_width: 3, author_ID: 1 }],
  [FIRST, { stock: null, price: null, isbn: null, size_width: null }],
  [FIRST, { fixed: "x", createdAt: "2000-01-01T00:00:00Z", createdBy: "me", once: "x" }],
  [FIRST, { once: "x", title: "Once" }],
  [FIRST, { seen: "x" }],
  [FIRST, {}],
  [FIRST, { isbn: "1-2" }],
  [FIRST, { title: "" }],
  [FIRST, { title: null, needed: null, size_height: null }],
  [FIRST, { title: "Too long a title", isbn: "abc", kind: "c", stock: 101, price: 1.234, day: "2023-02-29" }],
  [FIRST, { title: 4, flag: "yes", big: 1.5, at: "25:00", code: "x", bytes: "AAECAw==", rate: "x" }],
  [FIRST, { titel: "x" }],
  [FIRST, { title: "NUL\0" }],
  [FIRST, { author: { ID: 1 } }],
  [FIRST, { "author@odata.bind": "Authors(1)" }],
  [FIRST, { title: "Minimal" }, { prefer: "return=minimal" }],
  [FIRST, { title: "Repr" }, { prefer: "return=representation" }],
  [FIRST, { title: "Omit" }, { prefer: "omit-values=nulls" }],
  [FIRST, { title: "Full" }, { accept: "application/json;odata.metadata=full" }],
  [FIRST, { title: "4.01", price: 1 }, { "odata-maxversion": "4.01" }],
  [FIRST, { title: "XML" }, { accept: "application/xml" }],
  [FIRST, { title: "Match" }, { "if-match": "*" }],
  [FIRST, { title: "Tag" }, { "if-match": 'W/"1"' }],
  [FIRST, { title: "None" }, { "if-none-match": "*" }],
  [`${FIRST}?$select=title`, { title: "Select" }],
  [`${FIRST}?$expand=author`, { title: "Expand" }],
  ["Things(2)/author", { name: "Anne" }],
  ["Things(99)", { title: "Missing" }],
  ["Things('x')", { title: "Key" }],
  [FIRST, `{"title":`],
  [FIRST, "[]"],
  [`Notes(${ID})`, { text: "x".repeat(256) }],
  [`Notes(${ID})`, { text: "y" }],
  [`Renamed(${ID})`, { text2: 5 }],
  [`Renamed(${ID})`, { text2: null }],
  [`Orders(${ID})`, { no: "2" }],
  [`Orders(${ID})`, { no: "3", items: [{ pos: 2, what: "y" }] }],
  ["Pairs(a='it''s',b=2)", { text: "y" }],
  ["Pairs(a='it''s',b=2)", { tags: ["a"] }],
  ["Versions(1)", { name: "y" }],
  ["Versions(1)", { name: "z" }, { "if-match": 'W/"2"' }],
  ["Versions(1)", { name: "y" }, { "if-match": 'W/"1"' }],
  ["Fixed(1)", { name: "x" }],
  ["Letters(1)", { name: "x" }],
  ["Secrets(9)", { name: "y" }],
  ["Referring(1)", { author_ID: 99 }],
  ["Linked(1)", { name: "a", author: { ID: 3, name: "New" } }, { "odata-version": "4.01" }],
  ["Linked(1)", { name: "b", "@odata.etag": 'W/"1"' }],
  ["Main", { name: "c" }],
  ["Main", { name: "too long" }],
  ["Mine", { author_ID: 1 }],
  ["Mine", { name: "d" }],
  ["Linked(1)", { name: "e" }],
  ["Mine", { author_ID: 3 }],
  ["Main", { name: "f" }],
  ["Mine", { name: "c" }],
  ["Nothing(1)", { ID: 1 }],
  ["Tasks(1)", { title: "c" }],
  ["Tasks(1)", { title: "d", who: "me" }],
  ["Tasks(1)", { title: "e", who: "you" }],
  ["Tasks(1)", { title: "too long for it" }],
  ["Tasks(2)", { title: "f" }],
  ["Tasks(2)", { who: "me" }],
  ["Tasks(99)", { title: "g" }],
  ["Chores(1)", { title: "h" }],
  ["Chores(1)", { boss_ID: null }],
  ["Chores(2)", { title: "i" }],
  ["Chores(2)", { boss_ID: 1 }],
];
const BATCHES: readonly Sent[] = [
  ["$batch", { requests: [grouped("1", FIRST, { stock: 5 }), grouped("2", FIRST, { price: 2 })] }],
  ["$batch", { requests: [grouped("1", FIRST, { stock: 6 }), grouped("2", FIRST, { isbn: "1-2" })] }],
  ["$batch", { requests: [{ ...grouped("1", FIRST, { stock: 7 }), atomicityGroup: undefined }] }],
  ["$batch", {
    requests: [grouped("1", "Tasks(1)", { title: "j" }), grouped("2", "Tasks(2)", { title: "k" })],
  }],
];

for (const engine of Object.keys(ENGINES)) {
  Deno.test(`a PATCH is answered the same, and changes the same, whether handlers take part in it or not (${engine}) (OData Protocol 11.4.3)`, async () => {
    const runtimes = [
      open(engine),
      open(engine, (srv) => void srv.before(["UPDATE", "READ"], () => {})),
      open(engine, (srv) => void srv.before("UPDATE", () => {})),
    ];
    try {
      const [alone, ...others] = await Promise.all(runtimes.map(outcome));
      for (const other of others) assert.deepEqual(other, alone);
      const statuses = new Set(Object.values(alone!).map((answer) => (answer as [number])[0]));
      assert.deepEqual([...statuses].sort(), [200, 204, 400, 401, 403, 404, 405, 406, 409, 412, 428]);
    } finally {
      for (const runtime of runtimes) await runtime.close();
    }
  });
}

/** All answers, and the rows behind each change. */
async function outcome(runtime: Runtime): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  for (const sent of ROWS) await answerTo(runtime, sent);
  for (const [method, all] of [["PATCH", PATCHES], ["POST", BATCHES]] as const) {
    for (const sent of all) {
      const name = JSON.stringify(sent);
      answers[name] = await answerTo(runtime, sent, method);
      const rows = ["my.Things", "my.Tasks", "my.Linked"].map((of) =>
        runtime.db!.run({ SELECT: { from: { ref: [of] } } })
      );
      answers[`rows behind ${name}`] = [
        200,
        JSON.stringify(await Promise.all(rows)).replace(/"\w+At":"[^"]*"/g, ""),
      ];
    }
  }
  return answers;
}

Deno.test("a PATCH along a path goes to handlers of that path, which entities beside it do not have (spec 2.3)", async () => {
  const told: string[] = [];
  const runtime = open("sqlite", (srv) => {
    srv.before("UPDATE", "Things/author", (req) => void told.push(req.path));
  });
  try {
    for (const sent of ROWS.slice(0, 2)) await answerTo(runtime, sent);
    for (const url of ["Authors(1)", "Things(2)/author"]) {
      const [status] = await answerTo(runtime, [url, { name: "Anne" }], "PATCH") as [number];
      assert.equal(status, 200, url);
    }
    assert.deepEqual(told, ["S.Things/author"]);
  } finally {
    await runtime.close();
  }
});
