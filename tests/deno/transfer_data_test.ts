/** Rows of a project in files: what is told of them, and when. */

import assert from "node:assert/strict";
import { deployProject } from "../../src/deno/deploy_project.ts";
import { exportData, importData } from "../../src/deno/transfer_data.ts";
import { withProject } from "./project.ts";

const FILES = {
  "db/schema.cds":
    "entity my.Books { key ID : Integer; title : String(40); }\nentity my.Empty { key ID : Integer; }",
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
