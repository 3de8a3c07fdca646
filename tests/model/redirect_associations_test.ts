import assert from "node:assert/strict";
import type { CsnDefinition } from "../../src/model/csn.ts";
import { inferModel } from "../../src/model/infer_model.ts";

const ID = { key: true, type: "cds.Integer" } as const;

const BASE: Record<string, CsnDefinition> = {
  "db.A": {
    kind: "entity",
    elements: {
      ID,
      b: { type: "cds.Association", target: "db.B" },
      c: { type: "cds.Association", target: "db.C" },
    },
  },
  "db.B": {
    kind: "entity",
    elements: {
      ID,
      as: {
        type: "cds.Association",
        cardinality: { max: "*" },
        target: "db.A",
        on: [{ ref: ["as", "b"] }, "=", { ref: ["$self"] }],
      },
    },
  },
  "db.C": { kind: "entity", elements: { ID, name: { type: "cds.String", localized: true } } },
  S: { kind: "service" },
  "S.A": { kind: "entity", projection: { from: { ref: ["db.A"] } } },
};

function infer(more: Record<string, CsnDefinition>, base: Record<string, CsnDefinition> = BASE) {
  return inferModel({ definitions: { ...base, ...more } }).definitions!;
}

const onB = { from: { ref: ["db.B"] } };

Deno.test("inferModel() redirects associations to no view with parameters, unless it is said so", () => {
  const params = { p: { type: "cds.Integer" } };
  const view = { "S.V": { kind: "entity", params, projection: onB } } as const;
  assert.equal(
    infer({ "S.B": { kind: "entity", projection: onB }, ...view })["S.A"].elements!.b.target,
    "S.B",
  );
  const preferred = { "S.V": { ...view["S.V"], "@cds.redirection.target": true } };
  assert.equal(infer(preferred)["S.A"].elements!.b.target, "S.V");
});

Deno.test("inferModel() redirects associations to the projection of the service", () => {
  const result = infer({ "S.B": { kind: "entity", projection: onB } });
  assert.equal(result["S.A"].elements!.b.target, "S.B");
  assert.equal(result["S.B"].elements!.as.target, "S.A");
  assert.equal(result["db.A"].elements!.b.target, "db.B");
});

Deno.test("inferModel() prefers the shortest chain of projections", () => {
  const result = infer({
    "S.Far": { kind: "entity", projection: { from: { ref: ["S.Near"] } } },
    "S.Near": { kind: "entity", projection: onB },
  });
  assert.equal(result["S.A"].elements!.b.target, "S.Near");
});

Deno.test("inferModel() refuses ambiguous redirection, @cds.redirection.target decides", () => {
  const B1: CsnDefinition = { kind: "entity", projection: onB };
  assert.throws(
    () => infer({ "S.B1": B1, "S.B2": B1 }),
    /Association "b" of "S\.A" to "db\.B" could be redirected to "S\.B1" and "S\.B2"/,
  );
  const chosen = infer({ "S.B1": B1, "S.B2": { ...B1, "@cds.redirection.target": true } });
  assert.equal(chosen["S.A"].elements!.b.target, "S.B2");
  const removed = infer({ "S.B1": B1, "S.B2": { ...B1, "@cds.redirection.target": false } });
  assert.equal(removed["S.A"].elements!.b.target, "S.B1");
});

Deno.test("inferModel() redirects associations to the projection beside views that aggregate", () => {
  const count = { func: "count", args: ["*"], as: "n" } as const;
  const id = { ref: ["ID"] };
  for (
    const select of [{ groupBy: [id], columns: [id] }, { distinct: true }, { columns: [id, count] }] as const
  ) {
    const view: CsnDefinition = { kind: "entity", query: { SELECT: { ...onB, ...select } } };
    const projection: CsnDefinition = { kind: "entity", projection: onB };
    assert.equal(infer({ "S.B1": view, "S.B2": projection })["S.A"].elements!.b.target, "S.B2");
    assert.equal(infer({ "S.B1": view })["S.A"].elements!.b.target, "S.B1");
  }
});

Deno.test("inferModel() keeps the target of redirected to", () => {
  const columns = ["*" as const, { ref: ["b"], cast: { type: "cds.Association", target: "S.B2" } }];
  const result = infer({
    "S.A": { kind: "entity", projection: { from: { ref: ["db.A"] }, columns } },
    "S.B1": { kind: "entity", "@cds.redirection.target": true, projection: onB },
    "S.B2": { kind: "entity", projection: onB },
  });
  assert.equal(result["S.A"].elements!.b.target, "S.B2");
});

