/**
 * Mistakes that people make: what was typed, by where it was typed. `messages.json` holds what they are told.
 *
 * @module
 */

const ENTITY = "entity shop.Books { key ID : Integer; title : String(20) @mandatory; stock : Integer; }\n";
const MODEL =
  `${ENTITY}service Cat { entity Books as projection on shop.Books actions { action restock(n : Integer); }; ` +
  "action order(book : Integer @mandatory) returns Integer; function best() returns Integer; }\n";

/** A project with one mistake in it, by the name of the mistake. */
export type Cases = Readonly<Record<string, Readonly<Record<string, string>>>>;

const model = (text: string) => ({ "srv/cat.cds": text });
const config = (value: unknown) => ({
  "srv/cat.cds": MODEL,
  ".fwrc.json": typeof value === "string" ? value : JSON.stringify(value, null, 2),
});
const rows = (text: string, name = "shop-Books.csv") => ({ "srv/cat.cds": MODEL, [`db/data/${name}`]: text });

/** Mistakes that stop the start. */
export const STARTS: Cases = {
  "model: unknown type": model("entity A { key ID : Integr; }"),
  "model: unknown target": model(
    "entity A { key ID : Integer; b : Association to Bs; } entity B { key ID : Integer; }",
  ),
  "model: missing semicolon": model("entity A { key ID : Integer name : String; }"),
  "model: missing brace": model("entity A { key ID : Integer;"),
  "model: unknown keyword": model("entiy A { key ID : Integer; }"),
  "model: duplicate definition": model("entity A { key ID : Integer; } entity A { key ID : Integer; }"),
  "model: duplicate element": model("entity A { key ID : Integer; x : String; x : String; }"),
  "model: unknown source of a projection": model(
    "service S { entity A as projection on Bks; } entity Books { key ID : Integer; }",
  ),
  "model: unknown element in a projection": model(
    "entity B { key ID : Integer; title : String; } service S { entity A as projection on B { ID, titel }; }",
  ),
  "model: unknown file": model("using { a } from './nothing';"),
  "model: unknown package": model("using { a } from '@acme/nothing';"),
  "model: unknown import": model(
    "using { Currncy } from '@sap/cds/common'; entity A { key ID : Integer; c : Currncy; }",
  ),
  "model: unknown include": model("entity A : manged { key ID : Integer; } aspect managed { x : String; }"),
  "model: extends what is not there": model("extend entity Nothing with { x : String; }"),
  "model: annotation misspelt": model(
    `${ENTITY}service S { @readonli entity B as projection on shop.Books; }`,
  ),
  "model: annotation requires misspelt": model(
    `${ENTITY}@require: 'admin' service S { entity B as projection on shop.Books; }`,
  ),
  "model: unknown grant": model(
    `${ENTITY}service S { @restrict: [{ grant: 'REED' }] entity B as projection on shop.Books; }`,
  ),
  "model: unknown member of a restriction": model(
    `${ENTITY}service S { @restrict: [{ grants: 'READ' }] entity B as projection on shop.Books; }`,
  ),
  "model: restriction on an unknown element": model(
    `${ENTITY}service S { @restrict: [{ grant: 'READ', where: (ownr = $user) }] entity B as projection on shop.Books; }`,
  ),
  "model: text not closed": model("entity A { key ID : Integer; x : String default 'abc; }"),
  "model: comment not closed": model("/* entity A { key ID : Integer; }"),
  "model: unknown protocol": model(
    `${ENTITY}@protocol: 'odta' service S { entity B as projection on shop.Books; }`,
  ),
  "model: two services at one path": model(
    `${ENTITY}@path: '/a' service S { entity B as projection on shop.Books; } @path: '/a' service T { entity B as projection on shop.Books; }`,
  ),
  "model: on-condition with an unknown element": model(
    "entity A { key ID : Integer; bs : Association to many B on bs.a_ID = ID; } entity B { key ID : Integer; }",
  ),
  "model: length that is no number": model("entity A { key ID : Integer; title : String(long); }"),
  "model: enum with a comma": model("entity A { key ID : Integer; s : String enum { open, done }; }"),
  "model: unknown type of a parameter": model("service S { action run(n : Numbr); }"),
  "model: unknown result": model("service S { function best() returns Bok; }"),
  "model: double quotes": model('entity A { key ID : Integer; x : String default "abc"; }'),
  "model: unknown alias in a view": model(
    `${ENTITY}entity V as select from shop.Books as b { c.title };`,
  ),
  "model: equals in an annotation": model("@title = 'Books' entity A { key ID : Integer; }"),
  "model: no model": { "README.md": "nothing" },
  "configuration: not JSON": config('{ "requires": '),
  "configuration: unknown key": config({ requiers: {} }),
  "configuration: unknown key inside": config({ server: { prot: 80 } }),
  "configuration: wrong type": config({ server: { port: "eighty" } }),
  "configuration: port out of range": config({ server: { port: 99999 } }),
  "configuration: unknown database": config({ requires: { db: { kind: "postgre" } } }),
  "configuration: URL of PostgreSQL without kind": config({
    requires: { db: { credentials: { url: "postgres://me:hush@host:port/db" } } },
  }),
  "configuration: unknown channel": config({ requires: { messaging: { kind: "natz-messaging" } } }),
  "configuration: unknown strategy": config({ requires: { auth: { kind: "mockd" } } }),
  "configuration: openid without issuer": config({ requires: { auth: { kind: "openid" } } }),
  "configuration: a list in place of an object": config("[]"),
  "configuration: unknown limit": config({ limits: { bodyByte: 1 } }),
  "configuration: negative limit": config({ limits: { bodyBytes: -1 } }),
  "configuration: wrong proxy": config({ server: { trusted_proxies: ["10.0.0.1/8"] } }),
  "configuration: unknown log level": config({ log: { levels: { default: "infos" } } }),
  "configuration: unknown log format": config({ log: { format: "xml" } }),
  "configuration: dead letters for everybody": config({ dead_letters: { requires: "any" } }),
  "configuration: model of a service that is not there": config({
    requires: { Other: { kind: "odata", model: "srv/external/Other" } },
  }),
  "configuration: unknown authentication mode": config({ security: { authentication: { mode: "nevr" } } }),
  "configuration: two kinds of configuration disagree in type": config({
    requires: { auth: { users: { ann: { roles: "admin" } } } },
  }),
  "configuration: text for a switch": config({
    requires: { auth: { kind: "mocked" } },
    log: { format: true },
  }),
  "configuration: users as a list": config({ requires: { auth: { users: ["ann"] } } }),
  "configuration: limit as text": config({ limits: { bodyBytes: "1MB" } }),
  "configuration: implementation that is not there": config({
    services: { Cat: { impl: "srv/nothing.ts" } },
  }),
  "rows: comma in place of semicolon in one line": rows("ID;title\n1,Emma\n"),
  "rows: a date that is none": {
    "srv/cat.cds": "entity A { key ID : Integer; day : Date; } service S { entity B as projection on A; }",
    "db/data/A.csv": "ID;day\n1;31.12.2026\n",
  },
  "rows: reference by name": rows("ID;author\n1;Emma\n"),
  "rows: unknown column": rows("ID;titel\n1;Emma\n"),
  "rows: unknown entity": rows("ID;title\n1;Emma\n", "shop-Boks.csv"),
  "rows: text for a number": rows("ID;title;stock\n1;Emma;many\n"),
  "rows: too long": rows(`ID;title\n1;${"x".repeat(30)}\n`),
  "rows: a key twice": rows("ID;title\n1;Emma\n1;Emma again\n"),
  "rows: no key": rows("title\nEmma\n"),
  "rows: too many values": rows("ID;title\n1;Emma;3;4\n"),
  "rows: quote not closed": rows('ID;title\n1;"Emma\n'),
  "rows: JSON that is none": rows("{", "shop-Books.json"),
  "handlers: syntax error": { "srv/cat.cds": MODEL, "srv/cat.ts": "export class Cat {" },
  "handlers: missing import": { "srv/cat.cds": MODEL, "srv/cat.ts": 'import "./nothing.ts";' },
  "handlers: no export": { "srv/cat.cds": MODEL, "srv/cat.ts": "const a = 1;" },
  "handlers: throws while loading": { "srv/cat.cds": MODEL, "srv/cat.ts": 'throw new Error("not today");' },
  "handlers: CommonJS with a syntax error": {
    "srv/cat.cds": MODEL,
    "srv/cat.js": "module.exports = (srv) => {\n  const { a b } = srv\n}\n",
  },
  "handlers: a package that is not installed": {
    "srv/cat.cds": MODEL,
    "srv/cat.ts": 'import { pad } from "left-pad-2";\nexport class Cat {}\npad();\n',
  },
  "handlers: a class of another name": {
    "srv/cat.cds": `${MODEL}service Dog {}`,
    "srv/cat.ts": 'import fw from "@fw/runtime";\nexport class Cta extends fw.ApplicationService {}\n',
  },
  "handlers: an unknown event": {
    "srv/cat.cds": MODEL,
    "srv/cat.ts":
      'import fw from "@fw/runtime";\nexport class Cat extends fw.ApplicationService {\n  override init() {\n    this.on("ordr", () => 1);\n    return super.init();\n  }\n}\n',
  },
  "handlers: an unknown entity": {
    "srv/cat.cds": MODEL,
    "srv/cat.ts":
      'import fw from "@fw/runtime";\nexport class Cat extends fw.ApplicationService {\n  override init() {\n    this.before("READ", "Boks", () => 1);\n    return super.init();\n  }\n}\n',
  },
  "handlers: init throws": {
    "srv/cat.cds": MODEL,
    "srv/cat.ts":
      'import fw from "@fw/runtime";\nexport class Cat extends fw.ApplicationService {\n  override init() {\n    throw new Error("not today");\n  }\n}\n',
  },
  "server.ts: throws": { "srv/cat.cds": MODEL, "server.ts": 'throw new Error("not today");' },
};

