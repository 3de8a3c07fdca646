/**
 * A model whose rows are written in all ways in which the service may be asked, or not.
 *
 * @module
 */

import { type ApplicationService, createRuntime, type Runtime } from "../../mod.ts";
import { compileCdl } from "../../src/model/cdl/compile_cdl.ts";
import { ENGINES } from "./engines.ts";

const TEXT = `
context my {
  entity Authors { key ID: Integer; name: String(20); }
  @assert.unique: { isbn: [isbn] }
  entity Things {
    key ID: Integer;
    title: String(10) @mandatory;
    isbn: String(13) @assert.format: '^[0-9-]+$';
    kind: String(5) @assert.range enum { a; b };
    stock: Integer default 3 @assert.range: [0, 100];
    price: Decimal(9, 2);
    rate: Double;
    big: Int64;
    flag: Boolean;
    day: Date;
    at: Time;
    since: DateTime;
    stamp: Timestamp;
    code: UUID;
    bytes: Binary(3);
    long: LargeString;
    size { width: Integer; height: Integer not null default 1; };
    fixed: String(5) @readonly;
    author: Association to Authors;
    virtual seen: String(5);
    createdAt: Timestamp @cds.on.insert: $now;
    createdBy: String(20) @cds.on.insert: $user;
    modifiedAt: Timestamp @cds.on.update: $now;
    once: String(5) @Core.Immutable;
    needed: Integer not null default 7;
  }
  entity Notes { key ID: UUID; text: String; must: Integer not null; }
  entity Orders { key ID: UUID; no: String(5); items: Composition of many { key pos: Integer; what: String(5) } }
  entity Pairs { key a: String(5); key b: Integer; text: localized String(10); tags: many String; }
  entity Versions { key ID: Integer; name: String(5); @odata.etag version: Integer default 1; }
  entity Secrets { key ID: Integer; name: String(5); }
  entity Carts { key ID: Integer; name: String(5); lines: Composition of many Lines on lines.cart = $self; }
  entity Lines {
    key ID: Integer;
    cart: Association to Carts;
    text: String(5) @mandatory;
    fixed: String(3) @readonly;
    must: Integer not null default 2;
    need: Integer not null;
    code: UUID;
    marks: Composition of many Marks on marks.line = $self;
  }
  entity Marks { key ID: UUID; line: Association to Lines; kind: String(5) @assert.range enum { a; b }; seq: Integer default 1; }
  entity Boxes { key ID: Integer; parts: Composition of many Parts on parts.box = $self; one: Composition of one Ones; }
  entity Parts { key ID: Integer; box: Association to Boxes; author: Association to Authors @assert.target; }
  entity Ones { key ID: Integer; name: String(5); }
  entity Safes { key ID: Integer; coins: Composition of many Coins on coins.safe = $self; }
  entity Coins { key ID: Integer; safe: Association to Safes; }
  entity Linked { key ID: Integer; name: String(5); @odata.deepInsert author: Association to Authors; }
  entity Referring { key ID: Integer; author: Association to Authors @assert.target; }
  entity Tasks {
    key ID: Integer;
    who: String(5);
    title: String(10);
    boss: Association to Authors;
    modifiedBy: String(20) @cds.on.update: $user;
  }
}
service S {
  @cds.redirection.target entity Authors as projection on my.Authors;
  entity Things as projection on my.Things;
  @cds.redirection.target entity Notes as projection on my.Notes;
  entity Orders as projection on my.Orders;
  entity Pairs as projection on my.Pairs;
  entity Versions as projection on my.Versions;
  entity Renamed as projection on my.Notes { ID as number, must as text2 };
  @readonly entity Fixed as projection on my.Authors;
  @insertonly entity Letters as projection on my.Authors;
  @restrict: [{ grant: '*', to: 'admin' }, { grant: 'CREATE', to: 'any', where: 'ID > 5' }, { grant: 'READ', to: 'any' }]
  entity Secrets as projection on my.Secrets;
  entity Referring as projection on my.Referring;
  entity Linked as projection on my.Linked;
  @odata.singleton entity Main as projection on my.Linked;
  @odata.singleton
  @restrict: [{ grant: 'READ', to: 'any' }, { grant: 'UPDATE', to: 'any', where: 'name = ''c''' }]
  entity Mine as projection on my.Linked;
  entity Carts as projection on my.Carts;
  entity Lines as projection on my.Lines;
  entity Marks as projection on my.Marks;
  entity Boxes as projection on my.Boxes;
  entity Safes as projection on my.Safes;
  @restrict: [{ grant: '*', to: 'any', where: 'ID > 5' }]
  entity Coins as projection on my.Coins;
  @restrict: [{ grant: ['READ', 'UPDATE'], to: 'any', where: 'who = ''me''' }, { grant: 'CREATE', to: 'any' }]
  @cds.redirection.target entity Tasks as projection on my.Tasks;
  @restrict: [{ grant: 'READ', to: 'any' }, { grant: 'UPDATE', to: 'any', where: 'boss.name = ''Emily''' }]
  entity Chores as projection on my.Tasks;
}
`;
const MODEL = compileCdl(["m.cds"], { readFile: (path) => path === "m.cds" ? TEXT : undefined });

/** A request: set, body, headers. */
export type Sent = readonly [set: string, body: unknown, headers?: Record<string, string>];

/** A key that the answers show; others are replaced. */
export const ID = "00000000-0000-4000-8000-00000000000a";

/** A runtime with the model, maybe with handlers. */
export function open(
  engine: string,
  register?: (srv: ApplicationService) => void,
  env: Record<string, unknown> = {},
): Runtime {
  return createRuntime({
    model: MODEL,
    data: new Map([["my.Authors", [{ ID: 1, name: "Emily" }]]]),
    env: { requires: { db: { kind: engine } }, log: { levels: { default: "silent" } }, ...env },
    kinds: { databases: { [engine]: () => ENGINES[engine]! } },
    ...(register ? { handlers: { S: register as never } } : {}),
  });
}

/** The whole answer; what differs each time is replaced. */
export async function answerTo(
  runtime: Runtime,
  [set, body, headers]: Sent,
  method = "POST",
): Promise<unknown> {
  const response = await runtime.fetch(
    new Request(`http://localhost/odata/v4/s/${set}`, {
      method,
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    }),
  );
  const text = `${JSON.stringify([...response.headers])}${await response.text()}`;
  return [
    response.status,
    text.replace(/"x-correlation-id","[^"]*"/, "")
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g, (id) => id === ID ? id : "generated")
      .replace(/("(?:created|modified)At":)"[^"]*"/g, "$1 now"),
  ];
}
