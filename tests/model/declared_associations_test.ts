/** Associations in column lists, redirection and comparisons of structures: what real models have (csn-cqn 5, 6, 11). */

import assert from "node:assert/strict";
import type { CsnElement } from "../../src/model/csn.ts";
import { inferModel } from "../../src/model/infer_model.ts";
import { compile } from "./cdl/memory_host.ts";

type Elements = Readonly<Record<string, CsnElement>>;

function elementsOf(text: string, name: string): Elements {
  return inferModel(compile(text)).definitions?.[name]?.elements ?? {};
}

const BOOKS = `entity Books { key ID : Integer; title : String; stock : Integer; }
  entity Reviews { key ID : Integer; book : Integer; }`;

Deno.test("inferModel() takes associations and compositions that projections declare", () => {
  const { reviews, part } = elementsOf(
    `${BOOKS} entity V as projection on Books { *, ID as number,
      reviews : Association to many Reviews on reviews.book = number,
      part : Composition of one Reviews on part.ID = $self.ID };`,
    "V",
  );
  assert.deepEqual([reviews.type, reviews.target, reviews.cardinality], ["cds.Association", "Reviews", {
    max: "*",
  }]);
  assert.deepEqual(reviews.on, [{ ref: ["reviews", "book"] }, "=", { ref: ["number"] }]);
  assert.deepEqual([part.type, part.cardinality], ["cds.Composition", { max: 1 }]);
});

Deno.test("inferModel() takes associations that are added to projections and views", () => {
  for (const view of ["projection on Books { ID }", "select from Books { ID }"]) {
    const { reviews } = elementsOf(
      `${BOOKS} entity V as ${view}; extend V with columns { reviews : Association to many Reviews on reviews.book = ID };`,
      "V",
    );
    assert.deepEqual(reviews.on, [{ ref: ["reviews", "book"] }, "=", { ref: ["ID"] }], view);
  }
});

Deno.test("inferModel() takes the names in a declared condition for those of the view", () => {
  const { reviews } = elementsOf(
    `${BOOKS} entity V as projection on Books { ID as stock, stock as ID, reviews : Association to Reviews on reviews.book = ID };`,
    "V",
  );
  assert.deepEqual(reviews.on, [{ ref: ["reviews", "book"] }, "=", { ref: ["ID"] }]);
  assert.throws(
    () =>
      elementsOf(
        `${BOOKS} entity V as projection on Books { ID, r : Association to Reviews on r.book = stock };`,
        "V",
      ),
    /Unresolved path "stock" in "r" of "V"/,
  );
  assert.throws(
    () => elementsOf(`${BOOKS} entity V as projection on Books { ID, r : Association to Reviews };`, "V"),
    /Unknown column "r" in "V"/,
  );
});

Deno.test("inferModel() redirects to a view that joins, by the names of the source that the target was", () => {
  const { flights } = elementsOf(
    `entity Flights { key ID : Integer; key date : Date; line : Integer; }
     entity Lines { key ID : Integer; name : String; flights : Association to many Plans on flights.line = $self; }
     entity Plans { key ID : Integer; line : Association to Lines; name : String; }
     entity All as select from Flights join Plans on Plans.ID = Flights.ID { key Plans.ID, Plans.line as carrier };
     entity V as projection on Lines { *, flights : redirected to All };`,
    "V",
  );
  assert.equal(flights.target, "All");
  assert.deepEqual(flights.on, [{ ref: ["flights", "carrier"] }, "=", { ref: ["$self"] }]);
});

Deno.test("inferModel() redirects a view to itself, and finds what a mixin needs of a view that comes later", () => {
  const base = "entity E { key ID : Integer; parent : Association to E; }";
  const { parent } = elementsOf(
    `${base} entity V as select from E left join E as p on p.ID = E.ID
    { key E.ID, E.parent : redirected to V };`,
    "V",
  );
  assert.equal(parent.target, "V");
  const { name } = elementsOf(
    `${base} entity V as select from E mixin { w : Association to W on w.number = $projection.ID } into { ID, w.name };
     entity N { key ID : Integer; name : String; } entity W as select from N { ID as number, name };`,
    "V",
  );
  assert.equal(name.type, "cds.String");
});

Deno.test("inferModel() keeps the name of a source as the text has it where paths begin with it", () => {
  const base =
    "namespace a; entity Books { key ID : Integer; n : Integer; } context c { entity Refs { key ID : Integer; } }";
  const text =
    `${base} entity V as select from c.Refs mixin { b : Association to Books on b.n = Refs.ID } into { ID, b };`;
  assert.ok("b" in elementsOf(text, "a.V"));
  const used = compile(
    `using {${"A"} as Other} from './x'; entity A { key ID : Integer; } entity V as select from Other { Other.ID };`
      .replace(" from './x'", ""),
  );
  assert.deepEqual(used.definitions?.V.query, {
    SELECT: { from: { ref: ["A"], as: "Other" }, columns: [{ ref: ["Other", "ID"] }] },
  });
});

const ORDERS = `namespace db; entity Orders { key ID : Integer; parent : Association to Orders;
  Items : Composition of many { key pos : Integer; }; }`;

Deno.test("inferModel() exposes parts once for two projections of their whole, and leads back to the first", () => {
  const { definitions } = inferModel(
    compile(
      `${ORDERS} service S { entity Orders as projection on db.Orders; entity Others as projection on db.Orders; }`,
    ),
  );
  assert.equal(definitions?.["db.S.Orders.Items"].elements?.up_.target, "db.S.Orders");
  assert.equal(definitions?.["db.S.Others"].elements?.Items.target, "db.S.Orders.Items");
});

