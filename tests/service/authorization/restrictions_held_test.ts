/** Which restrictions projections have of their sources, and for which views only the query tells (auth 7). */

import assert from "node:assert/strict";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import {
  isOpenToAny,
  isRestricted,
  restrictionsHeld,
} from "../../../src/service/authorization/view_restrictions.ts";
import { createHost } from "../fixture.ts";
import { conditionText } from "./conditions.ts";

const MODEL = `
type Address { town : String; }
@restrict: [{ grant: 'READ', to: 'any', where: (owner = $user and region = $user.region) }]
entity Rows { key ID : Integer; owner : String; region : String; kind : Association to Kinds; text : localized String;
  virtual hint : String; place : Address; tags : many String; }
entity Kinds { key ID : Integer; name : String; }
@restrict: [{ where: (kind.name = 'x') }] entity ByPath as select from Rows { * };
@restrict: [{ where: (exists (select from Kinds)) }] entity ByQuery as select from Rows { * };
@restrict: [{ where: (text = 'x') }] entity ByText as select from Rows { *, text };
@restrict: [{ where: (hint = 'x') }] entity ByHint as select from Rows { * };
@restrict: [{ where: (doubled = 'x') }] 
entity ByDoubled { key ID : Integer; owner : String; doubled : String = owner || owner; };
@restrict: [{ where: (details.color = 'x') }] entity ByMember { key ID : Integer; details : Map; }
@restrict: [{ where: (place.town = 'x') }] entity ByPlace as select from Rows { * };
@restrict: [{ where: (kind is null) }] entity ByLink as select from Rows { * };
@restrict: [{ where: (place is null) }] entity ByStructure as select from Rows { * };
@restrict: [{ where: (tags is null) }] entity ByList as select from Rows { * };
@requires: 'admin' entity Required as select from Rows { * };
@restrict: [{ to: 'admin' }, { to: 'clerk', where: (owner = $user) }, { to: 'any', where: ($now > '2000') }]
entity Mixed as select from Rows { * };
`;
const REGION = "owner = $user and region = $user.region";

/** Queries of views, and the conditions that they have; undefined where their query tells which rows may be seen. */
const VIEWS: readonly (readonly [query: string, conditions: string | undefined])[] = [
  ["projection on Rows", REGION],
  ["select from Rows { ID, owner, region }", REGION],
  ["select from Rows { *, owner as name }", REGION],
  ["select from Rows { ID, owner as who, region as area }", "who = $user and area = $user.region"],
  ["select from Rows as r { r.ID, r.owner as who, r.region }", "who = $user and region = $user.region"],
  ["select from Rows { ID, Rows.owner as who, region }", "who = $user and region = $user.region"],
  ["select from Rows { ID, owner as region, region as owner }", "region = $user and owner = $user.region"],
  // the first of several names
  ["select from Rows { ID, owner as a, owner as b, region }", "a = $user and region = $user.region"],
  ["select from Rows { ID, owner, region } where ID > 1", REGION],
  ["select from Rows { ID, owner, region } order by ID", REGION],
  // beside them something that is no element
  ["select from Rows { ID, owner, region, $now as at }", REGION],
  // not all that the condition names
  ["select from Rows { ID, owner }", undefined],
  ["select from Rows { * } excluding { region }", undefined],
  ["select from Rows { *, 'x' as owner : String }", undefined],
  ["select from Rows { ID, owner || '' as owner : String, region }", undefined],
  ["select from Rows { ID, cast(owner as String) as owner, region }", undefined],
  ["select from Rows { ID, owner : String(10), region }", undefined],
  ["select from Rows { ID, kind.name as owner, region }", undefined],
  ["select from Rows { *, ID as region }", undefined],
  // other rows than those of the source
  ["select from Rows { owner, region } group by owner, region", undefined],
  ["select distinct from Rows { owner, region }", undefined],
  ["select from Rows { ID, owner, region } limit 1", undefined],
  ["select from Rows { ID, owner, region } group by ID having count(*) > 1", undefined],
  ["select from Rows[ID = 1] { ID, owner, region }", undefined],
  ["select from Rows:kind { ID, name as owner }", undefined],
  ["select from (select from Rows) as q { ID, owner, region }", undefined],
  ["select from Rows join Kinds on Kinds.ID = Rows.kind.ID { Rows.ID, owner, region }", undefined],
  ["select from Rows { ID, owner, region } union select from Rows { ID, owner, region }", undefined],
  ["select from Rows mixin { k : Association to Kinds on k.ID = ID; } into { ID, owner, region }", undefined],
  ["select from Rows { ID, owner, region, kind.name }", undefined],
  ["select from Rows { ID, owner, region } where exists (select from Kinds)", undefined],
  // conditions that ask for more than values of the row
  ["select from ByPath { * }", undefined],
  ["select from ByQuery { * }", undefined],
  ["select from ByText { * }", undefined],
  ["select from ByText { ID, text }", undefined],
  ["select from ByHint { * }", undefined],
  ["select from ByHint { ID, hint }", undefined],
  ["select from ByDoubled { * }", undefined],
  ["select from ByDoubled { ID, doubled }", undefined],
  ["select from ByMember { * }", undefined],
  ["select from ByPlace { * }", undefined],
  ["select from ByLink { ID, kind }", undefined],
  ["select from ByStructure { ID, place }", undefined],
  ["select from ByList { ID, tags }", undefined],
  ["select from Required { ID }", "all"],
  ["select from Mixed { ID, owner as who }", "all; who = $user; $now > '2000'"],
  ["select from Mixed { ID }", undefined],
  ["select from Kinds { ID }", ""],
];

