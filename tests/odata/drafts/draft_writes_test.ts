import assert from "node:assert/strict";
import { createRuntime, type Row } from "../../../mod.ts";
import { denoKinds } from "../../../src/deno/deno_kinds.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { uniqueName } from "../../contract/services.ts";
import { credentials, dropSchemas, server } from "../../db/postgres.ts";
import { sendLine } from "./send_line.ts";

async function discardWhatIsNotThere(kind: string): Promise<void> {
  const schema = uniqueName();
  const seen: string[] = [];
  const runtime = createRuntime({
    model: parseCdl("service Shop { @odata.draft.enabled entity Orders { key ID : Integer; } }"),
    kinds: denoKinds,
    env: {
      requires: {
        auth: { kind: "mocked", id_prefix: "", users: { ann: {}, ben: {} } },
        db: kind === "postgres" ? { kind, credentials: credentials(schema) } : { kind },
      },
      log: { levels: { default: "silent" } },
    },
    handlers: {
      Shop: (srv) => srv.before("CANCEL", "Orders.drafts", (req) => void seen.push(req.user.id)),
    },
  });
  await runtime.start();
  const statusOf = async (line: string, user: string, body?: unknown) =>
    (await sendLine(runtime, line, { user, body })).status;
  try {
    assert.equal(await statusOf("POST Orders", "ann", { ID: 1 }), 201);
    assert.equal(await statusOf("DELETE Orders(ID=2,IsActiveEntity=false)", "ben"), 404);
    assert.deepEqual(seen, ["ben"]);
    assert.equal(await statusOf("DELETE Orders(ID=1,IsActiveEntity=false)", "ben"), 403);
    assert.deepEqual(seen, ["ben"]);
    assert.equal(await statusOf("DELETE Orders(ID=2,IsActiveEntity=true)", "ben"), 404);
    assert.equal(await statusOf("DELETE Orders(ID=1,IsActiveEntity=false)", "ann"), 204);
    assert.deepEqual(seen, ["ben", "ann"]);
  } finally {
    await runtime.close();
    if (kind === "postgres") await dropSchemas(schema);
  }
}

for (const kind of ["sqlite", "postgres"]) {
  Deno.test({
    name: `a draft that is not there is 404 when handlers of the discarding have run (${kind})`,
    ignore: kind === "postgres" && !server.isThere,
    fn: () => discardWhatIsNotThere(kind),
  });
}

Deno.test("the holder of a draft is looked for once by a request that changes it or makes a part", async () => {
  const runtime = createRuntime({
    model: parseCdl(`service Shop {
      @odata.draft.enabled entity Orders {
        key ID : Integer; title : String(9); lines : Composition of many Lines on lines.of = $self;
      }
      entity Lines { key ID : Integer; of : Association to Orders; }
    }`),
    kinds: denoKinds,
    env: { requires: { auth: { kind: "mocked" } }, log: { levels: { default: "silent" } } },
  });
  await runtime.start();
  const db = runtime.db as unknown as { perform(statement: { readonly query: Row }): unknown };
  const perform = db.perform.bind(db);
  let looks = 0;
  db.perform = (statement) => {
    if (JSON.stringify(statement.query).includes('"as":"CreatedByUser"')) looks++;
    return perform(statement);
  };
  const draft = "Orders(ID=1,IsActiveEntity=false)";
  const requests: readonly [line: string, body?: object][] = [
    [`PATCH ${draft}`, { title: "x" }],
    [`POST ${draft}/lines`, { ID: 1 }],
    [`PATCH ${draft}/lines(ID=1,IsActiveEntity=false)`, {}],
  ];
  try {
    await sendLine(runtime, "POST Orders", { user: "alice", body: { ID: 1 } });
    for (const [line, body] of requests) {
      looks = 0;
      const { status } = await sendLine(runtime, line, { user: "alice", body });
      assert.deepEqual([line, status < 300, looks], [line, true, 1]);
    }
  } finally {
    await runtime.close();
  }
});

Deno.test("an active row that is created is answered with all parts that were sent, whichever row they are of (OData Protocol 11.4.2.2)", async () => {
  const runtime = createRuntime({
    model: parseCdl(`service Shop {
      @odata.draft.enabled entity Orders {
        key ID : Integer; lines : Composition of many Lines on lines.of = $self; note : Composition of one Notes;
      }
      entity Lines {
        key ID : Integer; of : Association to Orders; places : Composition of many Places on places.of = $self;
        bills : Composition of many Bills on bills.of = $self;
      }
      entity Places { key ID : Integer; of : Association to Lines; boxes : Composition of many Boxes on boxes.of = $self; }
      entity Boxes { key ID : Integer; of : Association to Places; }
      entity Bills { key ID : Integer; of : Association to Lines; }
      entity Notes { key ID : Integer; }
    }`),
    kinds: denoKinds,
    env: { requires: { auth: { kind: "mocked" } }, log: { levels: { default: "silent" } } },
  });
  await runtime.start();
  /** The keys of a row and its parts: `1 lines(2 3)`. */
  const textOf = (row: Row): string => {
    const parts = ["note", "lines", "places", "boxes", "bills"].filter((name) => name in row);
    const texts = parts.map((name) =>
      `${name}(${row[name] ? [row[name] as Row | Row[]].flat().map(textOf).join(" ") : "null"})`
    );
    return [row.ID, ...texts].join(" ");
  };
  const cases: Readonly<Record<string, Row>> = {
    "1": { ID: 1 },
    "2 lines()": { ID: 2, lines: [] },
    "3 note(null)": { ID: 3, note: null },
    "4 note(5) lines(6)": { ID: 4, lines: [{ ID: 6 }], note: { ID: 5 } },
    "7 lines(8 places(9 boxes(10)) 11 places())": {
      ID: 7,
      lines: [{ ID: 8, places: [{ ID: 9, boxes: [{ ID: 10 }] }] }, { ID: 11, places: [] }],
    },
    "12 lines(13 places() bills() 14 places() bills(15) 16 places() bills())": {
      ID: 12,
      lines: [{ ID: 13, places: [] }, { ID: 14, bills: [{ ID: 15 }] }, { ID: 16 }],
    },
  };
  try {
    for (const [expected, row] of Object.entries(cases)) {
      const sent = { user: "alice", body: { ...row, IsActiveEntity: true } };
      const { status, body, text } = await sendLine(runtime, "POST Orders", sent);
      assert.deepEqual([status, textOf(body)], [201, expected], text);
    }
  } finally {
    await runtime.close();
  }
});
