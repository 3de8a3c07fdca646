/** What `@requires` and `@restrict` grant, by each way to write them (auth 7). */

import assert from "node:assert/strict";
import { parseExpression } from "../../../src/cqn/parse_cql.ts";
import {
  admitsAny,
  hasOwnRestriction,
  ownRestrictions,
  withdrawPrivilege,
} from "../../../src/service/authorization/restrictions.ts";
import { conditionText } from "./conditions.ts";

/** Events, roles and condition of each privilege. */
function privileges(definition: object): readonly unknown[] {
  return ownRestrictions(definition).map((restriction) =>
    restriction.map(({ grants, to, where }) => [
      [...grants].join(),
      to?.join(),
      where && conditionText(where),
    ])
  );
}

const entry = (restrict: unknown) => privileges({ "@restrict": restrict });

Deno.test("@requires asks for one of its roles, for all events", () => {
  const forms: readonly (readonly [requires: unknown, roles: string])[] = [
    ["a", "a"],
    [["a", "b"], "a,b"],
    [{ "=": "a" }, "a"],
    [[], ""],
  ];
  for (const [requires, roles] of forms) {
    assert.deepEqual(privileges({ "@requires": requires }), [[["*", roles, undefined]]]);
  }
  for (const none of [undefined, null]) {
    assert.deepEqual(privileges({ "@requires": none, "@restrict": none }), []);
    assert.equal(hasOwnRestriction({ "@requires": none }), false);
  }
});

Deno.test("an entry of @restrict grants all events to all users where it says nothing else", () => {
  const where = "name = 'x'";
  const forms: readonly (readonly [entry: object, privilege: readonly unknown[]])[] = [
    [{ to: "a" }, ["*", "a", undefined]],
    [{ grant: "READ" }, ["READ", undefined, undefined]],
    [{ grant: ["WRITE", "READ"] }, ["CREATE,UPDATE,DELETE,UPSERT,READ", undefined, undefined]],
    [{ grant: ["INSERT", "SELECT", "own"] }, ["CREATE,READ,own", undefined, undefined]],
    [{ where }, ["*", undefined, where]],
    [{ where: { "=": where } }, ["*", undefined, where]],
    [{ where: { "=": "ignored", xpr: parseExpression(where) } }, ["*", undefined, where]],
    [{ where: { func: "f", args: [{ ref: ["x"] }] } }, ["*", undefined, "f(x)"]],
    [{ where: { ref: ["open"] } }, ["*", undefined, "open"]],
    [{ where: true }, ["*", undefined, undefined]],
  ];
  for (const [given, privilege] of forms) {
    assert.deepEqual(entry([given]), [[privilege]], JSON.stringify(given));
    assert.deepEqual(entry(given), [[privilege]]);
  }
  const both = privileges({ "@requires": "a", "@restrict": [{ to: "b" }, { to: "c" }] });
  assert.deepEqual(both, [[["*", "a", undefined]], [["*", "b", undefined], ["*", "c", undefined]]]);
});

Deno.test("conditions of services, which have no rows, and unknown members grant nothing", () => {
  const service = { kind: "service", "@restrict": [{ to: "a", where: "x = 1" }, { to: "b" }] };
  assert.deepEqual(privileges(service), [[["", "", undefined], ["*", "b", undefined]]]);
  const unknown = { "@restrict": [{ to: "a", role: "b" }] };
  assert.deepEqual(privileges(unknown), [[["", "", undefined]]]);
  assert.match(ownRestrictions(unknown)[0]![0]!.problem!.message, /unknown member "role", did you mean "to"/);
});

Deno.test("a privilege that is withdrawn grants nothing, and others stay", () => {
  const definition = { "@restrict": [{ to: "a" }, { to: "b" }] };
  const [[first]] = ownRestrictions(definition) as [[Parameters<typeof withdrawPrivilege>[1]]];
  withdrawPrivilege(definition, first);
  assert.deepEqual(privileges(definition), [[["", "", undefined], ["*", "b", undefined]]]);
});

Deno.test("somebody without login passes where each restriction names any", () => {
  const admits = (annotations: object) => admitsAny(ownRestrictions(annotations));
  assert.equal(admits({}), false);
  assert.equal(admits({ "@requires": "any" }), true);
  assert.equal(admits({ "@requires": ["a", "any"], "@restrict": [{ to: "b" }, { to: "any" }] }), true);
  assert.equal(admits({ "@requires": "any", "@restrict": [{ grant: "READ" }] }), false);
  assert.equal(admits({ "@requires": "a" }), false);
});
