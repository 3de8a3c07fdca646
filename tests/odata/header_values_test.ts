import assert from "node:assert/strict";
import { createRuntime, type Runtime } from "../../mod.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { send } from "../http/fixture.ts";

const MODEL = parseCdl(`service S {
  entity E { key ID : String; @odata.etag version : String; name : String;
    @Core.MediaType: type @Core.ContentDisposition.Filename: name content : LargeBinary; type : String; }
  action act(); function fn() returns String;
}`);

/** Texts that would end a header, or are no part of one (RFC 9110, 5.5). */
const CONTROLS = [
  "\r\nSet-Cookie: a=b",
  "\nSet-Cookie: a=b",
  "\rSet-Cookie: a=b",
  "\0",
  "\x01",
  "\x7f",
  "\x0b",
];

async function withRuntime(
  run: (runtime: Runtime) => Promise<void>,
  set?: (res: Headers) => void,
): Promise<void> {
  const runtime = createRuntime({
    model: MODEL,
    handlers: {
      S: (srv) => {
        srv.on("act", () => {});
        srv.on("fn", (req) => {
          set?.(req.http!.res.headers);
          return "done";
        });
      },
    },
    env: { log: { levels: { default: "silent" } } },
  });
  await runtime.start();
  try {
    await run(runtime);
  } finally {
    await runtime.close();
  }
}

const MULTIPART = { accept: "multipart/mixed" };

Deno.test("ids and groups of a JSON batch hold no control characters: they come back as Content-ID (JSON Format 19.1)", () =>
  withRuntime(async (runtime) => {
    for (const text of CONTROLS) {
      for (const headers of [MULTIPART, { accept: "application/json" }]) {
        for (
          const request of [
            { id: `1${text}`, method: "GET", url: "E" },
            { id: "1", atomicityGroup: `g${text}`, method: "POST", url: "act", body: {} },
          ]
        ) {
          const answer = await send(runtime, "/odata/v4/s/$batch", {
            headers,
            body: { requests: [request] },
          });
          assert.equal(answer.status, 400, JSON.stringify(request));
          assert.match(answer.body.error.message, /has a control character$/);
        }
      }
    }
    assert.deepEqual((await send(runtime, "/odata/v4/s/E")).body.value, []);
  }));

Deno.test("Content-ID of a multipart batch holds no control characters, either", () =>
  withRuntime(async (runtime) => {
    for (const text of ["\x01", "\x7f", "\x0b"]) {
      const body = [
        "--b",
        "Content-Type: application/http",
        `Content-ID: 1${text}2`,
        "",
        "GET E HTTP/1.1",
        "",
        "",
        "--b--",
        "",
      ].join("\r\n");
      const headers = { "content-type": "multipart/mixed;boundary=b" };
      const answer = await send(runtime, "/odata/v4/s/$batch", { headers, body });
      assert.equal(answer.status, 400, JSON.stringify(text));
    }
  }));

Deno.test("values of rows never break out of Location, ETag, OData-EntityId and Content-Disposition of a part", () =>
  withRuntime(async (runtime) => {
    for (const [at, text] of [...CONTROLS.filter((one) => one !== "\0"), "é€\u2028"].entries()) {
      const value = `${at}${text}`;
      const row = { ID: value, version: value, name: value, type: value, content: "AAAA" };
      const key = encodeURIComponent(value);
      const requests = [
        { id: "1", method: "POST", url: "E", body: row },
        {
          id: "2",
          method: "POST",
          url: "E",
          body: { ...row, ID: `${value}!` },
          headers: { prefer: "return=minimal" },
        },
        { id: "3", method: "GET", url: `E('${key}')` },
        { id: "4", method: "GET", url: `E('${key}')/content` },
      ];
      const answer = await send(runtime, "/odata/v4/s/$batch", { headers: MULTIPART, body: { requests } });
      assert.equal(answer.status, 200);
      assert.deepEqual([...answer.body.matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => status), [
        "201",
        "204",
        "200",
        "200",
      ]);
      const lines = (answer.body as string).split(/\r\n|\r|\n/);
      assert.ok(!lines.some((line) => /^set-cookie/i.test(line)), answer.body);
      const heads = answer.body.split(/\r\n\r\n/).filter((head: string) => head.startsWith("HTTP/"));
      // deno-lint-ignore no-control-regex -- that is what must not be there
      for (const head of heads) assert.match(head.replaceAll("\r\n", " "), /^[^\x00-\x1f\x7f]*$/);
    }
  }));

Deno.test("a header that a handler sets from input fails its own part where it would break out", async () => {
  for (const text of CONTROLS) {
    const set = (headers: Headers) => headers.set("etag", `a${text}`);
    await withRuntime(async (runtime) => {
      const requests = [
        { id: "1", method: "POST", url: "E", body: { ID: "1" } },
        { id: "2", method: "GET", url: "fn()" },
        { id: "3", method: "POST", url: "E", body: { ID: "2" } },
      ];
      const answer = await send(runtime, "/odata/v4/s/$batch", { body: { requests } });
      const statuses = answer.body.responses.map(({ status }: { status: number }) => status);
      assert.deepEqual(statuses, [201, 500, 201], JSON.stringify(text));
      const alone = await send(runtime, "/odata/v4/s/fn()");
      assert.equal(alone.status, 500, JSON.stringify(text));
      assert.equal(alone.headers.get("set-cookie"), null);
    }, set);
  }
});
