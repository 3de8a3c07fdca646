import assert from "node:assert/strict";
import { createRuntime, SELECT, UPDATE } from "../../../mod.ts";
import type { ApplicationService, ServiceRequest } from "../../../mod.ts";
import { optionsOf, type RunningApp, testOnEngines } from "./on_engines.ts";

type Req = ServiceRequest<Record<string, unknown>>;

const APP = {
  cdl: `
    type State : String(1) enum { Open = 'O'; Busy = 'B'; Done = 'D'; Held = 'H'; };
    entity db.Tickets { key ID : Integer; title : String(40); state : State default 'O'; effort : Integer; }
    entity db.States { key code : String(1) enum { New = 'N'; Run = 'R'; }; }
    entity db.Jobs { key ID : Integer; state : Association to db.States default 'N'; }
    service Flow {
      entity Tickets as projection on db.Tickets { ID as number, title, state as status, effort } actions {
        action start();
        action finish(hours : Integer) returns Tickets;
        action hold();
        action resume();
        action stretch(by : Integer) returns Integer;
      };
      entity Jobs as projection on db.Jobs actions { action run(); };
      entity States as projection on db.States;
    }
    annotate Flow.Tickets with @flow.status: status actions {
      start @from: #Open @to: #Busy;
      finish @from: [#Busy] @to: #Done;
      hold @from: [#Open, #Busy] @to: #Held;
      resume @from: #Held @to: $flow.previous;
      stretch @from: [#Open];
    };
    annotate Flow.Jobs with @flow.status: state actions { run @from: #New @to: #Run; };
  `,
  data: {
    "db.Tickets": [{ ID: 1, title: "lamp", state: "O" }, { ID: 2, title: "door", state: "H" }],
    "db.States": [{ code: "N" }, { code: "R" }],
    "db.Jobs": [{ ID: 1, state_code: "N" }],
  },
  handlers: {
    Flow(srv: ApplicationService): void {
      srv.on("finish", "Tickets", async (req: Req) => {
        await UPDATE(req.subject).with({ effort: req.data.hours as number });
        return await SELECT.one.from(req.subject);
      });
      srv.on("stretch", "Tickets", () => 7);
    },
  },
};

const TICKETS = "/odata/v4/flow/Tickets";

async function status({ send }: RunningApp, number = 1): Promise<unknown> {
  return (await send("GET", `${TICKETS}(${number})/status`)).body.value;
}

testOnEngines(
  "an action without handler sets the status, and starts from those that it names",
  APP,
  async (app) => {
    assert.equal((await app.send("POST", `${TICKETS}(1)/start`, {})).status, 204);
    assert.equal(await status(app), "B");
    const again = await app.send("POST", `${TICKETS}(1)/start`, {});
    assert.equal(again.status, 409);
    assert.deepEqual(again.body.error as unknown, {
      code: "INVALID_FLOW_TRANSITION_SINGLE",
      message: 'Action "start" requires "status" to be ["Open"]',
      "@Common.numericSeverity": 4,
    });
    const held = await app.send("POST", `${TICKETS}(2)/hold`, {});
    assert.equal(held.body.error.code, "INVALID_FLOW_TRANSITION_MULTI");
    assert.equal((await app.send("POST", `${TICKETS}(9)/start`, {})).status, 404);
  },
);

testOnEngines("the status is set behind the handler of the application", APP, async (app) => {
  await app.send("POST", `${TICKETS}(1)/start`, {});
  const finished = await app.send("POST", `${TICKETS}(1)/finish`, { hours: 3 });
  assert.deepEqual([finished.body.status, finished.body.effort], ["B", 3]);
  assert.equal(await status(app), "D");
  assert.equal((await app.send("POST", `${TICKETS}(1)/stretch`, { by: 1 })).status, 409);
});

testOnEngines("$flow.previous goes back to the status before the last transition", APP, async (app) => {
  for (const state of ["O", "B"]) {
    assert.equal(await status(app), state);
    assert.equal((await app.send("POST", `${TICKETS}(1)/hold`, {})).status, 204);
    assert.equal(await status(app), "H");
    assert.equal((await app.send("POST", `${TICKETS}(1)/resume`, {})).status, 204);
    assert.equal(await status(app), state);
    if (state === "O") await app.send("POST", `${TICKETS}(1)/start`, {});
  }
  const none = await app.send("POST", `${TICKETS}(2)/resume`, {});
  assert.deepEqual([none.status, none.body.error.code as unknown], [409, "FLOW_WITHOUT_PREVIOUS"]);
  const { text } = await app.send("GET", "/odata/v4/flow/$metadata");
  assert.ok(!text.includes("transitions_"));
});

