import assert from "node:assert/strict";
import type { Query, Row } from "../../../src/cqn/cqn.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import type { ServiceRequest } from "../../../src/service/requests/service_request.ts";
import {
  assertConstraints,
  rowsToCheck,
  violationsOfElements,
} from "../../../src/service/rules/assert_constraints.ts";
import { hasWriteRules } from "../../../src/service/rules/constraints.ts";

const MODEL = linkModel(parseCdl(`
  entity Checked { key ID : Integer; name : String; size { wide : Integer; }
    parts : Composition of many Parts on parts.whole = $self; }
  entity Whole { key ID : Integer; name : String; none : Composition of many Unchecked on none.whole = $self;
    parts : Composition of many Parts on parts.whole = $self; one : Composition of one Parts; }
  entity Parts { key ID : Integer; kg : Integer; whole : Association to Whole; }
  entity Unchecked { key ID : Integer; whole : Association to Whole; }
  entity Slices { key ID : Integer; begin : Timestamp @cds.valid.from; end : Timestamp @cds.valid.to; kg : Integer; }
  entity Since { key ID : Integer; begin : Timestamp @cds.valid.from; }
  entity Until { key ID : Integer; end : Timestamp @cds.valid.to; }
  annotate Checked with { name @assert: (case when name is null then 'No name' end);
    size { wide @assert: (case when wide < 1 then 'Too small' end); } };
  annotate Parts with { kg @assert: (case when kg < 1 then 'Too light' end); };
  annotate Slices with { kg @assert: (case when kg < 1 then 'Too light' end); };`));

Deno.test("writes need more than their statement where there is one constraint or bound of validity, or more", () => {
  const has = (name: string) => hasWriteRules(MODEL.entity(name)!);
  assert.deepEqual(["Checked", "Parts", "Slices", "Since", "Until"].map(has), Array(5).fill(true));
  assert.deepEqual(["Whole", "Unchecked"].map(has), [false, false]);
});

/** Answers queries in turn, with nothing behind the last answer. */
class Answers {
  readonly asked: unknown[] = [];
  readonly params: unknown[] = [];
  constructor(private readonly answers: readonly unknown[] = []) {}

  run(query: Query, params?: unknown): Promise<unknown> {
    this.asked.push((query as { SELECT: unknown }).SELECT);
    this.params.push(params);
    return Promise.resolve(this.answers[this.asked.length - 1] ?? []);
  }
}

/** The parts of a request that count here. */
function requestOf(event: string, entity: string, properties: Partial<ServiceRequest>): ServiceRequest {
  const subject = { ref: [entity] };
  return { event, target: MODEL.entity(entity), subject, ...properties } as ServiceRequest;
}

const keysOf = (asked: readonly unknown[]) =>
  asked.map((select) =>
    (select as { where: { xpr: { val: unknown }[] }[] }).where.flatMap((one) => one.xpr?.[2]?.val ?? [])
  );

Deno.test("only writes of rows with constraints, their own or those of parts that were sent, are checked", async () => {
  const cases: readonly (readonly [entity: string, data: unknown, isChecked: boolean])[] = [
    ["Checked", { ID: 1 }, true],
    ["Unchecked", { ID: 1 }, false],
    ["Whole", { ID: 1 }, false],
    ["Whole", { ID: 1, parts: [] }, false],
    ["Whole", { ID: 1, none: [{ ID: 1 }] }, false],
    ["Whole", { ID: 1, one: { ID: 1 } }, true],
    ["Whole", [{ ID: 1 }, { ID: 2, none: [{ ID: 1 }], parts: [{ ID: 1 }] }], true],
  ];
  for (const [entity, data, isChecked] of cases) {
    const found = rowsToCheck(requestOf("CREATE", entity, { data: data as Row }), new Answers());
    assert.equal(found !== undefined, isChecked, JSON.stringify([entity, data]));
    if (found) assert.deepEqual(await found, { keys: undefined });
  }
  assert.equal(rowsToCheck({ event: "CREATE", data: {} } as ServiceRequest, new Answers()), undefined);
});

Deno.test("an update is asked for the keys of its rows before it writes, by its own condition and parameters", async () => {
  const where = [{ ref: ["name"] }, "=", { val: "x" }];
  const columns = [{ ref: ["ID"] }];
  const cases = [
    [undefined, { from: { ref: ["Checked"] }, history: true, columns }, undefined],
    [
      { query: { UPDATE: { entity: "Checked", where, data: {} } }, params: { p: 1 } },
      { from: { ref: ["Checked"] }, history: true, columns, where },
      { p: 1 },
    ],
    [
      { query: { UPDATE: { entity: { ref: ["Checked", "other"] }, data: {} } } },
      { from: { ref: ["Checked", "other"] }, history: true, columns },
      undefined,
    ],
  ] as const;
  for (const [statement, select, params] of cases) {
    const db = new Answers([[{ ID: 7 }]]);
    const req = requestOf("UPDATE", "Checked", { data: {}, statement: statement as never });
    assert.deepEqual(await rowsToCheck(req, db), { keys: [{ ID: 7 }] });
    assert.deepEqual(db.asked, [select]);
    assert.deepEqual(db.params, [params]);
  }
});

