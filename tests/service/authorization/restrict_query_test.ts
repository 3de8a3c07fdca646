/** Queries before and after the conditions of a user: `[*]` stands for the condition of the entity (auth 7). */

import assert from "node:assert/strict";
import { EventContext } from "../../../src/context/event_context.ts";
import { User } from "../../../src/context/user.ts";
import type { Column, Query, RefStep, SelectBody, SelectQuery, Xo } from "../../../src/cqn/cqn.ts";
import { parseCqlQuery, parseExpression } from "../../../src/cqn/parse_cql.ts";
import { printQuery } from "../../../src/cqn/print_query.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { endpointPass } from "../../../src/service/authorization/pass_of.ts";
import { restrictQuery } from "../../../src/service/authorization/restrict_query.ts";
import { withApp } from "../../data/app.ts";
import { createHost } from "../fixture.ts";

const host = createHost(parseCdl(`service S {
  @restrict: [{ where: (owner = $user) }]
  entity Books { key ID : Integer; owner : String; title : String; price : Integer; author : Association to Authors;
    other : Association to Books; size { width : Integer; writer : Association to Authors; }; }
  @cds.search: { name, books.title }
  entity Authors { key ID : Integer; key part : Integer; name : String; title : String; best : Association to Books;
    books : Association to many Books on books.author = $self;
    address { town : String; book : Association to Books; }; addresses : many { book : Association to Books; }; }
  @cds.search: { name, author.name }
  entity Readers { key ID : Integer; name : String; author : Association to Authors; }
  @restrict: [{ where: (owner = $user) }]
  entity Orders { key ID : Integer; owner : String;
    items : Composition of many { key pos : Integer; price : Integer; book : Association to Books; }; }
}`));
const PASS = endpointPass(new EventContext({ user: new User({ id: "ann" }) }), {
  definition: host.model.service("S"),
  model: host.model,
  host: { ...host, db: undefined },
});

function restricted(query: Query, event = "READ"): string {
  const found = restrictQuery(PASS, query, event);
  return found === query ? "the same" : printed(found);
}

function printed(query: Query): string {
  return printQuery(query).replaceAll("(owner = $user)", "(*)").replaceAll("[(*)]", "[*]");
}

function select(body: Partial<SelectBody>): SelectQuery {
  return { SELECT: { from: { ref: ["S.Authors"] }, ...body } };
}

