/** Streams that elements of their row describe: type, file name, version (Core vocabulary, Protocol 11.2.4). */

import assert from "node:assert/strict";
import { createRuntime, type Row } from "../../mod.ts";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";

const MODEL = parseCdl(`service S {
  entity Files { key ID : Integer; virtual kind : String; virtual name : String; @odata.etag version : Integer;
    @Core.MediaType: kind @Core.ContentDisposition.Filename: name content : LargeBinary; }
}`);
const FILE = "http://localhost/odata/v4/s/Files(1)/content";

for (const kind of ["memory", "sqlite"]) {
  Deno.test(`what describes a stream may be virtual, and is given by handlers (${kind})`, async () => {
    const runtime = createRuntime({
      model: MODEL,
      kinds: denoKinds,
      data: new Map<string, Row[]>([["S.Files", [{ ID: 1, content: "AAAA", version: 1 }]]]),
      env: { requires: { db: { kind } }, log: { levels: { default: "silent" } } },
      handlers: {
        S: (srv) => {
          srv.after("READ", "Files", (found) => {
            for (const row of [found].flat() as Row[]) {
              Object.assign(row, { kind: "image/png", name: "a.png" });
            }
          });
        },
      },
    });
    await runtime.start();
    try {
      const read = async () => {
        const { status, headers, body } = await runtime.fetch(new Request(FILE));
        await body?.cancel();
        return [status, ...["content-type", "content-disposition", "etag"].map((name) => headers.get(name))];
      };
      assert.deepEqual(await read(), [200, "image/png", 'attachment; filename="a.png"', 'W/"1"']);
      const headers = { "content-type": "image/png", "if-match": 'W/"1"' };
      const written = await runtime.fetch(
        new Request(FILE, { method: "PUT", headers, body: new Uint8Array([1]) }),
      );
      assert.equal(written.status, 204);
      assert.equal((await read())[0], 200);
    } finally {
      await runtime.close();
    }
  });
}
