import assert from "node:assert/strict";
import { createRuntime } from "../../../mod.ts";
import type { Answer } from "../../send_to.ts";
import { optionsOf, testOnEngines } from "./on_engines.ts";

const APP = {
  cdl: `
    entity db.Depots { key code : String(3); maxKg : Integer; }
    entity db.Parcels {
      key ID : Integer;
      label : String(40);
      kg : Decimal(7,2);
      depot : Association to db.Depots;
      size { wide : Integer; high : Integer; }
      items : Composition of many db.Items on items.parcel = $self;
    }
    entity db.Items { key ID : Integer; parcel : Association to db.Parcels; kg : Decimal(7,2); }
    service Check {
      entity Parcels as projection on db.Parcels actions { action double(); };
      entity Items as projection on db.Items;
      entity Depots as projection on db.Depots;
    }
    annotate Check.Parcels with {
      label @assert: (case when label is null then 'Label is missing' when length(label) < 3 then 'SHORT' end);
      kg @assert: (case when kg <= 0 then 'Not positive' when kg > depot.maxKg then 'Too heavy' end);
      depot @assert: (case when not exists depot then 'No such depot' end);
      items @assert: (case when exists items[kg > 50] then 'Heavy item' end);
    }
    annotate Check.Parcels with {
      size { wide @assert: (case when wide > high then 'Too wide' end); }
    }
    annotate Check.Items with { kg @assert: (case when kg > parcel.kg then 'Heavier than its parcel' end); }
  `,
  data: {
    "db.Depots": [{ code: "AAA", maxKg: 30 }, { code: "BBB", maxKg: 100 }],
    "db.Parcels": [
      { ID: 1, label: "books", kg: 12, depot_code: "AAA" },
      { ID: 2, label: "stove", kg: 80, depot_code: "BBB" },
    ],
    "db.Items": [{ ID: 1, parcel_ID: 1, kg: 3 }, { ID: 2, parcel_ID: 1, kg: 4 }],
  },
  texts: { "": { SHORT: "At least three letters" }, de: { SHORT: "Mindestens drei Buchstaben" } },
};

const ROOT = "/odata/v4/check";

/** Code, target and text of each error. */
function errorsOf({ status, body }: Answer): unknown {
  assert.equal(status, 400, JSON.stringify(body));
  const { details, ...own } = body.error as unknown as { details?: object[] };
  return (details ?? [own] as unknown[]).map((one) => {
    const { code, target, message } = one as { code: string; target: string; message: string };
    return `${code} ${target}: ${message}`;
  });
}

testOnEngines(
  "what violates a constraint is refused with its text, and nothing is stored",
  APP,
  async ({ send }) => {
    const bad = { ID: 3, label: "ab", kg: 31, depot_code: "AAA", size_wide: 2, size_high: 1 };
    assert.deepEqual(errorsOf(await send("POST", `${ROOT}/Parcels`, bad)), [
      "SHORT label: At least three letters",
      "400 kg: Too heavy",
      "400 size_wide: Too wide",
    ]);
    const german = await send("POST", `${ROOT}/Parcels`, { ID: 3, label: "a" }, {
      headers: { "accept-language": "de" },
    });
    assert.deepEqual(errorsOf(german), [
      "SHORT label: Mindestens drei Buchstaben",
      "400 depot_code: No such depot",
    ]);
    assert.equal((await send("GET", `${ROOT}/Parcels(3)`)).status, 404);
    const good = { ID: 3, label: "abc", kg: 3, depot_code: "AAA" };
    assert.equal((await send("POST", `${ROOT}/Parcels`, good)).status, 201);
  },
);

testOnEngines(
  "an update checks all constraints of the row, by the values behind it",
  APP,
  async ({ send }) => {
    const heavy = await send("PATCH", `${ROOT}/Parcels(1)`, { kg: 31 });
    assert.deepEqual(errorsOf(heavy), ["400 kg: Too heavy"]);
    assert.equal((await send("PATCH", `${ROOT}/Parcels(1)`, { kg: 31, depot_code: "BBB" })).status, 200);
    assert.equal((await send("PATCH", `${ROOT}/Depots('BBB')`, { maxKg: 20 })).status, 200);
    const later = await send("PATCH", `${ROOT}/Parcels(1)`, { label: "tomes" });
    assert.deepEqual(errorsOf(later), ["400 kg: Too heavy"]);
    assert.equal((await send("GET", `${ROOT}/Parcels(1)/label`)).body.value, "books");
  },
);

