import assert from "node:assert/strict";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import type { CsnDefinition } from "../../../src/model/csn.ts";
import { flowOf, isPrevious } from "../../../src/model/flows/flow.ts";
import { withFlows } from "../../../src/model/flows/with_flows.ts";
import { inferModel } from "../../../src/model/infer_model.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import type { LinkedEntity } from "../../../src/model/linked.ts";

const TYPES = `
  type State : String enum { Open = 'O'; Busy = 'B'; Done; };
  entity Codes { key code : State; }
  entity Pairs { key a : Integer; key b : Integer; }
`;

function entityOf(text: string): LinkedEntity {
  return linkModel(inferModel(parseCdl(TYPES + text))).entity("E")!;
}

/** The element of the status, and where actions lead from and to; or what is wrong. */
function flowText(elements: string, actions: string, annotation = ""): string {
  try {
    const flow = flowOf(
      entityOf(`${annotation} entity E { key id : Integer; ${elements} } actions { ${actions} };`),
    );
    if (!flow) return "none";
    const moves = [...flow.transitions].map(([name, { action, from, to }]) => {
      assert.equal(action.name, name);
      const shown = (one: { name: string; value: unknown }) => `${one.name}=${one.value}`;
      return `${name} ${from?.map(shown).join() ?? "any"}>${
        typeof to === "object" ? shown(to) : to ?? "same"
      }`;
    });
    return [flow.status.name, ...moves].join("; ");
  } catch (error) {
    return (error as Error).message.replace(/^\S+:\d+:\d+: /, "");
  }
}

Deno.test("actions with @from or @to make a flow of the status that the entity names, or that says so itself", () => {
  const S = "@flow.status s : State;";
  const wrong = (given: string, expected: string) =>
    `${given} in @from or @to of "a" is no status of E/s, ${expected}`;
  const symbols = "expected one of #Open, #Busy, #Done";
  const cases: readonly (readonly [elements: string, actions: string, found: string, annotation?: string])[] =
    [
      [S, "action a();", "none"],
      [S, "@from: #Open action a();", "s; a Open=O>same"],
      [S, "@to: #Busy action a();", "s; a any>Busy=B"],
      [S, "@from: #Open @to: #Busy action a();", "s; a Open=O>Busy=B"],
      [S, "@from: [#Open, #Done] @to: #Busy action a();", "s; a Open=O,Done=Done>Busy=B"],
      [S, "@from: 'O' @to: 'Busy' action a();", "s; a Open=O>Busy=B"],
      [S, "@from: #Open action a(); action b(); @to: #Open action c();", "s; a Open=O>same; c any>Open=O"],
      [S, "@to: $flow.previous action a();", "s; a any>previous"],
      [S, "@from: null @to: #Open action a();", "s; a any>Open=O"],
      [S, "@from: #Nope action a();", wrong("#Nope", symbols)],
      [S, "@from: 'Nope' action a();", wrong('"Nope"', symbols)],
      [S, "@from: 1 action a();", wrong("1", symbols)],
      ["@flow.status s : Integer;", "@from: 1 @to: 2 action a();", "s; a 1=1>2=2"],
      ["@flow.status s : Boolean;", "@from: false @to: true action a();", "s; a false=false>true=true"],
      ["@flow.status s : Integer;", "@from: [{ x: 1 }] action a();", wrong('{"x":1}', "expected a value")],
      ["s : State; t : State;", "@to: #Open action a();", "t; a any>Open=O", "@flow.status: t"],
      ["s : State; t : State;", "@to: #Open action a();", "t; a any>Open=O", "@flow.status: 't'"],
      [
        "s : State;",
        "@to: #Open action a();",
        'Action "a" of E has @from or @to, expected @flow.status at E',
      ],
      [
        "s : State;",
        "@to: #Open action a();",
        '@flow.status of E names "zzzzzz", expected one of its elements',
        "@flow.status: zzzzzz",
      ],
      [
        "state : State;",
        "@to: #Open action a();",
        '@flow.status of E names "stat", expected one of its elements, did you mean "state"?',
        "@flow.status: stat",
      ],
      [
        "s : State;",
        "@to: #Open action a();",
        "@flow.status of E names 1, expected one of its elements",
        "@flow.status: 1",
      ],
      ["@flow.status s : Association to Codes;", "@to: #Open action a();", "s_code; a any>Open=O"],
      [
        "@flow.status s : Association to Pairs;",
        "@to: #Open action a();",
        "The status E/s is neither a single value nor a code list with one key",
      ],
      [
        "@flow.status s { x : Integer; };",
        "@to: #Open action a();",
        "The status E/s is neither a single value nor a code list with one key",
      ],
    ];
  const found = cases.map(([elements, actions, _, ...rest]) => [
    elements,
    actions,
    flowText(elements, actions, ...rest),
    ...rest,
  ]);
  assert.deepEqual(found, cases);
});

Deno.test("the flow of an entity is read once", () => {
  const entity = entityOf(
    "entity E { key id : Integer; @flow.status s : State; } actions { @to: #Open action a(); };",
  );
  assert.ok(flowOf(entity));
  assert.equal(flowOf(entity), flowOf(entity));
});

