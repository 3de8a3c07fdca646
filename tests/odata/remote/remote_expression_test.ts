/** Conditions in URLs of other services: literals have the form of what they are compared with (OData URL conventions 5.1.1). */

import assert from "node:assert/strict";
import { EventContext, User } from "../../../mod.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import { parseExpression } from "../../../src/cqn/parse_cql.ts";
import {
  elementAt,
  propertyPath,
  remoteLiteral,
  type RemoteScope,
  type RemoteType,
  toRemoteExpression,
} from "../../../src/odata/remote/remote_expression.ts";
import { printUrl } from "../../../src/odata/url/print_url.ts";
import type { RefStep, Xo } from "../../../src/cqn/cqn.ts";

const MODEL = linkModel(parseCdl("entity Books { key ID : Integer; price : Decimal; title : String; }"));

/** The literals of an expression, in their order. */
function literalsOf(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  if ("kind" in value && value.kind === "primitiveLiteral") {
    return [(value as { text?: string }).text ?? JSON.stringify(value)];
  }
  return Object.values(value).flatMap(literalsOf);
}

Deno.test("literals take the form of the type that they are compared with, through calculations on both sides", () => {
  const context = EventContext.for({ user: new User({ id: "ann" }) });
  for (
    const [text, literals] of [
      ["price = '1.5'", ["1.5"]],
      ["'1.5' = price", ["1.5"]],
      ["price = '1.5' + '2.5'", ["1.5", "2.5"]],
      ["'1.5' + '2.5' = price", ["1.5", "2.5"]],
      ["price + '1.5' = '2.5'", ["1.5", "2.5"]],
      ["'1.5' * price = '2.5'", ["1.5", "2.5"]],
      ["title = '1.5'", ["'1.5'"]],
      ["'1.5' = '2.5'", ["'1.5'", "'2.5'"]],
    ] as const
  ) {
    const scope = { entity: MODEL.entity("Books")!, prefix: [], context };
    assert.deepEqual(literalsOf(toRemoteExpression(parseExpression(text), scope)), literals, text);
  }
});

const TYPED = linkModel(parseCdl(`
  entity Books { key ID : Integer; title : String; price : Decimal; float : DecimalFloat; big : Int64; guid : UUID; bin : Binary;
    day : Date; clock : Time; at : Timestamp; since : DateTime; size { width : Decimal; in { author : Association to Authors; } }
    author : Association to Authors; parts : Composition of many Parts on parts.book = $self; }
  entity Authors { key ID : UUID; name : String; born : Date; books : Association to many Books on books.author = $self; }
  entity Parts { key ID : Int64; book : Association to Books; }`));
const SCOPE: RemoteScope = {
  entity: TYPED.entity("Books")!,
  prefix: [],
  context: EventContext.for({
    user: new User({ id: "ann", attr: { level: "1.5" } }),
    timestamp: new Date("2020-01-02T12:00:00Z"),
  }),
};

function urlOf(given: readonly Xo[]): string {
  const filter = toRemoteExpression(given, SCOPE);
  return decodeURIComponent(printUrl({ path: [], options: { filter, offsets: {} } })).replace(
    "?$filter=",
    "",
  );
}

