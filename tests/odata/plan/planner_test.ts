import assert from "node:assert/strict";
import { isServiceError } from "../../../src/errors/service_error.ts";
import { printQuery } from "../../../src/cqn/print_query.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import { createPlanner } from "../../../src/odata/plan/planner.ts";
import { GUID, planOf, testPlanner } from "./model.ts";

const planner = testPlanner();

function expectRejected(url: string, status: number, message: RegExp): void {
  assert.throws(() => planner.planUrl(url), (error) => {
    assert.ok(isServiceError(error), String(error));
    assert.equal(error.status, status, error.message);
    assert.match(error.message, message);
    return true;
  });
}

function where(filter: string): unknown {
  return planOf(planner, `Books?$filter=${filter}`).query.SELECT.where;
}

Deno.test("planUrl() gives both forms of a key the same canonical path [2.3.path.b]", () => {
  const segment = planOf(planner, "Books/201/author");
  const parens = planOf(planner, "Books(201)/author");
  assert.equal(segment.path, "S.Books/author");
  assert.equal(parens.path, "S.Books/author");
  assert.deepEqual(segment.addressed.subject, parens.addressed.subject);
  assert.deepEqual(segment.addressed.params, parens.addressed.params);
  assert.equal(segment.addressed.url, "Books(201)/author");
});

Deno.test("planUrl() gives the entity name as path without navigation [2.3.path.a]", () => {
  const plan = planOf(planner, "Books(201)");
  assert.equal(plan.path, "S.Books");
  assert.equal(plan.path, plan.target.name);
});

Deno.test("planUrl() reads the version behind written bytes, not the bytes (OData Protocol 8.3.1)", () => {
  const model = linkModel(parseCdl(`service S {
    entity Pictures { key ID : Integer; @odata.etag version : String; bytes : LargeBinary @Core.MediaType: 'image/png'; }
  }`));
  const pictures = createPlanner(model.service("S")!);
  const columns = (method: string) => planOf(pictures, "Pictures(1)/bytes", method).query.SELECT.columns;
  assert.deepEqual(columns("PUT"), [{ ref: ["version"] }]);
  assert.deepEqual(columns("GET"), [{ ref: ["bytes"] }, { ref: ["version"] }]);
});

Deno.test("planUrl() names the last entity of a navigation as target [2.3.target.b]", () => {
  assert.equal(planOf(planner, "Books(201)/author").target.name, "S.Authors");
  assert.equal(planOf(planner, "Books").target.name, "S.Books");
});

Deno.test("planUrl() gives no target for an unbound operation [2.3.target.a]", () => {
  const plan = planner.planUrl("getStock(book=1)");
  assert.equal(plan.kind, "operation");
  assert.equal(plan.target, undefined);
  assert.ok(!("query" in plan));
});

Deno.test("planUrl() collects the keys of the path in URL order [2.3.params]", () => {
  const plan = planOf(planner, `Authors(${GUID})/books(title='T',edition=2)`);
  assert.deepEqual(plan.addressed.params, [{ ID: GUID }, { title: "T", edition: 2 }]);
});

Deno.test("planUrl() says the URL of what an operation is bound to with its name", () => {
  const urls = ["Books(1)/S.submit", "Books/1/S.rate(stars=2)", "Books/best", "Books/$each/S.submit"];
  assert.deepEqual(urls.map((url) => planOf(planner, url, "POST").addressed.url), [
    "Books(1)/S.submit",
    "Books(1)/S.rate",
    "Books/best",
    "Books/$each/S.submit",
  ]);
});

Deno.test("planUrl() makes a subject of the keys and not of the options [2.3.subject.a]", () => {
  assert.deepEqual(planOf(planner, "Books(1)?$select=title").addressed.subject, {
    ref: [{ id: "S.Books", where: [{ ref: ["ID"] }, "=", { val: 1 }] }],
  });
  assert.deepEqual(planOf(planner, "Books?$filter=stock gt 1").addressed.subject, { ref: ["S.Books"] });
});

Deno.test("planUrl() lets a navigation leave out the keys that its parent fixes", () => {
  const plan = planOf(planner, "Books(1)/texts('de')");
  assert.deepEqual(plan.addressed.params, [{ ID: 1 }, { locale: "de", ID: 1 }]);
  assert.deepEqual(planOf(planner, "Books/1/texts/de").addressed.params, plan.addressed.params);
});