Deno.test("$flow.previous is the status before, as name and as path", () => {
  const given = ["$flow.previous", { "=": "$flow.previous" }, "previous", { "=": "x" }, {}, undefined, null];
  assert.deepEqual(given.map(isPrevious), [true, true, false, false, false, false, false]);
});

const BACK = "actions { @to: $flow.previous action back(); }";

/** What flows add to a model. */
function added(text: string): Record<string, Record<string, unknown>> {
  const csn = inferModel(parseCdl(TYPES + text));
  const before = JSON.stringify(csn);
  const model = withFlows(csn);
  assert.equal(JSON.stringify(csn), before);
  const changed = Object.entries(model.definitions!).filter(([name, one]) => csn.definitions![name] !== one);
  return JSON.parse(
    JSON.stringify(Object.fromEntries(changed.map(([name, { elements }]: [string, CsnDefinition]) => [
      name,
      Object.fromEntries(
        Object.entries(elements!).filter(([key, element]) =>
          csn.definitions![name]?.elements?.[key] !== element
        ),
      ),
    ]))),
  );
}

Deno.test("the status that an entity names is marked and read-only, unless it says so itself", () => {
  const marked = { type: "State", "@readonly": true, "@flow.status": true };
  const statusOf = (text: string) => {
    const { E = {}, ...others } = added(text);
    assert.deepEqual(others, {}, text);
    return E;
  };
  assert.deepEqual(statusOf("@flow.status: s entity E { key id : Integer; s : State; }"), { s: marked });
  assert.deepEqual(statusOf("@flow.status: 's' entity E { key id : Integer; s : State; }"), { s: marked });
  assert.deepEqual(
    statusOf("@flow.status: s entity E { key id : Integer; @readonly: false s : State; }"),
    { s: { ...marked, "@readonly": false } },
  );
  for (
    const text of [
      "@flow.status: s entity E { key id : Integer; @flow.status s : State; }",
      "@flow.status: s entity E { key id : Integer; @flow.status: false s : State; }",
      "@flow.status: z entity E { key id : Integer; s : State; }",
      "@flow.status: 1 entity E { key id : Integer; s : State; }",
      "@flow.status: s type E { s : State; }",
      "entity E { key id : Integer; s : State; }",
    ]
  ) assert.deepEqual(statusOf(text), {}, text);
  const plain = inferModel(parseCdl(TYPES));
  assert.equal(withFlows(plain), plain);
  const empty = {};
  assert.equal(withFlows(empty), empty);
});

Deno.test("a table whose rows go back to statuses has their history beside it, its views a way there", () => {
  const S = "@flow.status s : State;";
  const history = (text: string) => {
    const found = added(text);
    return Object.entries(found).map(([name, elements]) => {
      const { transitions_: way, up_ } = elements as Record<
        string,
        { type: string; target: string; on: unknown[]; keys: unknown[] }
      >;
      const on = (way?.on ?? []).map((token) =>
        typeof token === "string" ? token : (token as { ref: string[] }).ref.join(".")
      );
      return way
        ? `${name}: ${way.type.slice(4)} ${way.target} ${on.join(" ")}`
        : `${name}: ${Object.keys(elements).join()} ${JSON.stringify(up_.keys)}`;
    });
  };
  const names = "up_,timestamp,user,status,comment";
  const composition = "E: Composition E.transitions_ transitions_.up_ = $self";
  const table = `E.transitions_: ${names} [{"ref":["id"]}]`;
  const E = `entity E { key id : Integer; ${S} }`;
  assert.deepEqual(history(`${E} actions { @to: #Open action a(); };`), []);
  assert.deepEqual(history(`${E} ${BACK};`), [composition, table]);
  assert.deepEqual(history(`${E} entity V as projection on E ${BACK};`), [
    composition,
    "V: Association E.transitions_ transitions_.up_.id = id",
    table,
  ]);
  assert.deepEqual(history(`${E} entity V as select from E { id as no, s } ${BACK};`), [
    composition,
    "V: Association E.transitions_ transitions_.up_.id = no",
    table,
  ]);
  assert.deepEqual(
    history(
      `${E} entity V as select from E { id as no, s }; entity W as select from V { no as nr, s } ${BACK};`,
    ),
    [composition, "W: Association E.transitions_ transitions_.up_.id = nr", table],
  );
  assert.deepEqual(
    history(`${E} entity V as select from E as a join Pairs as b on a.id = b.a { a.id, a.s } ${BACK};`),
    [],
  );
  assert.deepEqual(
    history(
      `entity E { key id : Integer; key to : Association to Pairs; ${S} } entity V as select from E { id, to as p, s } ${BACK};`,
    ),
    [
      composition,
      "V: Association E.transitions_ transitions_.up_.id = id and transitions_.up_.to.a = p.a and transitions_.up_.to.b = p.b",
      `E.transitions_: ${names} [{"ref":["id"]},{"ref":["to"]}]`,
    ],
  );
  const once = withFlows(inferModel(parseCdl(`${TYPES} ${E} ${BACK};`)));
  assert.equal(withFlows(once), once);
});
