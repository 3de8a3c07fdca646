/** Files as answers of own routes in the classic form: `res.sendFile(path, options?, done?)`. */

import assert from "node:assert/strict";
import { type ClassicMiddleware, createHttpContext, runMiddleware } from "../../src/context/http_context.ts";
import type { HttpResponse } from "../../src/context/event_context.ts";
import { type AnswerFile, withSendFile } from "../../src/fw/send_file.ts";

type SendingResponse = HttpResponse & { sendFile(path: string, ...more: readonly unknown[]): void };
type Sender = (res: SendingResponse, next: (error?: unknown) => void) => unknown;

const HEADERS = { "content-type": "text/plain", etag: '"1"' };

/** Answers by a handler, over one file: `/files/a.txt`. */
function answered(
  handler: Sender,
  { answerFile, headers = {} }: { answerFile?: AnswerFile; headers?: HeadersInit } = {},
): Promise<Response | undefined> {
  const classic = ((_req, res, next) => handler(res as SendingResponse, next)) as ClassicMiddleware;
  const found: AnswerFile = (path, known) => {
    if (path !== "/files/a.txt") return Promise.resolve(undefined);
    return Promise.resolve(
      new Response(known === '"1"' ? null : "a", { status: known === '"1"' ? 304 : 200, headers: HEADERS }),
    );
  };
  const request = new Request("http://localhost/x", { headers });
  return runMiddleware(withSendFile(classic, answerFile ?? found), createHttpContext(request));
}

Deno.test("a file answers with its headers, but for those that the handler has set, and with the status of the handler", async () => {
  const plain = (await answered((res) => res.sendFile("/files/a.txt")))!;
  assert.deepEqual([plain.status, Object.fromEntries(plain.headers), await plain.text()], [
    200,
    HEADERS,
    "a",
  ]);
  const own = (await answered((res) => {
    res.status(203).set("content-type", "text/html");
    res.sendFile("/files/a.txt");
  }))!;
  assert.deepEqual([own.status, own.headers.get("content-type"), own.headers.get("etag")], [
    ...[203, "text/html", '"1"'],
  ]);
  await own.body?.cancel();
});

Deno.test("a client that has the file is told so (RFC 9110, 13.1.2)", async () => {
  const headers = { "if-none-match": '"1"' };
  const answer = (await answered((res) => res.sendFile("/files/a.txt"), { headers }))!;
  assert.deepEqual([answer.status, answer.body], [304, null]);
});

Deno.test("paths stay in their folder, and hidden files are hidden below it", async () => {
  const asked: string[] = [];
  const answerFile: AnswerFile = (path) => (asked.push(path), Promise.resolve(new Response("x")));
  const relative = "res.sendFile() takes an absolute path, or the folder of the path as options.root";
  const cases: readonly [string, string | undefined, string | number][] = [
    ["a.txt", "/files", "/files/a.txt"],
    ["/a.txt", "/files/", "/files/a.txt"],
    ["b/a.txt", "/files", "/files/b/a.txt"],
    ["/files/.well-known/x", undefined, "/files/.well-known/x"],
    ["C:\\files\\a.txt", undefined, "C:\\files\\a.txt"],
    ["c:/files/a.txt", undefined, "c:/files/a.txt"],
    ["\\files", undefined, "\\files"],
    ["a..b/c...txt", "/files", "/files/a..b/c...txt"],
    ["../a.txt", "/files", 403],
    ["b/../../a.txt", "/files", 403],
    ["b\\..\\a.txt", "/files", 403],
    ["/files/../a.txt", undefined, 403],
    ["a.txt\0.png", "/files", 400],
    ["/files/a\0", undefined, 400],
    [".env", "/files", 404],
    ["b/.git/config", "/files", 404],
    ["b\\.git", "/files", 404],
    ["a.txt", undefined, relative],
    ["files:/a.txt", undefined, relative],
  ];
  for (const [path, root, expected] of cases) {
    asked.length = 0;
    const answer = answered((res) => res.sendFile(path, root === undefined ? {} : { root }), { answerFile });
    if (typeof expected === "string" && expected !== relative) {
      await (await answer)?.body?.cancel();
      assert.deepEqual(asked, [expected], path);
      continue;
    }
    await assert.rejects(
      answer,
      (error: { status?: number; message: string }) => {
        assert.equal(error.status ?? error.message, expected, path);
        return true;
      },
    );
    assert.deepEqual(asked, [], path);
  }
});

Deno.test("what cannot be sent goes to the callback, else to the next handler", async () => {
  const told: unknown[] = [];
  await assert.rejects(answered((res) => res.sendFile("/files/none")), { status: 404 });
  const done = (res: SendingResponse) => (error?: { status: number }) => {
    told.push(error?.status);
    if (error) res.end("told");
  };
  const absent = (await answered((res) => res.sendFile("/none", done(res))))!;
  assert.equal(await absent.text(), "told");
  const hidden = (await answered((res) => res.sendFile(".env", { root: "/files" }, done(res))))!;
  assert.equal(await hidden.text(), "told");
  const sent = (await answered((res) => res.sendFile("a.txt", { root: "/files" }, done(res))))!;
  assert.equal(await sent.text(), "a");
  assert.deepEqual(told, [404, 404, undefined]);
});

Deno.test("the handler goes on as it would without files, and its errors are those of the route", async () => {
  assert.equal(await answered((_res, next) => next()), undefined);
  await assert.rejects(answered(() => Promise.reject(new Error("own"))), { message: "own" });
});

Deno.test("files need a file system", async () => {
  const request = createHttpContext(new Request("http://localhost/"));
  const classic: ClassicMiddleware = (_req, res) => (res as SendingResponse).sendFile("/files/a.txt");
  await assert.rejects(runMiddleware(withSendFile(classic, undefined), request), {
    name: "ConfigurationError",
    message: "Files need a file system: load the project by ./deno",
  });
});
