/**
 * Parts stay in their draft, however they are linked: nobody reads, changes or takes parts of somebody else's
 * (drafts 0 "Items", 3).
 */

import assert from "node:assert/strict";
import { type ApplicationService, createRuntime, type Row, type Runtime } from "../../../mod.ts";
import { denoKinds } from "../../../src/deno/deno_kinds.ts";
import { compileCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { sendLine } from "./send_line.ts";

const SOURCE = `
  context my {
    entity Trips { key ID : Integer; title : String(20); sameAs : Association to Trips;
      budget : Composition of one Budgets;
      legs : Composition of many Legs on legs.tripId = ID;
      days : Composition of many Days on days.trip = $self; }
    entity Budgets { key ID : Integer; amount : Integer; trip : Association to one Trips on trip.budget = $self; }
    entity Legs { key ID : Integer; tripId : Integer; dayId : Integer;
      trip : Association to one Trips on trip.ID = tripId; best : Association to Trips; }
    entity Days { key ID : Integer; trip : Association to Trips;
      legs : Composition of many Legs on legs.dayId = ID; }
    entity Guides { key ID : Integer; trip : Association to Trips; }
  }
  @protocol: ['odata', 'rest']
  service Shop {
    @odata.draft.enabled entity Trips as projection on my.Trips;
    entity Guides as projection on my.Guides;
    entity Budgets as projection on my.Budgets;
    entity Legs as projection on my.Legs;
    entity Days as projection on my.Days;
  }`;
const OWN = "Trips(ID=1,IsActiveEntity=false)";
const OTHER = "Trips(ID=2,IsActiveEntity=false)";
const REFUSED = [422, "DRAFT_MODIFICATION_ONLY_VIA_ROOT"];

type Send = (request: string, body?: unknown, user?: string) => Promise<[status: number, found: unknown]>;

/** Ann has a draft of the second trip, Ben one of the first. */
async function withTrips(run: (send: Send, runtime: Runtime) => Promise<void>): Promise<void> {
  const users = { ann: {}, ben: {} };
  const runtime = createRuntime({
    model: compileCdl(["m.cds"], { readFile: (path) => path === "m.cds" ? SOURCE : undefined }),
    kinds: denoKinds,
    env: {
      requires: { auth: { kind: "mocked", id_prefix: "", users }, db: { kind: "sqlite" } },
      log: { levels: { default: "silent" } },
    },
    data: new Map<string, Row[]>([
      ["my.Trips", [{ ID: 1, title: "own" }, { ID: 2, title: "other", budget_ID: 20 }]],
      ["my.Budgets", [{ ID: 20, amount: 5 }]],
      ["my.Legs", [{ ID: 22, tripId: 2 }]],
      ["my.Days", [{ ID: 24, trip_ID: 2 }]],
      ["my.Guides", [{ ID: 1, trip_ID: 2 }]],
    ]),
  });
  await runtime.start();
  const send: Send = async (request, body, user = "ben") => {
    const { status, body: answer } = await sendLine(runtime, request, { user, body });
    return [status, answer.error?.code ?? answer];
  };
  try {
    await send(`POST ${OTHER.replace("false", "true")}/draftEdit`, {}, "ann");
    await send(`PATCH ${OTHER}`, { title: "hidden" }, "ann");
    await send(`POST ${OWN.replace("false", "true")}/draftEdit`, {});
    await run(send, runtime);
  } finally {
    await runtime.close();
  }
}

Deno.test("a part of another draft is not taken by a foreign key, a link, or a nested row", async () => {
  await withTrips(async (send) => {
    const tree = `GET ${OTHER}?$expand=budget,legs,days($expand=legs)`;
    const before = await send(tree, undefined, "ann");
    for (
      const [request, body] of [
        [`PATCH ${OWN}`, { budget_ID: 20 }],
        [`PATCH ${OWN}`, { budget_ID: 99 }], // somebody may get a part with this key later
        [`PATCH ${OWN}`, { budget: { ID: 20, amount: 1 } }],
        [`PATCH ${OWN}`, { "budget@odata.bind": "Budgets(ID=20,IsActiveEntity=false)" }],
        [`PUT ${OWN}/budget_ID`, { value: 20 }],
        ["POST Trips", { ID: 9, budget_ID: 20 }],
        ["POST Trips", { ID: 9, budget: { ID: 20 } }],
        [`PATCH ${OWN}`, { legs: [{ ID: 30, dayId: 24 }] }],
        [`POST ${OWN}/legs`, { ID: 30, dayId: 24 }],
      ] as const
    ) assert.deepEqual(await send(request, body), REFUSED, `${request} ${JSON.stringify(body)}`);
    assert.deepEqual(
      (await send(`PATCH ${OWN}`, { "legs@odata.bind": ["Legs(ID=22,IsActiveEntity=false)"] }))[0],
      501,
    );
    assert.deepEqual(await send(tree, undefined, "ann"), before);
    assert.equal((await send(`GET ${OWN}/budget`))[0], 204);
    await send(`PATCH ${OWN}`, { budget: { ID: 40 } });
    await send("DELETE Budgets(ID=40,IsActiveEntity=false)");
    const [status] = await send(`PATCH ${OWN}`, { budget_ID: 40 }); // as it is
    assert.equal(status, 200);
  });
});

Deno.test("a part is not given to another draft, nor to none, by the columns that its composition compares", async () => {
  await withTrips(async (send) => {
    await send(`POST ${OWN}/legs`, { ID: 30 });
    await send(`POST ${OWN}/days`, { ID: 31 });
    const leg = "Legs(ID=30,IsActiveEntity=false)";
    for (
      const [request, body] of [
        [`PATCH ${leg}`, { tripId: 2 }],
        [`PATCH ${leg}`, { tripId: null }],
        [`PATCH ${leg}`, { tripId: 7 }],
        [`PATCH ${leg}`, { dayId: 24 }],
        [`PUT ${leg}/tripId`, { value: 2 }],
        [`PUT ${OWN}/legs(ID=30,IsActiveEntity=false)/tripId`, { value: 2 }],
        ["PATCH Days(ID=31,IsActiveEntity=false)", { trip_ID: 2 }],
        ["PATCH Days(ID=31,IsActiveEntity=false)", { trip_ID: null }],
        ["PATCH Days(ID=31,IsActiveEntity=false)", { trip: { ID: 2 } }],
        ["PATCH Days(ID=31,IsActiveEntity=false)", { trip: null }],
      ] as const
    ) assert.deepEqual(await send(request, body), REFUSED, `${request} ${JSON.stringify(body)}`);
    assert.equal((await send(`PATCH ${leg}`, { tripId: 1, dayId: 31 }))[0], 200); // inside of the draft
  });
});

Deno.test("associations to the entity of a whole lead to active instances, unless they lead back", async () => {
  await withTrips(async (send) => {
    await send(`POST ${OWN}/legs`, { ID: 30, best_ID: 2 });
    await send(`PATCH ${OWN}`, { sameAs_ID: 2, budget: { ID: 40, amount: 1 } });
    for (const path of [`${OWN}/sameAs`, `${OWN}/legs(ID=30,IsActiveEntity=false)/best`]) {
      const [, found] = await send(`GET ${path}`);
      assert.deepEqual([(found as Row).title, (found as Row).IsActiveEntity], ["other", true], path);
    }
    const [, legs] = await send("GET Legs?$filter=IsActiveEntity eq false and best/title eq 'hidden'");
    assert.deepEqual((legs as { value: unknown[] }).value, []);
    for (const path of ["Legs(ID=30,IsActiveEntity=false)/trip", `${OWN}/budget/trip`]) {
      const [, found] = await send(`GET ${path}`);
      assert.deepEqual([(found as Row).ID, (found as Row).IsActiveEntity], [1, false], path);
    }
  });
});

Deno.test("the lock of an instance is not passed by the path of an association that leads to it", async () => {
  await withTrips(async (send) => {
    await send(`PATCH ${OWN}`, { sameAs_ID: 2 });
    await send(`POST ${OWN}/legs`, { ID: 30, best_ID: 2 });
    for (
      const [request, body] of [
        [`PATCH ${OWN}/sameAs`, { title: "past" }],
        [`PUT ${OWN}/sameAs/title`, { value: "past" }],
        [`DELETE ${OWN}/sameAs`, undefined],
        [`POST ${OWN}/sameAs/legs`, { ID: 31 }],
        [`POST ${OWN}/sameAs/draftEdit`, {}],
        [`PATCH ${OWN}/legs(ID=30,IsActiveEntity=false)/best`, { title: "past" }],
        ["PATCH Guides(1)/trip", { title: "past" }],
        ["POST Guides(1)/trip/legs", { ID: 31 }],
        ["PATCH /rest/shop/Guides/1/trip", { title: "past" }],
      ] as const
    ) {
      const [status] = await send(request, body);
      assert.ok(status === 501 || status === 404 || status === 405, `${request}: ${status}`);
    }
    assert.equal((await send("POST Guides(1)/trip/draftEdit", {}))[1], "DRAFT_ALREADY_EXISTS");
    const [, active] = await send("GET Trips(ID=2,IsActiveEntity=true)?$expand=legs");
    assert.deepEqual([(active as Row).title, ((active as Row).legs as Row[]).length], ["other", 1]);
  });
});

Deno.test("a part is not added to a whole that the draft does not have", async () => {
  await withTrips(async (send) => {
    assert.deepEqual(await send(`POST ${OWN}/days(ID=24,IsActiveEntity=false)/legs`, { ID: 31 }), [
      404,
      "404",
    ]);
    assert.deepEqual(await send(`PATCH ${OWN}/days(ID=24,IsActiveEntity=false)`, {}), [404, "404"]);
    assert.equal((await send("GET Legs(ID=31,IsActiveEntity=false)"))[0], 404);
  });
});

Deno.test("what handlers set of a part keeps it in its draft as well", async () => {
  await withTrips(async (send, runtime) => {
    await send(`POST ${OWN}/days`, { ID: 31 });
    const set: Row = {};
    const srv = runtime.services.Shop as ApplicationService;
    srv.before("PATCH", "Days.drafts", (req) => void Object.assign(req.data as Row, set));
    const day = "Days(ID=31,IsActiveEntity=false)";
    const tripOf = async () => ((await send(`GET ${day}`))[1] as Row).trip_ID;
    for (const trip of [null, { ID: 2 }, { ID: 7 }]) {
      set.trip = trip;
      assert.deepEqual(await send(`PATCH ${day}`, {}), REFUSED, JSON.stringify(trip));
      assert.equal(await tripOf(), 1);
    }
    set.trip = { ID: 1 };
    assert.equal((await send(`PATCH ${day}`, {}))[0], 200);
  });
});