Deno.test("planUrl() takes keys of parts that are those of their whole from it, also of several elements", () => {
  const wholes = createPlanner(
    linkModel(parseCdl(`service S {
      entity Orders { key ID : Integer; key no : Integer; items : Composition of many {
        key pos : Integer; parts : Composition of many { key at : Integer; }; }; }
    }`)).service("S")!,
  );
  assert.deepEqual(planOf(wholes, "Orders(ID=1,no=2)/items(3)").addressed.params, [
    { ID: 1, no: 2 },
    { pos: 3, up__ID: 1, up__no: 2 },
  ]);
  assert.deepEqual(planOf(wholes, "Orders(ID=1,no=2)/items(3)/parts(4)").addressed.params[2], {
    ...{ at: 4, up__up__ID: 1, up__up__no: 2, up__pos: 3 },
  });
});

Deno.test("planUrl() compares structures element by element, collections in them as a whole (OData URL 5.1.1.1)", () => {
  const places = createPlanner(
    linkModel(parseCdl(`service S {
      type Spot { x : Integer; tags : many String; in { z : Integer; }; }
      type Place { a : Spot; b : Spot; }
      entity E { key ID : Integer; places : many Place; }
    }`)).service("S")!,
  );
  const of = (filter: string) =>
    printQuery(planOf(places, `E?$select=ID&$filter=places/any(p:${filter})`).query);
  const both = (func: string, path: string) =>
    ["a", "b"].map((side) => `${func}($item1.value, name'${side}', ${path})`).join(" == ");
  const same = [
    both("$member", "name'x'"),
    both("$nested", "name'tags'"),
    both("$member", "name'in', name'z'"),
  ].join(" and ");
  assert.ok(of("p/a eq p/b").includes(`$any(places, ${same}, `));
  assert.ok(of("p/a ne p/b").includes(`$any(places, not (${same}), `));
});

Deno.test("planUrl() tells kinds of resources apart", () => {
  const kinds = (url: string) => [planner.planUrl(url).kind, planner.planUrl(url).collection];
  assert.deepEqual(kinds(""), ["serviceDocument", false]);
  assert.deepEqual(kinds("$metadata"), ["metadata", false]);
  assert.deepEqual(kinds("Books"), ["entitySet", true]);
  assert.deepEqual(kinds("Books(1)"), ["entity", false]);
  assert.deepEqual(kinds("Books(1)/reviews"), ["entitySet", true]);
  assert.deepEqual(kinds("Books/$count"), ["count", false]);
  assert.deepEqual(kinds("Books(1)/title"), ["property", false]);
  assert.deepEqual(kinds("Books(1)/title/$value"), ["value", false]);
  assert.deepEqual(kinds("Books(1)/author/$ref"), ["ref", false]);
  assert.deepEqual(kinds("Books(1)/S.submit"), ["operation", false]);
  assert.deepEqual(kinds("Books/best"), ["operation", true]);
});

Deno.test("planUrl() rejects unknown names with the nearest known one", () => {
  expectRejected("Book", 404, /"S" has no resource "Book" \(offset 0\); did you mean "Books"\?/);
  expectRejected(
    "Books(1)/titel",
    404,
    /"S\.Books" has no property "titel" \(offset 9\); did you mean "title"\?/,
  );
  expectRejected(
    "Books?$filter=titel eq 'x'",
    400,
    /no property "titel" \(offset 14\); did you mean "title"\?/,
  );
  expectRejected("Books?$select=titel", 400, /no property "titel"/);
  expectRejected(
    "Books?$select=author/name",
    400,
    /"author" is a navigation property: \$expand=author\(\$select=…\) selects behind it \(offset 14\)/,
  );
  expectRejected("Books?$expand=autor", 400, /no navigation property "autor".*"author"/);
  expectRejected("Books?$orderby=titel", 400, /no property "titel"/);
  expectRejected("Books(1)/title/foo", 400, /has no member "foo"/);
  expectRejected("Books?$filter=address/city eq 'x'", 400, /no property "address"/);
});

