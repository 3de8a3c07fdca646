/**
 * What tree tables ask for: `TopLevels`, children of a node, and where nodes stand.
 *
 * @see https://sap.github.io/odata-vocabularies/vocabularies/Hierarchy.html
 *
 * @module
 */

import assert from "node:assert/strict";
import { compileCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { type App, type RunningApp, testOnEngines } from "../service/rules/on_engines.ts";

const APP: App = {
  cdl: `
entity db.Genres { key ID : Integer; name : localized String; parent : Association to db.Genres; secret : Boolean; }
entity db.Shelves { key ID : Integer; boxes : Composition of many db.Boxes on boxes.shelf = $self; }
entity db.Boxes { key code : String(9); shelf : Association to db.Shelves; inside : Association to db.Boxes; }
service S {
  @restrict: [{ grant: 'READ', to: 'any', where: 'secret is null' }]
  entity Genres as projection on db.Genres;
  entity Shelves as projection on db.Shelves;
  entity Boxes as projection on db.Boxes;
}
annotate S.Genres with @Aggregation.RecursiveHierarchy #Tree: { NodeProperty: ID, ParentNavigationProperty: parent };
extend S.Genres with @(Hierarchy.RecursiveHierarchy #Tree: {
  LimitedDescendantCount: LimitedDescendantCount, DistanceFromRoot: DistanceFromRoot, DrillState: DrillState,
  LimitedRank: LimitedRank, ChildCount: ChildCount, DescendantCount: DescendantCount, SiblingRank: SiblingRank,
}) columns {
  null as LimitedDescendantCount: Int16, null as DistanceFromRoot: Int16, null as DrillState: String,
  null as LimitedRank: Int64, null as ChildCount: Integer, null as DescendantCount: Integer, null as SiblingRank: Integer,
};
annotate S.Boxes with @hierarchy: inside;
`,
  data: {
    "db.Genres": [
      { ID: 10, name: "Fiction" },
      { ID: 11, name: "Drama", parent_ID: 10 },
      { ID: 12, name: "Poetry", parent_ID: 10 },
      { ID: 13, name: "Epic", parent_ID: 12 },
      { ID: 14, name: "Lyric", parent_ID: 12 },
      { ID: 15, name: "Haiku", parent_ID: 14 },
      { ID: 16, name: "Censored", parent_ID: 15, secret: true },
      { ID: 20, name: "Non-Fiction" },
      { ID: 21, name: "Biography", parent_ID: 20 },
    ],
    "db.Shelves": [{ ID: 1 }, { ID: 2 }],
    "db.Boxes": [
      { code: "1", shelf_ID: 1 },
      { code: "11", shelf_ID: 1, inside_code: "1" },
      { code: "2", shelf_ID: 2 },
    ],
  },
};

const HIERARCHY = "$root/Genres,Tree,ID";
const topLevels = (more = "") =>
  `com.sap.vocabularies.Hierarchy.v1.TopLevels(HierarchyNodes=$root/Genres,HierarchyQualifier='Tree',NodeProperty='ID'${more})`;
const expanded = (...nodes: readonly object[]) => `,ExpandLevels=${JSON.stringify(nodes)}`;

/** What is answered, each row as the values of the selected properties in their order. */
async function rows({ send }: RunningApp, url: string): Promise<unknown> {
  const { status, body, text } = await send("GET", `/odata/v4/s/${encodeURI(url)}`);
  assert.equal(status, 200, `${url}: ${text}`);
  const names = /\$select=([^&]*)/.exec(url)![1]!.split(",");
  return (body.value as unknown as Record<string, unknown>[]).map((row) =>
    names.map((name) => row[name]).join(" ")
  );
}

const ANSWERS: Readonly<Record<string, readonly string[]>> = {
  // siblings have the order before, descendants come behind their node
  [
    `Genres?$apply=orderby(name)/${
      topLevels(",Levels=1")
    }&$select=ID,DrillState,DistanceFromRoot,LimitedDescendantCount`
  ]: ["10 collapsed 0 0", "20 collapsed 0 0"],
  [
    `Genres?$apply=orderby(name desc)/${
      topLevels(",Levels=2")
    }&$select=ID,DrillState,DistanceFromRoot,LimitedDescendantCount,LimitedRank&$top=4`
  ]: ["20 expanded 0 1 0", "21 leaf 1 0 1", "10 expanded 0 2 2", "12 collapsed 1 0 3"],
  // nobody hears of what the user may not see: 15 is a leaf
  [`Genres?$apply=${topLevels()}&$select=ID,DrillState,LimitedDescendantCount,LimitedRank,SiblingRank`]: [
    "10 expanded 5 0 0",
    "11 leaf 0 1 0",
    "12 expanded 3 2 1",
    "13 leaf 0 3 0",
    "14 expanded 1 4 1",
    "15 leaf 0 5 0",
    "20 expanded 1 6 1",
    "21 leaf 0 7 0",
  ],
  [
    `Genres?$apply=${
      topLevels(`,Levels=1${expanded({ NodeID: 10, Levels: 1 }, { NodeID: 12, Levels: null })}`)
    }&$select=ID,DrillState`
  ]: ["10 expanded", "11 leaf", "12 expanded", "13 leaf", "14 expanded", "15 leaf", "20 collapsed"],
  [
    `Genres?$apply=${
      topLevels(expanded({ NodeID: "12", Levels: 0 }))
    }&$select=ID,DrillState,DescendantCount,ChildCount`
  ]: ["10 expanded 5 2", "11 leaf 0 0", "12 collapsed 3 2", "20 expanded 1 1", "21 leaf 0 0"],
  [`Genres?$apply=${topLevels(',Levels=1,Expand=["20"],Show=["14"]')}&$select=ID,DrillState`]: [
    "10 expanded",
    "12 expanded",
    "14 collapsed",
    "20 expanded",
    "21 leaf",
  ],
  [`Genres?$apply=${topLevels(',Levels=2,Collapse=["10"]')}&$select=ID`]: ["10", "20", "21"],
  // children of a node
  [`Genres?$apply=descendants(${HIERARCHY},filter(ID eq 10),1)/orderby(name desc)&$select=ID,DrillState,ChildCount`]:
    [
      "12 collapsed 2",
      "11 leaf 0",
    ],
  // what does not lead to a match is not there
  [
    `Genres?$apply=ancestors(${HIERARCHY},search(haiku),keep start)/${
      topLevels(",Levels=2")
    }&$select=ID,DrillState,DescendantCount`
  ]: ["10 expanded 3", "12 collapsed 2"],
  [`Genres?$apply=ancestors(${HIERARCHY},filter(name eq 'Epic'),keep start)/descendants(${HIERARCHY},filter(ID eq 12),1)&$select=ID,DrillState,DistanceFromRoot`]:
    ["13 leaf 2"],
  [`Genres?$apply=filter(ID ne 10)/${topLevels(",Levels=1")}&$select=ID,DrillState`]: [
    "11 leaf",
    "12 collapsed",
    "20 collapsed",
  ],
  // properties of nodes are values like others
  [
    `Genres?$apply=${
      topLevels(",Levels=3")
    }&$filter=LimitedRank lt 3 and DistanceFromRoot eq 1&$orderby=LimitedRank desc&$select=ID`
  ]: ["12", "11"],
  [
    `Genres?$apply=${
      topLevels(",Levels=3")
    }/groupby((DrillState),aggregate($count as N))&$select=DrillState,N&$orderby=DrillState`
  ]: ["collapsed 1", "expanded 3", "leaf 3"],
  "Genres?$filter=ID eq 10&$select=ID,DrillState": ["10 "],
  // nodes inside of another instance
  "Shelves(1)/boxes?$apply=com.sap.vocabularies.Hierarchy.v1.TopLevels(HierarchyNodes=$root/Shelves(1)/boxes,HierarchyQualifier='BoxesHierarchy',NodeProperty='code',Levels=1)&$select=code,DrillState":
    ["1 collapsed"],
  "Shelves(1)/boxes?$apply=descendants($root/Shelves(1)/boxes,BoxesHierarchy,code,filter(code eq '1'),1)&$select=code,DrillState":
    ["11 leaf"],
};

const REFUSED: Readonly<Record<string, number>> = {
  [topLevels(",Levels=0")]: 400,
  [topLevels(",Levels='1'")]: 400,
  [topLevels(",Level=1")]: 400,
  [topLevels(",Expand=10")]: 400,
  [topLevels(",ExpandLevels=[1]")]: 400,
  [topLevels(expanded({ NodeID: 10, Levels: -1 }))]: 400,
  [topLevels().replace("'Tree'", "'Bush'")]: 400,
  [topLevels().replace("$root/Genres", "$root/Trees")]: 400,
  [topLevels().replace("NodeProperty='ID'", "NodeProperty='nothing'")]: 400,
  [topLevels().replace("NodeProperty='ID'", "NodeProperty=''")]: 400,
  [topLevels().replace(",NodeProperty='ID'", "")]: 400,
  [`groupby((name))/${topLevels()}`]: 501,
  [topLevels().replace("$root/Genres", "$root/Boxes").replace("'Tree'", "'BoxesHierarchy'")]: 501,
};

testOnEngines(
  "trees: levels, what is expanded below, and where nodes stand (Hierarchy.TopLevels)",
  APP,
  async (app) => {
    for (const [url, expected] of Object.entries(ANSWERS)) {
      assert.deepEqual(
        await rows(app, url),
        expected,
        url,
      );
    }
    const count = await app.send("GET", `/odata/v4/s/Genres/$count?$apply=${topLevels(",Levels=2")}`);
    assert.equal(count.text, "5");
    for (const [apply, status] of Object.entries(REFUSED)) {
      const answer = await app.send("GET", `/odata/v4/s/Genres?$apply=${encodeURI(apply)}`);
      assert.equal(answer.status, status, `${apply}: ${answer.text}`);
    }
  },
);

const linked = (more: string) => {
  const cdl =
    `entity db.Genres { key ID : Integer; up : Association to db.Genres; other : Association to db.Genres; name : String; }
service S { @cds.redirection.target entity Genres as projection on db.Genres; entity Names as projection on db.Genres { ID, name }; }
service R { entity Kinds as projection on db.Genres { ID as code, up as above }; }
${more}`;
  return linkModel(compileCdl(["app.cds"], { readFile: (path) => path === "app.cds" ? cdl : undefined }));
};

Deno.test("@hierarchy adds what tree tables read, also where it is inherited, but not to views without parents", () => {
  const { definitions } = linked("annotate db.Genres with @hierarchy: up;") as unknown as {
    definitions: Record<string, { elements: object } & Record<string, unknown>>;
  };
  assert.deepEqual(definitions["S.Genres"]!["@Aggregation.RecursiveHierarchy#GenresHierarchy"], {
    NodeProperty: { "=": "ID" },
    ParentNavigationProperty: { "=": "up" },
  });
  assert.deepEqual(Object.keys(definitions["S.Genres"]!.elements).slice(-4), [
    "LimitedDescendantCount",
    "DistanceFromRoot",
    "DrillState",
    "LimitedRank",
  ]);
  assert.deepEqual(definitions["R.Kinds"]!["@Aggregation.RecursiveHierarchy#KindsHierarchy"], {
    NodeProperty: { "=": "code" },
    ParentNavigationProperty: { "=": "above" },
  });
  assert.deepEqual(Object.keys(definitions["S.Names"]!.elements), ["ID", "name"]);
});

Deno.test("@hierarchy stops the start where it names no parent, or where there are several", () => {
  for (const more of ["@hierarchy", "@hierarchy: name", "@hierarchy: nothing"]) {
    assert.throws(
      () => linked(`annotate S.Genres with ${more};`),
      /app\.cds:2.*@hierarchy names the association/,
    );
  }
});