Deno.test("an update of many rows looks at a hundred of them at once, one of no row at none", async () => {
  for (
    const [count, sizes] of [[0, []], [1, [1]], [99, [99]], [100, [100]], [101, [100, 1]], [200, [
      100,
      100,
    ]]] as const
  ) {
    const db = new Answers();
    const keys = Array.from({ length: count }, (_, index) => ({ ID: index }));
    await assertConstraints(requestOf("UPDATE", "Checked", { data: {} }), db, { keys });
    assert.deepEqual(keysOf(db.asked).map(({ length }) => length), sizes);
    assert.deepEqual(keysOf(db.asked).flat(), keys.map(({ ID }) => ID));
  }
});

/** What is told of a write whose queries find these rows. */
async function toldOf(req: ServiceRequest, answers: readonly unknown[], keys?: readonly Row[]) {
  const db = new Answers(answers);
  try {
    await assertConstraints(req, db, { keys });
    return { db, told: [], status: undefined };
  } catch (error) {
    const { details, ...own } = error as {
      message: string;
      target: string;
      details?: { message: string; target: string }[];
    };
    const all = details ?? [{ message: (error as Error).message, target: own.target }];
    return {
      db,
      status: (error as { status?: number }).status,
      told: all.map(({ message, target }) => `${target}: ${message}`),
    };
  }
}

Deno.test("texts of constraints are told with the place of their element in the payload", async () => {
  const one = { constraint0: "No name", constraint1: null };
  const both = { constraint0: "No name", constraint1: "Too small" };
  const cases: readonly (readonly [data: unknown, answers: unknown[], told: string[]])[] = [
    [{ ID: 1 }, [[{ constraint0: null, constraint1: null }]], []],
    [{ ID: 1 }, [[{ constraint0: null }]], []],
    [{ ID: 1 }, [[]], []],
    [{ ID: 1 }, [[one]], ["name: No name"]],
    [{ ID: 1 }, [[both]], ["name: No name", "size_wide: Too small"]],
    [[{ ID: 1 }], [[one]], ["name: No name"]],
    [[{ ID: 1 }, { ID: 2 }], [[], [one]], ["[1]/name: No name"]],
    [[{ ID: 1 }, { ID: 2 }], [[one], [both]], [
      "[0]/name: No name",
      "[1]/name: No name",
      "[1]/size_wide: Too small",
    ]],
  ];
  for (const [data, answers, told] of cases) {
    const found = await toldOf(requestOf("CREATE", "Checked", { data: data as Row }), answers);
    if (told.length > 0) assert.equal(found.status, 400);
    assert.deepEqual(found.told, told, JSON.stringify(data));
  }
});

Deno.test("parts are checked that were sent, each in the path to it", async () => {
  const bad = [{ constraint0: "Too light" }];
  const sent = { ID: 1, parts: [{ ID: 2, kg: 0 }, { ID: 3, kg: 0 }] };
  const stored = [{ ID: 2 }, { ID: 3 }, { ID: 4 }];
  const { db, told } = await toldOf(requestOf("CREATE", "Whole", { data: sent }), [stored, bad, bad]);
  assert.deepEqual(told, ["parts(ID=2)/kg: Too light", "parts(ID=3)/kg: Too light"]);
  const parts = { ref: [{ id: "Whole", where: [{ xpr: [{ ref: ["ID"] }, "=", { val: 1 }] }] }, "parts"] };
  assert.deepEqual(db.asked.map((select) => (select as { from: unknown }).from), [parts, parts, parts]);
  assert.deepEqual(keysOf(db.asked.slice(1)), [[2], [3]]);

  // without keys: in their order
  const unkeyed = { ID: 1, parts: [{ kg: 0 }, { kg: 0 }] };
  const all = await toldOf(requestOf("CREATE", "Whole", { data: unkeyed }), [stored, [], bad]);
  assert.deepEqual(all.told, ["parts(ID=3)/kg: Too light"]);
  assert.equal(all.db.asked.length, 3);

  const single = await toldOf(requestOf("CREATE", "Whole", { data: { ID: 1, one: { ID: 2 } } }), [
    [{ ID: 2 }],
    bad,
  ]);
  assert.deepEqual(single.told, ["one/kg: Too light"]);

  const rows = [{ ID: 1, parts: [] }, { ID: 5, parts: [{ ID: 2 }] }];
  const many = await toldOf(requestOf("CREATE", "Whole", { data: rows as never }), [[{ ID: 2 }], bad]);
  assert.deepEqual(many.told, ["[1]/parts(ID=2)/kg: Too light"]);

  const updated = requestOf("UPDATE", "Whole", { data: { parts: [{ ID: 2 }] } });
  const changed = await toldOf(updated, [[{ ID: 2 }], bad, [{ ID: 2 }], []], [{ ID: 1 }, { ID: 5 }]);
  assert.deepEqual(changed.told, ["parts(ID=2)/kg: Too light"]);
  assert.equal(changed.db.asked.length, 4);
});

