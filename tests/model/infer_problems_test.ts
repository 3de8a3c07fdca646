import assert from "node:assert/strict";
import { ConfigurationError } from "../../src/errors/configuration_error.ts";
import { inferModel } from "../../src/model/infer_model.ts";
import { compile } from "./cdl/memory_host.ts";

/** Compiles and infers, and expects exactly these mistakes. */
function finds(text: string, ...messages: readonly string[]): void {
  assert.throws(() => inferModel(compile(text)), (error: unknown) => {
    assert.ok(error instanceof ConfigurationError, String(error));
    assert.deepEqual([error, ...error.others].map(({ message }) => message.split("\n")[0]), messages, text);
    return true;
  });
}

const BASE = "entity A { key id : Integer; name : String; b : Association to A; }\n";

Deno.test("inferModel() tells all unknown columns of a view, each at its place [csn-cqn 6]", () => {
  finds(
    `${BASE}entity V as select from A { id, nam, foo.bar };`,
    'm.cds:2:33: Unknown column "nam" in "V": unknown element "nam", did you mean "name"?',
    'm.cds:2:38: Unknown column "foo.bar" in "V": unknown element "foo"',
  );
  finds(
    `${BASE}entity V as select from A { id, b.{ nme }, b { nme2 } };`,
    'm.cds:2:37: Unknown column "nme" in "V": unknown element "nme", did you mean "name"?',
    'm.cds:2:48: Unknown column "nme2" in "V": unknown element "nme2", did you mean "name"?',
  );
});

Deno.test("inferModel() tells unknown names in all clauses of a query [csn-cqn 6, 7]", () => {
  const clauses: readonly (readonly [string, string])[] = [
    ["{ id } where nme = 1", 'Unresolved path "nme" in "V": unknown element "nme", did you mean "name"?'],
    ["{ id } group by nme", 'Unresolved path "nme" in "V": unknown element "nme", did you mean "name"?'],
    ["{ id } order by nme", 'Unresolved path "nme" in "V": unknown element "nme", did you mean "name"?'],
    [
      "{ name } group by name having zz > 1",
      `Unresolved path "zz" in "V": unknown element "zz"; a text is written in single quotes: 'zz'`,
    ],
    ["{ upper(nam) as u }", 'Unresolved path "nam" in "V": unknown element "nam", did you mean "name"?'],
    [
      "{ id } where exists b[nme = 1]",
      'Unresolved path "nme" in "V": unknown element "nme", did you mean "name"?',
    ],
    [
      "{ id } where id in (select idx from A)",
      'Unknown column "idx" in "V": unknown element "idx", did you mean "id"?',
    ],
    ["{ id } where id = :q", 'Unknown parameter "q" of "V"'],
  ];
  for (const [query, message] of clauses) {
    assert.throws(
      () => inferModel(compile(`${BASE}entity V as select from A ${query};`)),
      (error: ConfigurationError) => error.text === message && error.line === 2 || assert.fail(error.message),
    );
  }
  finds(
    `${BASE}entity V as select from A as a join A as c on a.idd = c.id { a.id };`,
    'm.cds:2:47: Unresolved path "a.idd" in "V": unknown element "idd", did you mean "id"?',
  );
  finds(
    `${BASE}entity V as select from A mixin { m : Association to A on m.idd = id; } into { id, m };`,
    'm.cds:2:59: Unresolved path "m.idd" in "V": unknown element "idd", did you mean "id"?',
  );
});

Deno.test("inferModel() accepts names of columns, aliases, outer queries and variables in conditions", () => {
  const query = "select from A as a { id, count(*) as n, $self.id as again } where exists " +
    "(select from A as i { i.id } where i.id = a.id and name = $user.id) group by id having n > 1 order by n";
  assert.doesNotThrow(() => inferModel(compile(`${BASE}entity V as ${query};`)));
});

Deno.test("inferModel() tells a mistake of a view once, not again for the views that read it", () => {
  finds(
    `${BASE}entity V as select from A { nam }; entity W as select from V { nam, x }; entity X as select from W;`,
    'm.cds:2:29: Unknown column "nam" in "V": unknown element "nam", did you mean "name"?',
  );
  finds(
    `entity V as select from W { id };\nentity W as select from V { id };`,
    'm.cds:1:8: Cyclic view "V"',
  );
});