Deno.test("inferModel() takes the condition of redirected to as it is: its names are those of the new target", () => {
  const on = [{ ref: ["as", "nr"] }, "=", { ref: ["ID"] }] as const;
  const as = { ref: ["as"], cast: { type: "cds.Association", target: "S.V", on } };
  const result = infer({
    "S.V": {
      kind: "entity",
      projection: {
        from: { ref: ["db.A"] },
        columns: [{ ref: ["ID"], as: "other" }, { ref: ["ID"], as: "nr" }],
      },
    },
    "S.B": { kind: "entity", projection: { ...onB, columns: [{ ref: ["ID"] }, as] } },
  });
  assert.deepEqual(result["S.B"].elements!.as.on, on);
});

Deno.test("inferModel() renames keys and conditions to the names in the new target, foreign keys keep theirs", () => {
  const result = infer({
    "S.A": {
      kind: "entity",
      projection: { from: { ref: ["db.A"] }, columns: [{ ref: ["ID"] }, { ref: ["b"], as: "bb" }] },
    },
    "S.B": { kind: "entity", projection: { ...onB, columns: [{ ref: ["ID"], as: "nr" }, { ref: ["as"] }] } },
  });
  assert.deepEqual(result["S.A"].elements!.bb.keys, [{ ref: ["nr"], as: "ID" }]);
  assert.deepEqual(result["S.B"].elements!.as.on, [{ ref: ["as", "bb"] }, "=", { ref: ["$self"] }]);
});

Deno.test("inferModel() leaves associations alone whose target is not exposed", () => {
  const result = infer({});
  assert.equal(result["S.A"].elements!.b.target, "db.B");
  assert.equal(result["S.B"], undefined);
});

Deno.test("inferModel() exposes @cds.autoexpose entities and the texts they need", () => {
  const result = infer({ "db.C": { ...BASE["db.C"], "@cds.autoexpose": true } });
  assert.equal(result["S.A"].elements!.c.target, "S.C");
  assert.equal(result["S.C"]["@cds.autoexposed"], true);
  assert.equal(result["S.C"].elements!.texts.target, "S.C.texts");
  assert.equal(result["S.C"].elements!.localized.target, "S.C.texts");
  assert.deepEqual(result["S.C.texts"].projection, { from: { ref: ["db.C.texts"] } });
});

Deno.test("inferModel() exposes targets of compositions under the names of the chain", () => {
  const parts = {
    type: "cds.Composition",
    cardinality: { max: "*" },
    targetAspect: { elements: { pos: ID } },
  } as const;
  const result = infer({
    "db.A": { kind: "entity", elements: { ID, parts } },
    "db.B": { kind: "entity", elements: { ID } },
  });
  assert.equal(result["S.A"].elements!.parts.target, "S.A.parts");
  assert.equal(result["S.A.parts"].elements!.up_.target, "S.A");
  assert.equal(result["db.A.parts"]["@cds.autoexposed"], undefined);
});

Deno.test("inferModel() exposes no targets that are not to be, of compositions neither (csn-cqn 11)", () => {
  const c = { type: "cds.Composition", target: "db.C" } as const;
  const whole: CsnDefinition = { kind: "entity", elements: { ID, c } };
  const result = infer({ "db.A": whole, "db.B": { kind: "entity", elements: { ID } } });
  assert.equal(result["S.A"].elements!.c.target, "S.C");
  const hidden = infer({
    "db.A": whole,
    "db.B": { kind: "entity", elements: { ID } },
    "db.C": { ...BASE["db.C"], "@cds.autoexpose": false },
  });
  assert.equal(hidden["S.A"].elements!.c.target, "db.C");
  assert.equal(hidden["S.C"], undefined);
});

Deno.test("inferModel() refuses a redirection to a projection without the needed key", () => {
  assert.throws(
    () => infer({ "S.B": { kind: "entity", projection: { ...onB, columns: [{ ref: ["as"] }] } } }),
    /needs element "ID" of its target, which "S\.B" does not select/,
  );
});

Deno.test("inferModel() redirects to the only one of several projections that has what the association needs", () => {
  const few = { from: { ref: ["db.A"] }, columns: [{ ref: ["ID"] }, { ref: ["b", "ID"], as: "bID" }] };
  const views = {
    "S.B": { kind: "entity", projection: onB },
    "S.Few": { kind: "entity", projection: few },
  } as const;
  assert.equal(infer(views)["S.B"].elements!.as.target, "S.A");
  const all = { kind: "entity", projection: { from: { ref: ["db.A"] } } } as const;
  assert.throws(
    () => infer({ ...views, "S.All": all }),
    /could be redirected to "S.A" and "S.All"/,
  );
});
