/** Context URLs (OData Protocol 10). */

import assert from "node:assert/strict";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import {
  contextMember,
  contextOf,
  contextUrl,
  parentSteps,
  resultContextUrl,
} from "../../../src/odata/payload/context_url.ts";
import type { EntityPlan, OperationPlan } from "../../../src/odata/plan/plan.ts";
import { createPlanner } from "../../../src/odata/plan/planner.ts";

const model = linkModel(parseCdl(`
  @odata.nested type Place { city : String; geo : Geo; }
  @odata.nested type Geo { lat : Integer; }
  service S {
    entity Books { key ID : Integer; title : String; stock : Integer; place : Place; tags : many String;
      author : Association to Authors; chapters : Composition of many Chapters on chapters.book = $self; }
    entity Authors { key ID : Integer; name : String; books : Association to many Books on books.author = $self; }
    entity Chapters { key no : Integer; key book : Association to Books; text : String; }
    @odata.singleton entity Settings { key ID : Integer; theme : String; first : Association to Books; }
    entity Given(n : Integer) as select from Books { ID, title };
    type Point { x : Integer; y : Integer; place : Place; }
    function point() returns Point;
    function points() returns many Point;
    function names() returns many String;
    function name() returns String;
    function best() returns Books;
    function all() returns many Books;
    function inline() returns { x : Integer; };
  }
`));
const definition = model.service("S")!;
const planner = createPlanner(definition);

/** URLs, and the context of their answers. */
const URLS: readonly (readonly [url: string, context: string])[] = [
  ["Books", "$metadata#Books"],
  ["Books(1)", "$metadata#Books/$entity"],
  ["Books/1", "../$metadata#Books/$entity"],
  ["Books(1)/author", "../$metadata#Authors/$entity"],
  ["Books(1)/chapters", "../$metadata#Chapters"],
  ["Books(1)/chapters(no=2)", "../$metadata#Chapters/$entity"],
  ["Books(1)/title", "../$metadata#Books(1)/title"],
  ["Books(1)/title/$value", "../../$metadata#Books(1)/title"],
  ["Books(1)/place", "../$metadata#Books(1)/place"],
  ["Books(1)/place/city", "../../$metadata#Books(1)/place/city"],
  ["Books(1)/tags", "../$metadata#Books(1)/tags"],
  ["Books(1)/author/name", "../../$metadata#Books(1)/author/name"],
  ["Books/$ref", "../$metadata#Collection($ref)"],
  ["Books(1)/author/$ref", "../../$metadata#$ref"],
  ["Books(1)/chapters/$ref", "../../$metadata#Collection($ref)"],
  ["Settings", "$metadata#Settings"],
  ["Settings/first", "../$metadata#Books/$entity"],
  ["Settings?$select=theme", "$metadata#Settings(theme,ID)"],
  ["Given(n=1)/Set", "../$metadata#Collection(S.Given)"],
  ["Given(n=1)/Set(1)", "../$metadata#S.Given"],
  ["Given(n=1)/Set?$select=title", "../$metadata#Collection(S.Given)(title,ID)"],
  ["Books?$select=title,stock", "$metadata#Books(title,stock,ID)"],
  ["Books?$select=*", "$metadata#Books(ID,title,stock,place,tags,author_ID)"],
  ["Books?$select=title,author", "$metadata#Books(title,author_ID,ID,author)"],
  ["Books?$select=author", "$metadata#Books(author_ID,ID,author)"],
  ["Books?$select=place", "$metadata#Books(place,ID)"],
  ["Books?$select=place/city", "$metadata#Books(place/city,ID)"],
  ["Books?$select=place/city,place/geo/lat,title", "$metadata#Books(place/city,place/geo/lat,title,ID)"],
  ["Books?$compute=stock mul 2 as twice", "$metadata#Books(*,twice)"],
  ["Books?$compute=stock mul 2 as twice&$select=twice", "$metadata#Books(twice,ID)"],
  ["Books?$expand=author", "$metadata#Books(author())"],
  ["Books?$expand=author($select=name)", "$metadata#Books(author(name,ID))"],
  ["Books?$expand=author/$ref", "$metadata#Books(author/$ref)"],
  ["Books?$expand=chapters/$count", "$metadata#Books"],
  [
    "Books?$expand=chapters($expand=book($select=title);$select=text),author",
    "$metadata#Books(chapters(text,no,book_ID,book(title,ID)),author())",
  ],
  ["Books?$select=title&$expand=author", "$metadata#Books(title,ID,author())"],
  ["Books(1)?$select=title&$expand=author", "$metadata#Books(title,ID,author())/$entity"],
  [
    "Books?$apply=groupby((author/name,title),aggregate(stock with sum as total))",
    "$metadata#Books(author(name),title,total)",
  ],
  ["Books?$apply=groupby((author/name,author/ID))", "$metadata#Books(author(name,ID))"],
  ["Books?$apply=aggregate($count as n)", "$metadata#Books(n)"],
  ["Books?$apply=groupby((author))", "$metadata#Books(author(ID))"],
  ["Books?$apply=groupby((author),aggregate($count as n))&$expand=author", "$metadata#Books(n,author())"],
  ["Books?$apply=filter(stock gt 1)", "$metadata#Books"],
  ["point()", "$metadata#S.Point"],
  ["points()", "$metadata#Collection(S.Point)"],
  ["names()", "$metadata#Collection(Edm.String)"],
  ["name()", "$metadata#Edm.String"],
  ["best()", "$metadata#Books/$entity"],
  ["best()?$select=title", "$metadata#Books(title,ID)/$entity"],
  ["best()?$expand=author", "$metadata#Books(author())/$entity"],
  ["all()", "$metadata#Books"],
  ["all()?$select=title", "$metadata#Books(title,ID)"],
  ["inline()", "$metadata#S.return_S_inline"],
  ["point()?$select=x", "$metadata#S.Point(x)"],
  ["points()?$select=x,place/city", "$metadata#Collection(S.Point)(x,place/city)"],
  ["points()?$compute=x add y as z", "$metadata#Collection(S.Point)(*,z)"],
  ["point()/place", "../$metadata#S.Place"],
  ["point()/place/city", "../../$metadata#Edm.String"],
];

