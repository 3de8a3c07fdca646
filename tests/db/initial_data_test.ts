import assert from "node:assert/strict";
import { refusedRows } from "../../src/db/fill_tables.ts";
import { EventContext } from "../../src/context/event_context.ts";
import { parseCqlQuery } from "../../src/cqn/parse_cql.ts";
import { parseCsv } from "../../src/db/csv.ts";
import { Remarks } from "../../src/config/remarks.ts";
import { initialData } from "../../src/db/initial_data.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { createAllEngines } from "./all_engines.ts";

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
        day: { type: "cds.Date" },
        at: { type: "cds.Timestamp" },
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
});

/** Rows and remarks of one file; where everything is strict, the first remark is an error. */
function read(text: string, file = "db/data/my.shop-Books.csv", model = MODEL) {
  const remarks = new Remarks();
  const data = initialData(model, [{ file, text }], { remarks });
  const texts = remarks.take();
  if (texts.length > 0) {
    assert.throws(() => initialData(model, [{ file, text }], { remarks: new Remarks(true) }), {
      message: texts[0],
    });
  }
  return { rows: [...data.values()].flat(), remarks: texts };
}

Deno.test("files without entity are left out, which is said with the nearest name", () => {
  assert.deepEqual(read("ID\n1", "my.shop-Book.csv"), {
    rows: [],
    remarks: [
      'my.shop-Book.csv: There is no entity "my.shop.Book" for this file (did you mean "my.shop-Books.csv"?): ' +
      "the file is left out",
    ],
  });
});

Deno.test("the first separator of the first line counts: comma, semicolon or tab", () => {
  for (const separator of [",", ";", "\t"]) {
    const text = `ID${separator}"ti""tle"`.replace('"ti""tle"', "title") + `\n1${separator}"a,b;c\td"\n`;
    assert.deepEqual(read(text), { rows: [{ ID: 1, title: "a,b;c\td" }], remarks: [] });
  }
  assert.deepEqual(parseCsv('"a,b";c\n1;2', "f.csv")[0].fields, ["a,b", "c"]);
});

Deno.test("a last column without name and values is none; with values the row is refused", () => {
  assert.deepEqual(read("ID;title;\n1;x\n2;y;\n"), {
    rows: [{ ID: 1, title: "x" }, { ID: 2, title: "y" }],
    remarks: ["db/data/my.shop-Books.csv:2: Found 2 fields for 3 columns: the others stay empty"],
  });
  assert.deepEqual(read("ID;title\n1;x;\n").rows, [{ ID: 1, title: "x" }]);
  assert.throws(() => read("ID;title;\n1;x;lost\n"), {
    message: /:2: "lost" stands in a column without name$/,
  });
});

Deno.test("null without quotes is null, with quotes a text", () => {
  assert.deepEqual(read('ID,title,price\n1,null,null\n2,"null",1\n').rows, [
    { ID: 1, title: null, price: null },
    { ID: 2, title: "null", price: 1 },
  ]);
});

Deno.test("spaces around fields and quotes do not count, which is said once", () => {
  assert.deepEqual(read('ID, title , price\n1 , "A, b" , 2.5\n2,  C  ,3\n'), {
    rows: [{ ID: 1, title: "A, b", price: 2.5 }, { ID: 2, title: "C", price: 3 }],
    remarks: ["db/data/my.shop-Books.csv:1: Spaces around fields are left out"],
  });
});

Deno.test("headers may be written in other case, which is said", () => {
  assert.deepEqual(read("id,TITLE\n1,x\n"), {
    rows: [{ ID: 1, title: "x" }],
    remarks: [
      'db/data/my.shop-Books.csv:1: Column "id" is taken for "ID"',
      'db/data/my.shop-Books.csv:1: Column "TITLE" is taken for "title"',
    ],
  });
});

Deno.test("files of texts may be named with a dot, a dash or an underscore, and have a column ID_texts", () => {
  const model = linkModel(parseCdl("entity a.Books { key ID : Integer; title : localized String; }"));
  for (const file of ["a-Books.texts.csv", "a-Books-texts.csv", "a-Books_texts.csv", "a.Books_texts.csv"]) {
    const { rows, remarks } = read("ID_texts,locale,ID,title\nx,de,1,Buch\n", file, model);
    assert.deepEqual(rows, [{ locale: "de", ID: 1, title: "Buch" }]);
    assert.match(remarks[0], /Column "ID_texts" is left out: rows of "a\.Books\.texts" are known by/);
  }
});