testOnEngines(
  "nested rows are checked with the row, those that were not sent are not",
  APP,
  async ({ send }) => {
    const parcel = {
      ID: 4,
      label: "four",
      kg: 5,
      depot_code: "AAA",
      items: [{ ID: 41, kg: 6 }, { ID: 42, kg: 60 }],
    };
    assert.deepEqual(errorsOf(await send("POST", `${ROOT}/Parcels`, parcel)), [
      "400 items: Heavy item",
      "400 items(ID=41)/kg: Heavier than its parcel",
      "400 items(ID=42)/kg: Heavier than its parcel",
    ]);
    const created = await send("POST", `${ROOT}/Parcels(1)/items`, { ID: 11, kg: 13 });
    assert.deepEqual(errorsOf(created), ["400 kg: Heavier than its parcel"]);
    // the parent changes, and its items are not looked at
    assert.equal((await send("PATCH", `${ROOT}/Parcels(1)`, { kg: 2 })).status, 200);
    const item = await send("PATCH", `${ROOT}/Parcels(1)/items(2)`, { kg: 4 });
    assert.deepEqual(errorsOf(item), ["400 kg: Heavier than its parcel"]);
    const deep = await send("PATCH", `${ROOT}/Parcels(1)`, { items: [{ ID: 1, kg: 1 }, { ID: 2, kg: 3 }] });
    assert.deepEqual(errorsOf(deep), ["400 items(ID=2)/kg: Heavier than its parcel"]);
  },
);

testOnEngines(
  "an update of many rows checks each, wherever its condition leads then",
  APP,
  async ({ runtime }) => {
    const check = await runtime.connect("Check");
    await assert.rejects(
      async () =>
        await check.run({
          UPDATE: { entity: "Check.Parcels", data: { kg: -1 }, where: [{ ref: ["kg"] }, ">", { val: 0 }] },
        }),
      { code: "MULTIPLE_ERRORS" },
    );
    const rows = await check.run({
      SELECT: { from: { ref: ["Check.Parcels"] }, columns: [{ ref: ["kg"] }] },
    });
    assert.deepEqual((rows as { kg: unknown }[]).map(({ kg }) => Number(kg)), [12, 80]);
  },
);

testOnEngines("a change set with a violation stores nothing", APP, async ({ send }) => {
  const requests = [
    { id: "1", atomicityGroup: "g", method: "PATCH", url: "Parcels(1)", body: { label: "first" } },
    { id: "2", atomicityGroup: "g", method: "PATCH", url: "Parcels(2)", body: { label: "x" } },
  ].map((one) => ({ ...one, headers: { "content-type": "application/json" } }));
  const { body } = await send("POST", `${ROOT}/$batch`, { requests });
  const statuses = (body.responses as unknown as { status: number }[]).map(({ status }) => status);
  assert.deepEqual(statuses, [424, 400]);
  assert.equal((await send("GET", `${ROOT}/Parcels(1)/label`)).body.value, "books");
});

testOnEngines("texts of other checks take the place of ours, the code stays", {
  cdl: `
    service S {
      entity E {
        key ID : Integer;
        name : String @mandatory @mandatory.message: 'A name, please';
        age : Integer @assert.range: [0, (130)] @assert.range.message: '{i18n>AGE}';
        mail : String @assert.format: { $value: '^[a-z]+$', message: 'No address' };
        level : String @assert.range @assert.range.message: 'Level a or b' enum { a; b; };
        other : Association to E @assert.target @assert.target.message: 'Nobody there';
      }
    }
  `,
  texts: { "": { AGE: "From {0} to {1}" } },
}, async ({ send }) => {
  const path = "/odata/v4/s/E";
  assert.deepEqual(
    errorsOf(await send("POST", path, { ID: 1, name: " ", age: 130, mail: "X", level: "c" })),
    [
      "ASSERT_MANDATORY name: A name, please",
      "ASSERT_RANGE age: From 0 to 130",
      "ASSERT_FORMAT mail: No address",
      "ASSERT_ENUM level: Level a or b",
    ],
  );
  assert.deepEqual(errorsOf(await send("POST", path, { ID: 1, name: "A", other_ID: 7 })), [
    "ASSERT_TARGET other_ID: Nobody there",
  ]);
});

