import assert from "node:assert/strict";
import type { CsnDefinition, CsnElement } from "../../../src/model/csn.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { inferModel } from "../../../src/model/infer_model.ts";
import { problemsOf } from "./problems_of.ts";

/** The definition `V` of a model. */
function viewOf(text: string): CsnDefinition {
  return JSON.parse(JSON.stringify(inferModel(parseCdl(text)).definitions!.V));
}

/** Names of elements, with what is to be told of each. */
function told({ elements }: CsnDefinition, tell: (element: CsnElement) => unknown): string {
  return Object.entries(elements!).map(([name, element]) => {
    const text = tell(element);
    return text === undefined || text === "" ? name : `${name} ${text}`;
  }).join(", ");
}

/** Each text gives what stands beside it. */
function check(
  cases: readonly (readonly [text: string, found: string])[],
  find: (text: string) => string,
): void {
  const found = cases.map(([text]) => {
    try {
      return [text, find(text)];
    } catch (error) {
      return [text, (error as Error).message];
    }
  });
  assert.deepEqual(found, cases);
}

/** A condition as text. */
function text(tokens: readonly unknown[] | undefined): string {
  return (tokens ?? []).map((token) => {
    if (typeof token === "string") return token;
    const { ref, val, xpr } = token as { ref?: unknown[]; val?: unknown; xpr?: unknown[] };
    return ref ? ref.join(".") : xpr ? `(${text(xpr)})` : JSON.stringify(val);
  }).join(" ");
}

const BASE = `
  entity A { key id : Integer; name : String; b : Association to B; nums { x : Integer; y : Integer; } }
  entity B { key id : Integer; code : String; a : Association to A; items : Association to many A on items.b = $self; }
`;

Deno.test("the views that a view reads are complete before it, wherever they stand [csn-cqn 6]", () => {
  const later =
    " entity W as select from A { id, name as title, b }; entity X as select from B { id, code as c, a };";
  const queries: readonly (readonly [query: string, elements: string])[] = [
    ["select from W { id, title }", "id, title"],
    ["select from W as w join X as x on w.id = x.id { w.title, x.c }", "title, c"],
    ["select from (select from W { id, title }) as w { w.title }", "title"],
    ["select from W { title } union select from X { c }", "title"],
    ["select from A { id, toW.title }", "id, title"],
    ["select from A { id, toW.b.code }", "id, code"],
    ["select from A as w { w.id, w.toW.title }", "id, title"],
    ["select from A as w { w.id, w.toW.toX.c }", "id, c"],
    ["select from A mixin { m : Association to W on m.id = id; } into { id, m.title }", "id, title"],
    ["select from A mixin { m : Association to W on m.id = id; } into { id, m.toX.c }", "id, c"],
    ["select from A:toW { id, title }", "id, title"],
    ["select from A:toW { id, toX.c }", "id, c"],
    ["select from A:toW", "id, title, b, toX"],
    ["select from A:toW { * }", "id, title, b, toX"],
    ["select from A:b.a.toW", "id, title, b, toX"],
    ["select from A:toW.toX", "id, c, a"],
    ["select from B as l join A:toW as r on l.id = r.id", "id, code, a, items, title, b, toX"],
    ["select from A as a join W as w on a.id = w.id { a.id, a.toW.title }", "id, title"],
    ["select from A as l join A:toW as r on l.id = r.id { l.id, r.title }", "id, title"],
    ["select from A { id, toW.{ title } }", "id, toW_title"],
    ["select from A { id, toW { title } }", "id, toW"],
    ["select from A { id, b.{ a.toW.title } }", "id, b_title"],
    ["select from A { id, toW.{ toX.{ c } } }", "id, toW_toX_c"],
    ["select from A { id, toW[title = 'x'] as w }", "id, w"],
    ["select from A { id, toW[toX.c = 'x'].title }", "id, title"],
    ["select from A { id } where exists (select from W { title } where title = name)", "id"],
    ["select from A { id } where exists toW[title = 'x']", "id"],
    ["select from A { id } where exists toW[exists toX[c = 'x']]", "id"],
    ["select from A { id } group by id having toW.title = 'x'", "id"],
    ["select from A { id, toW.id + 1 as x } where toW.title = 'x'", "id, x cds.Integer"],
  ];
  const model = BASE + "extend A with { toW : Association to W; toX : Association to X; };" +
    later.replace("title, b", "title, b, toX");
  check(
    queries,
    (query) =>
      told(
        viewOf(`entity V as ${query};${model}`),
        (element) => element["@Core.Computed"] ? element.type : "",
      ),
  );
});