Deno.test("JSON files list rows", () => {
  const file = "db/data/my.shop-Books.json";
  const text = '[{"ID": 1, "title": "x", "tags": ["a"], "day": "2024-02-29"}, {"id": 2, "price": 1.5}]';
  assert.deepEqual(read(text, file).rows, [
    { ID: 1, title: "x", tags: ["a"], day: "2024-02-29" },
    { ID: 2, price: 1.5 },
  ]);
  assert.throws(() => read('{"ID": 1}', file), { message: `${file}: Expected a list of objects in JSON` });
  assert.throws(() => read('[{"ID": 1, "titel": ""}]', file), {
    message: /no column "titel"; did you mean "title"/,
  });
  assert.throws(() => read('[{"ID": 1, "day": "soon"}]', file), {
    message: /"soon" is not a value of "day"/,
  });
});

Deno.test("initialData() takes instants in any form, and refuses days that there are not", () => {
  const [row] = rows("ID,day,at\n1,2024-02-29,2024-02-29T01:00+01:00\n")!;
  assert.deepEqual(row, { ID: 1, day: "2024-02-29", at: "2024-02-29T00:00:00.000Z" });
  assert.throws(() => rows("ID,day\n1,2024-02-30"), {
    message: /Books\.csv:2: "2024-02-30" is not a value of "day"/,
  });
  assert.throws(() => rows("ID,at\n1,2024-02-28T25:00:00Z"), {
    message: /:2: "2024-02-28T25:00:00Z" is not a value/,
  });
  assert.throws(() => rows("ID,at\n,soon"), { message: /:2: "ID" is empty, but is a key/ });
  assert.throws(() => rows("ID,at\n1,soon"), { message: /:2: "soon" is not a value of "at"/ });
});

Deno.test("in development columns without element and wrong values are left out, which is said", () => {
  const remarks = new Remarks();
  const text = "\nID;title;day;colour\n1;Emma;01-02-2020;red\ntwo;Persuasion;;blue\n";
  const data = initialData(MODEL, [{ file: "my.shop-Books.csv", text }], { remarks, isLenient: true });
  assert.deepEqual(data.get("my.shop.Books"), [{ ID: 1, title: "Emma" }]);
  assert.deepEqual(remarks.take(), [
    'my.shop-Books.csv:1: my.shop.Books has no column "colour": it is left out',
    'my.shop-Books.csv:3: "01-02-2020" is not a value of "day", expected a date like 2026-12-31: it is left out',
    'my.shop-Books.csv:4: "two" is not a value of "ID", expected a whole number: it is left out',
  ]);
});

Deno.test("texts with more characters than declared are refused, or stored as they are where surplus is passed over", async () => {
  const model = linkModel(parseCdl(`
    type Short : String(3);
    entity E { key ID : Integer; a : String(3); b : Short; any : String; large : LargeString; }`));
  const read = (text: string) => initialData(model, [{ file: "E.csv", text }]).get("E");
  const fitting = { ID: 1, a: "abc", b: "😀😀😀", any: "abcd", large: "abcd" };
  assert.deepEqual(read("ID,a,b,any,large\n1,abc,😀😀😀,abcd,abcd"), [fitting]);
  const problem = (name: string) => `"${name}" has a text longer than the 3 characters of its declaration`;
  for (const name of ["a", "b"]) {
    for (const value of ["abcd", "😀😀😀😀"]) {
      assert.throws(
        () => read(`ID,${name}\n1,abc\n2,${value}`),
        { message: `E.csv:3: ${problem(name)}` },
        value,
      );
    }
  }
  const json = JSON.stringify([{ ID: 1, a: "abcd" }]);
  assert.throws(() => initialData(model, [{ file: "E.json", text: json }]), {
    message: `E.json:1: ${problem("a")}`,
  });
  const remarks = new Remarks();
  const options = { remarks, dropsSurplus: true };
  const rows = initialData(
    model,
    [{ file: "E.csv", text: "ID,a,b\n1,abcd,ab\n2,ab,😀😀😀😀\n3,abc,abc" }],
    options,
  );
  assert.deepEqual(remarks.take(), [
    `E.csv:2: ${problem("a")}: it is stored as it is`,
    `E.csv:3: ${problem("b")}: it is stored as it is`,
  ]);
  for (const database of await createAllEngines(model)) {
    try {
      // its columns hold no longer texts
      if (database.kind === "postgres") {
        await assert.rejects(async () => await database.deploy(rows), /rows of "E" cannot be stored/);
        continue;
      }
      await database.deploy(rows);
      const tx = database.begin(new EventContext());
      assert.deepEqual(
        await tx.run(parseCqlQuery("SELECT from E { ID, a, b } order by ID")),
        [{ ID: 1, a: "abcd", b: "ab" }, { ID: 2, a: "ab", b: "😀😀😀😀" }, { ID: 3, a: "abc", b: "abc" }],
        database.kind,
      );
      await tx.rollback();
    } finally {
      await database.close();
    }
  }
});

