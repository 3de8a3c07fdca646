/**
 * Constraints, flows and slices of temporal data come to the same on all engines, whatever the model and the writes are.
 *
 * @module
 */

import assert from "node:assert/strict";
import fc from "fast-check";
import { propertyRuns } from "../property_runs.ts";
import { type App, ENGINES, type RunningApp, withApp } from "../service/rules/on_engines.ts";
import { Choices } from "./restrictions/choices.ts";

const NAMES = ["a", "b", "t", "d"];
const STATES = ["Open", "Busy", "Held", "Done"];

/** An expression of CDL that has a truth value, over the elements of an entity. */
function condition(choices: Choices, depth: number, isPart: boolean): string {
  const kind = depth > 0 ? choices.int(8) : choices.int(4);
  const number = () => choices.pick(["0", "2", "5", "-1", "2.5"]);
  const own = isPart ? "n" : choices.pick(["a", "b"]);
  switch (kind) {
    case 0:
      return `${own} ${choices.pick(["<", ">", "<=", "=", "<>"])} ${number()}`;
    case 1:
      return `t ${choices.pick(["is null", "= 'x'", "<> 'x'", "like 'x%'"])}`;
    case 2:
      return `length(trim(t)) ${choices.pick(["<", ">="])} ${choices.pick(["1", "2"])}`;
    case 3:
      return isPart ? `n ${choices.pick(["<", ">"])} parent.a` : `a ${choices.pick(["+", "*", "-"])} 1 > b`;
    case 4:
      return isPart
        ? "parent.t is null"
        : `${choices.pick(["", "not "])}exists parts[${condition(choices, 0, true)}]`;
    case 5:
      return `not (${condition(choices, depth - 1, isPart)})`;
    default:
      return `(${condition(choices, depth - 1, isPart)}) ${choices.pick(["and", "or"])} (${
        condition(choices, depth - 1, isPart)
      })`;
  }
}

function constraint(choices: Choices, isPart: boolean): string {
  const branches = Array.from(
    { length: 1 + choices.int(2) },
    (_, index) => `when ${condition(choices, 2, isPart)} then '${choices.pick(["Wrong", "KEY"])}${index}'`,
  );
  return `@assert: (case ${branches.join(" ")} end)`;
}

function randomApp(choices: Choices): App {
  const asserted = choices.some(NAMES, 40).map((name) => `${name} ${constraint(choices, false)};`);
  const part = choices.chance(50) ? `annotate S.Parts with { n ${constraint(choices, true)}; }` : "";
  const actions = ["go", "stop", "back"];
  const flows = actions.map((action) => {
    const from = choices.chance(80)
      ? `@from: [${choices.some(STATES, 60).map((one) => `#${one}`).join(", ") || "#Open"}]`
      : "";
    const to = action === "back" ? "$flow.previous" : `#${choices.pick(STATES)}`;
    return `${action} ${from} @to: ${to};`;
  });
  const hasOwnKeys = choices.chance(30);
  const ownKey = (at: number) => hasOwnKeys ? { own: `00000000-0000-4000-8000-00000000000${at}` } : {};
  return {
    cdl: `
      type State : String(1) enum { Open = 'O'; Busy = 'B'; Held = 'H'; Done = 'D'; };
      aspect temporal { validFrom : Timestamp @cds.valid.from; validTo : Timestamp @cds.valid.to; }
      entity db.Wholes { key ID : Integer; a : Integer; b : Decimal(9,2); t : String(5); d : Date; state : State default 'O';
        parts : Composition of many db.Parts on parts.parent = $self;
        slices : Composition of many db.Slices on slices.whole = $self; }
      entity db.Parts { key ID : Integer; parent : Association to db.Wholes; n : Integer; t : String(5); }
      entity db.Slices : temporal { ${
      hasOwnKeys ? "@cds.valid.key own : UUID;" : ""
    } key ID : Integer; whole : Association to db.Wholes; t : String(5); }
      service S {
        entity Wholes as projection on db.Wholes actions { action go(); action stop(); action back(); };
        entity Parts as projection on db.Parts;
        entity Slices as projection on db.Slices;
      }
      annotate S.Wholes with { ${asserted.join("\n")} }
      ${part}
      annotate S.Wholes with @flow.status: state actions { ${flows.join("\n")} };
    `,
    data: {
      "db.Wholes": [{ ID: 1, a: 1, b: 2, t: "x" }, { ID: 2, a: null, b: 5, state: "H" }],
      "db.Parts": [{ ID: 1, parent_ID: 1, n: 1 }, { ID: 2, parent_ID: 2, n: 7, t: "xy" }],
      "db.Slices": [
        {
          ...ownKey(1),
          ID: 1,
          validFrom: "2010-01-01T00:00:00.000Z",
          validTo: "2020-01-01T00:00:00.000Z",
          t: "o",
          whole_ID: 1,
        },
        {
          ...ownKey(2),
          ID: 1,
          validFrom: "2020-01-01T00:00:00.000Z",
          validTo: "9999-12-31T23:59:59.999Z",
          t: "n",
          whole_ID: 1,
        },
      ],
    },
    texts: { "": { KEY0: "A text", KEY1: "Another text" } },
  };
}

