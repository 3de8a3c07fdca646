/** Which texts are those of the locale. */

import assert from "node:assert/strict";
import { EventContext } from "../../../src/context/event_context.ts";
import type { Row, SelectQuery } from "../../../src/cqn/cqn.ts";
import { parseCqlQuery } from "../../../src/cqn/parse_cql.ts";
import { createMemoryDatabase } from "../../../src/db/memory/memory_database.ts";
import { lowerQuery } from "../../../src/db/passes/lower_query.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";

const MODEL = linkModel(parseCdl(`
  entity One { key ID : Integer; name : localized String; }
  entity Two { key ID : Integer; name : localized String; title : localized String; plain : String; }
  entity NoKey { name : localized String; }
  @cds.localized: false entity Off as projection on One;
  entity Same as projection on Two;
  entity Some as projection on Two { ID, name };
  entity Without as select from Two { ID, name };
  entity Renamed as select from Two { ID, name as label };
  entity Made as select from One { ID, name || '!' as name : String };
  entity OfMade as projection on Made;
  entity Both as select from One { ID, name } union all select from Two { ID, title as name };
  entity Plain as select from Two { ID, plain };
  entity Keyed { key code : localized String; name : localized String; virtual shown : localized String; }
  entity OfKeyed as projection on Keyed;
  @cds.localized: false entity OffMade as select from One { ID, name || '!' as name : String };
  entity Joined as select from One join Two on One.ID = Two.ID { One.ID, Two.plain || One.name as name : String };
`));
const ROWS: [string, Row[]][] = [
  ["One", [{ ID: 1, name: "one" }]],
  ["One.texts", [{ locale: "de", ID: 1, name: "eins" }]],
  ["Two", [{ ID: 1, name: "two", title: "second", plain: "p" }]],
  ["Two.texts", [{ locale: "de", ID: 1, name: "zwei", title: null }]],
  ["Keyed", [{ code: "c", name: "name" }]],
  ["Keyed.texts", [{ locale: "de", code: "c", name: "Name" }]],
  ["NoKey", [{ name: "none" }]],
];

const FOUND: Readonly<Record<string, string>> = {
  "One { name }": "eins",
  "Two { name, title, plain }": "zwei second p",
  "NoKey { name }": "none",
  "Off { name }": "one",
  "Same { name, title }": "zwei second",
  "Some { name }": "zwei",
  "Without { name }": "zwei",
  "Renamed { label }": "zwei",
  "Made { name }": "eins!",
  "OfMade { name }": "eins!",
  "Both { name } order by name": "eins,second",
  "Joined { name }": "peins",
  "Plain { plain }": "p",
  "OfKeyed { code, name }": "c Name",
  "OffMade { name }": "one!",
  "One { name } where name = 'eins'": "eins",
  "Made { name } where name = 'eins!'": "eins!",
};

Deno.test("texts are those of the locale, of elements and of what views make of them (csn-cqn 10)", async () => {
  const database = await createMemoryDatabase({ model: MODEL, options: {} });
  await database.deploy(new Map(ROWS));
  const tx = database.begin(new EventContext({ locale: "de" }));
  for (const [text, expected] of Object.entries(FOUND)) {
    const { SELECT } = parseCqlQuery(`SELECT from ${text}`) as { SELECT: object };
    const rows = await tx.run({ SELECT: { ...SELECT, localized: true } } as never) as Row[];
    assert.equal(rows.map((row) => Object.values(row).join(" ")).join(), expected, text);
  }
  await tx.rollback();
  await database.close();
});

Deno.test("views are read by their names, unless columns depend on the locale beside those that have texts", () => {
  const isReadByName = (name: string) => {
    const { SELECT } = parseCqlQuery(`SELECT from ${name}`) as SelectQuery;
    return JSON.stringify(lowerQuery(MODEL, { SELECT }, { localized: true }).query).includes(
      `["${name}"]`,
    );
  };
  for (const name of ["One", "Off", "OffMade", "Same", "OfKeyed", "Plain"]) {
    assert.ok(isReadByName(name), name);
  }
  for (const name of ["Made", "OfMade", "Renamed", "Both", "Joined"]) assert.ok(!isReadByName(name), name);
});
