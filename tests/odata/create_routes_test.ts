import assert from "node:assert/strict";
import type { Runtime } from "../../mod.ts";
import { ENGINES } from "./engines.ts";
import { answerTo, ID, open, type Sent } from "./routes_fixture.ts";

/** A request of a change set. */
function grouped(id: string, body: Record<string, unknown>): Record<string, unknown> {
  return { id, atomicityGroup: "all", method: "POST", url: "Things", body };
}

/** A line of a cart, complete. */
const LINE = { ID: 1, text: "a", need: 1 };

/** Rows with parts. */
const DEEP: readonly Sent[] = [
  ["Carts", { ID: 1, name: "one", lines: [LINE, { ...LINE, ID: 2, must: 5, code: ID }] }],
  ["Carts", { ID: 2, lines: [{ ...LINE, ID: 3, marks: [{ kind: "a" }, { ID, kind: "b", seq: 4 }] }] }],
  ["Carts?$expand=lines($expand=marks)", { ID: 3, lines: [{ ...LINE, ID: 4, marks: [] }] }],
  ["Carts", { ID: 4, lines: [{ ...LINE, ID: 5, cart_ID: 1 }] }],
  ["Carts", { ID: 5, lines: [{ ...LINE, ID: 1 }] }],
  ["Carts", { ID: 6, lines: [{ ...LINE, ID: 6 }, { ...LINE, ID: 6 }] }],
  ["Carts", { ID: 7, lines: [{ ...LINE, ID: 7, text: undefined }] }],
  ["Carts", { ID: 8, lines: [{ ...LINE, ID: 8, need: undefined }] }],
  ["Carts", { ID: 9, lines: [{ ...LINE, ID: 9, need: null }] }],
  ["Carts", { ID: 10, lines: [{ ...LINE, ID: undefined }] }],
  ["Carts", { ID: 11, lines: [{ ...LINE, ID: 11, fixed: "x", text: "too long" }] }],
  ["Carts", { ID: 12, lines: [{ ...LINE, ID: 12, fixed: "x" }] }],
  ["Carts", { ID: 13, lines: [{ ...LINE, ID: 13, other: 1 }] }],
  ["Carts", { ID: 14, lines: [{ ...LINE, ID: 14, marks: [{ kind: "c" }] }] }],
  ["Carts", { ID: 15, lines: null }],
  ["Carts", { ID: 16, lines: {} }],
  ["Carts", { ID: 17, lines: [null, 3] }],
  ["Carts", { ID: 18, lines: [{ ...LINE, ID: 18, marks: [{ line_ID: 99 }] }] }],
  ["Carts", { ID: 19, "lines@odata.bind": ["Lines(1)"] }],
  ["Carts", { ID: 20, lines: [{ ...LINE, ID: 20 }] }, { prefer: "return=minimal" }],
  ["Boxes", { ID: 1, parts: [{ ID: 1, author_ID: 1 }, { ID: 2 }] }],
  ["Boxes", { ID: 2, parts: [{ ID: 3, author_ID: 99 }] }],
  ["Boxes", { ID: 3, one: { ID: 1, name: "x" } }],
  ["Safes", { ID: 1, coins: [{ ID: 6 }, { ID: 7 }] }],
  ["Safes", { ID: 2, coins: [{ ID: 8 }, { ID: 1 }] }],
  ["Orders", { no: "4", items: [{ pos: 1, what: "x" }, { pos: 1 }] }],
  ["Orders", { no: "5", items: [{ what: "x" }] }],
  ["$batch", {
    requests: [
      { ...grouped("1", { ID: 21, lines: [{ ...LINE, ID: 21 }] }), url: "Carts" },
      { ...grouped("2", { ID: 22, lines: [{ ...LINE, ID: 21 }] }), url: "Carts" },
    ],
  }],
];

