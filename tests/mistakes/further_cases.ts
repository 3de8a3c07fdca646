/**
 * More mistakes, made by people who know other tools: SQL, JavaScript, JSON, OData V2, shells.
 *
 * @module
 */

import type { Cases } from "./cases.ts";

const ENTITY =
  "entity shop.Books { key ID : Integer; title : String(20) @mandatory; stock : Integer; price : Decimal(9,2); author : Association to shop.Authors; }\n" +
  "entity shop.Authors { key ID : Integer; name : String; born : Date; books : Association to many shop.Books on books.author = $self; }\n";
/** What the projects below serve. */
export const MODEL: string = `${ENTITY}service Cat {
  entity Books as projection on shop.Books actions { action restock(n : Integer); };
  entity Authors as projection on shop.Authors;
  @readonly @cds.redirection.target: false entity Lists as projection on shop.Books;
  entity Orders { key ID : UUID; day : Date; at : DateTime; state : String enum { open; done } @assert.range; mail : String @assert.format: '^.+@.+$'; items : Composition of many { key pos : Integer; amount : Integer @assert.range: [1, 10]; } }
  action order(book : Integer @mandatory) returns Integer;
  function best(n : Integer) returns Integer;
  event sold : { book : Integer; }
}
`;

const model = (text: string) => ({ "srv/cat.cds": text });
const onModel = (text: string) => model(`${ENTITY}${text}`);
const config = (value: unknown) => ({
  "srv/cat.cds": MODEL,
  ".fwrc.json": typeof value === "string" ? value : JSON.stringify(value, null, 2),
});
const rows = (text: string, name = "shop-Books.csv") => ({ "srv/cat.cds": MODEL, [`db/data/${name}`]: text });
const init = (line: string) => ({
  "srv/cat.cds": MODEL,
  "srv/cat.ts":
    `import fw from "@fw/runtime";\nexport class Cat extends fw.ApplicationService {\n  override init() {\n    ${line}\n    return super.init();\n  }\n}\n`,
});

