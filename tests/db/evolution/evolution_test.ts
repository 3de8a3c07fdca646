import assert from "node:assert/strict";
import { EventContext } from "../../../src/context/event_context.ts";
import type { Row } from "../../../src/cqn/cqn.ts";
import { createPostgresDatabase } from "../../../src/db/postgres/postgres_database.ts";
import { createSqliteDatabase } from "../../../src/db/sqlite/sqlite_database.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import type { Database, DeployOptions, DeployReport } from "../../../src/service/database.ts";
import { uniqueName } from "../../contract/services.ts";
import { credentials, dropSchemas, server } from "../postgres.ts";

/** Deploys versions of a model one after the other. */
interface Series {
  deploy(
    model: string,
    options?: DeployOptions,
    rows?: Readonly<Record<string, readonly Row[]>>,
  ): Promise<DeployReport>;
  read(entity: string): Promise<unknown>;
  /** Runs SQL by hand. */
  sql(text: string): Promise<void>;
}

const ENGINES = ["sqlite", ...(server.isThere ? ["postgres"] : [])];

async function inSeries(engine: string, run: (series: Series) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  const schema = uniqueName();
  let database: Database | undefined;
  const open = async (text: string) => {
    const model = linkModel(parseCdl(text));
    const features = { assert_integrity: "db" };
    const options = engine === "sqlite"
      ? { credentials: { url: `${folder}/db.sqlite` }, ...features }
      : { credentials: credentials(schema), ...features };
    await database?.close();
    database = engine === "sqlite"
      ? await createSqliteDatabase({ model, options })
      : await createPostgresDatabase({ model, options });
    return database;
  };
  try {
    await run({
      deploy: async (model, options = { mode: "lossless" }, rows = {}) =>
        await (await open(model)).deploy(new Map(Object.entries(rows)), options),
      read: async (entity) => {
        const tx = database!.begin(new EventContext());
        const rows = await tx.run({ SELECT: { from: { ref: [entity] }, orderBy: [{ ref: ["ID"] }] } });
        await tx.rollback();
        return JSON.parse(JSON.stringify(rows));
      },
      sql: async (text) => {
        const tx = database!.begin(new EventContext());
        await tx.sql!(text);
        await tx.commit();
      },
    });
  } finally {
    await database?.close();
    await Deno.remove(folder, { recursive: true });
    if (engine === "postgres") await dropSchemas(schema);
  }
}

const LIBRARY = `
  entity my.Authors { key ID : Integer; name : String(20); books : Composition of many my.Books on books.author = $self; }
  entity my.Books { key ID : Integer; title : localized String(20) not null; author : Association to my.Authors; }
  entity my.Shown as select from my.Books { ID, title, author.name as writer };`;
const ROWS = {
  "my.Authors": [{ ID: 1, name: "Emily" }],
  "my.Books": [{ ID: 1, title: "one", author_ID: 1, texts: [{ locale: "de", title: "eins" }] }],
};

