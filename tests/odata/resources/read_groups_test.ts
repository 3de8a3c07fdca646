import assert from "node:assert/strict";
import { type ApplicationService, createRuntime, type Row, type SelectQuery } from "../../../mod.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { send } from "../../http/fixture.ts";

const model = parseCdl(`
  service S {
    entity Codes { key ID : Integer; code : String; lang : String; }
    entity E {
      key ID : Integer;
      one : Association to Codes { code };
      two : Association to Codes { code, lang };
    }
  }`);

const DATA = new Map<string, Row[]>([
  ["S.Codes", [
    { ID: 1 },
    { ID: 2, code: "null" },
    { ID: 3, lang: "en" },
    { ID: 4, code: "a", lang: "en" },
    { ID: 5, code: "a" },
    { ID: 6, code: "undefined" },
  ]],
  ["S.E", [
    { ID: 1 },
    { ID: 2, one_code: "null", two_code: "a", two_lang: "en" },
    { ID: 3, one_code: "b", two_code: "a" },
    { ID: 4, one_code: "b", two_lang: "en" },
    { ID: 5, one_code: "undefined" },
  ]],
]);

/** Groups by keys, the last value of each is the ID of what it is related to. */
type Groups = (keys: string, expand: string, filter?: string) => Promise<unknown>;

async function withGroups(
  test: (groups: Groups, read: () => number) => Promise<void>,
  after: (rows: Row[]) => void = () => {},
): Promise<void> {
  const runtime = createRuntime({
    model,
    data: DATA,
    env: { log: { levels: { default: "silent" } } },
    handlers: { S: (srv: ApplicationService) => void srv.after("READ", "E", (rows) => after(rows as Row[])) },
  });
  await runtime.start();
  let reads = 0;
  runtime.services.db!.before("READ", ({ query }) => {
    if (JSON.stringify((query as SelectQuery).SELECT.from).includes("S.Codes")) reads++;
  });
  try {
    await test(async (keys, expand, filter = "ID gt 0") => {
      const apply = `filter(${filter})/groupby((${keys}))`;
      const url = `/odata/v4/s/E?$apply=${apply}&$expand=${expand}($select=ID)&$orderby=${keys}`;
      const { body } = await send(runtime, encodeURI(url), { user: "alice" });
      return (body.value as Row[]).map(({ [expand]: found, ...group }) => [
        ...Object.values(group),
        (found as Row | null)?.ID ?? null,
      ]);
    }, () => reads);
  } finally {
    await runtime.close();
  }
}

Deno.test("groups whose keys are null, all or one of them, are related to nothing (Aggregation 3.2.3.1)", () =>
  withGroups(async (groups, read) => {
    assert.deepEqual(await groups("one_code", "one"), [[null, null], ["b", null], ["null", 2], [
      "undefined",
      6,
    ]]);
    assert.deepEqual(await groups("two_code,two_lang", "two"), [
      [null, null, null],
      [null, "en", null],
      ["a", null, null],
      ["a", "en", 4],
    ]);
    assert.equal(read(), 2);
    assert.deepEqual(await groups("one_code", "one", "ID eq 1"), [[null, null]]);
    assert.equal(read(), 2, "nothing is read for nothing");
  }));

Deno.test("groups from which a handler takes their keys are related to nothing (Aggregation 3.2.3.1)", () =>
  withGroups(
    async (groups) => {
      assert.deepEqual(await groups("one_code", "one"), [[null, null], [null], ["null", 2], [
        "undefined",
        6,
      ]]);
    },
    (rows) => {
      for (const row of rows) if (row.one_code === "b") delete row.one_code;
    },
  ));