const RESTRICTED: readonly (readonly [given: string, expected: string])[] = [
  ["S.Books { ID }", "S.Books[*] { ID }"],
  // the columns
  [
    "S.Authors { best.ID as a, best_ID as b, best as c }",
    "S.Authors { best[*].ID as a, best_ID as b, best as c }",
  ],
  [
    "S.Authors as a { a.best.title as x, best.author.best.title as y }",
    "S.Authors as a { a.best[*].title as x, best[*].author.best[*].title as y }",
  ],
  [
    "S.Authors { best { title, author { best { title } } } }",
    "S.Authors { best[*] { title, author { best[*] { title } } } }",
  ],
  [
    "S.Authors { best.{ title, author.best.title as t } }",
    "S.Authors { best[*].{ title, author.best[*].title as t } }",
  ],
  [
    "S.Authors { books[title = 'x'] as some { ID } }",
    "S.Authors { books[title = 'x' and (*)] { ID } as some }",
  ],
  // structures, by path and flat
  [
    "S.Authors { address.book.title as t, address_book.title as u, addresses.book.title as v, address.town }",
    "S.Authors { address.book[*].title as t, address_book[*].title as u, addresses.book[*].title as v, address.town }",
  ],
  // nested columns of structures name elements of these
  [
    "S.Authors { address { town, book { title } } }",
    "S.Authors { address { town, book[*] { title } } }",
  ],
  [
    "S.Authors { address.{ book.title as t }, best.size.{ writer.best.title as u } }",
    "S.Authors { address.{ book[*].title as t }, best[*].size.{ writer.best[*].title as u } }",
  ],
  [
    "S.Authors as a { a.address.{ book[title = 'x'].ID as n, upper(book.title) as t, a.best.ID as b } }",
    "S.Authors as a { a.address.{ book[title = 'x' and (*)].ID as n, upper(book[*].title) as t, a.best[*].ID as b } }",
  ],
  // calls: what is counted is rows, what is compared is the key
  [
    "S.Authors { count(books) as n, countdistinct(best) as d, max(best) as m, sum(books.price) as s }",
    "S.Authors { count(books[*]) as n, countdistinct(best[*]) as d, max(best) as m, sum(books[*].price) as s }",
  ],
  [
    "S.Authors { rank() over (partition by best.title order by ID) as r }",
    "S.Authors { rank() over (partition by best[*].title order by ID) as r }",
  ],
  [
    "S.Authors { case when best.title = 'x' then 1 else 2 end as r, (1 + best.price) as n }",
    "S.Authors { case when best[*].title = 'x' then 1 else 2 end as r, 1 + best[*].price as n }",
  ],
  // the clauses
  ["S.Authors where exists books", "S.Authors where exists books[*]"],
  [
    "S.Authors where not exists books[price > 1] and (best.title, name) in (('a', 'b'))",
    "S.Authors where not exists books[price > 1 and (*)] and (best[*].title, name) in (('a', 'b'))",
  ],
  [
    "S.Authors { name } group by name, best.title having count(books.ID) > 1 order by best.title",
    "S.Authors { name } group by name, best[*].title having count(books[*].ID) > 1 order by best[*].title",
  ],
  // names: of sources, aliases, elements, the query itself
  [
    "S.Authors where exists $self.books and $self.best.title = 'x'",
    "S.Authors where exists $self.books[*] and $self.best[*].title = 'x'",
  ],
  [
    "S.Authors where exists S.Authors.books and Authors.best.title = 'x'",
    "S.Authors where exists S.Authors.books[*] and Authors.best[*].title = 'x'",
  ],
  [
    "S.Authors as best { best.title as t, best.best.title as u }",
    "S.Authors as best { best.title as t, best.best[*].title as u }",
  ],
  [
    "S.Readers where exists (select from S.Authors where best.title = Readers.author.best.title and exists $self.books)",
    "S.Readers where exists (SELECT from S.Authors where best[*].title = Readers.author.best[*].title and exists $self.books[*])",
  ],
  // the source
  ["S.Authors:books[title = 'x'].author { name }", "S.Authors.books[title = 'x' and (*)].author { name }"],
  ["S.Authors[best.title = 'x'] { name }", "S.Authors[best[*].title = 'x'] { name }"],
  ["S.Authors[exists books]:books { title }", "S.Authors[exists books[*]].books[*] { title }"],
  [
    "S.Authors join S.Readers on Authors.best.ID = Readers.ID { Authors.name, Readers.author.best.title as t }",
    "(S.Authors inner join S.Readers on Authors.best[*].ID = Readers.ID) { Authors.name, Readers.author.best[*].title as t }",
  ],
  ["S.Readers join S.Books on true", "(S.Readers inner join S.Books[*] on true)"],
  [
    "S.Readers union select from S.Books { ID, owner }",
    "S.Readers union SELECT from S.Books[*] { ID, owner }",
  ],
  [
    "(select from S.Readers { ID, author }) as q { q.author.best.title as t }",
    "(SELECT from S.Readers { ID, author }) as q { q.author.best[*].title as t }",
  ],
  [
    "(select from S.Readers:author union select from S.Readers) as q { q.best.title as t }",
    "(SELECT from S.Readers.author union SELECT from S.Readers) as q { q.best[*].title as t }",
  ],
  [
    "(select from (select from S.Authors) as p { ID }) as q { q.ID, best.title as t }",
    "(SELECT from (SELECT from S.Authors) as p { ID }) as q { q.ID, best[*].title as t }",
  ],
];

Deno.test("wherever a query touches an entity, it finds the permitted rows only", () => {
  for (const [given, expected] of RESTRICTED) {
    assert.equal(restricted(parseCqlQuery(`select from ${given}`)), `SELECT from ${expected}`);
  }
});

