import assert from "node:assert/strict";
import { serveProject } from "../../src/deno/mod.ts";
import { SMALL, withProject } from "./project.ts";
import { talk } from "./talk.ts";

const BOOKS = "/odata/v4/cat/Books";
const MINIMAL = "Connection: close\r\n\r\n";

/** What is sent, and the first line and a part of the answer. */
const CASES: readonly (readonly [what: string, sent: string, answer: RegExp])[] = [
  [
    "a host that is no name",
    `GET ${BOOKS} HTTP/1.1\r\nHost: [bad\r\n${MINIMAL}`,
    /^HTTP\/1\.1 400 [\s\S]*malformed/,
  ],
  ["a host with garbage", `GET ${BOOKS} HTTP/1.1\r\nHost: a b%zz<>\r\n${MINIMAL}`, /^HTTP\/1\.1 400 /],
  ["no host", `GET ${BOOKS} HTTP/1.1\r\n${MINIMAL}`, /^HTTP\/1\.1 (200|400) /],
  ["HTTP/1.0", `GET ${BOOKS} HTTP/1.0\r\n\r\n`, /^HTTP\/1\.[01] 200 [\s\S]*Emma/],
  [
    "the absolute form",
    `GET http://x.example${BOOKS} HTTP/1.1\r\nHost: y\r\n${MINIMAL}`,
    /^HTTP\/1\.1 200 [\s\S]*Emma/,
  ],
  [
    "dot segments",
    `GET /a/../odata/v4/./cat/Books HTTP/1.1\r\nHost: x\r\n${MINIMAL}`,
    /^HTTP\/1\.1 200 [\s\S]*Emma/,
  ],
  ["backslashes", `GET \\odata\\v4\\cat\\Books HTTP/1.1\r\nHost: x\r\n${MINIMAL}`, /^HTTP\/1\.1 (200|400) /],
  [
    "two slashes",
    `GET //odata/v4/cat/Books HTTP/1.1\r\nHost: x\r\n${MINIMAL}`,
    /^HTTP\/1\.1 404 [\s\S]*"code":"404"/,
  ],
  [
    "a broken percent code",
    `GET /%zz HTTP/1.1\r\nHost: x\r\n${MINIMAL}`,
    /^HTTP\/1\.1 400 [\s\S]*offset 1 of the URL/,
  ],
  [
    "Latin-1 in the path",
    `GET /odata/v4/cat/B\u00fccher HTTP/1.1\r\nHost: x\r\n${MINIMAL}`,
    /^HTTP\/1\.1 4\d\d /,
  ],
  [
    "an unknown method",
    `PURGE ${BOOKS} HTTP/1.1\r\nHost: x\r\n${MINIMAL}`,
    /^HTTP\/1\.1 405 [\s\S]*"code":"405"/,
  ],
  ["TRACE", `TRACE ${BOOKS} HTTP/1.1\r\nHost: x\r\nX-Secret: s3cret\r\n${MINIMAL}`, /^HTTP\/1\.1 (405|501) /],
  ["CONNECT", `CONNECT x:80 HTTP/1.1\r\nHost: x\r\n${MINIMAL}`, /^HTTP\/1\.1 4\d\d /],
  ["OPTIONS of everything", `OPTIONS * HTTP/1.1\r\nHost: x\r\n${MINIMAL}`, /^HTTP\/1\.1 4\d\d /],
  ["no HTTP at all", "hello\r\n\r\n", /^HTTP\/1\.1 400 |^$/],
  [
    "a body shorter than declared",
    `POST ${BOOKS} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"ID":`,
    /^(HTTP\/1\.1 400 |$)/,
  ],
  [
    "a chunk of a wrong size",
    `POST ${BOOKS} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n`,
    /^(HTTP\/1\.1 400 |$)/,
  ],
  [
    "two correlation ids",
    `GET ${BOOKS} HTTP/1.1\r\nHost: x\r\nX-Correlation-Id: a\r\nX-Correlation-Id: b\r\n${MINIMAL}`,
    /x-correlation-id: [0-9a-f]{8}-/,
  ],
  ["HEAD", `HEAD ${BOOKS} HTTP/1.1\r\nHost: x\r\n${MINIMAL}`, /^HTTP\/1\.1 200 [\s\S]*\r\n\r\n$/],
];

Deno.test("a server survives whatever is sent to its port", async (t) => {
  const errors: unknown[][] = [];
  const original = console.error;
  console.error = (...values: unknown[]) => void errors.push(values);
  try {
    await withProject(SMALL, async (folder) => {
      const server = await serveProject(folder, {
        port: 0,
        print: () => {},
        variables: {},
        env: { log: { levels: { default: "error" } } },
      });
      const port = Number(new URL(server.url).port);
      for (const [what, sent, expected] of CASES) {
        await t.step(what, async () => {
          // the server waits for the rest of what it does not answer
          const answer = await talk(port, sent, { ms: expected.test("") ? 300 : 30_000 });
          assert.match(answer, expected);
          assert.doesNotMatch(answer, /s3cret/);
        });
      }
      const response = await fetch(`${server.url}${BOOKS}/$count`);
      assert.equal(await response.text(), "2");
      await server.stop();
    });
  } finally {
    console.error = original;
  }
  assert.deepEqual(errors, []);
});