interface Write {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

function randomRow(choices: Choices, isNew: boolean): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  if (choices.chance(60)) row.a = choices.pick([1, 0, 6, null]);
  if (choices.chance(60)) row.b = choices.pick([2, -1, 2.5, null]);
  if (choices.chance(60)) row.t = choices.pick(["x", "xy", " ", "", null]);
  if (choices.chance(20)) row.d = "2024-02-29";
  if (choices.chance(40)) {
    const ids = isNew ? [8, 9] : [1, 2, 8];
    row.parts = choices.some(ids, 50).map((ID) => ({
      ID,
      n: choices.pick([1, 0, 7, null]),
      t: choices.pick(["x", null]),
    }));
  }
  if (choices.chance(20)) row.slices = choices.chance(50) ? [] : [{ ID: 1, t: "s" }];
  return row;
}

function randomWrite(choices: Choices): Write {
  const ID = choices.pick([1, 2, 3]);
  const at = choices.chance(50) ? "?sap-valid-at=2015-01-01" : "";
  switch (choices.int(9)) {
    case 0:
      return {
        method: "POST",
        path: "Wholes",
        body: { ...randomRow(choices, true), slices: undefined, ID: 3 },
      };
    case 1:
      return { method: "PUT", path: `Wholes(${ID})`, body: { a: choices.pick([1, 6]), t: "xyz" } };
    case 2:
      return { method: "POST", path: `Wholes(${ID})/parts`, body: { ID: 5, n: choices.pick([1, 9, null]) } };
    case 3:
      return {
        method: "PATCH",
        path: `Parts(${ID})`,
        body: { n: choices.pick([1, 9, null]), t: choices.pick(["x", " "]) },
      };
    case 4:
      return { method: "PATCH", path: `Slices(1)${at}`, body: { t: choices.pick(["p", "q"]) } };
    case 5:
      return choices.chance(50) ? { method: "DELETE", path: `Slices(1)${at}` } : {
        method: "POST",
        path: "Slices",
        body: { ID: 1, validFrom: choices.pick(["2005-01-01T00:00:00Z", "2020-01-01T00:00:00Z"]), t: "c" },
      };
    case 6:
    case 7:
      return { method: "POST", path: `Wholes(${ID})/${choices.pick(["go", "back", "stop"])}`, body: {} };
    default:
      return { method: "PATCH", path: `Wholes(${ID})${at}`, body: randomRow(choices, false) };
  }
}

/** What is answered to all writes, and what is stored in the end. */
async function outcome({ send }: RunningApp, writes: readonly Write[]): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const { method, path, body } of writes) {
    const answer = await send(method, `/odata/v4/s/${path}`, body);
    answers.push([method, path, answer.status, answer.status < 400 ? "" : answer.text]);
  }
  for (
    const path of [
      "Wholes?$expand=parts($orderby=ID)&$orderby=ID",
      "Slices?sap-valid-from=0001-01-01&$orderby=ID,validFrom&$select=ID,validFrom,validTo,t,whole_ID",
    ]
  ) {
    answers.push((await send("GET", `/odata/v4/s/${path}`)).body);
  }
  return answers;
}

const numbers = (length: number) =>
  fc.noBias(fc.array(fc.nat(2 ** 20), { minLength: length, maxLength: length, size: "max" }));

Deno.test("constraints, flows and slices come to the same on all engines", async () => {
  const property = fc.asyncProperty(
    numbers(120),
    fc.array(numbers(40), { minLength: 12, maxLength: 12 }),
    async (model, sent) => {
      const app = randomApp(new Choices(model));
      const writes = sent.map((one) => randomWrite(new Choices(one)));
      const outcomes: unknown[][] = [];
      for (const engine of ENGINES) {
        await withApp(
          app,
          engine,
          async (running) => void outcomes.push(await outcome(running, writes)),
        );
      }
      for (const other of outcomes.slice(1)) {
        assert.deepEqual(other, outcomes[0], `${app.cdl}\n${JSON.stringify(writes)}`);
      }
      for (const answer of outcomes[0]!) {
        if (Array.isArray(answer)) {
          assert.ok(answer[2] < 500, `${app.cdl}\n${answer}`);
        }
      }
    },
  );
  await fc.assert(property, { ...propertyRuns(10, 2026), endOnFailure: true });
});