const SAME = [
  "S.Authors { ID, name } where name = 'x' group by name having count(*) > 1 order by name",
  "S.Authors { upper(name) as u, (1 + 2) as three, (ID, name) as l, (select from S.Readers { ID }) as one }",
  "S.Authors { rank() over (order by name) as r, author.name, max(best) as m } where exists (select from S.Readers)",
  "S.Readers { author { name }, author.{ ID } } where exists author[name = 'x'] order by author.name",
  "S.Readers[author.name = 'x']:author[name = 'x'] { name }",
  "S.Readers union select from S.Readers",
  "(select from S.Readers) as r { ID }",
  "S.Readers as a join S.Readers as b on a.ID = b.ID { a.ID }",
  // neither a row of the query around, nor an element of its own
  "S.Readers where exists (select from S.Authors where $self.author.best.ID = 1)",
];

Deno.test("a query that touches nothing restricted stays the same object", () => {
  for (const given of SAME) {
    assert.equal(restricted(parseCqlQuery(`select from ${given}`)), "the same", given);
  }
  const entries = [{ ID: 1 }];
  const writes: readonly (readonly [string, Query])[] = [
    ["CREATE", { INSERT: { into: "S.Authors", entries } }],
    ["UPSERT", { UPSERT: { into: { ref: ["S.Authors"] }, entries } }],
    ["CREATE", { INSERT: { into: "S.Books", entries, as: undefined } as never }],
    ["UPDATE", { UPDATE: { entity: "S.Authors", data: { name: "x" }, where: parseExpression("ID = 1") } }],
    ["UPDATE", { UPDATE: { entity: { ref: ["S.Authors"] }, with: { name: { ref: ["title"] } } } }],
    ["DELETE", { DELETE: { from: "S.Authors", where: parseExpression("name = 'x'") } }],
    ["DELETE", { DELETE: { from: { ref: ["S.Unknown"] } } }],
  ];
  for (const [event, query] of writes) assert.equal(restricted(query, event), "the same", printQuery(query));
  const search = parseExpression("'x'");
  assert.equal(restricted(select({ from: { ref: ["S.Readers"] }, search })), "the same");
  assert.equal(restricted(select({ columns: [{ func: "f", args: { a: { ref: ["name"] } } }] })), "the same");
});

/** What permitted rows of the books meet. */
const OWN: readonly Xo[] = [{ xpr: parseExpression("owner = $user"), localized: false }];
const best = { id: "best", where: OWN };

Deno.test("columns with clauses of their own and named arguments lead to permitted rows only", () => {
  const nested = (clauses: object) => select({ columns: [{ expand: ["*"], ...clauses } as Column] });
  const title = (step: RefStep) => ({ ref: [step, "title"] });
  const cases: readonly (readonly [given: SelectQuery, expected: SelectQuery])[] = [
    [
      nested({ ref: ["books"], where: parseExpression("author.best.price > 1"), orderBy: [title("other")] }),
      nested({
        ref: [{ id: "books", where: OWN }],
        where: [{ ref: ["author", best, "price"] }, ">", { val: 1 }],
        orderBy: [title({ id: "other", where: OWN })],
      }),
    ],
    // conditions of an anonymous structure are those of the row around
    [
      nested({ where: parseExpression("best.title = 'x'") }),
      nested({ where: [title(best), "=", { val: "x" }] }),
    ],
    [
      nested({
        ref: [{ id: "books", as: "b" }],
        where: [{ ref: ["b", "other", "title"] }, "=", { val: "x" }],
      }),
      nested({
        ref: [{ id: "books", as: "b", where: OWN }],
        where: [{ ref: ["b", { id: "other", where: OWN }, "title"] }, "=", { val: "x" }],
      }),
    ],
    [
      nested({ as: "rows", query: select({ where: [title("best"), "=", { val: "x" }] }) }),
      nested({ as: "rows", query: select({ where: [title(best), "=", { val: "x" }] }) }),
    ],
    [
      select({ columns: [{ func: "f", args: { a: title("best"), b: { val: 1 } } }] }),
      select({ columns: [{ func: "f", args: { a: title(best), b: { val: 1 } } }] }),
    ],
  ];
  for (const [given, expected] of cases) assert.deepEqual(restrictQuery(PASS, given, "READ"), expected);
});