Deno.test("a condition of a view may name the key of a view that reads it, as the association holds that", () => {
  const model = "entity A { key id : Integer; to : Association to W; } entity W as select from V { id };";
  const query = "select from A { id, to } where to.id = 1";
  for (const text of [`${model} entity V as ${query};`, `entity V as ${query}; ${model}`]) {
    assert.equal(told(viewOf(text), () => ""), "id, to", text);
  }
});

Deno.test("a view may filter associations to itself, and has no columns from there [csn-cqn 6]", () => {
  const model = "entity A { key id : Integer; toV : Association to V; b : Association to A; }";
  const unknown = (path: string, name: string) =>
    `Unknown column "${path}" in "V": unknown element "${name}"`;
  const found: readonly (readonly [query: string, elements: string])[] = [
    ["select from A { id, toV }", "id, toV"],
    ["select from A { id, toV[id = 1] as one }", "id, one"],
    ["select from A { id, b.toV[id = 1] as one }", "id, one"],
    ["select from A { id } where exists toV[id = 1]", "id"],
    ["select from A { id } where b.toV.id = 1", "id"],
    ["select from A mixin { m : Association to V on m.id = id; } into { id, m }", "id, m"],
    ["select from A mixin { m : Association to V on m.id = id; } into { id, m[id = 1] as one }", "id, one"],
    ["select from A { id, b : redirected to V }", "id, b"],
    ["select from A { id, b.b as c : redirected to V }", "id, c"],
    ["select from A { id, toV.id as x }", unknown("toV.id", "id")],
    ["select from A { id, b.toV.id as x }", unknown("b.toV.id", "id")],
    ["select from A { id, toV.{ id as x } }", unknown("id", "id")],
  ];
  const elementsOf = (text: string) => {
    try {
      return told(viewOf(text), () => "");
    } catch (error) {
      return (error as Error).message.replace(/^\S+ /, "");
    }
  };
  for (const [query, elements] of found) {
    assert.equal(elementsOf(`entity V as ${query};${model}`), elements, query);
    assert.equal(elementsOf(`${model}entity V as ${query};`), elements, query);
  }
});

Deno.test("a view may filter associations to what reads it, in any order of declaration [csn-cqn 6]", () => {
  const A = "entity A { key id : Integer; to : Association to W; }";
  const W = "entity W as select from V { id, id + 1 as more };";
  const orders = (V: string) => [[A, V, W], [A, W, V], [V, A, W], [V, W, A], [W, A, V], [W, V, A]];
  const unresolved = 'Unresolved path "none" in "V": unknown element "none"';
  const found: readonly (readonly [query: string, ...problems: string[]])[] = [
    ["select from A { id, to[more = 1] as one }"],
    ["select from A { id } where exists to[more = 1]"],
    ["select from A { id, to[none = 1] as one }", unresolved],
    ["select from A { id } where exists to[none = 1]", unresolved],
    ["select from A { id } where id in (select from W { id })", "Cyclic view"],
    ["select from A { id } where id in (select from A { id } union select from W { id })", "Cyclic view"],
  ];
  for (const [query, ...expected] of found) {
    for (const texts of orders(`entity V as ${query};`)) {
      const problems = problemsOf(texts.join(" "));
      assert.equal(problems.length, expected.length, `${texts.join(" ")}: ${problems}`);
      for (const [at, text] of expected.entries()) assert.ok(problems[at]!.startsWith(text), problems[at]);
    }
  }
});