const REQUESTS: readonly Sent[] = [
  ...DEEP,
  ["Things", { ID: 1, title: "One" }],
  ["Things", { ID: 1, title: "Again" }],
  ["Things", {
    ...{
      ID: 2,
      title: "All",
      isbn: "1-2",
      kind: "a",
      stock: 100,
      price: 9.5,
      rate: 0.1,
      big: 12,
      flag: true,
    },
    ...{
      day: "2024-02-29",
      at: "10:11",
      since: "2024-02-29T10:11:12.5Z",
      stamp: "2024-02-29T10:11:12.5+01:00",
    },
    ...{ code: ID, bytes: "AAEC", long: "x".repeat(300), size_width: 3, author_ID: 1, needed: 1 },
  }],
  ["Things", `{"ID":3,"title":"Exact","price":1234567.25,"big":9007199254740993,"rate":1e300}`],
  ["Things", { ID: 4, title: "Null", isbn: null, stock: null, price: null, code: null, size_width: null }],
  ["Things", { ID: 5, title: "Nested", author: { ID: 1 } }],
  ["Things", { ID: 6, title: "Bound", "author@odata.bind": "Authors(1)" }],
  ["Things", { ID: 7, title: "Ignored", fixed: "x", createdAt: "2000-01-01T00:00:00Z", createdBy: "me" }],
  ["Things", { ID: 8, title: "Virtual", seen: "x" }],
  ["Things", { ID: 9, title: "Unique", isbn: "1-2" }],
  ["Things", { ID: 10, title: "" }],
  ["Things", { ID: 11 }],
  ["Things", {
    ID: 12,
    title: "Too long a title",
    isbn: "abc",
    kind: "c",
    stock: 101,
    price: 1.234,
    day: "2023-02-29",
  }],
  ["Things", {
    ID: "13",
    title: 4,
    flag: "yes",
    big: 1.5,
    at: "25:00",
    code: "x",
    bytes: "AAECAw==",
    rate: "x",
  }],
  ["Things", { ID: 14, title: "Unknown", titel: "x", other: 1 }],
  ["Things", { ID: 15, title: "Required", needed: null, size_height: null }],
  ["Things", { title: "No key" }],
  ["Things", { ID: null, title: "Null key" }],
  ["Things", { ID: 16, title: "NUL\0" }],
  ["Things", { ID: 17, title: "Prefer" }, { prefer: "return=minimal" }],
  ["Things", { ID: 18, title: "Prefer" }, { prefer: "return=representation" }],
  ["Things", { ID: 19, title: "Omit" }, { prefer: "omit-values=nulls" }],
  ["Things", { ID: 20, title: "Full" }, { accept: "application/json;odata.metadata=full" }],
  ["Things", { ID: 21, title: "None" }, { accept: "application/json;odata.metadata=none" }],
  ["Things", { ID: 22, title: "4.01", price: 1 }, { "odata-maxversion": "4.01" }],
  ["Things", { ID: 23, title: "Text" }, { accept: "application/json;IEEE754Compatible=true" }],
  ["Things", { ID: 24, title: "XML" }, { accept: "application/xml" }],
  ["Things?$select=title", { ID: 25, title: "Select" }],
  ["Things?$expand=author", { ID: 26, title: "Expand", author_ID: 1 }],
  ["Things", `{"ID":27,"title":"Twice","title":"Second"}`],
  ["Things", `{"ID":28,"title":`],
  ["Things", ""],
  ["Things", "[]"],
  ["Things", `{"ID":29,"title":"__proto__","__proto__":1}`],
  ["Things", `{"ID":30,"title":"toString","toString":1}`],
  ["Notes", { must: 1 }],
  ["Notes", { ID, text: "x".repeat(255), must: 1 }],
  ["Notes", { text: "x".repeat(256), must: 1 }],
  ["Notes", { text: "x" }],
  ["Notes", { text: "x", must: null }],
  ["Renamed", { text2: 5 }],
  ["Renamed", { number: ID, text2: 5 }],
  ["Orders", { no: "1" }],
  ["Orders", { no: "2", items: [{ pos: 1, what: "x" }] }],
  ["Orders", { no: "3", items: [] }],
  ["Pairs", { a: "it's", b: 2, text: "x" }],
  ["Pairs", { a: "y", b: 2, tags: ["a"] }],
  ["Pairs", { a: "z" }],
  ["Versions", { ID: 1, name: "x" }],
  ["Fixed", { ID: 50, name: "x" }],
  ["Letters", { ID: 51, name: "x" }],
  ["Secrets", { ID: 1, name: "x" }],
  ["Secrets", { ID: 9, name: "x" }],
  ["Referring", { ID: 1, author_ID: 1 }],
  ["Referring", { ID: 2, author_ID: 99 }],
  ["Nothing", { ID: 1 }],
  ["$batch", {
    requests: [grouped("1", { ID: 60, title: "Together" }), grouped("2", { ID: 61, title: "Both" })],
  }],
  ["$batch", {
    requests: [grouped("1", { ID: 62, title: "Undone" }), grouped("2", { ID: 60, title: "Twice" })],
  }],
  ["$batch", { requests: [grouped("1", { ID: 63, title: "Undone" }), grouped("2", { ID: 64 })] }],
  ["$batch", { requests: [{ ...grouped("1", { ID: 65, title: "Alone" }), atomicityGroup: undefined }] }],
];