Deno.test("planUrl() rejects keys that are none", () => {
  expectRejected("Books('x')", 400, /not a value of type Integer/);
  expectRejected("Books(ID=1,ID=2)", 400, /twice/);
  expectRejected("Books(no=1)", 400, /no key "no"/);
  expectRejected("Books(1,2)", 404, /fewer keys/);
  expectRejected(`Authors(${GUID})/books(title='T')`, 400, /"edition" is missing/);
  for (const keys of ["'T'", "'T',2"]) {
    expectRejected(`Authors(${GUID})/books(${keys})`, 400, /has several keys, which are given by name/);
  }
  expectRejected("Books/", 400, /key is expected/);
  expectRejected("Books(99999999999)", 400, /not a value of type Integer/);
});

Deno.test("planUrl() converts a quoted literal to the type of the key", () => {
  assert.deepEqual(planOf(planner, "Books('201')").addressed.params, [{ ID: 201 }]);
  assert.deepEqual(planOf(planner, `Authors('${GUID}')`).addressed.params, [{ ID: GUID }]);
  assert.deepEqual(planOf(planner, "Authors('E1001')").addressed.params, [{ ID: "E1001" }]);
  assert.deepEqual(planOf(planner, "Authors(1001)").addressed.params, [{ ID: "1001" }]);
  const withoutHyphens = GUID.replaceAll("-", "").toUpperCase();
  assert.deepEqual(planOf(planner, `Authors(${withoutHyphens})`).addressed.params, [{ ID: withoutHyphens }]);
  assert.deepEqual(planOf(planner, "Books(@k)?@k=5").addressed.params, [{ ID: 5 }]);
});

Deno.test("planUrl() converts literals to the type of the other side", () => {
  const values = (filter: string) => planOf(planner, `Books?$filter=${filter}`).queryParams.p1;
  assert.equal(values("title eq '5'"), "5");
  assert.equal(values("stock eq '5'"), 5);
  assert.equal(values("available eq 1"), true);
  assert.equal(values("publishedAt gt 2024-02-29"), "2024-02-29T00:00:00.000Z");
  assert.equal(values("publishedAt gt 2024-02-29T12:00:00%2B02:00"), "2024-02-29T10:00:00.000Z");
  expectRejected("Books?$filter=stock eq 'x'", 400, /'x' is not a value of type Integer \(offset 23\)/);
  expectRejected("Books?$filter=stock eq 9223372036854775808", 400, /not a value/);
  expectRejected("Books?$filter=title eq 5", 400, /^5 is not a value of type String \(offset 23\)$/);
  expectRejected("Books?$filter=title gt stock", 400, /types of both sides/);
});

Deno.test("planUrl() tells null from false below not", () => {
  const p1 = { ref: ["p1"], param: true };
  assert.deepEqual(where("stock eq 5"), [{ ref: ["stock"] }, "=", p1]);
  assert.deepEqual(where("stock ne 5"), [{ ref: ["stock"] }, "!=", p1]);
  assert.deepEqual(where("stock eq null"), [{ ref: ["stock"] }, "==", { val: null }]);
  assert.deepEqual(where("not (stock eq 5)"), ["not", { xpr: [{ ref: ["stock"] }, "==", p1] }]);
  assert.deepEqual(where("author eq null"), [{ ref: ["author_ID"] }, "==", { val: null }]);
});

Deno.test("planUrl() turns any and all into exists", () => {
  const p1 = { ref: ["p1"], param: true };
  assert.deepEqual(where("reviews/any(r:r/rating gt 3)"), [
    "exists",
    { ref: [{ id: "reviews", where: [{ ref: ["rating"] }, ">", p1] }] },
  ]);
  assert.deepEqual(where("reviews/any()"), ["exists", { ref: ["reviews"] }]);
  assert.deepEqual((where("reviews/all(r:r/rating gt 3)") as unknown[]).slice(0, 2), ["not", "exists"]);
});

Deno.test("planUrl() answers 501 for what the grammar knows and we do not run", () => {
  expectRejected("Books?$apply=nest(identity as a)/filter(stock gt 1)", 501, /is not implemented/);
});

