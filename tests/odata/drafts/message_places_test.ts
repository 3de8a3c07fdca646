/**
 * Where messages of drafts say that they are, and that what is repaired has none any more, whatever keys rows have (drafts 7).
 */

import assert from "node:assert/strict";
import { createRuntime, type Row } from "../../../mod.ts";
import { denoKinds } from "../../../src/deno/deno_kinds.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { sendLine } from "./send_line.ts";

const MODEL = parseCdl(`
  service Shop {
    @odata.draft.enabled entity Trips { key code : String(20); km : Integer @assert.range: [0, 9];
      legs : Composition of many Legs on legs.trip = $self; budget : Composition of one Budgets; }
    entity Legs { key ID : String(20); trip : Association to Trips; km : Integer @assert.range: [0, 9]; }
    entity Budgets { key ID : String(20); km : Integer @assert.range: [0, 9]; }
  }`);

/** Keys as they stand in URLs, between their quotes. */
const KEYS = ["a", "a(b", "a)b", "a(b)c", ")(", "a''b", "(''", "a,IsActiveEntity"];

for (const key of KEYS) {
  Deno.test(`messages of rows whose keys are '${key}' name their place, and go when that is repaired`, async () => {
    const runtime = createRuntime({
      model: MODEL,
      kinds: denoKinds,
      env: {
        requires: { auth: { kind: "mocked", id_prefix: "", users: { ann: {} } }, db: { kind: "memory" } },
        log: { levels: { default: "silent" } },
      },
    });
    await runtime.start();
    const send = async (request: string, body?: unknown) =>
      (await sendLine(runtime, request, { user: "ann", body })).body as Row;
    const trip = `Trips(code='${key}',IsActiveEntity=false)`;
    const ID = key.replaceAll("''", "'");
    const part = `(ID='${key}',IsActiveEntity=false)`;
    /** What is changed, and the targets of the messages that the draft has then. */
    const changes: readonly [path: string, body: object, ...targets: string[]][] = [
      [trip, { km: 100 }, `/${trip}/km`],
      [trip, { km: 1 }],
      [`${trip}/legs${part}`, { km: 100 }, `/${trip}/legs${part}/km`],
      [`Legs${part}`, { km: 1 }],
      [`Legs${part}`, { km: 100 }, `/${trip}/legs${part}/km`],
      [`${trip}/legs${part}`, { km: 1 }],
      [`${trip}/budget`, { km: 100 }, `/${trip}/budget/km`],
      [`Budgets${part}`, { km: 1 }],
      [`Budgets${part}`, { km: 100 }, `/${trip}/budget/km`],
      [`${trip}/budget`, { km: 1 }],
      [trip, { legs: [{ ID, km: 100 }] }, `/${trip}/legs${part}/km`],
      [`Legs${part}`, { km: 1 }],
    ];
    try {
      await send("POST Trips", { code: ID, legs: [{ ID }], budget: { ID } });
      for (const [path, body, ...expected] of changes) {
        await send(`PATCH ${path}`, body);
        const { DraftMessages } = await send(`GET ${trip}?$select=DraftMessages`);
        const targets = (DraftMessages as Row[]).map(({ target }) => target);
        assert.deepEqual(targets, expected, `${path} ${JSON.stringify(body)}`);
      }
      await send(`PATCH Legs${part}`, { km: 100 });
      const { error } = await send(`POST ${trip}/draftActivate`, {});
      assert.equal((error as Row).target, `in/legs${part}/km`);
    } finally {
      await runtime.close();
    }
  });
}

Deno.test("messages of parts whose key holds that of their whole have all of it, and go when that is repaired", async () => {
  const runtime = createRuntime({
    model: parseCdl(`service Shop {
      @odata.draft.enabled entity Trips { key ID : Integer; legs : Composition of many Legs; }
      aspect Legs { key no : Integer; km : Integer @assert.range: [0, 9]; name : String(20) @mandatory @assert: (case when name = 'bad' then 'no' end);
        stops : Composition of many { key no : Integer; km : Integer @assert.range: [0, 9]; } } }`),
    kinds: denoKinds,
    env: {
      requires: { auth: { kind: "mocked", id_prefix: "", users: { ann: {} } }, db: { kind: "memory" } },
      log: { levels: { default: "silent" } },
    },
  });
  await runtime.start();
  const send = async (request: string, body?: unknown) =>
    (await sendLine(runtime, request, { user: "ann", body })).body as Row;
  const trip = "Trips(ID=1,IsActiveEntity=false)";
  const leg = "legs(up__ID=1,no=1,IsActiveEntity=false)";
  const stop = `${leg}/stops(up__up__ID=1,up__no=1,no=2,IsActiveEntity=false)`;
  const kept = async () => {
    const { DraftMessages } = await send(`GET ${trip}?$select=DraftMessages`);
    return (DraftMessages as Row[]).map(({ target }) => target);
  };
  try {
    await send("POST Trips", { ID: 1, legs: [{ no: 1, km: 10, stops: [{ no: 2, km: 10 }] }] });
    assert.deepEqual(await kept(), [`/${trip}/${leg}/km`, `/${trip}/${stop}/km`]);
    const { error } = await send(`POST ${trip}/draftActivate`, {});
    const details = (error as { readonly details: readonly Row[] }).details.map(({ target }) => target);
    const places = [`${leg}/km`, `${leg}/name`, `${stop}/km`];
    assert.deepEqual(details, places.map((place) => `in/${place}`));
    assert.deepEqual(await kept(), places.map((place) => `/${trip}/${place}`));
    await send(`PATCH ${trip}/${leg}`, { km: 1, name: "a" });
    assert.deepEqual(await kept(), [`/${trip}/${stop}/km`]);
    await send(`PATCH ${trip}/${stop}`, { km: 1 });
    assert.deepEqual(await kept(), []);
    await send(`PATCH ${trip}`, { legs: [{ no: 1, stops: [{ no: 2, km: 10 }] }] });
    assert.deepEqual(await kept(), [`/${trip}/${stop}/km`]);
    await send(`PATCH ${trip}/${stop}`, { km: 1 });
    await send(`PATCH ${trip}/${leg}`, { name: "bad" });
    assert.ok((await send(`POST ${trip}/draftActivate`, {})).error);
    assert.deepEqual(await kept(), [`/${trip}/${leg}/name`]);
  } finally {
    await runtime.close();
  }
});
