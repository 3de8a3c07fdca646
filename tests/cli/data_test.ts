import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { withProject } from "../deno/project.ts";
import { runCommand } from "./run_command.ts";
import { credentials, dropSchemas, server } from "../db/postgres.ts";
import { uniqueName } from "../contract/services.ts";

const CDS = `entity my.Books {
  key ID : Integer;
  title : String(40) not null;
  note : LargeString;
  price : Decimal(15, 2);
  big : Int64;
  cover : Binary(10);
  tags : many String;
  day : Date;
  isNew : Boolean;
  twice : Integer = ID * 2;
}
entity my.Empty { key ID : UUID; }
`;

const ROWS = [
  {
    ...{ ID: 1, title: 'one, "two"', note: "a\nb;c", price: "1234567890123.89", big: "9007199254740993" },
    ...{ cover: "AQID", tags: ["x", "y,z"], day: "2024-02-29", isNew: true },
  },
  {
    ...{ ID: 2, title: " null ", note: "null", price: null, big: null, cover: null, tags: null },
    day: null,
    isNew: false,
  },
];

interface Place {
  readonly folder: string;
  readonly fw: (...args: readonly string[]) => Promise<readonly [number, string]>;
}

async function withShop(
  db: (folder: string) => Readonly<Record<string, unknown>>,
  run: (place: Place) => Promise<void>,
): Promise<void> {
  await withProject({ "db/schema.cds": CDS }, async (folder) => {
    await Deno.writeTextFile(`${folder}/.fwrc.json`, JSON.stringify({ requires: { db: db(folder) } }));
    const deployed = await runCommand("deploy", folder);
    assert.equal(deployed.code, 0, deployed.output);
    await run({
      folder,
      fw: async (...args) => {
        const { code, output } = await runCommand("data", ...args, "--project", folder);
        return [code, output];
      },
    });
  });
}

const SQLITE = (folder: string) => ({ kind: "sqlite", credentials: { url: `${folder}/db.sqlite` } });

