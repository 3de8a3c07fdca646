/** Paths before and after the conditions of a user: which rows they lead to, and which they may not lead to (auth 7). */

import assert from "node:assert/strict";
import { EventContext } from "../../../src/context/event_context.ts";
import { User } from "../../../src/context/user.ts";
import type { Query, RefExpression } from "../../../src/cqn/cqn.ts";
import { parseCqlQuery } from "../../../src/cqn/parse_cql.ts";
import { printQuery } from "../../../src/cqn/print_query.ts";
import { isServiceError } from "../../../src/errors/service_error.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { endpointPass } from "../../../src/service/authorization/pass_of.ts";
import { restrictQuery } from "../../../src/service/authorization/restrict_query.ts";
import { createHost } from "../fixture.ts";

const PRIVILEGES = `[{ grant: '*', to: 'admin' },
  { grant: 'READ', to: 'clerk', where: (seen = 1) }, { grant: 'WRITE', to: 'clerk', where: (changed = 1) }]`;
const host = createHost(parseCdl(`service S {
  @restrict: ${PRIVILEGES}
  entity Orders { key ID : Integer; seen : Integer; changed : Integer; book : Association to Books;
    items : Composition of many { key pos : Integer; book : Association to Books;
      notes : Composition of many { key pos : Integer; }; }; }
  entity Books { key ID : Integer; order : Association to Orders; letter : Association to Letters;
    item : Association to Orders.items; lines : Composition of many { key pos : Integer; }; }
  @insertonly entity Letters { key ID : Integer; order : Association to Orders; }

  @restrict: ${PRIVILEGES}
  entity Wholes { key ID : Integer; seen : Integer; changed : Integer;
    parts : Composition of many Parts on parts.whole = $self; }
  entity Others { key ID : Integer; parts : Composition of many Parts on parts.other = $self; }
  @fw.part.by: ['whole', 'other']
  entity Parts { key ID : Integer; whole : Association to Wholes; other : Association to Others; next : Association to Parts;
    bits : Composition of many Bits on bits.part = $self; }
  @fw.part.by: ['part'] entity Bits { key ID : Integer; part : Association to Parts; }
  entity Readers { key ID : Integer; part : Association to Parts; bit : Association to Bits; }

  @restrict: ${PRIVILEGES}
  entity Alone { key ID : Integer; seen : Integer; changed : Integer; own : Composition of many Own on own.by = $self; }
  @fw.part.by: ['by'] entity Own { key ID : Integer; by : Association to Alone; }
  entity Roots as projection on db.Roots;
}
@requires: 'keeper' entity T.Keepers { key ID : Integer; items : Composition of many S.Orders.items; }
@restrict: ${PRIVILEGES} entity db.Roots { key ID : Integer; seen : Integer; changed : Integer; ones : Composition of many db.Ones; }
entity db.Ones { key ID : Integer; twos : Composition of many db.Twos; }
entity db.Twos { key ID : Integer; ones : Composition of many db.Ones; }`));

const SCOPE = { definition: host.model.service("S"), model: host.model, host: { ...host, db: undefined } };

/** A path as a user with a role reads or deletes it, or the status of the refusal. */
function restricted(path: string, event: string, role = "clerk"): string | number {
  const { SELECT } = parseCqlQuery(`select from S.${path}`) as { SELECT: { from: RefExpression } };
  const query: Query = event === "READ" ? { SELECT } : { DELETE: SELECT };
  const context = new EventContext({ user: new User({ id: "ann", roles: [role] }) });
  try {
    const found = printQuery(restrictQuery(endpointPass(context, SCOPE), query, event));
    return found.slice(found.indexOf("S."));
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return Number(error.status);
  }
}

