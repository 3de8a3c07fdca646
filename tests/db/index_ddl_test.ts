import assert from "node:assert/strict";
import { indexStatements } from "../../src/db/ddl/index_ddl.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";

function indexes(cdl: string): string[] {
  return indexStatements(linkModel(parseCdl(cdl))).map(({ sql }) =>
    sql.replace("CREATE INDEX IF NOT EXISTS ", "")
  );
}

Deno.test("the foreign keys by which associations find their rows have an index, once", () => {
  assert.deepEqual(
    indexes(`
      entity my.Orders { key ID : UUID; customer : Association to my.Customers;
        items : Composition of many my.Items on items.order = $self;
        open : Association to many my.Items on open.order = $self and open.done = false;
        notes : Composition of many { key pos : Integer; }; }
      entity my.Items { key ID : UUID; order : Association to my.Orders; done : Boolean;
        product : Association to my.Products; }
      entity my.Customers { key country : String(2); key no : Integer;
        orders : Association to many my.Orders on orders.customer = $self; }
      entity my.Products { key ID : UUID; title : localized String; }
      service S { entity Orders as projection on my.Orders; entity Customers as projection on my.Customers; }`),
    [
      '"my_Orders_customer_country_customer_no_fk" ON "my_Orders" ("customer_country", "customer_no")',
      '"my_Items_order_ID_fk" ON "my_Items" ("order_ID")',
      '"my_Products_texts_ID_fk" ON "my_Products_texts" ("ID")',
    ],
  );
});

Deno.test("columns that begin a key, a unique constraint or another index, and those of @fw.index: false, have none of their own", () => {
  assert.deepEqual(
    indexes(`
      entity Orders { key ID : UUID;
        items : Composition of many Items on items.order = $self;
        stops : Composition of many Stops on stops.order = $self;
        bills : Composition of many Bills on bills.order = $self;
        logs : Association to many Logs on logs.order = $self @fw.index: false;
        same : Association to many Items on same.name = name or same.order = $self;
        name : String; }
      @fw.index.by: [order, no] entity Items { key ID : UUID; order : Association to Orders; no : Integer; name : String; }
      entity Stops { key order : Association to Orders; key no : Integer; }
      @assert.unique.no: [order, no] entity Bills { key ID : UUID; order : Association to Orders; no : Integer; }
      entity Logs { key ID : UUID; order : Association to Orders; }`),
    ['"Items_by" ON "Items" ("order_ID", "no")'],
  );
});

Deno.test("names of indexes fit into PostgreSQL, and differ where only their ends do", () => {
  const name = "A".repeat(40);
  const [one, other, ...more] = indexes(`
    entity ${name} { key ID : UUID; b : Association to many B on b.${name}1 = $self;
      c : Association to many B on c.${name}2 = $self; }
    entity B { key ID : UUID; ${name}1 : Association to ${name}; ${name}2 : Association to ${name}; }`)
    .map((text) => text.split('"')[1]);
  assert.deepEqual(more, []);
  assert.notEqual(one, other);
  assert.ok(one.length <= 63 && other.length <= 63, `${one} ${other}`);
});

Deno.test("only what is stored in a table has an index, also of foreign keys and stored values", () => {
  assert.deepEqual(
    indexes(`
      entity A { key ID : Integer; n : Integer; b : Association to B;
        virtually : Association to many B on virtually.v = n;
        read : Association to many B on read.r = n;
        stored : Association to many B on stored.s = n;
        skipped : Association to many Skipped on skipped.n = n;
        viewed : Association to many V on viewed.n = n; }
      entity B { key ID : Integer; n : Integer; virtual v : Integer; r : Integer = n + 1; s : Integer = n + 1 stored;
        to : Association to C;
        cs : Association to many C on cs.b = $self; }
      entity C { key ID : Integer; key s : Integer = ID + 1 stored; b : Association to B;
        bs : Association to many B on bs.to = $self; }
      @cds.persistence.skip entity Skipped { key ID : Integer; n : Integer; }
      entity V as projection on B;`),
    [
      '"B_s_fk" ON "B" ("s")',
      '"B_to_ID_to_s_fk" ON "B" ("to_ID", "to_s")',
      '"C_b_ID_fk" ON "C" ("b_ID")',
    ],
  );
  const name = (length: number) =>
    indexes(
      `entity A { key ID : Integer; n : Integer; to : Association to many ${"B".repeat(length)} on to.n = n; }
      entity ${"B".repeat(length)} { key ID : Integer; n : Integer; }`,
    )[0].split('"')[1];
  assert.equal(name(58), `${"B".repeat(58)}_n_fk`, "63 bytes");
  assert.match(name(59), /^fw_index_/);
});
