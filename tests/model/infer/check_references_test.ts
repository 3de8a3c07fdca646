import assert from "node:assert/strict";
import { problemsOf } from "./problems_of.ts";

/** Each model has the problems that stand beside it. */
function check(cases: readonly (readonly [text: string, ...problems: string[]])[]): void {
  for (const [text, ...problems] of cases) assert.deepEqual(problemsOf(text), problems, text);
}

Deno.test("elements of structures and of items are checked as those beside them are [csn-cqn 5]", () => {
  const wrong = (key: string) => `Default "#nope" of "${key}" in "E" is no symbol of its enum`;
  check([
    ["entity E { key id : Integer; e : String enum { open } default #nope; }", wrong("e")],
    ["entity E { key id : Integer; s { e : String enum { open } default #nope; } }", wrong("e")],
    ["entity E { key id : Integer; s : many { e : String enum { open } default #nope; } }", wrong("e")],
    ["entity E { key id : Integer; s : many { t { e : String enum { open } default #open; } } }"],
    ["type E { s : many { e : String enum { open } default #nope; } }", wrong("e")],
    [
      "entity E { key id : Integer; s : many { x : Integer; y = zz; } }",
      'Unresolved path "zz" in "y" of "E": unknown element "zz"',
    ],
    ["entity E { key id : Integer; s { x : Integer; y = x + id; } }"],
    [
      "entity E { key id : Integer; s { x : Integer; y = $self.x; } }",
      'Unresolved path "$self.x" in "y" of "E": unknown element "x"',
    ],
    ["entity E { key id : Integer; s { x : Integer; y = $self.id; } }"],
  ]);
});

Deno.test("the symbols of a default are those of the type, of the element it is the type of, or of the one foreign key", () => {
  const wrong = 'Default "#nope" of "e" in "E" is no symbol of its enum';
  const types = `type T : String enum { open }; type U : T; type N : Integer;
    entity C { key code : T; name : U; }
    entity D { key code : T; key no : Integer; }
    entity F { key c : Association to C; }`;
  const element = (type: string, symbol: string, ...problems: string[]) =>
    [`${types} entity E { key id : Integer; e : ${type} default #${symbol}; }`, ...problems] as const;
  check([
    ...["T", "U", "type of C:code", "type of C:name", "Association to C", "Association to F"].flatMap((
      type,
    ) => [
      element(type, "open"),
      element(type, "nope", wrong),
    ]),
    element("N", "open", wrong.replace("nope", "open")),
    element("Integer", "open", wrong.replace("nope", "open")),
    element("Association to D", "open", wrong.replace("nope", "open")),
  ]);
});

Deno.test("structures are compared with structures only, by = and <> [csn-cqn 7]", () => {
  const structure = (path: string) => `"${path}" in "f" of "E" is a structure, expected one of its elements`;
  const flag = (condition: string, ...problems: string[]) =>
    [
      `type P { x : Integer; }
      entity E { key id : Integer; s : P; t : P; n : Integer; to : Association to E; f : Boolean = ${condition}; }`,
      ...problems,
    ] as const;
  check([
    flag("(s = t)"),
    flag("(s <> t)"),
    flag("($self.s = t)"),
    flag("(n = 1 and (s = t))"),
    flag("(to.s = t)"),
    flag("(s > t)", structure("s"), structure("t")),
    flag("(s = n)", structure("s")),
    flag("(n = s)", structure("s")),
    flag("(n > s)", structure("s")),
    flag("(s = 1)", structure("s")),
    flag("(1 = s)", structure("s")),
    flag("(s = to)", structure("s")),
    flag("(n = n)"),
    flag("(s = t or s > t)", structure("s"), structure("t")),
  ]);
});

Deno.test("$self is compared with associations of the target only, also within brackets [csn-cqn 11]", () => {
  const wrong = '"$self" of "to" can be compared only, by "=", with an association of its target';
  const on = (condition: string, ...problems: string[]) =>
    [
      `entity E { key id : Integer; m : Integer; own : Association to E; to : Association to many T on ${condition}; }
      entity T { key id : Integer; back : Association to E; next : Association to T; s { back : Association to E; } }`,
      ...problems,
    ] as const;
  check([
    on("to.back = $self"),
    on("$self = to.back"),
    on("to.s.back = $self"),
    on("to.back = $self and m = 1"),
    on("m = 1 and (to.back = $self or m = 2)"),
    on("to.back <> $self", wrong),
    on("$self <> to.back", wrong),
    on("to.id = $self", wrong),
    on("own = $self", wrong),
    on("own.own = $self", wrong),
    on("to = $self", wrong),
    on("to.next.back = $self", wrong),
    on("$self = 1", wrong),
    on("m = 1 and (to.id = $self or m = 2)", wrong),
    on("m = 1 and (to.id = 1 or m = $self.id)"),
    on("$self.to.back = $self"),
    on("to.nope = $self", 'Unresolved path "to.nope" in "to" of "E": unknown element "nope"'),
  ]);
});

Deno.test("no expression calls methods, and none names parameters that are not there", () => {
  const method = 'Found a method call in "x" of "E", which no database understands';
  const value = (expression: string, ...problems: string[]) =>
    [`entity E { key id : Integer; name : String; x : Integer = ${expression}; }`, ...problems] as const;
  check([
    value("id + 1"),
    value("length(name)"),
    value("name.length()", method),
    value("(1 + name.length())", method),
    value(":p", 'Unknown parameter "p" in "x" of "E"'),
    value("zz", 'Unresolved path "zz" in "x" of "E": unknown element "zz"'),
  ]);
});

Deno.test("a query within an expression has elements of its own, and a default has none", () => {
  const text = (path: string) =>
    `Unresolved path "${path}" in "x" of "E": unknown element "${path}"; a text is written in single quotes: '${path}'`;
  const element = (given: string, ...problems: string[]) =>
    [`entity F { key code : String; } entity E { key id : Integer; x : ${given}; }`, ...problems] as const;
  check([
    element("String = (select code from F)"),
    element("String default 'id'"),
    element("String default id", text("id")),
    element("String default open", text("open")),
    element("Integer default 1"),
    element("Timestamp default $now"),
  ]);
});

Deno.test("associations lead to what is there and has elements [csn-cqn 5]", () => {
  const E = (association: string) => `entity E { key id : Integer; to : Association to ${association}; }`;
  check([
    [E("Nope on id = 1"), 'Unknown target "Nope" of association "to" in "E"'],
    [
      `${E("T on id = 1")} type T : String;`,
      'Target "T" of association "to" in "E" is of kind type, expected an entity',
    ],
    [`${E("many N")} entity N;`],
    [`${E("S on id = 1")} type S { id : Integer; }`],
  ]);
});