Deno.test("a view that comes with its signature keeps it; elements without type only annotate [csn-cqn 6]", () => {
  const A: CsnDefinition = {
    kind: "entity",
    elements: { id: { key: true, type: "cds.Integer" }, name: { type: "cds.String" } },
  };
  const inferred = { id: { key: true, type: "cds.Integer" }, name: { type: "cds.String" } };
  const elementsOf = (elements: Record<string, CsnElement> | undefined) => {
    const V: CsnDefinition = {
      kind: "entity",
      projection: { from: { ref: ["A"] } },
      ...(elements && { elements }),
    };
    return JSON.parse(JSON.stringify(inferModel({ definitions: { A, V } }).definitions!.V.elements));
  };
  for (
    const kept of [
      { type: "cds.Date" },
      { elements: { x: { type: "cds.Date" } } },
      { items: { type: "cds.Date" } },
      { target: "A", keys: [{ ref: ["id"] }] },
      { "@Core.Computed": true },
    ]
  ) assert.deepEqual(elementsOf({ id: kept }), { id: kept }, JSON.stringify(kept));
  assert.deepEqual(elementsOf(undefined), inferred);
  assert.deepEqual(elementsOf({}), inferred);
  assert.deepEqual(elementsOf({ id: { "@title": "T" }, none: { "@title": "T" } }), {
    ...inferred,
    id: { ...inferred.id, "@title": "T" },
  });
  assert.deepEqual(elementsOf({ id: { type: "cds.Integer64" }, name: { "@title": "T" } }), {
    id: { key: true, type: "cds.Integer64" },
    name: { type: "cds.String", "@title": "T" },
  });
});

Deno.test("keys come along where all of them do and no column says key itself [csn-cqn 6]", () => {
  const queries: readonly (readonly [query: string, elements: string])[] = [
    ["select from A { id, name }", "id key, name"],
    ["select from A { name }", "name"],
    ["select from A { id as no }", "no key"],
    ["select from A { id, key name }", "id, name key"],
    ["select from A { key name, upper(name) as up }", "name key, up"],
    ["select from A { key upper(name) as up }", "up key"],
    ["select from A { id, key $self.id as again }", "id, again key"],
    ["select from A { id, $self.id as again }", "id key, again"],
    ["select from A { id + 1 as id }", "id"],
    ["select from A { b.id }", "id"],
    ["select from A { id, b.{ id as b_id, code } }", "id key, b_id, b_code"],
    ["select from B { id, items.name }", "id, name"],
    ["select from B { id, items.{ name } }", "id, items_name"],
    ["select from B { id, items { name } }", "id key, items"],
    ["select from B:items { id, name }", "id, name"],
    ["select from A as a join B as b on a.id = b.id { a.id, b.code }", "id, code"],
    ["select from A as a join B as b on a.id = b.id { a.id, b.id as other }", "id key, other key"],
    ["select from A as l join B as r on l.id = r.id { l.{ id, name }, r.{ code } }", "id, name, code"],
    ["select from A as l join B as r on l.id = r.id { l.{ id }, r.{ id as other } }", "id key, other key"],
    ["select from (select from A { id, name }) as s { s.id }", "id key"],
    ["select from (select from A { name }) as s { s.name }", "name"],
    ["select from (select from A { id } union select from A { id }) as s { s.id }", "id"],
    ["select from A { id } union select from A { id }", "id"],
    ["select from A { key id } union select from A { id }", "id key"],
  ];
  check(queries, (query) => told(viewOf(`${BASE}entity V as ${query};`), ({ key }) => key ? "key" : ""));
});

