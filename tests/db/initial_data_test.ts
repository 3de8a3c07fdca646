import assert from "node:assert/strict";
import { parseCsv } from "../../src/db/csv.ts";
import { initialData } from "../../src/db/initial_data.ts";
import { linkModel } from "../../src/model/link_model.ts";

const MODEL = linkModel({
  definitions: {
    "my.shop.Books": {
      kind: "entity",
      elements: {
        ID: { key: true, type: "cds.Integer" },
        title: { type: "cds.String" },
        price: { type: "cds.Decimal" },
        sold: { type: "cds.Boolean" },
        tags: { items: { type: "cds.String" } },
      },
    },
  },
});

function rows(text: string) {
  return initialData(MODEL, [{ file: "db/data/my.shop-Books.csv", text }]).get("my.shop.Books");
}

Deno.test("parseCsv() reads quotes, line breaks in quotes, CRLF and blank lines", () => {
  assert.deepEqual(parseCsv('\uFEFFa,b\r\n"x ""y""\nz",2\n\n3,\n', "f.csv"), [
    { line: 1, fields: ["a", "b"] },
    { line: 2, fields: ['x "y"\nz', "2"] },
    { line: 5, fields: ["3", ""] },
  ]);
});

Deno.test("parseCsv() takes semicolons when the first line has no comma", () => {
  assert.deepEqual(parseCsv("a;b\n1,5;2", "f.csv")[1].fields, ["1,5", "2"]);
});

Deno.test("parseCsv() refuses an open quote with file and line", () => {
  assert.throws(() => parseCsv('a,b\n1,"x', "f.csv"), {
    name: "ConfigurationError",
    message: "f.csv:2: Expected a closing quote, but found the end of the file",
  });
});

Deno.test("initialData() converts fields to the types of the model", () => {
  assert.deepEqual(rows('ID,title,price,sold,tags\n1,"A, b",9.90,true,"[""x""]"\n2,,,,\n'), [
    { ID: 1, title: "A, b", price: 9.9, sold: true, tags: ["x"] },
    { ID: 2, title: null, price: null, sold: null, tags: null },
  ]);
});

Deno.test("initialData() names file, line and the nearest name of what is wrong", () => {
  assert.throws(() => rows("ID,titel\n1,x"), {
    message: /Books\.csv:1: .* no column "titel"; did you mean "title"\?/,
  });
  assert.throws(() => rows("ID,title\n1,x\none,y"), {
    message: /Books\.csv:3: "one" is not a value of "ID"/,
  });
  assert.throws(() => rows("ID,title\n1,x,y"), { message: /Books\.csv:2: Expected 2 fields, but found 3/ });
  assert.throws(() => initialData(MODEL, [{ file: "my.shop-Book.csv", text: "" }]), {
    message:
      'my.shop-Book.csv: There is no entity "my.shop.Book" for this file; did you mean "my.shop-Books.csv"?',
  });
});