Deno.test("inferModel() keeps associations of an entity to itself in each of its projections", () => {
  const { definitions } = inferModel(
    compile(
      `${ORDERS} service S { entity A as projection on db.Orders; entity B as projection on db.Orders; }`,
    ),
  );
  const targets = ["A", "B"].map((name) => definitions?.[`db.S.${name}`].elements?.parent.target);
  assert.deepEqual(targets, ["db.S.A", "db.S.B"]);
});

Deno.test("inferModel() takes a symbol as default of an association whose foreign key is an enum", () => {
  const text = (symbol: string) =>
    `type Code : String enum { open; closed = 'c' } entity States { key code : Code; }
    entity E { key ID : Integer; state : Association to States default #${symbol}; }`;
  assert.deepEqual(elementsOf(text("closed"), "E").state.default, { "#": "closed" });
  assert.throws(
    () => elementsOf(text("clsed"), "E"),
    /Default "#clsed" of "state" in "E" is no symbol .*"closed"/,
  );
});

Deno.test("inferModel() compares structures, and an association of its own target with $self", () => {
  const text = `entity P { key id { a : Integer; b : Integer; }; name : localized String; }
    entity H { key ID : Integer; items : Association to many I on $self.items.head = $self; }
    entity I { key ID : Integer; head : Association to H; }`;
  assert.deepEqual(elementsOf(text, "P").texts.on, [{ ref: ["texts", "id"] }, "=", { ref: ["id"] }]);
  assert.equal(elementsOf(text, "H").items.target, "I");
  for (const other of ["1", "ID", "items", "items.ID"]) {
    const wrong = text.replace("$self.items.head = $self", `$self = ${other}`);
    assert.throws(() => elementsOf(wrong, "H"), /"\$self" of "items" can be compared only/, other);
  }
  assert.throws(
    () =>
      elementsOf("entity P { key id { a : Integer; }; n : Integer; p : Association to P on p.id = n; }", "P"),
    /"p.id" in "p" of "P" is a structure/,
  );
});

Deno.test("inferModel() takes defaults of virtual columns, and of no others", () => {
  const { open } = elementsOf(
    `${BOOKS} entity V as projection on Books { *, virtual open : Boolean default false };`,
    "V",
  );
  assert.deepEqual([open.virtual, open.type, open.default], [true, "cds.Boolean", { val: false }]);
  assert.throws(
    () => elementsOf(`${BOOKS} entity V as projection on Books { ID, stock : Integer default 1 };`, "V"),
    /Column "stock" of "V" has a default, which only virtual columns may have/,
  );
});

Deno.test("views in a service read what is generated for the entities that others there are views on (csn-cqn 11)", () => {
  const text = `namespace my;
    entity Orders { key ID : Integer; descr : localized String; items : Composition of many { key pos : Integer; }; }
    service S {
      entity Orders as projection on my.Orders;
      entity Again as projection on Orders;
      entity Items as projection on Again.items;
      entity Texts as select from Orders.texts { *, texts.descr as other };
    }`;
  assert.deepEqual(Object.keys(elementsOf(text, "my.S.Items")), ["up_", "pos"]);
  assert.deepEqual(Object.keys(elementsOf(text, "my.S.Texts")), ["locale", "ID", "descr", "other"]);
  assert.equal(elementsOf(text, "my.S.Orders").items.target, "my.S.Items");
  assert.throws(() => elementsOf(text.replace("Again.items", "Again.item"), "my.S.Items"), /Unknown source/);
});

Deno.test("inferModel() writes out comparisons with $self behind a path, and keeps what else a condition has (csn-cqn 6)", () => {
  const text = `entity Authors { key ID : Integer; least : Integer;
      books : Association to many Books on books.author = $self and (books.stock > least or books.isNew); }
    entity Books { key ID : Integer; stock : Integer; isNew : Boolean; author : Association to Authors; }
    entity V as select from Books { ID, author, author.books as others };
    entity W as select from Books { ID, author as writer, $self.writer.books as others };
    entity X as select from Books { ID, author as writer, $self.writer.{ ID as number, books as others } };`;
  for (const given of [text, text.replace("books.author = $self", "$self = books.author")]) {
    for (const [view, author] of [["V", "author"], ["W", "writer"], ["X", "writer"]]) {
      assert.deepEqual(elementsOf(given, view).others.on, [
        { xpr: [{ ref: ["others", "author", "ID"] }, "=", { ref: [author, "ID"] }] },
        "and",
        {
          xpr: [{ ref: ["others", "stock"] }, ">", { ref: [author, "least"] }, "or", {
            ref: ["others", "isNew"],
          }],
        },
      ], view);
    }
  }
});

Deno.test("inferModel() gives associations that repeat a column a name and a condition of their own (csn-cqn 6)", () => {
  const text =
    `entity Authors { key ID : Integer; name : String; books : Association to many Books on books.author = $self; }
    entity Books { key ID : Integer; stock : Integer; author : Association to Authors; }
    entity V as select from Authors { ID, books as works, $self.works as same, $self.works[stock > 0] as some };
    entity W as select from Books { ID, author as writer, $self.writer.{ name } };`;
  const { same, some } = elementsOf(text, "V");
  const back = (name: string) => [{ ref: [name, "author"] }, "=", { ref: ["$self"] }];
  assert.deepEqual(same.on, back("same"));
  assert.deepEqual(some.on, [
    { xpr: back("some") },
    "and",
    { xpr: [{ ref: ["some", "stock"] }, ">", { val: 0 }] },
  ]);
  assert.deepEqual(Object.keys(elementsOf(text, "W")), ["ID", "writer", "writer_name"]);
});