for (const engine of ENGINES) {
  Deno.test(`${engine}: renamed entities and associations keep their rows, texts and references (@fw.renamedFrom)`, () =>
    inSeries(engine, async ({ deploy, read }) => {
      await deploy(LIBRARY, {}, ROWS);
      await deploy(`
        @fw.renamedFrom: 'Authors'
        entity my.Writers { key ID : Integer; name : String(40); works : Composition of many my.Works on works.writer = $self; }
        @fw.renamedFrom: 'my.Books'
        entity my.Works { key ID : Integer; title : localized String(30) not null;
          @fw.renamedFrom: 'author' writer : Association to my.Writers; }
        entity my.Shown as select from my.Works { ID, title, writer.name as writer };`);
      assert.deepEqual(await read("my.Works"), [{ ID: 1, title: "one", writer_ID: 1 }]);
      assert.deepEqual(await read("my.Works.texts"), [{ locale: "de", ID: 1, title: "eins" }]);
      assert.deepEqual(await read("my.Shown"), [{ ID: 1, title: "one", writer: "Emily" }]);
    }));

  Deno.test(`${engine}: what rows would lose is named and refused, and done where it is allowed`, () =>
    inSeries(engine, async ({ deploy, read }) => {
      await deploy(LIBRARY, {}, ROWS);
      const smaller = "entity my.Books { key ID : Integer; title : String(2) not null; }";
      await assert.rejects(deploy(smaller), (error: Error) => {
        assert.equal(error.name, "ConfigurationError");
        for (
          const part of [
            'the rows of "my.Authors"',
            'the rows of "my.Books.texts"',
            'the values of column "author_ID" of "my.Books"',
            'values of column "title" of "my.Books"',
            "fw deploy --allow-loss",
            "@fw.renamedFrom",
          ]
        ) assert.ok(error.message.includes(part), `${part} in ${error.message}`);
        return true;
      });
      const plan = await deploy(smaller, { mode: "lossy", dryRun: true });
      assert.equal(plan.losses.length, 4);
      assert.ok(plan.statements.some((sql) => /^DROP TABLE "my_Authors"/.test(sql)));
      await deploy(LIBRARY, {}, ROWS);
      assert.deepEqual(await read("my.Authors"), ROWS["my.Authors"], "a dry run changes nothing");
      await deploy(smaller, { mode: "lossy" });
      assert.deepEqual(await read("my.Books"), [{ ID: 1, title: "on" }]);
    }));

  Deno.test(`${engine}: a text gets shorter where all rows fit, in characters, and is refused where one does not`, () =>
    inSeries(engine, async ({ deploy, read }) => {
      const entity = (type: string) => `entity E { key ID : Integer; a : ${type}; }`;
      const rows = [{ ID: 1, a: "Straß" }, { ID: 2, a: "😀😀😀😀" }, { ID: 3, a: null }];
      await deploy(entity("LargeString"), {}, { E: rows });
      for (const type of ["String", "String(40)", "String(5)"]) {
        assert.deepEqual((await deploy(entity(type))).losses, []);
        assert.deepEqual(await read("E"), rows);
      }
      await assert.rejects(deploy(entity("String(4)")), /values of column "a" of "E"/);
      assert.deepEqual(await read("E"), rows);
    }));

  Deno.test(`${engine}: rows get the default of a new association, as of any new element`, () =>
    inSeries(engine, async ({ deploy, read }) => {
      const states = "entity S { key code : String(1); }";
      await deploy(`${states} entity E { key ID : Integer; }`, {}, { S: [{ code: "N" }], E: [{ ID: 1 }] });
      await deploy(
        `${states} entity E { key ID : Integer; s : Association to S default 'N'; t : String default 't'; }`,
      );
      assert.deepEqual(await read("E"), [{ ID: 1, s_code: "N", t: "t" }]);
    }));

  Deno.test(`${engine}: a start keeps what only the database has, and the next one goes on with it`, () =>
    inSeries(engine, async ({ deploy, read }) => {
      await deploy(LIBRARY, {}, ROWS);
      await deploy("entity my.Books { key ID : Integer; isbn : String(13); }", {});
      assert.deepEqual(await read("my.Books"), [{ ID: 1, isbn: null }]);
      await deploy(LIBRARY, {});
      assert.deepEqual(await read("my.Books"), [{ ID: 1, title: "one", author_ID: 1 }]);
      assert.deepEqual(await read("my.Authors"), ROWS["my.Authors"]);
    }));

  Deno.test(`${engine}: a deployment drops what a start of the same model has kept, if that is allowed`, () =>
    inSeries(engine, async ({ deploy }) => {
      const small = "entity my.Books { key ID : Integer; isbn : String(13); }";
      await deploy(LIBRARY, {}, ROWS);
      await deploy(small, {});
      assert.deepEqual((await deploy(small, {})).statements, []);
      await assert.rejects(deploy(small, { mode: "lossless" }), /lose the rows of "my\.Authors"/);
      const { losses } = await deploy(small, { mode: "lossy" });
      assert.match(losses.join("\n"), /the values of column "title" of "my\.Books"/);
      assert.deepEqual((await deploy(small, { mode: "lossy" })).statements, []);
    }));

  Deno.test(`${engine}: rows get a calculated default of a new element`, () =>
    inSeries(engine, async ({ deploy, read }) => {
      await deploy("entity E { key ID : Integer; }", {}, { E: [{ ID: 1 }] });
      await deploy(
        "entity E { key ID : Integer; at : Timestamp default $now; too : Timestamp default now(); }",
      );
      const [{ at, too }] = await read("E") as { at: string; too: string }[];
      for (const time of [at, too]) assert.match(time, /^\d{4}-\d\d-\d\dT.*Z$/);
    }));

  Deno.test(`${engine}: a new element takes the rows of an old one, unless that is still there (@fw.renamedFrom)`, () =>
    inSeries(engine, async ({ deploy, read }) => {
      await deploy("entity E { key ID : Integer; a : String(9); }", {}, { E: [{ ID: 1, a: "x" }] });
      await deploy("entity E { key ID : Integer; @fw.renamedFrom: 'a' b : String(9); a : String(9); }");
      assert.deepEqual(await read("E"), [{ ID: 1, b: null, a: "x" }]);
    }));

  Deno.test(`${engine}: more digits behind the point at the cost of those before it are a loss`, () =>
    inSeries(engine, async ({ deploy }) => {
      const withPrice = (type: string) => `entity E { key ID : Integer; price : ${type}; }`;
      await deploy(withPrice("Decimal(5,2)"), {}, { E: [{ ID: 1, price: 999.99 }] });
      await assert.rejects(deploy(withPrice("Decimal(6,4)")), /would lose values of column "price"/);
      await deploy(withPrice("Decimal(7,4)"));
    }));

  Deno.test(`${engine}: a table that was made by hand is not taken for a view of the model`, () =>
    inSeries(engine, async ({ deploy, sql }) => {
      await deploy("entity E { key ID : Integer; }");
      await sql('CREATE TABLE "Shown" ("ID" INTEGER)');
      await assert.rejects(deploy("entity E { key ID : Integer; } entity Shown as select from E;"), {
        name: "ConfigurationError",
        message: /The table of "Shown" is a table in the database, but a view in the model/,
      });
    }));

  Deno.test(`${engine}: columns that were made by hand stay where their types are alike, others are a loss`, () =>
    inSeries(engine, async ({ deploy, read, sql }) => {
      await deploy("entity Other { key ID : Integer; }");
      await sql(
        'CREATE TABLE "E" ("ID" BIGINT PRIMARY KEY, "pages" TEXT, "name" CHAR(3), "price" INTEGER, "code" INTEGER, ' +
          '"day" DATE)',
      );
      await sql(`INSERT INTO "E" VALUES (1, '12', 'abc', 5, 7, '2020-02-29')`);
      const model =
        "entity E { key ID : Integer; pages : Integer; name : String(9); price : Decimal(9, 2); code : String(5); " +
        "day : Date; }";
      await assert.rejects(deploy(model), ({ message }: Error) => {
        assert.match(message, /would lose values of column "pages" of "E", which are TEXT and become INT; /i);
        assert.match(message, / column "code" of "E", which are INTEGER and become \w+\(5\)/i);
        assert.doesNotMatch(message, /"(?:ID|name|price|day)"/);
        return true;
      });
      await deploy(model, { mode: "lossy" });
      const row = { ID: 1, pages: 12, name: "abc", price: 5, code: "7", day: "2020-02-29" };
      assert.deepEqual(await read("E"), [row]);
      assert.deepEqual((await deploy(model)).statements, []);
    }));

  Deno.test(`${engine}: rows that a new constraint does not allow stop the change, and nothing of it is done`, () =>
    inSeries(engine, async ({ deploy, read }) => {
      const rows = { E: [{ ID: 1, a: "x" }, { ID: 2, a: "x" }] };
      await deploy("entity E { key ID : Integer; a : String(5); }", {}, rows);
      const unique = "@assert.unique.a: [a] entity E { key ID : Integer; a : String(5); b : String; }";
      await assert.rejects(deploy(unique), {
        name: "ConfigurationError",
        message: /refused a change .*unique/is,
      });
      await deploy("entity E { key ID : Integer; a : String(5); }");
      assert.deepEqual(await read("E"), rows.E);
    }));

  Deno.test(`${engine}: rows that refer to rows that are not there stop a start with checked references`, () =>
    inSeries(engine, async ({ deploy }) => {
      const plain = "entity A { key ID : Integer; } entity B { key ID : Integer; a_ID : Integer; }";
      await deploy(plain, {}, { B: [{ ID: 1, a_ID: 5 }] });
      const checked = "entity A { key ID : Integer; } entity B { key ID : Integer; a : Association to A; }";
      await assert.rejects(deploy(checked), { name: "ConfigurationError" });
    }));
}