/** Mistakes that stop the start, or are told at it. */
export const FURTHER_STARTS: Cases = {
  "model: comma between elements": model("entity A { key ID : Integer, name : String; }"),
  "model: type before the name": model("entity A { key Integer ID; }"),
  "model: type of SQL": model("entity A { key ID : varchar(20); }"),
  "model: type of JavaScript": model("entity A { key ID : number; name : string; }"),
  "model: lower-case type": model("entity A { key ID : integer; }"),
  "model: not null before the type": model("entity A { key ID : Integer; name not null : String; }"),
  "model: primary key of SQL": model("entity A { ID : Integer primary key; }"),
  "model: association without target": model("entity A { key ID : Integer; b : Association; }"),
  "model: association to a type": model(
    "type T : String; entity A { key ID : Integer; b : Association to T; }",
  ),
  "model: to-many association without a condition": onModel(
    "entity A { key ID : Integer; bs : Association to many shop.Books; }",
  ),
  "model: composition of an unknown aspect": model(
    "entity A { key ID : Integer; b : Composition of many Itms; } aspect Items { key pos : Integer; }",
  ),
  "model: association to an entity without key": model(
    "entity N { name : String; } entity A { key ID : Integer; n : Association to N; }",
  ),
  "model: projection in a projection forgotten": onModel("service S { entity Books as shop.Books; }"),
  "model: projection without on": onModel("service S { entity Books as projection shop.Books; }"),
  "model: view with an expression without name": onModel("entity V as select from shop.Books { price * 2 };"),
  "model: excluding something that is not there": onModel(
    "service S { entity B as projection on shop.Books excluding { titel }; }",
  ),
  "model: annotate what is not there": onModel("annotate shop.Boks with @title: 'Books';"),
  "model: annotate an element that is not there": onModel("annotate shop.Books with { titel @title: 'T'; };"),
  "model: extend with an element that is there": onModel("extend shop.Books with { title : String; };"),
  "model: annotation without a value behind the colon": onModel("annotate shop.Books with @title: ;"),
  "model: single quotes doubled by a backslash": onModel("annotate shop.Books with @title: 'It\\'s';"),
  "model: number with a comma": model("entity A { key ID : Integer; p : Decimal default 1,5; }"),
  "model: length without parentheses": model("entity A { key ID : Integer; s : String 20; }"),
  "model: default of another type": model("entity A { key ID : Integer; n : Integer default 'many'; }"),
  "model: default that an enum lacks": model(
    "entity A { key ID : Integer; s : String enum { open; done } default #opn; }",
  ),
  "model: enum with =>": model("type S : String enum { open => 'O'; };"),
  "model: action with a body": model("service S { action run() { } }"),
  "model: function without a result": model("service S { function run(); }"),
  "model: parameter without type": model("service S { action run(n); }"),
  "model: import in place of using": model("import { a } from './a';\nentity A { key ID : Integer; }"),
  "model: using without from": { ...model("using shop.Books;\nentity A { key ID : Integer; }") },
  "model: using a file with a wrong path": {
    ...model("using { shop } from '../db/schem';"),
    "db/schema.cds": ENTITY,
  },
  "model: entity that includes itself": model("entity A : A { key ID : Integer; }"),
  "model: projections in a circle": model("entity A as projection on B; entity B as projection on A;"),
  "model: type of itself": model("type T : T;"),
  "model: calculated element with an unknown operand": model(
    "entity A { key ID : Integer; n : Integer = amont * 2; amount : Integer; }",
  ),
  "model: calculated elements in a circle": model(
    "entity A { key ID : Integer; a : Integer = b; b : Integer = a; }",
  ),
  "model: brace too much": model("entity A { key ID : Integer; } }"),
  "model: name with a hyphen": model("entity my-books { key ID : Integer; }"),
  "model: role without quotes": onModel(
    "@requires: admin service S { entity B as projection on shop.Books; }",
  ),
  "model: restriction that is no list": onModel(
    "@restrict: 'READ' service S { entity B as projection on shop.Books; }",
  ),
  "model: restriction whose where is text with a mistake": onModel(
    "service S { @restrict: [{ grant: 'READ', where: 'stock >' }] entity B as projection on shop.Books; }",
  ),
  "model: restriction on an unknown attribute of users": onModel(
    "service S { @restrict: [{ grant: 'READ', where: (stock = $usr.level) }] entity B as projection on shop.Books; }",
  ),
  "model: range that is no range": onModel("annotate shop.Books with { stock @assert.range: 10; };"),
  "model: format that is no pattern": onModel("annotate shop.Books with { title @assert.format: '[a-'; };"),
  "model: assert.target misspelt": onModel("annotate shop.Books with { author @assert.traget; };"),
  "model: mandatory misspelt": onModel("annotate shop.Books with { stock @manditory; };"),
  "model: draft misspelt": onModel("service S { @odata.draft.enable entity B as projection on shop.Books; }"),
  "model: C comment with a hash": model("# books\nentity A { key ID : Integer; }"),
  "model: SQL comment": model("-- books\nentity A { key ID : Integer; }"),
  "model: curly quotes": model("entity A { key ID : Integer; s : String default ‘abc’; }"),
  "model: nothing but a using": {
    ...model("using { shop } from '../db/schema';"),
    "db/schema.cds": "namespace shop;",
  },
  "configuration: comma at the end": config('{ "server": { "port": 80, } }'),
  "configuration: single quotes": config("{ 'server': {} }"),
  "configuration: comment": config('{ // my port\n "server": { "port": 0 } }'),
  "configuration: text for a number of rows": config({ query: { limit: { max: "all" } } }),
  "configuration: database by a number": config({ requires: { db: 5 } }),
  "configuration: database of another product": config({ requires: { db: { kind: "mysql" } } }),
  "configuration: short name of a database": config({ requires: { db: "postgress" } }),
  "configuration: file of SQLite in a folder that is not there": config({
    requires: { db: { kind: "sqlite", credentials: { url: "nowhere/db.sqlite" } } },
  }),
  "configuration: PostgreSQL that does not answer": config({
    requires: {
      db: {
        kind: "postgres",
        credentials: { host: "127.0.0.1", port: 1, user: "me", password: "hush", database: "shop" },
      },
    },
  }),
  "configuration: role as a number": config({
    requires: { auth: { kind: "mocked", users: { ann: { roles: [7] } } } },
  }),
  "configuration: user with an unknown member": config({
    requires: { auth: { kind: "mocked", users: { ann: { role: ["admin"] } } } },
  }),
  "configuration: password as a number": config({
    requires: { auth: { kind: "basic", users: { ann: { password: 7 } } } },
  }),
  "configuration: issuer that is no URL": config({
    requires: { auth: { kind: "openid", issuer: "login", audience: "me" } },
  }),
  "configuration: switch as text": config({ features: { assert_integrity: "yes" } }),
  "configuration: unknown feature": config({ features: { asert_integrity: true } }),
  "configuration: protocols as a list": config({ protocols: ["rest"] }),
  "configuration: CORS origin that is none": config({ server: { cors: { origin: ["localhost"] } } }),
  "configuration: NATS that does not answer": config({
    requires: { messaging: { kind: "nats-messaging", credentials: { servers: "127.0.0.1:1" } } },
  }),
  "rows: no header": rows("1;Emma;3\n"),
  "rows: comma as decimal sign": rows("ID;title;price\n1;Emma;1,50\n"),
  "rows: thousands": rows("ID;title;price\n1;Emma;1.000,50\n"),
  "rows: a column twice": rows("ID;title;title\n1;Emma;Emma\n"),
  "rows: an empty name of a column": rows("ID;;title\n1;x;Emma\n"),
  "rows: an empty key": rows("ID;title\n;Emma\n"),
  "rows: a date of the year first with slashes": rows("ID;name;born\n1;Ann;1990/01/02\n", "shop-Authors.csv"),
  "rows: columns by tabs and blanks": rows("ID  title\n1  Emma\n"),
  "rows: lower-case file": rows("ID;title\n1;Emma\n", "shop-books.csv"),
  "rows: JSON with an object": rows('{"ID":1,"title":"Emma"}', "shop-Books.json"),
  "rows: JSON with an unknown member": rows('[{"ID":1,"titel":"Emma"}]', "shop-Books.json"),
  "rows: JSON with a text for a number": rows('[{"ID":"one","title":"Emma"}]', "shop-Books.json"),
  "handlers: event without handler": init('this.on("order");'),
  "handlers: handler that is called": init('this.on("order", console.log("x"));'),
  "handlers: event in lower case": init('this.before("create", "Books", () => {});'),
  "handlers: unknown action of an entity": init('this.on("restok", "Books", () => {});'),
  "handlers: entity of the database": init('this.before("READ", "shop.Books", () => {});'),
  "handlers: entity undefined": init("const { Boks } = this.entities; this.before('READ', Boks, () => {});"),
  "handlers: base class misspelt": {
    "srv/cat.cds": MODEL,
    "srv/cat.ts": 'import fw from "@fw/runtime";\nexport class Cat extends fw.AplicationService {}\n',
  },
  "handlers: plain class": { "srv/cat.cds": MODEL, "srv/cat.ts": "export class Cat { init() {} }\n" },
  "handlers: named import that is not there": {
    "srv/cat.cds": MODEL,
    "srv/cat.ts": 'import { SELCT } from "@fw/runtime";\nexport default () => SELCT;\n',
  },
  "handlers: export of a value": { "srv/cat.cds": MODEL, "srv/cat.ts": "export default 42;\n" },
  "handlers: super.init forgotten": {
    "srv/cat.cds": MODEL,
    "srv/cat.ts":
      'import fw from "@fw/runtime";\nexport class Cat extends fw.ApplicationService {\n  override init() {\n    this.on("order", () => 1);\n  }\n}\n',
  },
};