Deno.test("associations that a query adds lead to permitted rows only, by themselves and behind $self", () => {
  const mixin = {
    more: { target: "S.Books" },
    far: { target: "S.Authors" },
    none: { target: 1 },
    best: { target: "S.Readers" },
  };
  const query = select({
    mixin,
    columns: [
      { ref: ["more", "title"], as: "a" },
      { ref: ["far", "best", "title"], as: "b" },
      { ref: ["$self", "more", "title"], as: "c" },
      // an association of the query comes before one of the entity
      { ref: ["best", "author", "best", "title"], as: "d" },
      { ref: ["none", "title"], as: "e" },
    ],
    where: ["exists", { ref: ["more"] }],
  });
  assert.equal(
    restricted(query),
    "SELECT from S.Authors { more[*].title as a, far.best[*].title as b, $self.more[*].title as c, " +
      "best.author.best[*].title as d, none.title as e } where exists more[*]",
  );
});

Deno.test("a search along paths becomes a condition on permitted rows", () => {
  const search = [{ val: "x" }];
  const within = (name: string) => `contains(tolower(coalesce(${name}, '')), tolower('x'))`;
  const found = `${within("name")} or exists books[(*) and ${within("title")}]`;
  assert.equal(restricted(select({ search })), `SELECT from S.Authors where ${found}`);
  const query = select({ search, where: parseExpression("name = 'y'") });
  assert.equal(restricted(query), `SELECT from S.Authors where name = 'y' and (${found})`);
  const nested = (clauses: object) =>
    select({ from: { ref: ["S.Readers"] }, columns: [{ ref: ["author"], expand: ["*"], ...clauses }] });
  const { SELECT } = restrictQuery(PASS, select({ search }), "READ") as SelectQuery;
  assert.deepEqual(restrictQuery(PASS, nested({ search }), "READ"), nested({ where: SELECT.where }));
});

const ROWS = parseCqlQuery("select from S.Books { ID, title as name }") as SelectQuery;

Deno.test("writes change permitted rows only, and read no others", () => {
  const where = parseExpression("other.title = 'x'");
  const cases: readonly (readonly [event: string, given: Query, expected: string])[] = [
    ["UPDATE", { UPDATE: { entity: "S.Books", data: { price: 1 } } }, "UPDATE S.Books[*] set price = 1"],
    [
      "UPDATE",
      { UPDATE: { entity: { ref: ["S.Books"], as: "b" }, where: parseExpression("b.other.title = 'x'") } },
      "UPDATE S.Books[*] as b where b.other[*].title = 'x'",
    ],
    [
      "UPDATE",
      {
        UPDATE: {
          entity: "S.Authors",
          with: { name: { ref: ["best", "title"] } },
          where: parseExpression("Authors.best.title = 'x'"),
        },
      },
      "UPDATE S.Authors set name = best[*].title where Authors.best[*].title = 'x'",
    ],
    ["DELETE", { DELETE: { from: "S.Books" } }, "DELETE from S.Books[*]"],
    [
      "DELETE",
      { DELETE: { from: { ref: ["S.Authors", "books"] }, where } },
      "DELETE from S.Authors.books[*] where other[*].title = 'x'",
    ],
    [
      "CREATE",
      { INSERT: { into: "S.Authors", from: ROWS } },
      "INSERT into S.Authors SELECT from S.Books[*] { ID, title as name }",
    ],
    [
      "UPSERT",
      { UPSERT: { into: "S.Authors", from: ROWS } },
      "UPSERT into S.Authors SELECT from S.Books[*] { ID, title as name }",
    ],
  ];
  const found = cases.map(([event, given]) => restricted(given, event));
  assert.deepEqual(found, cases.map(([, , expected]) => expected));
});

