import assert from "node:assert/strict";
import type { Csn, CsnElement } from "../../src/model/csn.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import {
  foreignKeyLinks,
  holdsLinks,
  leadsToOwn,
  linksOf,
  sharedColumns,
  throughOf,
} from "../../src/model/links.ts";

const MODEL = linkModel({
  definitions: {
    Books: {
      kind: "entity",
      elements: {
        ID: { key: true, type: "cds.Integer" },
        title: { type: "cds.String", localized: true },
        author: { type: "cds.Association", target: "Authors" },
      },
    },
    Authors: {
      kind: "entity",
      elements: {
        ID: { key: true, type: "cds.Integer" },
        books: {
          type: "cds.Association",
          target: "Books",
          cardinality: { max: "*" },
          on: [{ ref: ["books", "author"] }, "=", { ref: ["$self"] }],
        },
      },
    },
  },
});

Deno.test("linksOf() gives the columns of managed, backlink and texts associations", () => {
  const { Books, Authors } = MODEL.definitions;
  assert.deepEqual(linksOf(Books.elements.author).pairs, [{ source: "author_ID", target: "ID" }]);
  assert.deepEqual(linksOf(Authors.elements.books).pairs, [{ source: "ID", target: "author_ID" }]);
  assert.deepEqual(linksOf(Books.elements.texts).pairs, [{ source: "ID", target: "ID" }]);
});

Deno.test("linksOf() names foreign keys as the association does, behind a backlink and in conditions (CDS)", () => {
  const { definitions: { Authors: { elements } } } = linkModel(parseCdl(`
    entity Books { key ID : Integer; author : Association to Authors { ID as code }; }
    entity Authors { key ID : Integer; books : Association to many Books on books.author = $self;
      same : Association to many Books on same.author.ID = ID; }`));
  for (const name of ["books", "same"]) {
    assert.deepEqual(linksOf(elements[name]).pairs, [{ source: "ID", target: "author_code" }], name);
  }
});

Deno.test("linksOf() takes no pseudo variable for a column", () => {
  const { pairs, constants } = linksOf(MODEL.definitions.Books.elements.localized);
  assert.deepEqual(pairs, [{ source: "ID", target: "ID" }]);
  assert.deepEqual(constants, {});
});

Deno.test("foreignKeyLinks() are the columns that hold the key of the other end, managed or by a condition", () => {
  const { elements } = linkModel(parseCdl(`
    entity B { key ID : Integer; kind : String; flag : Integer; }
    entity C { key x : Integer; key y : Integer; }
    entity A {
      key ID : Integer; bID : Integer; x : Integer; y : Integer;
      managed : Association to B; two : Association to C;
      byKey : Association to B on byKey.ID = bID;
      turned : Association to B on bID = turned.ID;
      fixed : Association to B on fixed.ID = bID and fixed.kind = 'k';
      notKey : Association to B on notKey.flag = bID;
      more : Association to B on more.ID = bID and more.flag = x;
      both : Association to C on both.x = x and both.y = y;
      half : Association to C on half.x = x;
      shared : Association to B on shared.ID = ID;
      either : Association to B on either.ID = bID or either.ID = x;
      many : Association to many B on many.ID = bID;
    }`)).definitions.A;
  const expected: Readonly<Record<string, readonly (readonly [source: string, target: string])[]>> = {
    ...{ managed: [["managed_ID", "ID"]], two: [["two_x", "x"], ["two_y", "y"]], byKey: [["bID", "ID"]] },
    ...{ turned: [["bID", "ID"]], fixed: [], notKey: [], more: [], both: [["x", "x"], ["y", "y"]], half: [] },
    ...{ shared: [], either: [], many: [], bID: [] },
  };
  for (const [name, links] of Object.entries(expected)) {
    const pairs = links.map(([source, target]) => ({ source, target }));
    assert.deepEqual(foreignKeyLinks(elements[name]), pairs, name);
  }
});

Deno.test("leadsToOwn() tells whether no two rows share what an association leads to", () => {
  const { elements } = linkModel(parseCdl(`
    entity B { key ID : Integer; a1 : Integer; a2 : Integer; }
    entity A {
      key k1 : Integer; key k2 : Integer; b : Integer;
      parts : Composition of many B on parts.ID = b;
      own : Association to many B on own.a1 = k1 and own.a2 = k2;
      half : Association to many B on half.a1 = k1;
      denied : Association to many B on denied.a1 = k1 and not (denied.a2 = k2);
      either : Association to many B on either.a1 = k1 or either.a2 = k2;
    }
    entity N { b : Association to B; }`)).definitions.A;
  const owns = (name: string, same?: readonly string[]) => leadsToOwn(elements[name], same);
  assert.deepEqual(["parts", "own", "half", "denied", "either"].map((name) => owns(name)), [
    ...[true, true, false, false, false],
  ]);
  assert.deepEqual([owns("half", ["k2"]), owns("half", ["k1"]), owns("half", ["b"])], [true, false, false]);
  assert.deepEqual([
    sharedColumns(elements.own),
    sharedColumns(elements.half),
    sharedColumns(elements.either),
  ], [
    ...[["a1", "a2"], ["a1"], []],
  ]);
});