Deno.test("a row that is created in a path is looked for there, others in their entity", async () => {
  const step = { id: "Whole", where: [{ ref: ["ID"] }, "=", { val: 1 }] };
  const fromOf = async (subject: object, event = "CREATE", keys?: readonly Row[]) => {
    const req = requestOf(event, "Parts", { data: { ID: 2 }, subject: subject as never });
    return ((await toldOf(req, [], keys)).db.asked[0] as { from: unknown }).from;
  };
  assert.deepEqual(await fromOf({ ref: [step, "parts"] }), { ref: [step, "parts"] });
  assert.deepEqual(await fromOf({ ref: [{ id: "Parts", where: [] }] }), { ref: ["Parts"] });
  assert.deepEqual(await fromOf({ ref: [step, "parts"] }, "UPDATE", [{ ID: 2 }]), { ref: ["Parts"] });

  const subject = { ref: [step, "more", "wholes"] };
  const data = { ID: 7, parts: [{ ID: 2 }] };
  const { db } = await toldOf(requestOf("CREATE", "Whole", { data, subject: subject as never }), [[{
    ID: 2,
  }]]);
  const whole = { id: "wholes", where: [{ xpr: [{ ref: ["ID"] }, "=", { val: 7 }] }] };
  for (const select of db.asked) {
    assert.deepEqual((select as { from: unknown }).from, { ref: [step, "more", whole, "parts"] });
  }
  const slices = requestOf("CREATE", "Slices", {
    data: { ID: 1 },
    subject: { ref: [step, "more", "slices"] } as never,
  });
  assert.deepEqual(((await toldOf(slices, [])).db.asked[0] as { from: unknown }).from, {
    ref: [step, "more", { id: "slices", history: true }],
  });
});

Deno.test("of temporal data the slice that was written is looked at, also where its beginning changes", async () => {
  const begin = "2020-01-01T00:00:00Z";
  const whereOf = async (data: Row) => {
    const { db } = await toldOf(requestOf("UPDATE", "Slices", { data }), [], [{ ID: 1, begin }]);
    const [{ from, where }] = db.asked as { from: unknown; where: { xpr: { val: unknown }[] }[] }[];
    assert.deepEqual(from, { ref: [{ id: "Slices", history: true }] });
    return [where[0].xpr[2].val, where[0].xpr[6].val];
  };
  assert.deepEqual(await whereOf({ kg: 1 }), [1, begin]);
  assert.deepEqual(await whereOf({ begin: "2021-01-01T00:00:00Z" }), [1, "2021-01-01T00:00:00Z"]);
  assert.deepEqual(await whereOf({ ID: 9 }), [1, begin]);
});

Deno.test("of a draft the constraints of elements that were written are looked at, structures by what is in them", async () => {
  const from = { ref: ["Checked.drafts"] };
  const entity = MODEL.entity("Checked")!;
  const cases: readonly (readonly [written: Row, columns: number, answer: Row | null, told: string[]])[] = [
    [{ parts: [] }, 0, {}, []],
    [{ name: null }, 1, { constraint0: "No name" }, ["name: No name"]],
    [{ size: { wide: 0 } }, 1, { constraint0: "Too small" }, ["size_wide: Too small"]],
    [{ size_wide: 0, name: "x" }, 2, { constraint1: "Too small" }, ["size_wide: Too small"]],
    [{ siz: 1, nam: 1 }, 0, {}, []],
    [{ name: "x" }, 1, null, []],
  ];
  for (const [written, columns, answer, told] of cases) {
    const db = new Answers([answer]);
    const found = await violationsOfElements(db, { entity, from, written });
    assert.deepEqual(found.map(({ target, message }) => `${target}: ${message}`), told);
    assert.deepEqual(
      db.asked.map((
        select,
      ) => [(select as { one: boolean }).one, (select as { columns: unknown[] }).columns.length]),
      columns === 0 ? [] : [[true, columns]],
    );
  }
});