Deno.test("planUrl() pages with $top, $skip, $skiptoken and the preferred size", () => {
  const paged = testPlanner({ queryLimit: { default: 100, max: 200 } });
  const page = (query: string, pageSize?: number) => {
    const { paging } = planOf(paged, `Books?${query}`, "GET", pageSize === undefined ? {} : { pageSize });
    const { keyset: _keyset, numeric: _numeric, ...numbers } = paging!;
    return numbers;
  };
  const first = { offset: 0, token: 0, skip: 0, wanted: undefined, behind: undefined };
  assert.deepEqual(page(""), { ...first, rows: 100 });
  assert.deepEqual(page("$top=150"), { ...first, rows: 150, wanted: 150 });
  assert.deepEqual(page("$top=500"), { ...first, rows: 200, wanted: 500 });
  assert.deepEqual(page("$top=500&$skip=7&$skiptoken=400"), {
    offset: 407,
    rows: 100,
    wanted: 100,
    token: 400,
    skip: 7,
    behind: undefined,
  });
  assert.deepEqual(page("", 10), { ...first, rows: 10 });
  assert.deepEqual(page("$top=0"), { ...first, rows: 0, wanted: 0 });
  expectRejected("Books?$skiptoken=abc", 400, /"abc" is no valid \$skiptoken/);
});

Deno.test("planUrl() reads arguments of functions from parentheses, aliases and options", () => {
  const args = (url: string) => {
    const plan = planner.planUrl(url);
    assert.ok(plan.kind === "operation");
    return plan.operation.args;
  };
  assert.deepEqual(args("getStock(book=201,warehouse='W%2F1')"), { book: 201, warehouse: "W/1" });
  assert.deepEqual(args("S.getStock(book=@b)?@b=7"), { book: 7 });
  assert.deepEqual(args("getStock?book=7&count=5"), { book: 7, count: 5 });
  assert.deepEqual(args("getStock"), {});
  assert.deepEqual(args("Books(1)/rate(stars=5)"), { stars: 5 });
  expectRejected("getStock?book=7&book=8", 400, /"book" is given twice \(offset 16\)/);
  expectRejected("getStock?@book=7&book=8", 400, /"book" is given twice/);
  expectRejected("getStock(bok=1)", 400, /no parameter "bok"; did you mean "book"\?/);
  expectRejected("restock()", 400, /takes no parentheses/);
  expectRejected("Books/submit", 400, /bound to one instance/);
  expectRejected("Books?count=5", 400, /"true" or "false"/);
});

Deno.test("planUrl() groups and aggregates", () => {
  const { query, shape } = planOf(
    planner,
    "Books?$apply=filter(stock gt 0)/groupby((author/name),aggregate(price with sum as total))&$filter=total gt 9",
  );
  assert.deepEqual(query.SELECT.groupBy, [{ ref: ["author", "name"] }]);
  assert.deepEqual(query.SELECT.having?.[0], { func: "$decimal_sum", args: [{ ref: ["price"] }] });
  assert.deepEqual(shape?.aggregated?.map(({ path }) => path), [["author", "name"], ["total"]]);
});

Deno.test("planUrl() tells collections of values inside of structures from single ones", () => {
  const model = linkModel(parseCdl(`service S {
    entity Houses { key ID : Integer; @odata.nested place { city : String; tags : many String; } }
  }`));
  const houses = createPlanner(model.service("S")!);
  const collection = (path: string) => houses.planUrl(`Houses(1)/${path}`).collection;
  assert.deepEqual([collection("place/tags"), collection("place/city")], [true, false]);
});

Deno.test("planUrl() compares with a time between two values by the one before it, whichever side it is on", () => {
  const time = "2020-01-01T00:00:00.12345678901Z";
  const behind = [{ ref: ["publishedAt"] }, ">", { ref: ["p1"], param: true }];
  const before = [behind[0], "<=", behind[2]];
  for (const operator of ["gt", "ge"]) {
    assert.deepEqual(where(`publishedAt ${operator} ${time}`), behind);
    assert.deepEqual(where(`${time} ${operator} publishedAt`), before);
  }
  for (const operator of ["lt", "le"]) {
    assert.deepEqual(where(`publishedAt ${operator} ${time}`), before);
    assert.deepEqual(where(`${time} ${operator} publishedAt`), behind);
  }
});

Deno.test("a computed value has a name that no property has: neither a structure nor a member of one in rows (URL 5.1.3.1)", () => {
  for (const name of ["title", "address", "address_city", "author", "author_ID", "reviews"]) {
    assert.throws(
      () => planOf(planner, `Books?$compute=stock add 1 as ${name}`),
      { status: 400, message: new RegExp(`The name "${name}" is taken`) },
      name,
    );
  }
  assert.throws(() => planOf(planner, "Books?$compute=1 as a,2 as a"), { status: 400 });
  assert.ok(planOf(planner, "Books?$compute=stock add 1 as address_town"));
});