Deno.test("linksOf() takes literals of conditions for constants, and both sides in any order", () => {
  const { elements } = linkModel(parseCdl(`
    entity B { key ID : Integer; kind : String; no : Integer; }
    entity A { key ID : Integer; s { no : Integer; }
      one : Association to B on one.ID = ID and one.kind = 'k' and 5 = one.no;
      self : Association to B on self.ID = $self.ID and $self.s.no = self.no;
      user : Association to B on user.ID = ID and user.kind = $user.id;
      other : Association to B on other.ID > ID and other.no = other.ID; }`)).definitions.A;
  assert.deepEqual(linksOf(elements.one), {
    ...{ pairs: [{ source: "ID", target: "ID" }], constants: { kind: "k", no: 5 }, inSource: false },
  });
  assert.deepEqual(linksOf(elements.self).pairs, [{ source: "ID", target: "ID" }, {
    source: "s_no",
    target: "no",
  }]);
  assert.deepEqual(linksOf(elements.user), {
    ...{ pairs: [{ source: "ID", target: "ID" }], constants: {}, inSource: false },
  });
});

const MANY_TO_MANY = `
  entity Tags { key ID : Integer; }
  entity Links { key book : Association to Books; key tag : Association to Tags; no : Integer; }
  entity Books { key ID : Integer; parts : Composition of many Links on parts.book = $self;
    links : Composition of many Links on links.book = $self; `;

Deno.test("throughOf() finds links and their other side (@odata.through), and refuses other paths", () => {
  const { elements } = linkModel(parseCdl(`${MANY_TO_MANY}
    @odata.through: 'links.tag' tags : Association to many Tags; plain : Association to Tags; }`)).definitions
    .Books;
  const through = throughOf(elements.tags)!;
  assert.deepEqual([through.links.name, through.target.name], ["links", "tag"]);
  assert.equal(throughOf(elements.tags), through);
  assert.equal(throughOf(elements.plain), undefined);
  assert.deepEqual([holdsLinks(elements.links), holdsLinks(elements.parts)], [true, false]);
  for (const path of ["links", "links.no", "nothing.tag", "plain.ID", "links.nothing", "ID.tag", ""]) {
    const model = linkModel(parseCdl(`${MANY_TO_MANY} plain : Association to Tags;
      @odata.through: '${path}' tags : Association to many Tags; }`));
    assert.throws(() => throughOf(model.definitions.Books.elements.tags), {
      name: "ConfigurationError",
      message:
        /@odata\.through of "Books\/tags" needs a path of a composition of many and a managed association$/,
    }, path);
  }
  const conditional = linkModel(parseCdl(`${MANY_TO_MANY}
    @odata.through: 'links.tag' tags : Association to many Tags on tags.ID = ID; }`));
  assert.throws(() => throughOf(conditional.definitions.Books.elements.tags), {
    message: /"Books\/tags" is defined by @odata\.through, and cannot have a condition as well$/,
  });
});

/** A model whose association has a condition. */
function modelWith(on: unknown): Csn {
  const $location = { file: "m.cds", line: 3, col: 5 };
  const b = { type: "cds.Association", target: "A", on, $location } as CsnElement; // as plugins may write it
  return { definitions: { A: { kind: "entity", elements: { x: { type: "cds.Integer" }, b } } } };
}

const BX = { ref: ["b", "x"] };
const NO_CONDITIONS: readonly (readonly [on: unknown, mistake: string])[] = [
  [[BX, "="], "The expression ends too early"],
  [[BX, { ref: ["x"] }], "Two operands stand side by side"],
  ["b.x = x", 'A list of operands and operators is expected, found "b.x = x"'],
  [[BX, "=", 5], "An operand or operator is expected, found 5"],
  [[BX, "=", null], "An operand or operator is expected, found null"],
  [[{ ref: "b.x" }, "=", BX], 'A list of names as "ref" is expected, found "b.x"'],
  [[{ ref: [] }, "=", BX], 'A list of names as "ref" is expected, found []'],
  [[{ xpr: ["not", { xpr: "b" }] }], 'A list of operands and operators is expected, found "b"'],
  [[BX, "in", { list: [1] }], "An operand or operator is expected, found 1"],
  [[BX, "=", { foo: 1 }], "An expression is expected, found foo"],
];

Deno.test("a condition of an association that is no expression is told with its place, before names are looked for", () => {
  for (const [on, mistake] of NO_CONDITIONS) {
    assert.throws(() => linkModel(modelWith(on)), {
      name: "ConfigurationError",
      message: `m.cds:3:5: The condition of "b" in "A" is no expression: ${mistake}`,
    });
  }
  linkModel(modelWith([{ ref: ["b", { id: "b" }, "x"] }, "in", { list: [{ val: 1 }] }, "or", "exists", BX]));
});

Deno.test("the condition of an association in an inferred model is read by those who ask for its links", () => {
  const { A } = linkModel({ ...modelWith([BX, "="]), meta: { flavor: "inferred" } }).definitions;
  for (const read of [linksOf, sharedColumns]) {
    assert.throws(() => read(A!.elements.b!), {
      name: "ConfigurationError",
      message: 'm.cds:3:5: The condition of "b" in "A" is no expression: The expression ends too early',
    });
  }
});