Deno.test("inferModel() tells mistakes of several definitions at once", () => {
  finds(
    "entity A { key id : Integer; a : Association to B { idd }; f : type of g; }\nentity B { key id : Integer; x : B:zz; }",
    'm.cds:1:60: Unknown type "A.g" in "A": unknown element "g", did you mean "a"?',
    'm.cds:2:30: Unknown type "B.zz" in "B": unknown element "zz"',
  );
  finds(
    `${BASE}entity B { name : String; }\nentity C { key id : Integer; b : Association to B; }\n` +
      "entity V as select from A { nam };",
    'm.cds:3:30: Managed association in "C" leads to "B", which has no key',
    'm.cds:4:29: Unknown column "nam" in "V": unknown element "nam", did you mean "name"?',
  );
});

Deno.test("inferModel() tells cycles once, with a place", () => {
  finds("aspect X : Y {} aspect Y : Z {} aspect Z : X {}", 'm.cds:1:8: Cyclic include of "X"');
  finds("type T : U; type U : T;", 'm.cds:1:6: Cyclic type in "T"');
  finds("type T { a : U; } type U { b : T; }", 'm.cds:1:28: Cyclic type in "T"');
  finds(
    "entity A { key b : Association to B; } entity B { key a : Association to A; }",
    'm.cds:1:55: Cyclic foreign key in "A"',
  );
  finds(
    "entity E { key id : Integer; a : Integer = b; b : Integer = a + 1; }",
    'm.cds:1:47: Cyclic calculated element in "E"',
  );
  assert.doesNotThrow(() =>
    inferModel(compile("type T { a : many T; } entity E { key id : Integer; t : T; }"))
  );
});

Deno.test("inferModel() tells defaults that are no symbol, and unions of queries that do not fit", () => {
  finds(
    "entity E { key id : Integer; e : String enum { open; closed } default #opn; }",
    'm.cds:1:30: Default "#opn" of "e" in "E" is no symbol of its enum, did you mean "open"?',
  );
  finds(
    `${BASE}entity V as select from A { id } union select from A { id, name };`,
    'm.cds:2:8: The queries that "V" combines have 1 and 2 columns, expected the same number',
  );
});

Deno.test("inferModel() refuses views that follow an association to a view without key, which nothing joins", () => {
  const before = "entity T { key id : Integer; name : String; }\nentity N as select from T { name };\n" +
    "entity B { key id : Integer; t : Association to N; }\n";
  for (
    const [rest, column] of [
      ["{ id, t.name as n }", 33],
      ["{ id, t[name = 'a'].name as n }", 33],
      ["{ id, t { name } }", 33],
      ["{ id, (exists t) as e : Boolean }", 41],
      ["{ id } where exists t", 47],
    ] as const
  ) {
    finds(
      `${before}entity V as select from B ${rest};`,
      `m.cds:4:${column}: Association "t" in "V" cannot be followed: "N" has no key`,
    );
  }
  assert.doesNotThrow(() =>
    inferModel(compile(`${before}entity V as select from B { id, t }; entity W as select from V;`))
  );
});

Deno.test("inferModel() tells what is wrong in a view once, and not what follows from it in queries on it", () => {
  const wrong = 'unknown element "nope", did you mean "name"?';
  finds(
    `${BASE}entity V as select from A { nope };
    entity W as select from V { b } where c = 1;
    entity X as select from A { id } where exists (select from V { 1 as one } where X.id = V.u);`,
    `m.cds:2:29: Unknown column "nope" in "V": ${wrong}`,
  );
});

Deno.test("inferModel() takes explicit keys that the target has, of nested ones the path, and tells the others", () => {
  const target = "entity A { key id : Integer; nums { x : Integer; } }\n";
  finds(
    `${target}entity B { key id : Integer; a : Association to A { id, idd as x }; c : Association to A { nums.y }; }`,
    'm.cds:2:30: Unknown key "idd" of target "A" in "B": unknown element "idd", did you mean "id"?',
    'm.cds:2:69: Unknown key "nums.y" of target "A" in "B": unknown element "y", did you mean "x"?',
  );
  const { B } = inferModel(
    compile(`${target}entity B { key id : Integer; a : Association to A { id as x, nums.x as y }; }`),
  )
    .definitions!;
  assert.deepEqual(JSON.parse(JSON.stringify(B.elements!.a.keys)), [{ ref: ["id"], as: "x" }, {
    ref: ["nums", "x"],
    as: "y",
  }]);
});