async function writeLines(file: string, rows: readonly unknown[]): Promise<void> {
  await Deno.writeTextFile(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
}

/** Rows go into the database, out of it, and in again; what comes out stays the same. */
async function roundTrip({ folder, fw }: Place): Promise<void> {
  const file = `${folder}/in/my-Books.jsonl`;
  await Deno.mkdir(`${folder}/in`);
  await writeLines(file, ROWS);
  assert.deepEqual(await fw("import", file), [0, `${file}: 2 rows\n`]);
  const out = `${folder}/out`;
  const [code, told] = await fw("export", "--format", "jsonl", "--dest", out);
  assert.equal(code, 0, told);
  assert.match(told, /my-Books\.jsonl: 2 rows\n/);
  assert.match(told, /my-Empty\.jsonl: 0 rows\n/);
  const lines = (await Deno.readTextFile(`${out}/my-Books.jsonl`)).trim().split("\n").map((line) =>
    JSON.parse(line)
  );
  assert.deepEqual(lines, ROWS);
  // CSV holds the same, and both formats can be stored again
  await fw("export", "my.Books", "--dest", out);
  for (const name of ["my-Books.csv", "my-Books.jsonl"]) {
    const [again, output] = await fw("import", `${out}/${name}`, "--upsert");
    assert.equal(again, 0, output);
  }
  await fw("export", "my.Books", "--format", "jsonl", "--dest", `${folder}/again`);
  const read = (path: string) => Deno.readTextFileSync(`${folder}/${path}/my-Books.jsonl`);
  assert.equal(read("again"), read("out"));
}

Deno.test("fw data exports and imports rows of all types without losing anything", () =>
  withShop(SQLITE, roundTrip));

Deno.test({
  name: "fw data does the same with PostgreSQL",
  ignore: !server.isThere,
  async fn() {
    const schema = uniqueName();
    try {
      await withShop(() => ({ kind: "postgres", credentials: credentials(schema) }), roundTrip);
    } finally {
      await dropSchemas(schema);
    }
  },
});

Deno.test("an import with a wrong row names file and line, and leaves the database as it was", () =>
  withShop(SQLITE, async ({ folder, fw }) => {
    const count = () => {
      const db = new DatabaseSync(`${folder}/db.sqlite`);
      const found = db.prepare("SELECT count(*) AS n FROM my_Books").get();
      db.close();
      return Number(found!.n);
    };
    const file = `${folder}/my-Books.csv`;
    const good = Array.from({ length: 1_200 }, (_, index) => `${index},"t\n${index}"`);
    const cases = [
      // refused by the database: the key is there twice, in another batch
      [`${good.join("\n")}\n700,again\n`, /my-Books\.csv:2402: The row cannot be stored in "my\.Books"/],
      // no row of the entity
      [`${good.join("\n")}\nx,title\n`, /my-Books\.csv:2402: "x" is not a value of "ID"/],
      [`1,"open\n`, /my-Books\.csv:2: Expected a closing quote/],
      [`1,\n`, /my-Books\.csv:2: "title" is empty, but must not be null/],
      [`1,a,b\n`, /my-Books\.csv:2: Expected 2 fields, but found 3/],
    ] as const;
    for (const [text, expected] of cases) {
      await Deno.writeTextFile(file, `ID,title\n${text}`);
      const [code, output] = await fw("import", file);
      assert.match(output, expected);
      assert.equal(code, 1);
      assert.equal(count(), 0);
    }
    const lines = `${folder}/my-Books.jsonl`;
    for (
      const [text, expected] of [
        ['{"ID":1,"title":"a"}\n\n{"ID":2,', /my-Books\.jsonl:3: Expected a row in JSON/],
        ['{"ID":1,"title":"a"}\n[1]\n', /my-Books\.jsonl:2: Expected an object in JSON/],
        [
          '{"ID":1,"titel":"a"}\n',
          /my-Books\.jsonl:1: my\.Books has no column "titel"; did you mean "title"\?/,
        ],
        [
          '{"ID":1,"title":"a"}\n{"ID":2,"title":"a","day":"2024-02-30"}\n',
          /:2: "2024-02-30" is not a value of "day"/,
        ],
        [
          `{"ID":1,"title":"a"}\n{"ID":2,"title":"${"a".repeat(41)}"}\n`,
          /:2: "title" has a text longer than the 40 characters of its declaration/,
        ],
      ] as const
    ) {
      await Deno.writeTextFile(lines, text);
      assert.match((await fw("import", lines))[1], expected);
      assert.equal(count(), 0);
    }
    // several files are one: nothing of the first stays where the second is wrong
    await Deno.writeTextFile(file, "ID,title\n1,a\n");
    await Deno.writeTextFile(lines, '{"ID":1,"title":"b"}\n');
    assert.match((await fw("import", file, lines))[1], /my-Books\.jsonl:1: The row cannot be stored/);
    assert.equal(count(), 0);
  }));

Deno.test("fw data names wrong words, entities, formats and files", () =>
  withShop(SQLITE, async ({ folder, fw }) => {
    assert.match((await fw("exprot"))[1], /did you mean "export"\?/);
    assert.match((await fw("import"))[1], /needs the names of files/);
    assert.match((await fw("export", "my.Book", "--dest", folder))[1], /did you mean "my\.Books"\?/);
    assert.match((await fw("export", "--format", "xml"))[1], /Expected csv or jsonl/);
    assert.match((await fw("import", `${folder}/my-Boks.csv`))[1], /did you mean "my-Books\.csv"\?/);
    assert.match((await fw("import", `${folder}/my-Books.csv`))[1], /my-Books\.csv: Cannot be read/);
    assert.match((await fw("import", `${folder}/my-Books.txt`))[1], /ends with \.csv or \.jsonl/);
  }));

Deno.test("fw data says after each 100,000 rows of a file how far it is, and at its end how many it has", () =>
  withShop(SQLITE, async ({ folder, fw }) => {
    const file = `${folder}/my-Books.csv`;
    const rows = Array.from({ length: 101_000 }, (_, ID) => `${ID},t\n`);
    await Deno.writeTextFile(file, `ID,title\n${rows.join("")}`);
    assert.deepEqual(await fw("import", file), [0, `${file}: 100000 rows so far\n${file}: 101000 rows\n`]);
  }));
