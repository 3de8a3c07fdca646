/**
 * Trees come to the same on all engines, and to what a walk from the roots says, whatever is written.
 *
 * @module
 */

import assert from "node:assert/strict";
import fc from "fast-check";
import { propertyRuns } from "../property_runs.ts";
import { type App, ENGINES, type RunningApp, withApp } from "../service/rules/on_engines.ts";
import { Choices } from "./restrictions/choices.ts";

const APP: App = {
  cdl: `
entity db.Forests { key ID : Integer; nodes : Composition of many db.Nodes on nodes.forest = $self; }
entity db.Nodes { key ID : String(20); forest : Association to db.Forests; up : Association to db.Nodes; n : Integer; }
service S { entity Forests as projection on db.Forests; @hierarchy: up entity Nodes as projection on db.Nodes; }
`,
};

interface Node {
  readonly ID: string;
  n: number | null;
  up_ID: string | null;
}

/** Names that look alike in texts with all of them. */
const NAMES = ["1", "11", "a", "A", "a b", "'", "ä", "😀", "", "0"];

function randomNodes(choices: Choices, forest: number): Node[] {
  const nodes = choices.some(NAMES, 75).map((name): Node => {
    return { ID: `${forest}.${name}`, n: choices.pick([1, 2, null]), up_ID: null };
  });
  for (const node of nodes) node.up_ID = randomParent(choices, nodes);
  return nodes;
}

/** Mostly another node, which may make a circle. */
function randomParent(choices: Choices, nodes: readonly Node[]): string | null {
  if (choices.chance(15)) return "nowhere";
  return choices.chance(80) && nodes.length > 0 ? choices.pick(nodes).ID : null;
}

/** What a request asks for. */
interface Asked {
  readonly descending: boolean;
  readonly levels: number | undefined;
  readonly changes: readonly { readonly NodeID: string; readonly Levels: number | null }[];
  /** Only nodes above one with this number. */
  readonly above: number | undefined;
}

function randomRequest(choices: Choices, nodes: readonly Node[]): Asked {
  return {
    descending: choices.chance(30),
    levels: choices.pick([1, 2, 3, undefined]),
    changes: choices.some(nodes, 20).map(({ ID }) => ({ NodeID: ID, Levels: choices.pick([1, 0, 2, null]) })),
    above: choices.chance(30) ? choices.pick([1, 2]) : undefined,
  };
}

function urlOf({ descending, levels, changes, above }: Asked, forest: number): string {
  const nodes = `$root/Forests(${forest})/nodes`;
  const before = above === undefined
    ? ""
    : `ancestors(${nodes},NodesHierarchy,ID,filter(n eq ${above}),keep start)/`;
  const more = (levels === undefined ? "" : `,Levels=${levels}`) +
    (changes.length === 0 ? "" : `,ExpandLevels=${encodeURIComponent(JSON.stringify(changes))}`);
  return `Forests(${forest})/nodes?$apply=${before}orderby(n${descending ? " desc" : ""})` +
    `/com.sap.vocabularies.Hierarchy.v1.TopLevels(HierarchyNodes=${nodes},HierarchyQualifier='NodesHierarchy'` +
    `,NodeProperty='ID'${more})&$select=ID,DrillState,DistanceFromRoot,LimitedDescendantCount,LimitedRank`;
}