testOnEngines("several transitions of one change set keep their order in the history", APP, async (app) => {
  const requests = ["start", "hold", "resume", "finish"].map((action, index) => ({
    id: String(index),
    atomicityGroup: "g",
    method: "POST",
    url: `Tickets(1)/${action}`,
    body: {},
    headers: { "content-type": "application/json" },
  }));
  const { body } = await app.send("POST", "/odata/v4/flow/$batch", { requests });
  const statuses = (body.responses as unknown as { status: number }[]).map((one) => one.status);
  assert.deepEqual(statuses, [204, 204, 204, 200]);
  assert.equal(await status(app), "D");
  const noted = await app.runtime.db!.run(
    SELECT.from("db.Tickets.transitions_").columns("timestamp", "status").orderBy("timestamp"),
  ) as { timestamp: string; status: string }[];
  const first = Date.parse(noted[0]!.timestamp);
  assert.deepEqual(
    noted.map(({ timestamp, status }) => [Date.parse(timestamp) - first, status]),
    [[0, "O"], [1, "B"], [2, "H"], [3, "B"], [4, "D"]],
  );
});

testOnEngines("clients do not set the status, the default holds", APP, async (app) => {
  const created = await app.send("POST", TICKETS, { number: 3, status: "D" });
  assert.equal(created.body.status, "O");
  assert.equal((await app.send("PATCH", `${TICKETS}(3)`, { status: "D", title: "x" })).body.status, "O");
});

testOnEngines("a status may be a code list, whose key holds the symbols", APP, async (app) => {
  assert.equal((await app.send("POST", "/odata/v4/flow/Jobs(1)/run", {})).status, 204);
  assert.equal((await app.send("GET", "/odata/v4/flow/Jobs(1)/state_code")).body.value, "R");
  const { text } = await app.send("GET", "/odata/v4/flow/$metadata");
  assert.match(text, /<Path>in\/state_code<\/Path>\s*<String>N<\/String>/);
});

for (
  const [annotation, message] of [
    ["@flow.status: stat actions { go @from: #A; }", /app\.cds:\d+.*"stat", expected .*did you mean "state"/],
    [
      "@flow.status: state actions { go @to: #C; }",
      /app\.cds:\d+.*#C in @from or @to of "go".*expected one of #A, #B/,
    ],
    ["actions { go @to: #A; }", /app\.cds:\d+.*"go".* has @from or @to, expected @flow\.status/],
  ] as const
) {
  Deno.test(`a flow that cannot be understood stops the start: ${annotation}`, async () => {
    const cdl = `service S {
      entity E { key ID : Integer; state : String enum { A; B; }; } actions { action go(); };
      annotate E with ${annotation};
    }`;
    const runtime = createRuntime(optionsOf({ cdl }));
    await assert.rejects(runtime.start(), { name: "ConfigurationError", message });
  });
}

testOnEngines("entities with drafts flow as active ones only, and drafts do not set the status", {
  cdl: `
    service Flow {
      @odata.draft.enabled
      entity Cases { key ID : Integer; title : String; state : String(1) enum { Open = 'O'; Busy = 'B'; } default 'O'; }
        actions { action start(); };
    }
    annotate Flow.Cases with @flow.status: state actions { start @from: #Open @to: #Busy; };
  `,
  data: { "Flow.Cases": [{ ID: 1, state: "O" }] },
}, async ({ send }) => {
  const at = (isActive: boolean) => `/odata/v4/flow/Cases(ID=1,IsActiveEntity=${isActive})`;
  assert.equal((await send("POST", `${at(true)}/Flow.draftEdit`, {})).status, 201);
  assert.equal((await send("PATCH", at(false), { state: "B", title: "t" })).body.state, "O");
  assert.equal((await send("POST", `${at(false)}/Flow.start`, {})).status, 501);
  assert.equal((await send("POST", `${at(true)}/Flow.start`, {})).status, 204);
  assert.equal((await send("GET", `${at(true)}/state`)).body.value, "B");
});
