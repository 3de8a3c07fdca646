import assert from "node:assert/strict";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import type { Exchange } from "../../../src/odata/exchange.ts";
import type { EntityPlan } from "../../../src/odata/plan/plan.ts";
import { createPlanner } from "../../../src/odata/plan/planner.ts";
import { isTracked } from "../../../src/odata/resources/track_changes.ts";

const planner = createPlanner(
  linkModel(parseCdl(`service S {
    @odata.trackChanges @Aggregation.RecursiveHierarchy #Tree : { NodeProperty : ID, ParentNavigationProperty : parent }
    entity Nodes { key ID : Integer; name : String; parent : Association to Nodes; others : Association to many Nodes on others.parent = $self; }
    entity Untracked { key ID : Integer; }
    @odata.trackChanges entity Keyless as select from Nodes { name };
  }`)).service("S")!,
);

function tracked(url: string, given: object = {}): boolean {
  const exchange = { preferences: { trackChanges: true }, method: "GET", version: "4.01", ...given };
  return isTracked(exchange as Exchange, planner.planUrl(url) as EntityPlan);
}

Deno.test("changes are tracked of all rows of an annotated set that meet conditions (OData Protocol 8.2.8.6)", () => {
  const urls = [
    "Nodes",
    "Nodes?$filter=ID gt 1&$select=name&$orderby=name&$count=true",
    "Nodes(1)/others",
    "Nodes?$apply=filter(ID gt 1)",
  ];
  for (const url of urls) assert.equal(tracked(url), true, url);
  assert.equal(tracked("Nodes?$expand=parent"), true);
  assert.equal(tracked("Nodes?$expand=parent", { version: "4.0" }), false);
  for (const given of [{ preferences: {} }, { method: "HEAD" }, { requestPath: "Nodes" }]) {
    assert.equal(tracked("Nodes", given), false, JSON.stringify(given));
  }
});

Deno.test("changes are not tracked of parts of sets, references, groups, several sets in one and parts of hierarchies", () => {
  const untracked = [
    "Untracked",
    "Keyless",
    "Nodes?$top=2",
    "Nodes?$skip=1",
    "Nodes/$ref",
    "Nodes(1)",
    "Nodes(1)/others/$ref",
    "Nodes?$apply=groupby((name))",
    "Nodes?$apply=concat(filter(ID gt 1),filter(ID lt 1))",
    "Nodes?$apply=descendants($root/Nodes,Tree,ID,filter(ID eq 1))",
  ];
  for (const url of untracked) assert.equal(tracked(url), false, url);
});