/** Words behind `fw`; nothing is in the folder they are typed in. */
export const COMMAND_LINES: readonly string[] = [
  "srve",
  "serve --prot 1",
  "serve --port",
  "serve --port eighty",
  "serve a b",
  "serve /nowhere",
  "build --port 1",
  "compile --to edmxx",
  "compile nothing.cds",
  "deploy --to oracle:x",
  "deploy /nowhere",
  "add postgrs",
  "add",
  "import nothing.xml",
  "import",
  "queue replai",
  "queue show",
  "help srve",
  "completions powershell",
  "fmt nothing.cds",
  "token nothing.json",
  "init -f",
  "serve --profile",
  "data exprt",
  "data import nothing.csv",
  "tenant subscrib t1",
  "explain",
  "env /nowhere",
  "add openid --isuer https://a.example",
  "compile --to sql --dialect orcale",
  "build /nowhere",
  "watch /nowhere",
  "deploy --to",
  "test nothing",
];

/** A request: method, path below the service, body. */
export type Asked = readonly [method: string, path: string, body?: string];

/** Requests to a service with one row of books. */
export const REQUESTS: readonly Asked[] = [
  ["GET", "Boks"],
  ["GET", "Books(x)"],
  ["GET", "Books(99)"],
  ["GET", "Books?$select=titel"],
  ["GET", "Books?$filter=titel eq 'x'"],
  ["GET", "Books?$filter=title eq x'"],
  ["GET", "Books?$filter=title = 'x'"],
  ["GET", "Books?$filter=contain(title,'x')"],
  ["GET", "Books?$filter=stock eq 'x'"],
  ["GET", "Books?$orderby=titel"],
  ["GET", "Books?$expand=author"],
  ["GET", "Books?$top=ten"],
  ["GET", "Books?$format=xls"],
  ["POST", "Books", "{"],
  ["POST", "Books", '{"ID":2}'],
  ["POST", "Books", '{"ID":2,"title":"a","titel":"b"}'],
  ["POST", "Books", '{"ID":"two","title":"a"}'],
  ["POST", "Books", `{"ID":2,"title":"${"x".repeat(30)}"}`],
  ["POST", "Books", '{"ID":1,"title":"again"}'],
  ["PATCH", "Books", "{}"],
  ["DELETE", "Books"],
  ["PUT", "order", "{}"],
  ["POST", "order", "{}"],
  ["POST", "order", '{"bok":1}'],
  ["GET", "order"],
  ["POST", "best()", "{}"],
  ["POST", "Books(1)/Cat.restok", "{}"],
  ["GET", "Books?$fitler=ID eq 1"],
  ["GET", "Books?$filter=title like 'E%25'"],
  ["GET", "Books?$orderby=title down"],
  ["GET", "Books?$top=-1"],
  ["GET", "Books?$filter=(stock gt 1"],
  ["GET", "Books(1)/titel"],
  ["PATCH", "Books(1)", '{"stock":"many"}'],
  ["PATCH", "Books(1)", '{"title":null}'],
  ["POST", "Books", "[]"],
  ["POST", "Books", "ID=2&title=a"],
  ["POST", "order", '{"book":"one"}'],
  ["POST", "Books(1)/Cat.restock", '{"m":1}'],
];

/** The project of the requests. */
export const ASKED: Readonly<Record<string, string>> = rows("ID;title\n1;Emma\n");
