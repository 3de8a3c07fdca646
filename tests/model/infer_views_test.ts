import assert from "node:assert/strict";
import type { CsnDefinition } from "../../src/model/csn.ts";
import { inferModel } from "../../src/model/infer_model.ts";

const ID = { key: true, type: "cds.Integer" } as const;
const text = { type: "cds.String", length: 10 } as const;

const BASE: Record<string, CsnDefinition> = {
  Books: {
    kind: "entity",
    "@title": "Books",
    "@cds.redirection.target": false,
    elements: {
      ID,
      name: { ...text, "@title": "Name", notNull: true },
      stock: { type: "cds.Integer" },
      author: { type: "cds.Association", target: "Authors" },
    },
  },
  Authors: {
    kind: "entity",
    elements: {
      ID,
      name: { ...text, notNull: true },
      books: {
        type: "cds.Association",
        cardinality: { max: "*" },
        target: "Books",
        on: [{ ref: ["books", "author"] }, "=", { ref: ["$self"] }],
      },
    },
  },
};

function view(definition: CsnDefinition, more: Record<string, CsnDefinition> = {}): CsnDefinition {
  return inferModel({ definitions: { ...BASE, V: { kind: "entity", ...definition }, ...more } }).definitions!
    .V;
}

function elements(definition: CsnDefinition): unknown {
  return JSON.parse(JSON.stringify(definition.elements));
}

const from = { ref: ["Books"] };

Deno.test("inferModel() takes all elements for *, without excluded ones, replaced by columns of the same name", () => {
  const { elements } = view({
    projection: { from, columns: ["*", { ref: ["author", "name"], as: "author" }], excluding: ["stock"] },
  });
  assert.deepEqual(Object.keys(elements!), ["ID", "name", "author"]);
  assert.equal(elements!.author.type, "cds.String");
});

Deno.test("inferModel() inherits annotations of elements and of the entity, own ones win", () => {
  const definition = view({ "@x": 1, projection: { from, columns: ["*", { ref: ["name"], as: "title" }] } });
  assert.equal(definition["@title"], "Books");
  assert.equal(definition["@cds.redirection.target"], undefined);
  assert.equal(definition.elements!.title["@title"], "Name");
});

Deno.test("inferModel() applies annotations of views after their signature is known", () => {
  const { V } = inferModel({
    definitions: { ...BASE, V: { kind: "entity", projection: { from } } },
    extensions: [{ annotate: "V", "@title": "V", elements: { name: { "@title": "New" } } }],
  }).definitions!;
  assert.equal(V["@title"], "V");
  assert.equal(V.elements!.name["@title"], "New");
});

Deno.test("inferModel() types columns by casts, which cut inheritance, and marks expressions as computed", () => {
  const definition = view({
    projection: {
      from,
      columns: [
        { ref: ["ID"] },
        { ref: ["name"], as: "short", cast: { type: "cds.String", length: 3 } },
        { xpr: [{ ref: ["stock"] }, "*", { val: 2 }], as: "twice", cast: { type: "cds.Integer" } },
      ],
    },
  });
  assert.deepEqual(elements(definition), {
    ID: { key: true, type: "cds.Integer" },
    short: { type: "cds.String", length: 3 },
    twice: { type: "cds.Integer", "@Core.Computed": true },
  });
});

Deno.test("inferModel() inherits keys when all are selected and none is set", () => {
  const all = view({ projection: { from, columns: [{ ref: ["ID"], as: "nr" }, { ref: ["name"] }] } });
  assert.equal(all.elements!.nr.key, true);
  const none = view({ projection: { from, columns: [{ ref: ["name"] }] } });
  assert.equal(none.elements!.name.key, undefined);
  const own = view({ projection: { from, columns: [{ ref: ["ID"] }, { ref: ["name"], key: true }] } });
  assert.equal(own.elements!.ID.key, undefined);
  assert.equal(own.elements!.name.key, true);
});

Deno.test("inferModel() inherits no keys along to-many paths and from unions", () => {
  const many = view({
    query: { SELECT: { from: { ref: ["Authors"] }, columns: [{ ref: ["ID"] }, { ref: ["books", "name"] }] } },
  });
  assert.equal(many.elements!.ID.key, undefined);
  const SELECT = { from, columns: [{ ref: ["ID"] }] };
  const union = view({ query: { SET: { op: "union", args: [{ SELECT }, { SELECT }] } } });
  assert.deepEqual(elements(union), { ID: { type: "cds.Integer" } });
});

Deno.test("inferModel() needs the keys of all joined entities for the keys of a join", () => {
  const join = {
    join: "inner" as const,
    args: [{ ref: ["Books"], as: "b" }, { ref: ["Authors"], as: "a" }],
    on: [{ ref: ["b", "author", "ID"] }, "=", { ref: ["a", "ID"] }],
  };
  const one = view({
    query: { SELECT: { from: join, columns: [{ ref: ["b", "ID"] }, { ref: ["a", "name"] }] } },
  });
  assert.equal(one.elements!.ID.key, undefined);
  const columns = [{ ref: ["b", "ID"] }, { ref: ["a", "ID"], as: "author" }];
  const both = view({ query: { SELECT: { from: join, columns } } });
  assert.equal(both.elements!.ID.key, true);
  assert.equal(both.elements!.author.key, true);
});

