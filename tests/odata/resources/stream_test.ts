/** Streams as handlers give them, and what describes them (OData Protocol 11.2.4, RFC 6266, RFC 9110 12.5.1). */

import assert from "node:assert/strict";
import { createRuntime, type Row, type SelectQuery } from "../../../mod.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";

const MODEL = parseCdl(`service S {
  @cds.persistence.skip entity Files { key ID : Integer; kind : String; name : String; @odata.etag version : Integer;
    @Core.MediaType: kind @Core.ContentDisposition.Filename: name content : LargeBinary;
    @Core.MediaType: 'text/plain' @Core.ContentDisposition: { Filename: 'a.txt', Type: 'inline' } inside : LargeBinary;
    @Core.MediaType: 'image/png' plain : LargeBinary; }
}`);

/** How a stream is read. */
interface ReadOptions {
  readonly name?: string;
  readonly headers?: Record<string, string>;
  readonly method?: string;
}

/** The answer to GET of a stream of a row that a handler gives. */
async function read(row: Row, { name = "content", headers = {}, method = "GET" }: ReadOptions = {}) {
  const runtime = createRuntime({
    model: MODEL,
    handlers: { S: (srv) => void srv.on("READ", "Files", () => ({ ID: 1, ...row })) },
    env: { requires: { db: false }, log: { levels: { default: "silent" } } },
  });
  try {
    const answer = await runtime.fetch(
      new Request(`http://localhost/odata/v4/s/Files(1)/${name}`, { method, headers }),
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

Deno.test("GET answers the range of a stream that is asked for, HEAD all of it (RFC 9110 14.2)", async () => {
  const cases: readonly (readonly [range: string, status: number, text: string, told: string | null])[] = [
    ["bytes=0-3", 206, "0123", "bytes 0-3/10"],
    ["bytes=4-", 206, "456789", "bytes 4-9/10"],
    ["bytes=8-99", 206, "89", "bytes 8-9/10"],
    ["bytes=9-9", 206, "9", "bytes 9-9/10"],
    ["bytes=-4", 206, "6789", "bytes 6-9/10"],
    ["bytes=-99", 206, "0123456789", "bytes 0-9/10"],
    ["bytes=3-1", 200, "0123456789", null],
    ["bytes=-", 200, "0123456789", null],
    ["lines=0-1", 200, "0123456789", null],
  ];
  const content = bytes("0123456789");
  for (const [range, status, text, told] of cases) {
    const answer = await read({ content, kind: "text/plain" }, { headers: { range } });
    assert.deepEqual(
      [answer.status, answer.text, answer.headers.get("content-range")],
      [status, text, told],
      range,
    );
    assert.equal(answer.headers.get("accept-ranges"), "bytes");
    assert.equal(answer.headers.get("content-type"), "text/plain");
    assert.equal(answer.headers.get("content-disposition"), "attachment");
  }
  for (const range of ["bytes=10-", "bytes=-0"]) {
    const answer = await read({ content }, { headers: { range } });
    assert.deepEqual([answer.status, answer.headers.get("content-range")], [416, "bytes */10"], range);
  }
  const head = await read({ content }, { method: "HEAD", headers: { range: "bytes=0-3" } });
  assert.deepEqual([head.status, head.headers.get("content-range")], [200, null]);
  const asOf = await read({ content }, { headers: { "range": "bytes=0-3", "if-range": 'W/"1"' } });
  assert.deepEqual([asOf.status, asOf.text], [200, "0123456789"]);
});

Deno.test("PUT of a stream updates it and what describes it, DELETE takes it away; that of a media entity takes the entity (Protocol 11.4.7.3, 11.4.8)", async () => {
  const told: unknown[] = [];
  const runtime = createRuntime({
    model: parseCdl(`service S {
      @cds.persistence.skip entity Files { key ID : Integer; kind : String; @Core.MediaType: kind content : LargeBinary;
        @Core.MediaType: 'text/plain' plain : LargeBinary; }
      @cds.persistence.skip entity Media { key ID : Integer; @odata.media @Core.MediaType: 'text/plain' content : LargeBinary; }
      @cds.persistence.skip entity Versions { key ID : Integer; @odata.etag version : Integer; @Core.MediaType: 'text/plain' content : LargeBinary; }
    }`),
    handlers: {
      S: (srv) => {
        srv.on("READ", ["Files", "Media", "Versions"], () => (told.push(["READ"]), { ID: 1, version: 4 }));
        srv.on(["UPDATE", "DELETE"], ["Files", "Media", "Versions"], async (req) => {
          const data: Record<string, unknown> = {};
          for (const [name, value] of Object.entries((req.data ?? {}) as Row)) {
            data[name] = value !== null && typeof value === "object"
              ? await new Response(value as BodyInit).text()
              : value;
          }
          told.push([req.event, data]);
          return req.event === "DELETE" ? 1 : { ...data, version: 5 };
        });
      },
    },
    env: { requires: { db: false }, log: { levels: { default: "silent" } } },
  });
  const send = async (method: string, path: string, more: Record<string, string> = {}, body?: string) => {
    told.length = 0;
    const headers = { ...(body === undefined ? {} : { "content-type": "text/plain" }), ...more };
    const answer = await runtime.fetch(
      new Request(`http://localhost/odata/v4/s/${path}`, { method, headers, body }),
    );
    return [
      answer.status,
      await answer.text(),
      answer.headers.get("etag"),
      answer.headers.get("preference-applied"),
      ...told,
    ];
  };
  try {
    const wanted = { prefer: "return=representation" };
    const update = (data: Row) => ["UPDATE", { ...data, ID: 1 }];
    const cases: readonly (readonly [
      request: Parameters<typeof send>,
      status: number,
      told: readonly unknown[],
      etag?: string,
    ])[] = [
      [["PUT", "Files(1)/content", wanted, "abc"], 204, update({ content: "abc", kind: "text/plain" })],
      [
        ["PUT", "Files(1)/content", { "content-type": "a/b" }, "abc"],
        204,
        update({ content: "abc", kind: "a/b" }),
      ],
      [["PUT", "Files(1)/plain", {}, "abc"], 204, update({ plain: "abc" })],
      [["DELETE", "Files(1)/content", wanted], 204, update({ content: null })],
      [["PUT", "Media(1)/$value", wanted, "abc"], 204, update({ content: "abc" })],
      [["DELETE", "Media(1)/$value", wanted], 204, ["DELETE", { ID: 1 }]],
      [
        ["PUT", "Versions(1)/content", { "if-match": 'W/"4"' }, "abc"],
        204,
        update({ content: "abc" }),
        'W/"5"',
      ],
    ];
    for (const [request, status, event, etag = null] of cases) {
      assert.deepEqual(
        await send(...request),
        [status, "", etag, null, event],
        request.slice(0, 2).join(" "),
      );
    }
    const [status, , , , ...events] = await send("PUT", "Versions(1)/content", {}, "abc");
    assert.deepEqual([status, events], [428, []]);
  } finally {
    await runtime.close();
  }
});

Deno.test("of the row of a stream is read what the answer needs: the stream, what describes it, the version", async () => {
  const asked: unknown[] = [];
  const runtime = createRuntime({
    model: MODEL,
    handlers: {
      S: (srv) =>
        void srv.on("READ", "Files", (req) => {
          asked.push((req.query as unknown as SelectQuery).SELECT.columns!.map((column) =>
            (column as { ref: unknown }).ref
          ));
          return { ID: 1, content: bytes("a"), inside: bytes("b") };
        }),
    },
    env: { requires: { db: false }, log: { levels: { default: "silent" } } },
  });
  try {
    // each twice: queries are kept
    for (const name of ["content", "inside", "content", "inside"]) {
      await runtime.fetch(new Request(`http://localhost/odata/v4/s/Files(1)/${name}`));
    }
    const [content, inside] = [[["content"], ["kind"], ["name"], ["version"]], [["inside"], ["version"]]];
    assert.deepEqual(asked, [content, inside, content, inside]);
  } finally {
    await runtime.close();
  }
});