/** Conditions of queries, and those in URLs. */
const CONDITIONS: readonly (readonly [cql: string, filter: string])[] = [
  ["title = 'a'", "title eq 'a'"],
  ["title == 'a'", "title eq 'a'"],
  ["title != 'a'", "title ne 'a'"],
  ["title <> 'a'", "title ne 'a'"],
  ["title is null", "title eq null"],
  ["title is not null", "title ne null"],
  ["price < 1", "price lt 1"],
  ["price <= 1", "price le 1"],
  ["price > 1", "price gt 1"],
  ["price >= 1", "price ge 1"],
  ["price + 1 > 2", "price add 1 gt 2"],
  ["price - 1 > 2", "price sub 1 gt 2"],
  ["price * 2 > 2", "price mul 2 gt 2"],
  ["price / 2 > 2", "price div 2 gt 2"],
  ["-price > 1", "-price gt 1"],
  ["- '1.5' = price", "-('1.5') eq price"],
  ["not price > 1", "not (price gt 1)"],
  ["title = 'a' and price > 1 or price < 0", "title eq 'a' and price gt 1 or price lt 0"],
  ["title = 'a' and (price > 1 or price < 0)", "title eq 'a' and (price gt 1 or price lt 0)"],
  ["title || 'x' = 'ax'", "concat(title,'x') eq 'ax'"],
  ["title || 'x' || 'y' = 'ax'", "concat(concat(title,'x'),'y') eq 'ax'"],
  ["title in ('a', 'b')", "title in ('a','b')"],
  ["title not in ('a', 'b')", "not (title in ('a','b'))"],
  ["price in ('1.5', '2')", "price in (1.5,2)"],
  ["title like '%a%'", "contains(title,'a')"],
  ["title like 'a%'", "startswith(title,'a')"],
  ["title like '%a'", "endswith(title,'a')"],
  ["title like 'a'", "title eq 'a'"],
  ["title not like 'a%'", "not startswith(title,'a')"],
  ["price between 1 and 2", "price ge 1 and price le 2"],
  ["price not between 1 and '2.5'", "not (price ge 1 and price le 2.5)"],
  ["exists parts", "parts/any()"],
  ["exists parts[ID > 1]", "parts/any(x1:x1/ID gt 1)"],
  ["exists parts[ID = '5']", "parts/any(x1:x1/ID eq 5)"],
  ["exists author", "author ne null"],
  ["exists author[name = 'x']", "author ne null and author/name eq 'x'"],
  ["exists author.books[title = 'x']", "author ne null and author/books/any(x2:x2/title eq 'x')"],
  ["exists parts[exists book[title = 'x']]", "parts/any(x1:x1/book ne null and x1/book/title eq 'x')"],
  ["exists unknown", "unknown/any()"],
  ["exists parts.book", "parts/any(x1:x1/book ne null)"],
  [
    "exists author[name = 'x' and born = '2020-01-02'].books",
    "author ne null and (author/name eq 'x' and author/born eq 2020-01-02) and author/books/any()",
  ],
  ["lower(title) = 'a'", "tolower(title) eq 'a'"],
  ["upper(title) = 'a'", "toupper(title) eq 'a'"],
  ["toLower(title) = 'a'", "tolower(title) eq 'a'"],
  ["length(title) = 1", "length(title) eq 1"],
  ["year(day) = 2020", "year(day) eq 2020"],
  ["count(parts) > 1", "parts/$count gt 1"],
  ["count(author.books) > 1", "author/books/$count gt 1"],
  ["concat(title, 'x') = 'ax'", "concat(title,'x') eq 'ax'"],
  ["round(price) = '2.5'", "round(price) eq '2.5'"],
  ["indexof(title, 'x') = 0", "indexof(title,'x') eq 0"],
  ["matchespattern(title, 'x')", "matchesPattern(title,'x')"],
  ["$self.title = 'a'", "title eq 'a'"],
  ["$projection.title = 'a'", "title eq 'a'"],
  ["$user = title", "'ann' eq title"],
  ["$user.id = title", "'ann' eq title"],
  ["$user.level = price", "1.5 eq price"],
  ["$user.level = title", "'1.5' eq title"],
  ["$now = at", "2020-01-02T12:00:00.000Z eq at"],
  ["author.name = 'x'", "author/name eq 'x'"],
  ["author.born = '2020-01-02'", "author/born eq 2020-01-02"],
  ["size.width = '1.5'", "size/width eq 1.5"],
  ["size.width = 'wide'", "size/width eq 'wide'"],
  ["size_width = '1.5'", "size_width eq 1.5"],
  ["size.in.author.born = '2020-01-02'", "size/in/author/born eq 2020-01-02"],
  ["guid = '11111111-aaaa-1111-1111-11111111111F'", "guid eq 11111111-aaaa-1111-1111-11111111111F"],
  ["guid = '1'", "guid eq '1'"],
  ["title = '11111111-aaaa-1111-1111-11111111111F'", "title eq '11111111-aaaa-1111-1111-11111111111F'"],
  ["day = '2020-01-02'", "day eq 2020-01-02"],
  ["day = '2020-01-02T'", "day eq '2020-01-02T'"],
  ["clock = '08:30'", "clock eq 08:30"],
  ["clock = '08:30:15.5'", "clock eq 08:30:15.5"],
  ["clock = '8'", "clock eq '8'"],
  ["at = '2020-01-02T12:00:00.5Z'", "at eq 2020-01-02T12:00:00.5Z"],
  ["at = '2020-01-02T12:00+01:00'", "at eq 2020-01-02T12:00+01:00"],
  ["at = '2020-01-02T12:00:00'", "at eq '2020-01-02T12:00:00'"],
  ["since = '2020-01-02T12:00:00Z'", "since eq 2020-01-02T12:00:00Z"],
  ["big = '12'", "big eq 12"],
  ["big = '1.5'", "big eq '1.5'"],
  ["price = '-1.5'", "price eq -1.5"],
  ["price = '1e5'", "price eq '1e5'"],
  ["float = '1.5'", "float eq 1.5"],
  ["bin = '-_8='", "bin eq binary'-_8='"],
  ["title = 'it''s'", "title eq 'it''s'"],
  ["title = true", "title eq true"],
  ["cast(price as String) = '1.5'", "price eq 1.5"],
  ["null = title", "null eq title"],
];

