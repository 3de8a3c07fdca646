/**
 * Paths that lead to parts by properties to one, and back to their whole (drafts 2, OData Protocol 11.4.2.2 and 11.4.3).
 */

import assert from "node:assert/strict";
import { createRuntime, type Row, type Runtime, SELECT } from "../../../mod.ts";
import { denoKinds } from "../../../src/deno/deno_kinds.ts";
import { compileCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { sendLine } from "./send_line.ts";

const SOURCE = `
  context my {
    entity Trips { key code : String(4); key year : Integer; title : String(20);
      legs : Composition of many Legs on legs.tripCode = $self.code and legs.tripYear = $self.year;
      stops : Composition of many Stops on stops.trip = $self;
      budget : Composition of one Budgets; }
    entity Legs { key ID : Integer; tripCode : String(4); tripYear : Integer; km : Integer @assert.range: [0, 99]; }
    entity Stops { key ID : Integer; trip : Association to Trips; name : String(20); }
    entity Budgets { key ID : Integer; amount : Integer; fixed : Integer @readonly;
      lines : Composition of many { key pos : Integer; value : Integer; } }
  }
  service Shop {
    @odata.draft.enabled entity Trips as projection on my.Trips;
    entity Legs as projection on my.Legs;
    entity Stops as projection on my.Stops;
    entity Budgets as projection on my.Budgets;
  }`;
const ACTIVE = "Trips(code='a',year=1,IsActiveEntity=true)";
const DRAFT = "Trips(code='a',year=1,IsActiveEntity=false)";
const OTHER = "Trips(code='b',year=1,IsActiveEntity=false)";

interface Shop {
  readonly runtime: Runtime;
  /** Status and body of an answer, without annotations. */
  send(request: string, body?: unknown, user?: string): Promise<[number, Row]>;
}

async function withShop(kind: string, run: (shop: Shop) => Promise<void>, fiori: object = {}): Promise<void> {
  const runtime = createRuntime({
    model: compileCdl(["m.cds"], { readFile: (path) => path === "m.cds" ? SOURCE : undefined }),
    kinds: denoKinds,
    env: {
      requires: { auth: { kind: "mocked", id_prefix: "", users: { ann: {}, ben: {} } }, db: { kind } },
      fiori,
      log: { levels: { default: "silent" } },
    },
    data: new Map<string, Row[]>([
      ["my.Trips", ["a", "b"].map((code, at) => ({ code, year: 1, title: code, budget_ID: at + 1 }))],
      ["my.Legs", [{ ID: 1, tripCode: "a", tripYear: 1, km: 1 }]],
      ["my.Stops", [{ ID: 1, trip_code: "a", trip_year: 1, name: "x" }]],
      ["my.Budgets", [{ ID: 1, amount: 1, fixed: 5 }, { ID: 2, amount: 2, fixed: 6 }]],
    ]),
  });
  await runtime.start();
  try {
    await run({
      runtime,
      async send(request, body, user = "ann") {
        const answer = await sendLine(runtime, request, { user, body });
        const members = Object.entries(answer.body ?? {}).filter(([name]) => !name.startsWith("@"));
        return [answer.status, answer.body?.error ?? Object.fromEntries(members)];
      },
    });
  } finally {
    await runtime.close();
  }
}

for (const kind of ["sqlite", "memory"]) {
  Deno.test(`${kind}: a part behind a property to one is changed, gets parts and goes like others`, async () => {
    await withShop(kind, async ({ send }) => {
      await send(`POST ${ACTIVE}/draftEdit`, {});
      const [status, budget] = await send(`PATCH ${DRAFT}/budget`, { amount: 10 });
      assert.deepEqual([status, budget.ID, budget.amount, budget.IsActiveEntity], [200, 1, 10, false]);
      for (const pos of [1, 2]) {
        const [made, line] = await send(`POST ${DRAFT}/budget/lines`, { pos, value: pos });
        assert.deepEqual([made, line.up__ID, line.pos], [201, 1, pos]);
      }
      const [, line] = await send(`PATCH ${DRAFT}/budget/lines(pos=2,IsActiveEntity=false)`, { value: 22 });
      assert.deepEqual([line.up__ID, line.value], [1, 22]);
      assert.equal((await send(`DELETE ${DRAFT}/budget/lines(pos=1,IsActiveEntity=false)`))[0], 204);
      assert.equal((await send(`POST ${DRAFT}/draftActivate`, {}))[0], 200);
      const [, active] = await send(`GET ${ACTIVE}?$expand=budget($select=ID,amount,fixed;$expand=lines)`);
      const { lines, ...found } = active.budget as Row;
      assert.deepEqual(found, { ID: 1, amount: 10, fixed: 5, IsActiveEntity: true });
      assert.deepEqual(lines, [{ up__ID: 1, pos: 2, value: 22, IsActiveEntity: true }]);
    });
  });
}

Deno.test("a part in a row that is sent belongs to its draft: its own set finds it, others are kept out", async () => {
  await withShop("sqlite", async ({ send }) => {
    await send("POST Trips", { code: "c", year: 1 });
    const draft = "Trips(code='c',year=1,IsActiveEntity=false)";
    const budget = { ID: 9, amount: 1, lines: [{ pos: 1, value: 1 }] };
    assert.equal((await send(`PATCH ${draft}`, { budget, stops: [{ ID: 9 }] }))[0], 200);
    for (const part of ["Budgets(ID=9,IsActiveEntity=false)", "Stops(ID=9,IsActiveEntity=false)"]) {
      assert.equal((await send(`GET ${part}`))[0], 200);
      assert.equal((await send(`GET ${part}`, undefined, "ben"))[0], 404);
      assert.equal((await send(`PATCH ${part}`, {}, "ben"))[1].code, "DRAFT_LOCKED_BY_ANOTHER_USER");
    }
  });
});

Deno.test("a new part has the columns that its composition compares, whatever the body says", async () => {
  await withShop("sqlite", async ({ send }) => {
    await send(`POST ${ACTIVE}/draftEdit`, {});
    const [, leg] = await send(`POST ${DRAFT}/legs`, { ID: 2, tripCode: "b", km: 2 });
    assert.deepEqual([leg.tripCode, leg.tripYear], ["a", 1]);
    const [, legs] = await send(`GET ${DRAFT}/legs?$select=ID`);
    assert.deepEqual((legs.value as Row[]).map(({ ID }) => ID), [1, 2]);
  });
});

Deno.test("targets of messages have the keys of each step as URLs do: texts in quotes", async () => {
  await withShop("sqlite", async ({ send }) => {
    await send(`POST ${ACTIVE}/draftEdit`, {});
    await send(`PATCH ${DRAFT}/legs(ID=1,IsActiveEntity=false)`, { km: 100 });
    const [, { DraftMessages }] = await send(`GET ${DRAFT}?$select=DraftMessages`);
    const targets = (DraftMessages as Row[]).map(({ target }) => target);
    assert.deepEqual(targets, [`/${DRAFT}/legs(ID=1,IsActiveEntity=false)/km`]);
  });
});

Deno.test("actions and changes of the whole are answered by the path back from its parts", async () => {
  await withShop("sqlite", async ({ send }) => {
    const back = "Stops(ID=1,IsActiveEntity=false)/trip";
    assert.equal((await send("POST Stops(ID=1,IsActiveEntity=true)/trip/draftEdit", {}))[1].code, "a");
    const changed = await send(`PATCH ${DRAFT}/stops(ID=1,IsActiveEntity=false)/trip`, { title: "new" });
    assert.deepEqual([changed[0], changed[1].code, changed[1].title], [200, "a", "new"]);
    assert.equal((await send(`POST ${back}/draftPrepare`, {}))[1].title, "new");
    assert.deepEqual((await send(`POST ${back}/draftActivate`, {}, "ben"))[0], 403);
    const [status, active] = await send(
      `POST ${DRAFT}/stops(ID=1,IsActiveEntity=false)/trip/draftActivate`,
      {},
    );
    assert.deepEqual([status, active.title, active.IsActiveEntity], [200, "new", true]);
  });
});

Deno.test("draftEdit by the path back takes over the draft of its instance, and no other", async () => {
  await withShop("sqlite", async ({ send }) => {
    await send(`POST ${OTHER.replace("false", "true")}/draftEdit`, {}, "ben");
    const request = "POST Stops(ID=1,IsActiveEntity=true)/trip/draftEdit";
    const [status, draft] = await send(request, { PreserveChanges: false });
    assert.deepEqual([status, draft.code], [201, "a"]);
    assert.equal((await send(`GET ${OTHER}`, undefined, "ben"))[0], 200);
  }, { draft_lock_timeout: 1 });
});

Deno.test("a part is added to a draft that is there, by its owner only, and belongs to it (drafts 3)", () =>
  withShop("memory", async ({ runtime, send }) => {
    const add = async (trip: string, user?: string) => (await send(`POST ${trip}/stops`, { ID: 8 }, user))[0];
    assert.equal(await add(DRAFT), 404);
    await send(`POST ${ACTIVE}/draftEdit`, {});
    assert.deepEqual([await add(DRAFT, "ben"), await add(OTHER), await add(DRAFT)], [403, 404, 201]);
    const administration = "?$select=IsActiveEntity&$expand=DraftAdministrativeData";
    const [, whole] = await send(`GET ${DRAFT}${administration}`);
    const [, part] = await send(`GET Stops(ID=8,IsActiveEntity=false)${administration}`);
    assert.deepEqual(part.DraftAdministrativeData, whole.DraftAdministrativeData);
    const drafts = await runtime.db!.run(SELECT.from("DRAFT.DraftAdministrativeData")) as Row[];
    assert.equal(drafts.length, 1);
  }));