for (
  const [assertion, message] of [
    [
      "(case when nmae = 'x' then 'y' end)",
      /app\.cds:\d+.*"nmae" of the constraint of .*did you mean "name"/,
    ],
    ["(case when exists parts[size > 1] then 'y' end)", /app\.cds:\d+.*"parts" of the constraint of/],
    ["(name = 'x')", /app\.cds:\d+.*is a condition, expected the text of the error/],
    ["'name must be set'", /app\.cds:\d+.*"name must be set", expected an expression/],
    ["(case when $usr = 'x' then 'y' end)", /app\.cds:\d+.*"\$usr" .*is no variable, did you mean "\$user"/],
  ] as const
) {
  Deno.test(`the constraint ${assertion} stops the start with its place`, async () => {
    const cdl = `service S { entity E { key ID : Integer;\n name : String @assert: ${assertion}; } }`;
    const runtime = createRuntime(optionsOf({ cdl }));
    await assert.rejects(runtime.start(), { name: "ConfigurationError", message });
  });
}

testOnEngines("views inherit constraints with the names that they give to elements", {
  cdl: `
    entity db.Holders { key ID : Integer; size : Integer; }
    entity db.E { key ID : Integer; note : String; other : Integer; holder : Association to db.Holders;
      size : Integer @assert: (case when size > 3 and $self.note is null then 'Big'
        when exists holder[size < 1] then 'No holder' end); }
    entity db.V as projection on db.E { *, size as amount, other as size } excluding { size, other };
    service S {
      entity Holders as projection on db.Holders;
      entity E as projection on db.V { ID, amount as number, size, note as text, holder as by };
    }
  `,
  data: { "db.Holders": [{ ID: 1, size: 0 }] },
}, async ({ send }) => {
  const path = "/odata/v4/s/E";
  assert.deepEqual(errorsOf(await send("POST", path, { ID: 1, number: 4, size: 1 })), ["400 number: Big"]);
  const held = { ID: 1, number: 4, text: "why", by_ID: 1 };
  assert.deepEqual(errorsOf(await send("POST", path, held)), ["400 number: No holder"]);
  assert.equal((await send("POST", path, { ID: 1, number: 1, size: 9 })).status, 201);
});

testOnEngines("drafts keep what constraints of written elements say, until these are written again", {
  cdl: `
    service S {
      @odata.draft.enabled
      entity Depots { key code : String(3); name : String(40); maxKg : Integer; open : Boolean; }
    }
    annotate S.Depots with {
      name @assert: (case when length(name) < 2 then 'Too short' end);
      maxKg @assert: (case when maxKg < 1 then 'Not positive' when open = false and maxKg > 100 then 'Closed' end);
    }
  `,
}, async ({ send }) => {
  const path = "/odata/v4/s/Depots";
  const draft = `${path}(code='X',IsActiveEntity=false)`;
  const messages = ({ body }: Answer) =>
    (body.DraftMessages as unknown as { message: string; target: string }[])
      .map(({ message, target }) => `${target.slice(target.lastIndexOf("/") + 1)}: ${message}`);
  assert.deepEqual(messages(await send("POST", path, { code: "X", name: "n" })), ["name: Too short"]);
  const patched = await send("PATCH", draft, { maxKg: 200, open: false });
  assert.deepEqual(messages(patched), ["maxKg: Closed", "name: Too short"]);
  // repaired by another element: the message stays
  assert.deepEqual(messages(await send("PATCH", draft, { open: true })), [
    "maxKg: Closed",
    "name: Too short",
  ]);
  assert.deepEqual(messages(await send("PATCH", draft, { maxKg: 0 })), [
    "maxKg: Not positive",
    "name: Too short",
  ]);
  const activated = await send("POST", `${draft}/S.draftActivate`, {});
  assert.equal(activated.status, 400);
  assert.equal(activated.body.error.code, "MULTIPLE_ERRORS");
  assert.deepEqual(messages(await send("PATCH", draft, { maxKg: 5, name: "nn" })), []);
  assert.equal((await send("POST", `${draft}/S.draftActivate`, {})).status, 201);
});
