/** Streams as handlers give them, and what describes them (OData Protocol 11.2.4, RFC 6266, RFC 9110 12.5.1). */

import assert from "node:assert/strict";
import { createRuntime, type Row } from "../../../mod.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";

const MODEL = parseCdl(`service S {
  @cds.persistence.skip entity Files { key ID : Integer; kind : String; name : String; @odata.etag version : Integer;
    @Core.MediaType: kind @Core.ContentDisposition.Filename: name content : LargeBinary;
    @Core.MediaType: 'text/plain' @Core.ContentDisposition: { Filename: 'a.txt', Type: 'inline' } inside : LargeBinary;
    @Core.MediaType: 'image/png' plain : LargeBinary; }
}`);

/** The answer to GET of a stream of a row that a handler gives. */
async function read(
  row: Row,
  { name = "content", headers = {} }: { name?: string; headers?: Record<string, string> } = {},
) {
  const runtime = createRuntime({
    model: MODEL,
    handlers: { S: (srv) => void srv.on("READ", "Files", () => ({ ID: 1, ...row })) },
    env: { requires: { db: false }, log: { levels: { default: "silent" } } },
  });
  try {
    const answer = await runtime.fetch(
      new Request(`http://localhost/odata/v4/s/Files(1)/${name}`, { headers }),
    );
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  } finally {
    await runtime.close();
  }
}

const bytes = (text: string) => new TextEncoder().encode(text);

Deno.test("a stream is what a handler gives: bytes, text, a stream, or one of them as value; else there is none", async () => {
  const endless: { value?: unknown } = {};
  endless.value = endless;
  const cases: readonly (readonly [given: unknown, status: number, text: string])[] = [
    [bytes("abc"), 200, "abc"],
    [btoa("abc"), 200, "abc"],
    ["not base64", 200, "not base64"],
    [new Blob(["abc"]).stream(), 200, "abc"],
    [{ value: bytes("abc") }, 200, "abc"],
    [{ value: new Blob(["abc"]).stream() }, 200, "abc"],
    [{ value: { value: btoa("abc") } }, 200, "abc"],
    [bytes(""), 200, ""],
    [null, 204, ""],
    [{ value: null }, 204, ""],
    [{}, 204, ""],
    [endless, 204, ""],
  ];
  for (const [content, status, text] of cases) {
    const answer = await read({ content });
    assert.deepEqual([answer.status, answer.text], [status, text], JSON.stringify(text));
  }
});

Deno.test("a stream has the media type that its row says, if it is one (Core.MediaType)", async () => {
  const cases: readonly (readonly [kind: unknown, type: string])[] = [
    ["image/svg+xml", "image/svg+xml"],
    ["text/plain; charset=utf-8", "text/plain; charset=utf-8"],
    ["text/plain;\r\nx: y", "application/octet-stream"],
    ["text", "application/octet-stream"],
    ["a b/c", "application/octet-stream"],
    [null, "application/octet-stream"],
    [7, "application/octet-stream"],
  ];
  for (const [kind, type] of cases) {
    assert.equal((await read({ kind, content: bytes("a") })).headers.get("content-type"), type);
  }
  assert.equal(
    (await read({ plain: bytes("a") }, { name: "plain" })).headers.get("content-type"),
    "image/png",
  );
});

Deno.test("the file name of a stream is told in ASCII, and as it is where that differs (RFC 6266 4.3, D)", async () => {
  const cases: readonly (readonly [name: unknown, disposition: string])[] = [
    ["a b.png", 'attachment; filename="a b.png"'],
    ['a"b\\c%.png', `attachment; filename="a%22b%5Cc%25.png"; filename*=UTF-8''a%22b%5Cc%25.png`],
    ["ä:(1)'*.png", `attachment; filename="%C3%A4:(1)'*.png"; filename*=UTF-8''%C3%A4%3A%281%29%27%2A.png`],
    ["", "attachment"],
    [null, "attachment"],
    [7, "attachment"],
  ];
  for (const [name, disposition] of cases) {
    const { headers } = await read({ name, content: bytes("a") });
    assert.equal(headers.get("content-disposition"), disposition);
  }
  const inside = await read({ inside: bytes("a") }, { name: "inside" });
  assert.equal(inside.headers.get("content-disposition"), 'inline; filename="a.txt"');
  const plain = await read({ plain: bytes("a") }, { name: "plain" });
  assert.equal(plain.headers.get("content-disposition"), "attachment");
});

Deno.test("a stream is sent to clients that accept its type (RFC 9110 12.5.1)", async () => {
  const cases: readonly (readonly [accept: string, status: number])[] = [
    ["", 200],
    ["*/*", 200],
    ["image/png", 200],
    ["text/html, IMAGE/PNG ; q=0.5", 200],
    ["image/*", 200],
    ["image/png;q=0", 406],
    ["image/png;q=0.00", 406],
    ["image/png;q=0.01", 200],
    ["image/pn", 406],
    ["image/", 406],
    ["im/*", 406],
    ["text/*", 406],
    ["application/json", 406],
  ];
  for (const [accept, status] of cases) {
    const answer = await read({ kind: "image/png; x=y", content: bytes("a") }, { headers: { accept } });
    assert.equal(answer.status, status, accept);
    if (status === 406) assert.match(answer.text, /Not acceptable, available is image\/png"/);
  }
});

Deno.test("the version of its row is that of a stream (Protocol 8.3.1, RFC 9110 13.1)", async () => {
  const cases: readonly (readonly [row: Row, headers: Record<string, string>, status: number])[] = [
    [{ version: 1 }, {}, 200],
    [{ version: 1 }, { "if-none-match": 'W/"1"' }, 304],
    [{ version: 2 }, { "if-none-match": 'W/"1"' }, 200],
    [{ version: 2 }, { "if-match": 'W/"1"' }, 412],
    [{ version: null }, { "if-none-match": "*" }, 200],
  ];
  for (const [row, headers, status] of cases) {
    const answer = await read({ ...row, content: bytes("a") }, { headers });
    assert.equal(answer.status, status);
    const tag = row.version === null || status === 412 ? null : `W/"${row.version}"`;
    assert.equal(answer.headers.get("etag"), tag);
  }
  const { status, headers } = await read({ version: 3, content: null });
  assert.deepEqual([status, headers.get("etag")], [204, 'W/"3"']);
});