Deno.test("columns are named after their path, their function or their alias, inline ones behind their prefix [csn-cqn 6]", () => {
  const columns: readonly (readonly [columns: string, elements: string])[] = [
    ["id, b.code, b.code as c, nums.x", "id, code, c, x"],
    ["id, count(*), max(name) as m", "id, count, m"],
    ["id, nums.{ x, y as z }", "id, nums_x, z"],
    ["id, nums.{ * } excluding { y }", "id, nums_x"],
    ["id, b.{ code, a.{ name } }", "id, b_code, b_a_name"],
    ["id, nums, $self.nums.{ x }", "id, nums, nums_x"],
    ["v.{ id, name as n }", "id, n"],
    ["*, id as no", "id, name, b, nums, no"],
    ["*, upper(name) as name", "id, name, b, nums"],
  ];
  check(columns, (list) => told(viewOf(`${BASE}entity V as select from A as v { ${list} };`), () => ""));
});

Deno.test("columns of expressions are computed; parameters, variables and virtual columns have their own types", () => {
  const columns: readonly (readonly [columns: string, element: string])[] = [
    ["name", "cds.String"],
    ["upper(name) as x", "cds.String computed"],
    ["id + 1 as x", "cds.Integer computed"],
    ["name as x : Date", "cds.Date"],
    ["upper(name) as x : Date", "cds.Date computed"],
    ["$self.id as x", "cds.Integer"],
    ["$projection.id as x", "cds.Integer"],
    ["$self.id as x : Date", "cds.Date"],
    ["$user.id as x", "cds.String computed"],
    ["$now as x", "cds.Timestamp computed"],
    [":p as x : Date", "cds.Date computed"],
    ["virtual x : Date", "cds.Date virtual"],
    ["virtual null as x : Date", "cds.Date virtual"],
  ];
  check(columns, (column) => {
    const view = viewOf(`${BASE}entity V(p : String) as select from A { id, ${column} };`);
    const x = view.elements!.x ?? view.elements!.name;
    return `${x.type}${x["@Core.Computed"] ? " computed" : ""}${x.virtual ? " virtual" : ""}`;
  });
});

Deno.test("what is documented at a column stands at its element", () => {
  const column = { ref: ["id"], doc: "The number" } as never;
  const { definitions } = inferModel({
    definitions: {
      A: { kind: "entity", elements: { id: { key: true, type: "cds.Integer", doc: "Of A" } } },
      V: { kind: "entity", projection: { from: { ref: ["A"] }, columns: [column] } },
      W: { kind: "entity", projection: { from: { ref: ["A"] }, columns: [{ ref: ["id"] }] } },
    },
  });
  assert.equal(definitions!.V.elements!.id.doc, "The number");
  assert.notEqual(definitions!.W.elements!.id.doc, "The number");
});

Deno.test("conditions name the columns that select what they compare, the own name first [csn-cqn 11]", () => {
  const queries: readonly (readonly [query: string, condition: string])[] = [
    ["select from L { id, nr, to }", "to.id = nr"],
    ["select from L { id, nr as n, to }", "to.id = n"],
    ["select from L { id, nr as n, nr as m, to }", "to.id = n"],
    ["select from L { id, nr as n, nr, to }", "to.id = nr"],
    ["select from L { id, nr, nr as n, to }", "to.id = nr"],
    ["select from L { id, nr as n, to as by }", "by.id = n"],
    ["select from L as l { l.id, l.nr as n, l.to }", "to.id = n"],
    ["select from L as nr { nr.id, nr.nr as n, nr.to }", "to.id = n"],
    // another column of the name of the element is not the element
    ["select from L { id, id as nr, $self.nr as x, nr as n, to }", "to.id = n"],
    ["select from L { id, id as nr, $projection.nr as x, nr as n, to }", "to.id = n"],
    ["select from L { id, nr as n, own as to }", "to.id = n"],
    ["select from L { id, pair.no as n, deep as to }", "to.id = n"],
    ["select from L { id, pair as p, deep as to }", "to.id = p.no"],
    [
      "select from L as l mixin { to : Association to B on to.id = l.nr; } into { id, nr as n, to }",
      "to.id = n",
    ],
    [
      "select from L mixin { to : Association to B on to.id = $self.n; } into { id, nr as n, to }",
      "to.id = $self.n",
    ],
    [
      "select from L mixin { to : Association to B on to.id = $projection.n; } into { id, nr as n, to }",
      "to.id = $self.n",
    ],
    ["select from L { id, nr as n, user as to }", "to.id = n and to.code = $user.id"],
  ];
  check(queries, (query) => {
    const { elements } = viewOf(`${BASE}
      entity L { key id : Integer; nr : Integer; pair { no : Integer; } to : Association to B on to.id = nr;
        own : Association to B on own.id = $self.nr; deep : Association to B on deep.id = pair.no;
        user : Association to B on user.id = nr and user.code = $user.id; }
      entity V as ${query};`);
    return text((elements!.to ?? elements!.by).on);
  });
});

