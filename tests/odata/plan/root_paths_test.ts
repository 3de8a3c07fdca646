import assert from "node:assert/strict";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import { createPlanner } from "../../../src/odata/plan/planner.ts";

const MODEL = linkModel(parseCdl(`service S {
  entity Books { key ID : Integer; stock : Integer; }
  @odata.singleton entity Shop { key ID : Integer; least : Integer; }
  function best() returns Integer;
}`));
const planner = createPlanner(MODEL.service("S")!);

function rejected(filter: string): string {
  try {
    planner.planUrl(`Books?$filter=${filter}`);
  } catch (error) {
    return (error as Error).message;
  }
  return "planned";
}

Deno.test("paths from $root start with the name of a set, not of an operation (Part 2, 5.1.1.15)", () => {
  assert.equal(rejected("stock gt $root/Shop/least"), "planned");
  assert.equal(rejected("stock gt $root/Books(1)/stock"), "planned");
  assert.match(rejected("stock gt $root/best"), /^A call needs parentheses/);
  assert.match(rejected("stock gt $root/Bok(1)/stock"), /did you mean "Books"/);
});
