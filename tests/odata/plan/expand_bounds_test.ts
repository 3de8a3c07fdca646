import assert from "node:assert/strict";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import { boundsBelow, expandBounds, isWithin } from "../../../src/odata/plan/options/query_size.ts";

const MODEL = linkModel(parseCdl(`
  entity Books { key ID : Integer; author : Association to Authors; }
  entity Authors { key ID : Integer; life : Composition of one Lives; }
  entity Lives { key ID : Integer; years : Composition of many Years on years.life = $self; }
  entity Users { key ID : Integer; groups : Composition of many { key group : Association to Groups; } }
  entity Groups { key ID : Integer; roles : Composition of many { key ID : Integer; role : Association to Roles; } }
  entity Roles { key ID : Integer;
    users : Association to many Users on (users.ID = ID or users.ID = 1); }
  entity Years { key ID : Integer; life : Association to Lives; }
`));

/** Whether a path of associations repeats no collection. */
function isAllowed(path: readonly (readonly [string, string])[], isMany: boolean): boolean {
  const limits = { expandDepth: 10, expandRepetitions: 0 };
  return isWithin(path.reduce(
    (above, [entity, name]) => boundsBelow(above, MODEL.entity(entity)!.elements[name]!),
    expandBounds(limits, isMany),
  ));
}

Deno.test("what belongs to a row that several share is repeated with it (odata-limits)", () => {
  const steps = [["Books", "author"], ["Authors", "life"], ["Lives", "years"]] as const;
  assert.deepEqual([isAllowed(steps, false), isAllowed(steps, true)], [true, false]);
});

Deno.test("links of one row lead to each other side once, if that is their key (odata-limits)", () => {
  const linked = [["Users", "groups"], ["Users.groups", "group"], ["Groups", "roles"]] as const;
  assert.deepEqual([isAllowed(linked, false), isAllowed(linked, true)], [true, false]);
  const listed = [["Groups", "roles"], ["Groups.roles", "role"], ["Roles", "users"]] as const;
  assert.equal(isAllowed(listed, false), false);
});

Deno.test("rows that meet one of two conditions in parentheses belong to several (odata-limits)", () => {
  assert.equal(isAllowed([["Roles", "users"], ["Users", "groups"]], true), false);
});