/** What a path finds that is read, and what it finds that is deleted, or the status of the refusal. */
const PATHS: readonly (readonly [path: string, read: string | number, deleted: string | number])[] = [
  ["Orders", "S.Orders[(seen = 1)]", "S.Orders[(changed = 1)]"],
  [
    "Orders:items",
    "S.Orders[(seen = 1 and seen = 1)].items",
    "S.Orders[(seen = 1 and changed = 1)].items",
  ],
  [
    "Orders[ID = 1]:items[pos = 1]",
    "S.Orders[ID = 1 and (seen = 1 and seen = 1)].items[pos = 1]",
    "S.Orders[ID = 1 and (seen = 1 and changed = 1)].items[pos = 1]",
  ],
  [
    "Orders:items.notes",
    "S.Orders[(seen = 1 and seen = 1)].items.notes",
    "S.Orders[(seen = 1 and changed = 1)].items.notes",
  ],
  ["Orders:items.book", "S.Orders[(seen = 1)].items.book", "S.Orders[(seen = 1)].items.book"],
  [
    "Orders:items.book.order",
    "S.Orders[(seen = 1)].items.book.order[(seen = 1)]",
    "S.Orders[(seen = 1)].items.book.order[(changed = 1)]",
  ],
  [
    "Orders:items.book.lines",
    "S.Orders[(seen = 1)].items.book.lines",
    "S.Orders[(seen = 1)].items.book.lines",
  ],
  ["Books:lines", "S.Books.lines", "S.Books.lines"],
  [
    "Books:order.items",
    "S.Books.order[(seen = 1 and seen = 1)].items",
    "S.Books.order[(seen = 1 and changed = 1)].items",
  ],
  ["Books:order.book", "S.Books.order[(seen = 1)].book", "S.Books.order[(seen = 1)].book"],
  ["Books.lines", "S.Books.lines", "S.Books.lines"],
  ["Orders.items", 403, 403],
  ["Orders.items:notes", 403, 403],
  ["Orders.items:book", 403, 403],
  ["Orders.items.notes", 403, 403],
  ["Letters", 405, "S.Letters"],
  ["Letters:order", 405, 405],
  ["Books:letter", 405, "S.Books.letter"],
  [
    "Wholes:parts",
    "S.Wholes[(seen = 1 and seen = 1)].parts",
    "S.Wholes[(seen = 1 and changed = 1)].parts",
  ],
  [
    "Wholes:parts.bits",
    "S.Wholes[(seen = 1 and seen = 1)].parts.bits",
    "S.Wholes[(seen = 1 and changed = 1)].parts.bits",
  ],
  [
    "Parts",
    "S.Parts[exists whole[(seen = 1)] or exists other]",
    "S.Parts[exists whole[(changed = 1)] or exists other]",
  ],
  [
    "Parts:bits",
    "S.Parts[exists whole[(seen = 1)] or exists other].bits[exists part[exists whole[(seen = 1)] or exists other]]",
    "S.Parts[exists whole[(seen = 1)] or exists other].bits[exists part[exists whole[(changed = 1)] or exists other]]",
  ],
  [
    "Parts:next",
    "S.Parts[exists whole[(seen = 1)] or exists other].next[exists whole[(seen = 1)] or exists other]",
    "S.Parts[exists whole[(seen = 1)] or exists other].next[exists whole[(changed = 1)] or exists other]",
  ],
  [
    "Parts:whole",
    "S.Parts[exists whole[(seen = 1)] or exists other].whole[(seen = 1)]",
    "S.Parts[exists whole[(seen = 1)] or exists other].whole[(changed = 1)]",
  ],
  [
    "Bits",
    "S.Bits[exists part[exists whole[(seen = 1)] or exists other]]",
    "S.Bits[exists part[exists whole[(changed = 1)] or exists other]]",
  ],
  [
    "Readers:part",
    "S.Readers.part[exists whole[(seen = 1)] or exists other]",
    "S.Readers.part[exists whole[(changed = 1)] or exists other]",
  ],
  [
    "Readers:part.bits",
    "S.Readers.part[exists whole[(seen = 1 and seen = 1)] or exists other].bits",
    "S.Readers.part[exists whole[(seen = 1 and changed = 1)] or exists other].bits",
  ],
  [
    "Readers:bit",
    "S.Readers.bit[exists part[exists whole[(seen = 1)] or exists other]]",
    "S.Readers.bit[exists part[exists whole[(changed = 1)] or exists other]]",
  ],
  [
    "Others:parts.next",
    "S.Others.parts.next[exists whole[(seen = 1)] or exists other]",
    "S.Others.parts.next[exists whole[(changed = 1)] or exists other]",
  ],
  ["Alone:own", "S.Alone[(seen = 1 and seen = 1)].own", "S.Alone[(seen = 1 and changed = 1)].own"],
  ["Own", "S.Own[exists by[(seen = 1)]]", "S.Own[exists by[(changed = 1)]]"],
  ["Own:by", "S.Own[exists by[(seen = 1)]].by[(seen = 1)]", "S.Own[exists by[(seen = 1)]].by[(changed = 1)]"],
  ["Unknown", "S.Unknown", "S.Unknown"],
  ["Orders:unknown", "S.Orders.unknown", "S.Orders.unknown"],
];