for (const engine of Object.keys(ENGINES)) {
  Deno.test(`a POST is answered the same whether handlers take part in it or not (${engine}) [4.1.post]`, async () => {
    const alone = open(engine);
    const seen = open(engine, (srv) => {
      srv.before(["CREATE", "READ"], () => {});
    });
    const readAlone = open(engine, (srv) => {
      srv.before("CREATE", () => {});
    });
    const outcome: Record<string, unknown>[] = [{}, {}, {}];
    try {
      for (const sent of REQUESTS) {
        const name = JSON.stringify(sent);
        outcome[0]![name] = await answerTo(alone, sent);
        outcome[1]![name] = await answerTo(seen, sent);
        outcome[2]![name] = await answerTo(readAlone, sent);
      }
      assert.deepEqual(outcome[0], outcome[1]);
      assert.deepEqual(outcome[2], outcome[1]);
      const statuses = new Set(Object.values(outcome[0]!).map((answer) => (answer as [number])[0]));
      assert.deepEqual([...statuses].sort(), [200, 201, 204, 400, 403, 404, 405, 406, 409]);
      const rows = async (runtime: Runtime, path: string) => {
        const response = await runtime.fetch(new Request(`http://localhost/odata/v4/s/${path}`));
        return await response.text();
      };
      for (const path of ["Things?$select=ID,title", "Lines?$orderby=ID", "Carts?$select=ID", "Safes"]) {
        assert.equal(await rows(alone, path), await rows(seen, path));
      }
    } finally {
      await alone.close();
      await seen.close();
      await readAlone.close();
    }
  });
}

const NOTE = { INSERT: { into: "my.Notes", entries: [{ ID, text: "kept open", must: 1 }] } };

for (const engine of ["sqlite", "memory"]) {
  Deno.test(`a row waits for a transaction that writes, and is not created once its time is over (${engine})`, async () => {
    const patient = open(engine);
    const hurried = open(engine, undefined, { limits: { handlerMs: 50 } });
    try {
      await patient.start();
      const writing = patient.db!.tx();
      await writing.run(NOTE);
      const waiting = answerTo(patient, ["Things", { ID: 1, title: "Waits" }]);
      await new Promise((resolve) => setTimeout(resolve, 1));
      await writing.commit();
      assert.equal((await waiting as [number])[0], 201);
      await hurried.start();
      const blocking = hurried.db!.tx();
      await blocking.run(NOTE);
      assert.equal((await answerTo(hurried, ["Things", { ID: 2, title: "Too late" }]) as [number])[0], 504);
      await blocking.rollback();
      assert.deepEqual(await hurried.db!.run({ SELECT: { from: { ref: ["my.Things"] } } }), []);
    } finally {
      await patient.close();
      await hurried.close();
    }
  });
}

Deno.test("handlers of the database take part in what OData creates and changes, alone and in a change set (spec 2.1, child requests)", async () => {
  const runtime = open("sqlite");
  try {
    await runtime.start();
    const seen: string[] = [];
    runtime.db!.before(
      ["INSERT", "UPDATE", "CREATE"],
      (req) => void seen.push(`${req.event} ${req.target?.name}`),
    );
    const change = (id: string, method: string, url: string, body: object) => {
      return { id, atomicityGroup: "all", method, url, body };
    };
    const sent: readonly Sent[] = [
      ["Things", { ID: 71, title: "One" }],
      ["$batch", {
        requests: [
          change("1", "POST", "Things", { ID: 72, title: "Two" }),
          change("2", "PATCH", "Things(72)", { title: "Other" }),
        ],
      }],
    ];
    for (const one of sent) await answerTo(runtime, one);
    assert.deepEqual(seen, ["CREATE S.Things", "CREATE S.Things", "UPDATE S.Things"]);
  } finally {
    await runtime.close();
  }
});