function contextFor(url: string): string {
  const plan = planner.planUrl(url) as EntityPlan | OperationPlan;
  const [rawPath = ""] = url.split("?");
  if (plan.kind !== "operation") return contextUrl(plan, rawPath);
  const { definition: called, result } = plan.operation;
  return resultContextUrl(called, { definition, model }, {
    rawPath,
    shape: result?.shape,
    values: result?.values,
  });
}

Deno.test("context URLs tell the set or type, what is selected, computed and expanded, and whether it is one", () => {
  for (const [url, context] of URLS) assert.equal(contextFor(url), context, url);
});

Deno.test("an answer may be a collection, or have other rows, than its plan says", () => {
  const plan = planner.planUrl("Books(1)?$select=title") as EntityPlan;
  const list = planner.planUrl("Books") as EntityPlan;
  assert.equal(contextUrl(plan, "Books(1)", true), "$metadata#Books(title,ID)");
  assert.equal(contextUrl(list, "Books", false), "$metadata#Books/$entity");
  const references = { ...plan, kind: "ref" } as EntityPlan;
  const member = (given: EntityPlan, collection: boolean, path = "Books", shape = given.shape) =>
    contextMember(given, path, { collection, ...(shape && { shape }) });
  const [one, many] = [
    '"@odata.context":"$metadata#Books(title,ID)/$entity"',
    '"@odata.context":"$metadata#Books(title,ID)"',
  ];
  for (let times = 0; times < 2; times++) {
    assert.equal(member(plan, false), one);
    assert.equal(member(plan, true), many);
    assert.equal(member(plan, false, "Authors(1)/books"), one.replace("$meta", "../$meta"));
    assert.equal(member(references, false), '"@odata.context":"$metadata#$ref"');
    assert.equal(member(references, true), '"@odata.context":"$metadata#Collection($ref)"');
    assert.equal(member({ ...plan, singleton: true }, false), many);
    const target = model.entity("S.Authors")!;
    assert.equal(member({ ...plan, target }, false), one.replace("Books", "Authors"));
    assert.equal(member(list, true, "Books", plan.shape), many);
    assert.equal(member(list, true), '"@odata.context":"$metadata#Books"');
  }
});

Deno.test("without metadata there is no context URL (JSON Format 3.1.3)", () => {
  assert.equal(contextOf({ metadata: "none" }, "$metadata#Books"), "");
  for (const metadata of ["minimal", "full"]) {
    assert.equal(contextOf({ metadata }, "$metadata#Books"), '"@odata.context":"$metadata#Books"');
  }
});

Deno.test("context URLs are relative to the URL of the request", () => {
  const steps = ["", "Books", "Books(1)/author", "/Books(1)/author/", "a/b/c", "/a", "//"].map(parentSteps);
  assert.deepEqual(steps, ["", "", "../", "../", "../../", "", ""]);
});

Deno.test("results for each member are collections, of collections where one result is one (URL Conventions 4.12)", () => {
  const scope = { definition, model };
  const rawPath = "Books/$each/f";
  const of = (name: string, options: object) =>
    resultContextUrl(definition.operations[name]!, scope, { rawPath, ...options });
  assert.equal(of("name", { isMany: true }), "../../$metadata#Collection(Edm.String)");
  assert.equal(of("best", { isMany: true }), "../../$metadata#Books");
  assert.equal(
    of("names", { isMany: true, isNested: true }),
    "../../$metadata#Collection(Collection(Edm.String))",
  );
  assert.equal(
    of("all", { isMany: true, isNested: true }),
    "../../$metadata#Collection(Collection(S.Books))",
  );
});