Deno.test("constraints that elements inherit name the columns of the view, own ones stay as they are", () => {
  const columns: readonly (readonly [columns: string, constraint: string])[] = [
    ["id, size, note", 'case when size > 3 and note is null and $user.id is null then "Big" end'],
    [
      "id, size as amount, note as text",
      'case when amount > 3 and text is null and $user.id is null then "Big" end',
    ],
    ["id, note, size as amount", 'case when amount > 3 and note is null and $user.id is null then "Big" end'],
    [
      "id, size as note, note as size",
      'case when note > 3 and size is null and $user.id is null then "Big" end',
    ],
    ["id, size as amount", 'case when amount > 3 and $self.note is null and $user.id is null then "Big" end'],
    [
      "id, note, @assert: (case when size > 1 then 'Own' end) size as amount",
      'case when size > 1 then "Own" end',
    ],
    ["id, note, @assert: null size as amount", ""],
  ];
  check(columns, (list) => {
    const { elements } = viewOf(`entity E { key id : Integer; note : String;
      size : Integer @assert: (case when size > 3 and $self.note is null and $user.id is null then 'Big' end); }
      entity V as select from E { ${list} };`);
    const element = Object.values(elements!).find((one) => "@assert" in one)!;
    return text((element["@assert"] as { xpr?: unknown[] } | null)?.xpr);
  });
});

Deno.test("searched elements have the names of the view, those of other sources stay out [csn-cqn 11]", () => {
  const queries: readonly (readonly [query: string, searched: string])[] = [
    ["select from E { id, name }", "name"],
    ["select from E { id, name as title }", "title"],
    ["select from E { id, name as title, name }", "name"],
    ["select from E { id, name as title, name as again }", "title"],
    ["select from E { id }", "name"],
    ["select from E { id, to as by, name }", "name,by.code"],
    ["select from F as f join E as e on e.id = f.id { e.name as title, f.name as other }", "other"],
    ["select from E as e join F as f on e.id = f.id { f.name as other, e.name as title }", "title"],
  ];
  check(queries, (query) => {
    const view = viewOf(`${BASE}
      @cds.search: { name, to.code } entity E { key id : Integer; name : String; to : Association to B; }
      @cds.search: { name } entity F { key id : Integer; name : String; }
      entity V as ${query};`);
    const found = Object.keys(view).filter((key) => key.startsWith("@cds.search.")).map((key) =>
      key.slice(12)
    );
    const shown = query.includes("to as by") ? found : found.filter((name) => name !== "to.code");
    return shown.join(",");
  });
});