Deno.test("initialData() names the line of a key that another row has", () => {
  assert.throws(() => rows("ID,title\n1,x\n2,y\n1,z"), {
    message: /Books\.csv:4: There is another row with the key 1/,
  });
});

Deno.test("initialData() names the line of an empty field that must not be null", () => {
  const model = linkModel(parseCdl(`
    entity E { key ID : UUID; b : Boolean default false not null; to : Association to E not null;
      at : Timestamp not null @cds.on.insert: $now; }`));
  const read = (text: string) => initialData(model, [{ file: "E.csv", text }]);
  assert.throws(() => read("ID,b\nx,true\ny,"), { message: 'E.csv:3: "b" is empty, but must not be null' });
  assert.throws(() => read("ID,to_ID\nx,"), { message: 'E.csv:2: "to_ID" is empty, but must not be null' });
  assert.deepEqual(read("ID,at\n,").get("E"), [{ ID: null, at: null }]);
});

Deno.test("initial rows that the database refuses are told with their entity", async () => {
  const model = linkModel(
    parseCdl("@assert.unique.a: [a] entity E { key ID : Integer; a : Integer; b : Integer not null; }"),
  );
  for (const database of await createAllEngines(model)) {
    try {
      for (const entries of [[{ ID: 1, a: 1, b: 1 }, { ID: 2, a: 1, b: 1 }], [{ ID: 1, a: 1 }]]) {
        await assert.rejects(async () => await database.deploy(new Map([["E", entries]])), {
          name: "ConfigurationError",
          message:
            /The initial rows of "E"(?: \(row \d\))? cannot be stored: (?:UNIQUE_CONSTRAINT_VIOLATION, a|"b" has no value)/,
        });
      }
    } finally {
      await database.close();
    }
  }
});

Deno.test("files of more rows than a stack holds are loaded, by all engines (design 12)", async () => {
  const count = 200_000;
  const lines = Array.from({ length: count }, (_, i) => `${i},n${i}`);
  const model = linkModel(parseCdl("entity E { key ID : Integer; name : String(10); }"));
  const data = initialData(model, [
    { file: "E.csv", text: `ID,name\n${lines.join("\n")}\n` },
    { file: "other/E.csv", text: `ID,name\n${count},last\n` },
  ]);
  assert.equal(data.get("E")?.length, count + 1);
  for (const database of await createAllEngines(model)) {
    try {
      assert.deepEqual((await database.deploy(data)).filled, ["E"]);
      const tx = database.begin(new EventContext());
      const query = parseCqlQuery("SELECT from E { count(*) as n }");
      assert.deepEqual(await tx.run(query), [{ n: count + 1 }]);
      await tx.rollback();
    } finally {
      await database.close();
    }
  }
});

Deno.test("values that an enum does not have are remarked once for each column, and are kept", () => {
  const model = linkModel(parseCdl(
    "entity E { key ID : Integer; a : String enum { x; y = 'why' }; b : Integer enum { one = 1 }; }",
  ));
  const remarks = new Remarks();
  const text = "ID;a;b\n1;x;1\n2;why;\n3;y;2\n4;z;3\n";
  const found = initialData(model, [{ file: "E.csv", text }], { remarks });
  assert.deepEqual(found.get("E")!.map(({ a, b }) => [a, b]), [["x", 1], ["why", null], ["y", 2], ["z", 3]]);
  assert.deepEqual(remarks.take(), [
    'E.csv:4: Column "a" holds a value that its enum does not have, for the first time',
    'E.csv:4: Column "b" holds a value that its enum does not have, for the first time',
  ]);
});

Deno.test("who reads that initial rows are refused reads which row, which value, and what was expected", () => {
  const rows = [{ a: 1, b: "x" }, { a: "two", b: null }, { a: "two" }];
  const told = (cause: object) => refusedRows("E", cause, rows).message;
  assert.equal(
    told({ code: "ASSERT_DATA_TYPE", target: "a", args: ["two", "Integer"] }),
    'The initial rows of "E" (row 2) cannot be stored: "a" is "two", but must be of type Integer',
  );
  assert.equal(
    told({ code: "ASSERT_NOT_NULL", target: "b" }),
    'The initial rows of "E" (row 2) cannot be stored: "b" has no value, but needs one',
  );
  assert.equal(
    told({ code: "ASSERT_DATA_TYPE", target: "a", args: ["three", "Integer"] }),
    'The initial rows of "E" cannot be stored: "a" is "three", but must be of type Integer',
  );
  assert.equal(
    told({ code: "ASSERT_DATA_TYPE", target: "a", args: ["two"] }),
    'The initial rows of "E" cannot be stored: ASSERT_DATA_TYPE, a',
  );
  assert.equal(told({ code: "UNIQUE", message: "twice" }), 'The initial rows of "E" cannot be stored: twice');
});
