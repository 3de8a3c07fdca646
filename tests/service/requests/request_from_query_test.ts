import assert from "node:assert/strict";
import type { Query, Row } from "../../../src/cqn/cqn.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import { fluentQuery, materializeQuery } from "../../../src/service/requests/materialize_query.ts";
import { requestFromQuery, withEntries } from "../../../src/service/requests/request_from_query.ts";

const MODEL = linkModel(parseCdl(`service S {
  entity Books { key ID : Integer; title : String; author : Association to Authors; }
  entity Authors { key ID : Integer; books : Association to many Books on books.author = $self; }
}`));
const SCOPE = {
  model: MODEL,
  qualify: (name: string) => MODEL.definitions[`S.${name}`] ? `S.${name}` : name,
};

function asked(query: unknown, params?: Record<string, never>) {
  const { event, target, path, data, query: qualified, queryParams } = requestFromQuery(
    SCOPE,
    query as Query,
    params,
  );
  return { told: [event, target?.name, path, data], qualified, queryParams };
}

Deno.test("a query says the event, the entity, the path and the data of a request, with full names", () => {
  const Books = { ref: ["Books"] };
  const full = { ref: ["S.Books"] };
  const where = [{ ref: ["ID"] }, "=", { val: 1 }];
  const row = { ID: 1 };
  const cases: readonly (readonly [query: unknown, told: readonly unknown[], qualified: unknown])[] = [
    [{ SELECT: { from: Books } }, ["READ", "S.Books", "S.Books", undefined], { SELECT: { from: full } }],
    [
      { SELECT: { from: { ref: ["Books"], as: "b" }, one: true } },
      ["READ", "S.Books", "S.Books", undefined],
      { SELECT: { from: { ref: ["S.Books"], as: "b" }, one: true } },
    ],
    [
      { SELECT: { from: { ref: [{ id: "Books", where }, "author"] } } },
      ["READ", "S.Authors", "S.Books/author", undefined],
      { SELECT: { from: { ref: [{ id: "S.Books", where }, "author"] } } },
    ],
    [
      { SELECT: { from: { ref: ["Books", "title"] } } },
      ["READ", undefined, "S.Books/title", undefined],
      { SELECT: { from: { ref: ["S.Books", "title"] } } },
    ],
    [
      { SELECT: { from: { ref: ["Books", "toString"] } } },
      ["READ", undefined, "S.Books/toString", undefined],
      { SELECT: { from: { ref: ["S.Books", "toString"] } } },
    ],
    [
      { SELECT: { from: { ref: ["Other", "x"] } } },
      ["READ", undefined, "Other/x", undefined],
      { SELECT: { from: { ref: ["Other", "x"] } } },
    ],
    [{ INSERT: { into: Books, entries: [row] } }, ["CREATE", "S.Books", "S.Books", row], {
      INSERT: { into: full, entries: [row] },
    }],
    [
      { INSERT: { into: Books, entries: [row, row] } },
      ["CREATE", "S.Books", "S.Books", [row, row]],
      { INSERT: { into: full, entries: [row, row] } },
    ],
    [{ INSERT: { into: Books, entries: [] } }, ["CREATE", "S.Books", "S.Books", []], {
      INSERT: { into: full, entries: [] },
    }],
    [{ INSERT: { into: Books } }, ["CREATE", "S.Books", "S.Books", undefined], { INSERT: { into: full } }],
    [{ UPSERT: { into: Books, entries: [row] } }, ["UPSERT", "S.Books", "S.Books", row], {
      UPSERT: { into: full, entries: [row] },
    }],
    [
      { UPDATE: { entity: Books, data: row, where } },
      ["UPDATE", "S.Books", "S.Books", row],
      { UPDATE: { entity: full, data: row, where } },
    ],
    [{ DELETE: { from: Books, where } }, ["DELETE", "S.Books", "S.Books", undefined], {
      DELETE: { from: full, where },
    }],
  ];
  for (const [query, told, qualified] of cases) {
    const found = asked(query);
    assert.deepEqual(found.told, told, JSON.stringify(query));
    assert.deepEqual(found.qualified, qualified, JSON.stringify(query));
  }
});

Deno.test("queries of queries, joins and unions are about their first source, and keep their names", () => {
  const first = { SELECT: { from: { ref: ["Books"] } } };
  const other = { SELECT: { from: { ref: ["Authors"] } } };
  for (
    const query of [
      { SELECT: { from: first } },
      { SELECT: { from: { SET: { op: "union", args: [first, other] } } } },
      { SELECT: { from: { join: "inner", args: [{ ref: ["Books"] }, { ref: ["Authors"] }], on: [] } } },
      {
        SELECT: {
          from: { join: "inner", args: [{ join: "left", args: [{ ref: ["Books"] }] }, { ref: ["Authors"] }] },
        },
      },
      { SET: { op: "union", args: [first, other] } },
    ]
  ) {
    const { told, qualified } = asked(query);
    assert.equal(told[0], "READ", JSON.stringify(query));
    assert.equal(qualified, query);
  }
});