Deno.test("inferModel() does not promise values along associations", () => {
  const { elements } = view({
    projection: { from, columns: ["ID", "author.name"].map((p) => ({ ref: p.split(".") })) },
  });
  assert.equal(elements!.name.notNull, undefined);
});

Deno.test("inferModel() renames associations and what their conditions refer to", () => {
  const { elements } = view({
    projection: {
      from: { ref: ["Authors"] },
      columns: [{ ref: ["ID"], as: "nr" }, { ref: ["name"] }, { ref: ["books"], as: "works" }],
    },
  });
  assert.deepEqual(elements!.works.on, [{ ref: ["works", "author"] }, "=", { ref: ["$self"] }]);
});

Deno.test("inferModel() leaves out associations of * whose condition needs what the view lacks", () => {
  const linked: CsnDefinition = {
    kind: "entity",
    elements: {
      ID,
      nr: { type: "cds.Integer" },
      book: {
        type: "cds.Association",
        target: "Books",
        on: [{ ref: ["book", "ID"] }, "=", { ref: ["$self", "nr"] }],
      },
    },
  };
  const projection = { from: { ref: ["L"] } };
  const dropped = view({ projection: { ...projection, excluding: ["nr"] } }, { L: linked });
  assert.deepEqual(Object.keys(dropped.elements!), ["ID"]);
  const renamed = view({
    projection: { ...projection, columns: [{ ref: ["nr"], as: "number" }, { ref: ["book"] }] },
  }, { L: linked });
  assert.deepEqual(renamed.elements!.book.on, [{ ref: ["book", "ID"] }, "=", { ref: ["number"] }]);
});

Deno.test("inferModel() adds infix filters of published associations to their condition", () => {
  const { elements } = view({
    projection: {
      from: { ref: ["Authors"] },
      columns: ["*", {
        ref: [{ id: "books", where: [{ ref: ["stock"] }, ">", { val: 0 }], cardinality: { max: 1 } }],
        as: "available",
      }],
    },
  });
  assert.deepEqual(elements!.available.on, [
    { xpr: [{ ref: ["available", "author"] }, "=", { ref: ["$self"] }] },
    "and",
    { xpr: [{ ref: ["available", "stock"] }, ">", { val: 0 }] },
  ]);
  assert.deepEqual(elements!.available.cardinality, { max: 1 });
});

Deno.test("inferModel() publishes mixins with paths of the projection", () => {
  const { elements } = view({
    query: {
      SELECT: {
        from,
        mixin: {
          same: {
            type: "cds.Association",
            target: "Authors",
            on: [{ ref: ["same", "ID"] }, "=", { ref: ["$projection", "nr"] }],
          },
        },
        columns: [{ ref: ["ID"], as: "nr" }, { ref: ["same"] }],
      },
    },
  });
  assert.deepEqual(elements!.same.on, [{ ref: ["same", "ID"] }, "=", { ref: ["$self", "nr"] }]);
});

Deno.test("inferModel() prefixes inline columns and nests expanded ones", () => {
  const { elements } = view({
    projection: {
      from,
      columns: [
        { ref: ["ID"] },
        { ref: ["author"], inline: [{ ref: ["name"] }, { ref: ["ID"], as: "writer" }] },
        { ref: ["author"], expand: [{ ref: ["name"] }], as: "nested" },
      ],
    },
  });
  assert.deepEqual(Object.keys(elements!), ["ID", "author_name", "writer", "nested"]);
  assert.deepEqual(Object.keys(elements!.nested.elements!), ["name"]);
});

Deno.test("inferModel() gives events their projection's elements without keys", () => {
  const { E } = inferModel({
    definitions: { ...BASE, E: { kind: "event", projection: { from, columns: [{ ref: ["ID"] }] } } },
  }).definitions!;
  assert.deepEqual(elements(E), { ID: { type: "cds.Integer" } });
});

Deno.test("inferModel() refuses unknown columns and sources, nameless and duplicate columns, cyclic views", () => {
  const fails = (definition: CsnDefinition, message: RegExp) =>
    assert.throws(() => view(definition), message);
  fails(
    { projection: { from, columns: [{ ref: ["nmae"] }] } },
    /Unknown column "nmae" in "V".*did you mean "name"\?/,
  );
  fails({ projection: { from: { ref: ["Boks"] } } }, /Unknown source "Boks" of "V", did you mean "Books"\?/);
  fails({ projection: { from, columns: [{ val: 1 }] } }, /expression without name/);
  fails(
    { projection: { from, columns: [{ ref: ["ID"] }, { ref: ["name"], as: "ID" }] } },
    /Duplicate column "ID"/,
  );
  fails({ projection: { from: { ref: ["V"] } } }, /Cyclic view "V"/);
});
