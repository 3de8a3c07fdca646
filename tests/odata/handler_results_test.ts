import assert from "node:assert/strict";
import { createRuntime } from "../../mod.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { send } from "../http/fixture.ts";

const MODEL = parseCdl(`service S {
  entity E { key ID : Integer; }
  function entities() returns many E;
}`);

const ROWS = [{ ID: 1 }, { ID: 2 }];

const RESULTS: Readonly<Record<string, () => unknown>> = {
  "a set": () => new Set(ROWS),
  "an iterator": () => ROWS.values(),
  "a generator": function* () {
    yield* ROWS;
  },
  "an asynchronous generator": async function* () {
    yield* ROWS;
  },
};

for (const [name, result] of Object.entries(RESULTS)) {
  Deno.test(`${name} that a handler returns is a collection of its members (6.1)`, async () => {
    const runtime = createRuntime({
      model: MODEL,
      handlers: {
        S: (srv) => {
          srv.on("READ", "E", () => result());
          srv.on("entities", () => result());
        },
      },
      env: { requires: { db: false } },
    });
    await runtime.start();
    try {
      for (const path of ["E", "entities()"]) {
        assert.deepEqual((await send(runtime, `/odata/v4/s/${path}`)).body.value, ROWS, path);
      }
    } finally {
      await runtime.close();
    }
  });
}

Deno.test("/$count is that of the rows or the values that a handler returns (Protocol 11.2.10)", async () => {
  const row = { ID: 1, tags: ["a", "b", "c"] };
  const rows: unknown[] = [];
  const alone = [row, null, undefined, 5];
  const runtime = createRuntime({
    model: parseCdl(
      "service S { entity E { key ID : Integer; tags : many String; } entity Alone { key ID : Integer; } }",
    ),
    handlers: {
      S: (srv) => {
        srv.on("READ", "E", ({ params }) => params.length > 0 ? row : rows);
        srv.on("READ", "Alone", () => alone.shift());
      },
    },
    env: { requires: { db: false } },
  });
  await runtime.start();
  const count = async (path: string) => (await send(runtime, `/odata/v4/s/${path}/$count`)).body;
  try {
    assert.equal(await count("E(1)/tags"), "3");
    assert.equal(await count("E"), "0");
    rows.push(row, row);
    assert.equal(await count("E"), "2");
    for (const expected of ["1", "0", "0", "5"]) assert.equal(await count("Alone"), expected);
  } finally {
    await runtime.close();
  }
});