const { model } = createHost(parseCdl(
  `${MODEL} ${VIEWS.map(([query], at) => `entity V${at} as ${query};`).join("\n")}
  entity Renamed as select from Rows { ID, owner as who, region as area };
  entity Again as select from Renamed { who as owner, area };
  entity Narrow as select from Rows { ID, owner }; entity ViaQuery as select from Narrow { ID, owner };
  entity Wanted (least : Integer) as select from Rows { ID, owner, region } where ID > :least;`,
));

/** The name of the view with a query. */
function viewOf(query: string): string {
  return `V${VIEWS.findIndex(([one]) => one === query)}`;
}

function held(name: string): string | undefined {
  const restrictions = restrictionsHeld(model.entity(name)!);
  if (restrictions === "by query") return undefined;
  const conditions = restrictions.flat().map(({ where }) => where ? conditionText(where) : "all");
  return conditions.join("; ");
}

Deno.test("a projection has the restrictions of its source by its own names where it shows all that they name", () => {
  for (const [at, [query, conditions]] of VIEWS.entries()) assert.equal(held(`V${at}`), conditions, query);
  assert.equal(held("Again"), "owner = $user and area = $user.region");
  assert.equal(held("ViaQuery"), undefined);
  assert.equal(held("Wanted"), undefined);
  const [first] = restrictionsHeld(
    model.entity(viewOf("select from Rows { ID, owner as who, region as area }"))!,
  ) as Exclude<
    ReturnType<typeof restrictionsHeld>,
    string
  >;
  assert.deepEqual(first!.map(({ grants, to }) => [[...grants], to]), [[["READ"], ["any"]]]);
});

Deno.test("views are restricted where one of the entities they read is, and open where all of these are", () => {
  const cases: readonly (readonly [name: string, isRestricted: boolean, isOpen: boolean])[] = [
    ["Rows", true, true],
    [viewOf("select from Rows { ID, owner }"), true, true],
    [viewOf("select from Rows { ID, owner, region } limit 1"), true, true],
    ["Kinds", false, false],
    [viewOf("select from Kinds { ID }"), false, false],
    ["Required", true, false],
    ["Mixed", true, true],
    // one of its sources is open to nobody without login
    [
      viewOf("select from Rows join Kinds on Kinds.ID = Rows.kind.ID { Rows.ID, owner, region }"),
      true,
      false,
    ],
  ];
  for (const [name, restricted, open] of cases) {
    const entity = model.entity(name)!;
    assert.deepEqual([isRestricted(entity), isOpenToAny(entity)], [restricted, open], name);
  }
});