Deno.test("conditions of queries are those of URLs; texts stand in them as what they are compared with is written, if they are one (OData ABNF 7)", () => {
  for (const [cql, filter] of CONDITIONS) assert.equal(urlOf(parseExpression(cql)), filter, cql);
});

/** Conditions that no URL has, and what of them. */
const REFUSED: readonly (readonly [cql: string, what: string])[] = [
  ["title like 'a%b'", "A pattern with wildcards inside"],
  ["title like 'a_'", "A pattern with wildcards inside"],
  ["title like price", "A pattern with wildcards inside"],
  ["unknown(title) = 1", 'The function "unknown"'],
  ["count(*) > 1", 'The function "count"'],
  ["$self = 'a'", "A row as value"],
  ["author[name = 'x'].name = 'x'", "A path with conditions"],
  ["case when price > 1 then 1 else 2 end = 1", 'The operator "case"'],
  ["#big = title", "An enum symbol"],
  ["exists (select from Books)", "A subquery"],
  ["price > (select ID from Books)", "A subquery"],
  [":p = title", 'The parameter "p" without a value'],
];

Deno.test("conditions that URLs have no word for are refused with what they are: 501", () => {
  for (const [cql, what] of REFUSED) {
    const message = `${what} cannot be sent to a remote service`;
    assert.throws(() => urlOf(parseExpression(cql)), { status: 501, message }, cql);
  }
  assert.throws(() => urlOf([]), { status: 501, message: /^A condition without operands/ });
});

Deno.test("nothing is in a list without members; lists of values take the form of their types", () => {
  const title: Xo = { ref: ["title"] };
  const cases: readonly (readonly [given: readonly Xo[], filter: string])[] = [
    [[title, "in", { list: [] }], "false"],
    [[title, "in", { val: [] }], "false"],
    [[title, "not", "in", { list: [] }], "not (false)"],
    [[title, "in", { val: ["a", "b"] }], "title in ('a','b')"],
    [[{ ref: ["price"] }, "in", { val: ["1.5", 2] }], "price in (1.5,2)"],
    [[{ ref: ["price"] }, "in", { list: [{ val: "1.5" }] }], "price in (1.5)"],
  ];
  for (const [given, filter] of cases) assert.equal(urlOf(given), filter, JSON.stringify(given));
});

Deno.test("values that are no text have the literals of their kinds", () => {
  const texts = (value: unknown, type?: RemoteType) => remoteLiteral(value, type).text;
  const instant = new Date("2020-01-02T12:00:00.250Z");
  const cases: readonly (readonly [value: unknown, text: string, type?: RemoteType])[] = [
    [null, "null"],
    [undefined, "null"],
    [NaN, "NaN"],
    [Infinity, "INF"],
    [-Infinity, "-INF"],
    [12n, "12"],
    [true, "true"],
    [instant, "2020-01-02T12:00:00.250Z"],
    [instant, "2020-01-02", { builtin: "cds.Date" }],
    [instant, "2020-01-02T12:00:00Z", { builtin: "cds.DateTime" }],
    [new Uint8Array([251, 255]), "binary'-_8='"],
    ["+/8=", "binary'-_8='", { builtin: "cds.Binary" }],
    ["+/8=", "'+/8='"],
  ];
  for (const [value, text, type] of cases) assert.equal(texts(value, type), text, String(value));
  assert.throws(() => texts({}), { status: 501, message: /primitive values/ });
  const { origin } = remoteLiteral("1", { builtin: "cds.Int64" });
  assert.deepEqual(origin, { value: "1", type: { builtin: "cds.Int64" } });
});

Deno.test("paths lead along associations as far as the model knows them, and have no conditions", () => {
  const named = (...ref: string[]) => elementAt(SCOPE.entity, ref)?.$type.builtin;
  assert.deepEqual([named("title"), named("author", "born"), named("parts", "ID"), named("size_width")], [
    "cds.String",
    "cds.Date",
    "cds.Int64",
    "cds.Decimal",
  ]);
  assert.deepEqual([named("none"), named("toString"), named("title", "x"), named("none", "title")], [
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  assert.equal(elementAt(undefined, ["title"]), undefined);
  assert.equal(elementAt(SCOPE.entity, [{ id: "author" }])?.isAssociation, true);
  assert.deepEqual(propertyPath(["a", { id: "b" }]), ["a", "b"]);
  for (const more of [{ where: [] }, { args: {} }, { orderBy: [] }, { limit: {} }]) {
    assert.throws(() => propertyPath([{ id: "a", ...more } as RefStep]), { status: 501 });
  }
});