Deno.test("a query with full names stays the same object, and parameters are there only where there are some", () => {
  const query = { SELECT: { from: { ref: ["S.Books"] } } };
  assert.equal(asked(query).qualified, query);
  assert.equal(asked(query).queryParams, undefined);
  assert.equal(asked(query, {}).queryParams, undefined);
  assert.deepEqual(asked(query, { p: 1 } as never).queryParams, { p: 1 });
});

Deno.test("rows by column, and those of a query, are written as entries", async () => {
  const run = (found: unknown) => ({ run: () => Promise.resolve(found) });
  const into = { ref: ["S.Books"] };
  const written = async (body: object, kind = "INSERT", found: unknown = undefined) => {
    const statement = { query: { [kind]: { into, ...body } } as never, params: { p: 1 } as never };
    const { query } = await withEntries(run(found), statement);
    return (query as unknown as Record<string, { entries: Row[] }>)[kind].entries;
  };
  for (const kind of ["INSERT", "UPSERT"]) {
    assert.deepEqual(await written({ entries: [{ ID: 1 }] }, kind), [{ ID: 1 }]);
    assert.deepEqual(await written({ columns: ["ID", "title"], rows: [[1, "a"], [2, "b"]] }, kind), [
      { ID: 1, title: "a" },
      { ID: 2, title: "b" },
    ]);
    const from = { SELECT: { from: { ref: ["S.Authors"] } } };
    assert.deepEqual(await written({ from }, kind, [{ ID: 1 }, { ID: 2 }]), [{ ID: 1 }, { ID: 2 }]);
    assert.deepEqual(await written({ from }, kind, { ID: 1 }), [{ ID: 1 }]);
    assert.deepEqual(await written({ from }, kind, null), []);
  }
  const others = { query: { DELETE: { from: into } } as never };
  assert.equal(await withEntries(run([]), others), others);
});

Deno.test("parameters become values wherever expressions stand, and rows stay the same objects", () => {
  const p = { ref: ["p"], param: true };
  const now = new Date(0);
  const made = (query: unknown) => materializeQuery(query as Query, { p: 7, q: null } as never);
  assert.deepEqual(
    made({
      SELECT: {
        from: { ref: [{ id: "B", where: [p] }] },
        where: [{ ref: ["x"] }, "=", p, { xpr: [{ ...p, cast: 1 }] }],
        n: null,
        d: now,
      },
    }),
    {
      SELECT: {
        from: { ref: [{ id: "B", where: [{ val: 7 }] }] },
        where: [{ ref: ["x"] }, "=", { val: 7 }, { xpr: [{ val: 7, cast: 1 }] }],
        n: null,
        d: now,
      },
    },
  );
  assert.deepEqual(made({ SET: { args: [{ SELECT: { where: [{ ref: ["q"], param: true }] } }] } }), {
    SET: { args: [{ SELECT: { where: [{ val: null }] } }] },
  });
  const kept = { ref: ["p", "x"], param: true };
  assert.deepEqual(made({ DELETE: { where: [kept, { ref: ["p"] }] } }), {
    DELETE: { where: [kept, { ref: ["p"] }] },
  });
  const data = { deep: [p] };
  const updated = made({ UPDATE: { entity: { ref: ["B"] }, data, where: [p] } }) as unknown as {
    UPDATE: { data: unknown; where: unknown };
  };
  assert.equal(updated.UPDATE.data, data);
  assert.deepEqual(updated.UPDATE.where, [{ val: 7 }]);
});

Deno.test("a query can be gone on with, and what was given stays as it is", () => {
  for (
    const query of [
      { SELECT: { from: { ref: ["B"] } } },
      { INSERT: { into: { ref: ["B"] }, entries: [{ ID: 1 }] } },
      { UPSERT: { into: { ref: ["B"] }, entries: [{ ID: 1 }] } },
      { UPDATE: { entity: { ref: ["B"] }, data: { ID: 1 } } },
      { DELETE: { from: { ref: ["B"] } } },
    ]
  ) {
    const [[kind, body]] = Object.entries(query);
    const fluent = fluentQuery(query as never) as unknown as Record<string, object>;
    assert.deepEqual({ ...fluent[kind] }, body);
    assert.notEqual(fluent[kind], body);
    assert.equal(fluentQuery(fluent as never), fluent);
  }
  const set = { SET: { args: [] } };
  assert.equal(fluentQuery(set as never), set);
});