Deno.test("a path leads from permitted rows to permitted rows, whatever stands for itself on its way", () => {
  for (const [path, read, deleted] of PATHS) {
    assert.deepEqual([path, ...["READ", "DELETE"].map((event) => restricted(path, event))], [
      path,
      read,
      deleted,
    ]);
  }
});

Deno.test("parts that a column leads to are restricted like the rows that it starts from, those that name their wholes by these", () => {
  const columns: readonly (readonly [given: string, expected: string])[] = [
    // what is generated has the restriction of the last entity before it, which gives these rows to everybody
    ["Books { item.pos as p }", "S.Books { item.pos as p }"],
    ["Books { order.items.pos as p }", "S.Books { order[(seen = 1)].items.pos as p }"],
    ["Wholes { parts.ID as p }", "S.Wholes[(seen = 1)] { parts.ID as p }"],
    ["Readers { part.ID as p }", "S.Readers { part[exists whole[(seen = 1)] or exists other].ID as p }"],
    [
      "Readers { part.bits.ID as p }",
      "S.Readers { part[exists whole[(seen = 1)] or exists other].bits.ID as p }",
    ],
  ];
  for (const [given, expected] of columns) assert.equal(restricted(given, "READ"), expected);
});

Deno.test("parts that no path of their wholes leads to are those of the wholes that the user may see to", () => {
  const cases: readonly (readonly [path: string, admin: string | number, nobody: string | number])[] = [
    ["Parts", "S.Parts[exists whole or exists other]", "S.Parts[exists other]"],
    ["Own", "S.Own", 403],
    ["Orders.items", "S.Orders.items", 403],
    ["Orders.items.notes", "S.Orders.items.notes", 403],
    ["Orders.items:book", "S.Orders.items.book", 403],
    ["Ones", "S.Ones", 403],
    ["Twos", "S.Twos", 403],
  ];
  for (const [path, admin, nobody] of cases) {
    const found = ["admin", "nobody"].map((role) => restricted(path, "READ", role));
    assert.deepEqual([path, ...found], [path, admin, nobody]);
  }
});

Deno.test("who has to log in does so for parts of what needs a login, not for those of what is open to everybody (spec 5.2.7)", () => {
  const open = createHost(parseCdl(`service S {
    @requires: 'any' entity Open { key ID : Integer; items : Composition of many { key pos : Integer; }; }
    entity Orders { key ID : Integer; items : Composition of many { key pos : Integer; }; } }`));
  const scope = { definition: open.model.service("S"), model: open.model };
  const read = (path: string, user: User, env: Readonly<Record<string, unknown>>) => {
    const given = { ...scope, host: { ...open, env, db: undefined } };
    const pass = endpointPass(new EventContext({ user }), given);
    try {
      return printQuery(restrictQuery(pass, parseCqlQuery(`select from S.${path}`), "READ"));
    } catch (error) {
      if (!isServiceError(error)) throw error;
      return Number(error.status);
    }
  };
  const env = { requires: { auth: { kind: "basic", restrict_all_services: true } } };
  const ann = new User({ id: "ann" });
  const cases: readonly (readonly [path: string, isOpen: boolean])[] = [
    ...[["Open", true], ["Open:items", true], ["Open.items", true]] as const,
    ...[["Orders", false], ["Orders:items", false], ["Orders.items", false]] as const,
  ];
  for (const [path, isOpen] of cases) {
    const found = `SELECT from S.${path.replace(":", ".")}`;
    const seen = [read(path, User.anonymous, env), read(path, ann, env), read(path, User.anonymous, {})];
    assert.deepEqual([path, ...seen], [path, isOpen ? found : 401, found, found]);
  }
});