/** Reads an item inside of a query of items, by a condition. */
function itemBy(where: string, { alias = "i", entity = "S.Orders.items" } = {}): string {
  const from = { ref: [{ id: entity, where: parseExpression(where) }] };
  return restricted({
    SELECT: {
      from: { ref: ["S.Orders", "items"], ...(alias === "" ? {} : { as: alias }) },
      columns: [{ SELECT: { from, columns: [{ val: 1, as: "one" }] }, as: "a" }],
    },
  });
}

Deno.test("parts found by the keys of the row around are reached by its path, others by no path", () => {
  assert.match(
    itemBy("up__ID = i.up__ID and pos = i.pos"),
    /SELECT from S.Orders.items\[up__ID = i.up__ID and/,
  );
  for (
    const [where, options] of [
      ["pos = i.pos"],
      ["up__ID = i.up__ID and pos = i.price"],
      ["up__ID = 1 and pos = 1"],
      ["pos = i.pos and up__ID = i.up__ID"],
      ["up__ID = other.up__ID and pos = other.pos"],
      ["up__ID = items.up__ID and pos = items.pos", { alias: "" }],
    ] as const
  ) {
    assert.throws(() => itemBy(where, options), { status: 403 }, where);
  }
  // rows that are changed are not those that may be read
  const item = {
    ref: [{ id: "S.Orders.items", where: parseExpression("up__ID = i.up__ID and pos = i.pos") }],
  };
  const where: readonly Xo[] = ["exists", { SELECT: { from: item } }];
  const query = { DELETE: { from: { ref: ["S.Orders", "items"], as: "i" }, where } };
  assert.throws(() => restricted(query, "DELETE"), { status: 403 });
});

Deno.test("rows that a path is given are not looked at, those it leads to from there are", () => {
  const given = { id: "S.Books", rows: { val: "[]" } };
  const from = (...ref: readonly RefStep[]) => restrictQuery(PASS, select({ from: { ref } }), "READ");
  assert.deepEqual(from(given), select({ from: { ref: [given] } }));
  const other = { id: "other", where: OWN };
  assert.deepEqual(from(given, "other"), select({ from: { ref: [given, other] } }));
  const rows = { id: "other", rows: { val: "[]" } };
  assert.deepEqual(from("S.Readers", "author"), select({ from: { ref: ["S.Readers", "author"] } }));
  assert.deepEqual(
    from({ id: "S.Books" }, rows),
    select({
      from: { ref: [{ id: "S.Books", where: OWN }, { ...rows, where: OWN }] },
    }),
  );
});

Deno.test("nested columns of a structure show nothing of hidden rows (auth 7)", () =>
  withApp({
    model: `service Test {
      entity Makers as select from Books { ID, made.{ by.name as one, of.by.name as two } };
      entity Deeper as select from Books { ID, made.{ by.name as one, of.{ by.name as two } } };
      entity Behind as select from Books { ID, self.made.{ by.name as one, of.{ by.name as two } } };
      entity Books { key ID : Integer; self : Association to Books; made { by : Association to Authors; of { by : Association to Authors; } } }
      @restrict: [{ grant: 'READ', where: (ID > 1) }] entity Authors { key ID : Integer; name : String; } }`,
    rows: {
      "Test.Books": [{ ID: 1, self_ID: 1, made_by_ID: 1, made_of_by_ID: 2 }],
      "Test.Authors": [{ ID: 1, name: "hidden" }, { ID: 2, name: "shown" }],
    },
  }, async ({ runtime, rows }) => {
    for (const view of ["Makers", "Deeper", "Behind"]) {
      assert.deepEqual(await rows(view), [{ ID: 1, one: null, two: "shown" }], view);
    }
    for (
      const columns of [
        "made.by.name as one, made.of.by.name as two",
        "made.{ by.name as one, of.by.name as two }",
        "made.{ by.name as one, of.{ by.name as two } }",
        "made.by.name as one, made.of.{ by.name as two }",
      ]
    ) {
      const query = parseCqlQuery(`SELECT from Test.Books { ${columns} }`);
      const rows = await runtime.services.Test!.tx({ user: new User({ id: "ann" }) }, (tx) => tx.run(query));
      assert.deepEqual(rows, [{ one: null, two: "shown" }], columns);
    }
  }));
