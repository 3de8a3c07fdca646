/**
 * Mistakes that nothing stops: a model or a configuration that can be read, but hardly is what was meant.
 *
 * @module
 */

import type { Cases } from "./cases.ts";
import { MODEL } from "./further_cases.ts";

const ENTITY = MODEL.slice(0, MODEL.indexOf("service Cat"));
const model = (text: string) => ({ "srv/cat.cds": text });
const onModel = (text: string) => model(`${ENTITY}${text}`);
const config = (value: unknown, file = ".fwrc.json") => ({
  "srv/cat.cds": MODEL,
  [file]: typeof value === "string" ? value : JSON.stringify(value, null, 2),
});
const remote = (value: unknown) => ({
  ...config({ requires: { API: value } }),
  "srv/external/API.csn": JSON.stringify({
    definitions: {
      API: { kind: "service", "@cds.external": true },
      "API.Things": { kind: "entity", elements: { ID: { key: true, type: "cds.Integer" } } },
    },
  }),
});
const inService = (element: string) => model(`service S { entity A { key ID : Integer; ${element}; } }`);

/** They are told at the start, or by `fw watch`. */
export const TYPICAL_STARTS: Cases = {
  "remote: unknown kind": remote({ kind: "odta", credentials: { url: "http://127.0.0.1:1" } }),
  "remote: kind of another product": remote({
    kind: "graphql",
    model: "srv/external/API",
    credentials: { url: "http://127.0.0.1:1" },
  }),
  "remote: unknown kind without a model": config({ requires: { API: { kind: "odata-v5" } } }),
  "remote: host and port in place of a URL": remote({
    kind: "odata",
    credentials: { url: "localhost:4005/odata" },
  }),
  "remote: host in place of a URL": remote({ kind: "odata", credentials: { url: "api.example.com" } }),
  "remote: path in place of a URL": remote({ kind: "rest", credentials: { url: "/odata/v4/api" } }),
  "remote: destination that is nowhere": remote({ kind: "odata", credentials: { destination: "nowhere" } }),
  "configuration: URL beside the credentials": config({
    requires: { db: { kind: "sqlite", url: "db.sqlite" } },
  }),
  "configuration: fw in a file of its own": config({ fw: { requires: { db: "sqlite" } } }),
  "configuration: profile without brackets": config({ production: { requires: { db: "postgres" } } }),
  "configuration: short name of a channel": config({ requires: { messaging: { kind: "redis" } } }),
  "handlers: a service that is not there": {
    "srv/cat.cds": MODEL,
    "srv/cat.ts":
      'import fw from "@fw/runtime";\nexport class Cat extends fw.ApplicationService {\n  override async init() {\n    await fw.connect.to("API");\n    await super.init();\n  }\n}\n',
  },
  "handlers: a service that is not there, in a function": {
    "srv/cat.cds": MODEL,
    "srv/cat.ts":
      'import fw from "@fw/runtime";\nexport default async () => {\n  await fw.connect.to("API");\n};\n',
  },
  "configuration: a key twice": config('{ "log": { "format": "json" },\n "log": { "format": "plain" } }'),
  "configuration: a key twice, inside": config(
    '{ "requires": { "auth": { "kind": "mocked",\n "kind": "basic" } } }',
  ),
  "configuration: a key twice in package.json": config(
    '{ "cds": { "requires": { "db": "sqlite",\n "db": "memory" } } }',
    "package.json",
  ),
  "configuration: a key twice in deno.json": config(
    '{ "fw": { "requires": { "db": "sqlite",\n "db": "memory" } } }',
    "deno.json",
  ),
  "model: unknown function in a view": onModel(
    "service S { entity V as select from shop.Books { key ID, uper(title) as u : String }; }",
  ),
  "model: unknown function in a condition": onModel(
    "service S { entity V as select from shop.Books { key ID } where lenght(title) > 3; }",
  ),
  "model: unknown function in a calculated element": inService("n : String = uper(ID)"),
  "model: too few arguments": onModel(
    "service S { entity V as select from shop.Books { key ID, substring(title) as u : String }; }",
  ),
  "model: entity without key in a service": model("service S { entity A { name : String; } }"),
  "model: projection that leaves out the key": onModel(
    "service S { entity A as projection on shop.Books { title }; }",
  ),
  "model: virtual key": model("service S { entity A { virtual key ID : Integer; name : String; } }"),
  "model: more digits behind the point than digits": inService("p : Decimal(2,4)"),
  "model: length 0": inService("s : String(0)"),
  "model: length of an Integer": inService("n : Integer(10)"),
  "model: backlink to another entity": onModel(
    "entity X { key ID : Integer; books : Association to many shop.Books on books.author = $self; }",
  ),
  "model: symbol of another type": inService("s : Integer enum { open = 'x'; }"),
  "model: range with its ends swapped": inService("n : Integer @assert.range: [10, 1]"),
  "model: format of a number": inService("n : Integer @assert.format: '^x$'"),
  "model: target of a text": inService("n : String @assert.target"),
  "model: half of a period": inService("validFrom : Timestamp @cds.valid.from"),
  "model: role with an underscore": onModel(
    "@requires: 'authenticated_user' service S { entity B as projection on shop.Books; }",
  ),
  "model: role in capitals": onModel(
    "service S { @restrict: [{ to: 'Any' }] entity B as projection on shop.Books; }",
  ),
  "model: extends a service that is not there": model(`${MODEL}extend service Ct with { action x(); }`),
  "model: array by brackets": inService("tags : String[]"),
  "model: many by brackets": model("service S { entity A { key ID : Integer; } action run() returns A[]; }"),
  "model: question mark": inService("name? : String"),
  "model: condition of JavaScript": onModel(
    "service S { entity B as projection on shop.Books where stock > 5 && ID < 3; }",
  ),
  "model: condition with double quotes": onModel(
    'service S { entity B as projection on shop.Books where title = "Emma"; }',
  ),
  "model: annotation without its sign": onModel(
    "service S { readonly entity B as projection on shop.Books; }",
  ),
};