Deno.test("queries that are combined have the same number of columns, of subqueries in conditions they need no names", () => {
  const fails = (query: string) =>
    assert.throws(() => viewOf(`${BASE}entity V as ${query};`), { message: /combines have 1 and 2/ });
  fails("select from A { id } union select from B { id, code }");
  fails("select from A { id } union select from A { id } union select from B { id, code }");
  for (
    const query of [
      "select from A { id } union select from B { id }",
      "select from A { nums } union select from A { nums.x, nums.y }",
      "select from A { b } union select from A { id, name }",
      "select from A { id, name } union select from A { nums }",
      "select from A { id } where exists (select 1 from B)",
      "select from A { id } where exists (select from B { * })",
      "select from A { id } where id in (select max(id) from B)",
      "select from A { id } where id in (select id + 1 from B)",
      "select from A { id } where id in (select id + 1 as n from B order by n)",
      "select from A { id } where id in (select 1 from B union select 2 from B)",
    ]
  ) assert.doesNotThrow(() => viewOf(`${BASE}entity V as ${query};`), query);
});

Deno.test("what follows from a mistake in a view is not told of the views that read it, what does not is", () => {
  const wrong = (view: string, name: string) =>
    `Unknown column "${name}" in "${view}": unknown element "${name}"`;
  const V = "entity V as select from A { id, no };";
  const cases: readonly (readonly [views: string, ...problems: string[]])[] = [
    [V, wrong("V", "no")],
    [`${V} entity W as select from V { id, zz };`, wrong("V", "no")],
    [`entity W as select from V { id, zz }; ${V}`, wrong("V", "no")],
    [`entity X as select from W { id, zz }; entity W as select from V { id, zz }; ${V}`, wrong("V", "no")],
    [`${V} entity W as select from A { id, zz };`, wrong("V", "no"), wrong("W", "zz")],
    [`entity W as select from A { id, zz }; ${V}`, wrong("W", "zz"), wrong("V", "no")],
    [`${V} entity W as select from A as a join V as v on a.id = v.id { v.zz };`, wrong("V", "no")],
    ["entity V as select from V { id };", 'Cyclic view "V"'],
    ["entity V as select from W { id }; entity W as select from V { id };", 'Cyclic view "V"'],
    [
      "entity V as select from W { id }; entity W as select from V { id }; entity X as select from A { zz };",
      'Cyclic view "V"',
      wrong("X", "zz"),
    ],
    [
      "entity V as select from Gone { id }; entity W as select from V { zz };",
      'Unknown source "Gone" of "V"',
    ],
  ];
  for (const [views, ...problems] of cases) assert.deepEqual(problemsOf(BASE + views), problems, views);
});

Deno.test("a view has the annotations and operations of the entity behind its path, of a structure none [csn-cqn 11]", () => {
  const shown = (query: string) => {
    const { "@title": title, actions } = viewOf(`
      @title: 'A' entity A { key id : Integer; b : Association to B; s { x : Integer; b : Association to B; } } actions { action ofA(); };
      @title: 'B' entity B { key id : Integer; } actions { action ofB(); };
      entity V as ${query};`);
    return [title, ...Object.keys(actions ?? {})];
  };
  assert.deepEqual(shown("select from A { id }"), ["A", "ofA"]);
  assert.deepEqual(shown("select from A:b { id }"), ["B", "ofB"]);
  assert.deepEqual(shown("select from A:s.b { id }"), ["B", "ofB"]);
  assert.deepEqual(shown("select from A:s { x }"), [undefined]);
  assert.deepEqual(shown("select from A as a join B as b on a.id = b.id { a.id }"), ["A"]);
  assert.deepEqual(shown("select from A { id } union select from B { id }"), ["A"]);
  assert.deepEqual(shown("select from A { * } excluding { ofA }"), ["A"]);
});

Deno.test("views build on each other up to a length that can be followed", () => {
  const chain = (length: number) =>
    Array.from(
      { length },
      (_, at) => `entity V${at} as select from ${at + 1 < length ? `V${at + 1}` : "A"} { id };`,
    ).join(" ");
  assert.deepEqual(problemsOf(BASE + chain(199)), []);
  assert.deepEqual(problemsOf(BASE + chain(200)), []);
  assert.deepEqual(problemsOf(BASE + chain(201)), ["More than 200 definitions build on each other"]);
});