/** A walk from the roots; siblings of equal numbers have no order of their own, so that sets are compared. */
function expectedOf(nodes: readonly Node[], { levels = Infinity, changes, above }: Asked): object[] {
  const byName = new Map(nodes.map((node) => [node.ID, node]));
  const wayUp = (node: Node): Node[] => {
    const way: Node[] = [];
    for (let at: Node | undefined = node; at && !way.includes(at); at = byName.get(at.up_ID ?? "")) {
      way.push(at);
    }
    return way;
  };
  const isInside = (node: Node) =>
    above === undefined || nodes.some((one) => one.n === above && wayUp(one).includes(node));
  const inside = nodes.filter(isInside);
  const childrenOf = (ID: string) => inside.filter(({ up_ID }) => up_ID === ID);
  const rows: object[] = [];
  const walk = (node: Node, distance: number, left: number): number => {
    if (left <= 0) return 0;
    const change = changes.find(({ NodeID }) => NodeID === node.ID);
    const below = change ? change.Levels ?? Infinity : left - 1;
    const count = childrenOf(node.ID).reduce((sum, child) => sum + walk(child, distance + 1, below), 0);
    const DrillState = count > 0 ? "expanded" : childrenOf(node.ID).length > 0 ? "collapsed" : "leaf";
    rows.push({ ID: node.ID, DrillState, DistanceFromRoot: distance, LimitedDescendantCount: count });
    return count + 1;
  };
  for (const node of inside.filter(({ up_ID }) => !inside.some(({ ID }) => ID === up_ID))) {
    walk(node, 0, levels);
  }
  return rows;
}

/** Whether each node stands right before those that it counts below itself. */
function assertPreorder(rows: readonly Record<string, unknown>[], shown: string): void {
  for (const [at, { LimitedRank, DistanceFromRoot, LimitedDescendantCount }] of rows.entries()) {
    assert.equal(LimitedRank, at, shown);
    const below = rows.slice(at + 1, at + 1 + Number(LimitedDescendantCount));
    assert.ok(below.every((row) => Number(row.DistanceFromRoot) > Number(DistanceFromRoot)), shown);
  }
}

const byName = (one: object, other: object) => (one as Node).ID < (other as Node).ID ? -1 : 1;

async function checkForest(apps: readonly RunningApp[], forest: number, choices: Choices): Promise<void> {
  const nodes = randomNodes(choices, forest);
  const send = (method: string, path: string, body?: unknown) =>
    Promise.all(apps.map((app) => app.send(method, `/odata/v4/s/${path}`, body)));
  const created = await send("POST", "Forests", { ID: forest, nodes });
  assert.ok(created.every(({ status }) => status === 201), created[0]!.text);
  for (let requests = 0; requests < 4; requests++) {
    const asked = randomRequest(choices, nodes);
    const url = urlOf(asked, forest);
    const shown = `${decodeURIComponent(url)}\n${JSON.stringify(nodes)}`;
    const [first, ...others] = (await send("GET", url)).map(({ status, body, text }) => {
      assert.equal(status, 200, `${shown}\n${text}`);
      return body.value as unknown as Record<string, unknown>[];
    });
    for (const other of others) assert.deepEqual(other, first, shown);
    assertPreorder(first!, shown);
    const found = first!.map(({ LimitedRank: _rank, ...row }) => row);
    assert.deepEqual(found.sort(byName), expectedOf(nodes, asked).sort(byName), shown);
    if (nodes.length === 0) continue;
    const moved = choices.pick(nodes);
    moved.up_ID = randomParent(choices, nodes);
    moved.n = choices.pick([1, 2, null]);
    const { ID, ...body } = moved;
    const key = encodeURIComponent(ID.replaceAll("'", "''"));
    for (const { status, text } of await send("PATCH", `Nodes('${key}')`, body)) {
      assert.equal(status, 200, text);
    }
  }
  await send("DELETE", `Forests(${forest})`);
}

Deno.test("trees come to the same on all engines, and to what a walk from the roots says", async () => {
  const apps: RunningApp[] = [];
  let forest = 0;
  const numbers = fc.noBias(fc.array(fc.nat(2 ** 20), { minLength: 150, maxLength: 150, size: "max" }));
  const property = fc.asyncProperty(numbers, (made) => checkForest(apps, ++forest, new Choices(made)));
  const open = async (engines: readonly string[]): Promise<void> => {
    const [engine, ...others] = engines;
    if (engine === undefined) {
      return await fc.assert(property, { ...propertyRuns(20, 2028), endOnFailure: true });
    }
    await withApp(APP, engine, async (app) => {
      apps.push(app);
      await open(others);
    });
  };
  await open(ENGINES);
});
