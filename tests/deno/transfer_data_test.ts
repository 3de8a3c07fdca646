/** Rows of a project in files: what is told of them, and when. */

import assert from "node:assert/strict";
import { deployProject } from "../../src/deno/deploy_project.ts";
import { exportData, importData } from "../../src/deno/transfer_data.ts";
import { withProject, withSlowFiles } from "./project.ts";

const FILES = {
  "db/schema.cds":
    "entity my.Books { key ID : Integer; title : String(40); }\nentity my.Empty { key ID : Integer; }\n" +
    "entity my.View as select from my.Books { ID };",
  "in/my-Books.csv": "ID,title\n1,one\n2,two\n",
  ".fwrc.json": JSON.stringify({
    requires: { db: { kind: "sqlite", credentials: { url: "db.sqlite" } } },
    log: { levels: { default: "silent" } },
  }),
};

/** What others do in the meantime. */
const turn = () => new Promise((resolve) => setTimeout(resolve));

Deno.test("rows that are exported count once they are written, and a file is done once it is closed", () =>
  withProject(FILES, async (project) => {
    await deployProject(project);
    assert.deepEqual(await importData(project, [`${project}/in/my-Books.csv`]), [2]);
    const events: string[] = [];
    const { open } = Deno;
    const output = {
      writable: new WritableStream<Uint8Array>({
        write: async (bytes) => {
          await turn();
          events.push(new TextDecoder().decode(bytes));
        },
        close: async () => {
          await turn();
          events.push("closed");
        },
      }),
      [Symbol.dispose]: () => void events.push("disposed"),
    };
    const folder = `${project}/out`;
    Object.assign(Deno, {
      open: (path: string, options: Deno.OpenOptions) =>
        path.startsWith(folder) ? Promise.resolve(output) : open(path, options),
    });
    try {
      await exportData(project, {
        ...{ folder, format: "csv", entities: ["my.Books"] },
        onProgress: (file, rows, isDone) =>
          void events.push(`${file.slice(project.length)} ${rows} ${isDone}`),
      });
    } finally {
      Object.assign(Deno, { open });
    }
    assert.deepEqual(events, [
      ...["ID,title\n", "1,one\n2,two\n", "/out/my-Books.csv 2 false"],
      ...["closed", "/out/my-Books.csv 2 true", "disposed"],
    ]);
  }));

Deno.test("entities and files that no table is of are told with the nearest name, before anything is written", () =>
  withProject(
    { ...FILES, "in/my-Bookz.csv": "ID\n1\n", "in/my-Books.txt": "ID\n1\n", "in/far.csv": "" },
    async (project) => {
      await deployProject(project);
      const folder = `${project}/out`;
      const exported = (...entities: readonly string[]) =>
        exportData(project, { folder, format: "jsonl", entities });
      const refused = (work: Promise<unknown>, message: string) =>
        assert.rejects(work, (error: Error) => {
          assert.deepEqual([error.name, error.message.replaceAll(project, "…")], [
            "ConfigurationError",
            message,
          ]);
          return true;
        });
      const none = 'There is no table of an entity "';
      await refused(exported("my.Books", "my.Bookz"), `${none}my.Bookz"; did you mean "my.Books"?`);
      await refused(exported("else"), `${none}else"`);
      assert.throws(() => Deno.statSync(folder), Deno.errors.NotFound);
      const imported = (name: string) =>
        importData(project, [`${project}/in/my-Books.csv`, `${project}/in/${name}`]);
      const no = "There is no table of an entity for this file";
      await refused(imported("my-Bookz.csv"), `…/in/my-Bookz.csv: ${no} (did you mean "my-Books.csv"?)`);
      await refused(imported("far.csv"), `…/in/far.csv: ${no}`);
      await assert.rejects(
        imported("my-View.csv"),
        /my-View\.csv: There is no table of an entity for this file/,
      );
      await refused(
        imported("my-Books.txt"),
        "…/in/my-Books.txt: Expected a file that ends with .csv or .jsonl",
      );
      await exportData(project, { folder, format: "jsonl" });
      const files = [...Deno.readDirSync(folder)].map((
        { name },
      ) => [name, Deno.readTextFileSync(`${folder}/${name}`)]);
      assert.deepEqual(Object.fromEntries(files), { "my-Books.jsonl": "", "my-Empty.jsonl": "" });
    },
  ));

Deno.test("an export that cannot be written fails once, and one into a new folder waits for it", () =>
  withProject(FILES, async (project) => {
    await deployProject(project);
    const folder = `${project}/new/out`;
    await withSlowFiles(() => exportData(project, { folder, format: "csv", entities: ["my.Empty"] }));
    assert.equal(Deno.readTextFileSync(`${folder}/my-Empty.csv`), "ID\n");
    const { open } = Deno;
    const full = {
      writable: new WritableStream<Uint8Array>({ write: () => Promise.reject(new Error("full")) }),
      [Symbol.dispose]: () => {},
    };
    Object.assign(Deno, {
      open: (path: string, options: Deno.OpenOptions) =>
        path.startsWith(folder) ? Promise.resolve(full) : open(path, options),
    });
    try {
      await assert.rejects(exportData(project, { folder, format: "csv", entities: ["my.Books"] }), /full/);
    } finally {
      Object.assign(Deno, { open });
    }
  }));

Deno.test("the nearest name of a file counts all its letters", () =>
  withProject({ ...FILES, "db/schema.cds": "entity Abc { key ID : Integer; }" }, async (project) => {
    await deployProject(project);
    await assert.rejects(importData(project, [`${project}/Axc.csv`]), /\(did you mean "Abc\.csv"\?\)$/);
  }));
