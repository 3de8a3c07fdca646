/**
 * The streams of Node.js that routers get, and the web responses that become of them (`docs/guides/from_cap.md`).
 */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import { nodeRoutersIn } from "../../src/deno/node_routers.ts";
import type { NodeAnswer, NodeRouter } from "../../src/fw/node_router.ts";
import { withProject } from "./project.ts";

type Answering = (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => unknown;

/** Runs a router of a project without Express. */
function run(
  answering: Answering,
  { path = "/own/place?x=1", url = `https://shop.test${path}`, base = "/own", ...init }: RequestInit & {
    path?: string;
    url?: string;
    base?: string;
  } = {},
): Promise<NodeAnswer> {
  const request = new Request(url, init);
  return nodeRoutersIn("/nowhere")(answering as unknown as NodeRouter, { request, base } as never);
}

/** The response of a router that answers. */
async function responseOf(answering: Answering, init?: Parameters<typeof run>[1]): Promise<Response> {
  const answer = await run(answering, init);
  assert.ok("response" in answer);
  return answer.response as Response;
}

Deno.test("what a router writes is the body, in any encoding, with its status and headers", async () => {
  const answers: readonly (readonly [Answering, status: number, text: string])[] = [
    [(_req, res) => res.end("text"), 200, "text"],
    [(_req, res) => res.end(), 200, ""],
    [(_req, res) => res.end("dGV4dA==", "base64"), 200, "text"],
    [(_req, res) => res.end(Buffer.from("bytes")), 200, "bytes"],
    [(_req, res) => void (res.write("a"), res.write("62", "hex"), res.end("c")), 200, "abc"],
    [(_req, res) => void (res.statusCode = 404, res.end("none")), 404, "none"],
    [(_req, res) => res.writeHead(201, { "x-own": "1" }).end("made"), 201, "made"],
    [(_req, res) => res.writeHead(201, "Made", { "x-own": "1" }).end("made"), 201, "made"],
    [(_req, res) => res.writeHead(202).end(), 202, ""],
    [(_req, res) => void (res.end("once"), res.end("twice")), 200, "once"],
    [(_req, res) => res.writeHead(204).end("nothing"), 204, ""],
    [(_req, res) => res.writeHead(205).end("nothing"), 205, ""],
    [(_req, res) => res.writeHead(304).end("nothing"), 304, ""],
  ];
  for (const [answering, status, text] of answers) {
    const response = await responseOf(answering);
    assert.deepEqual([response.status, await response.text()], [status, text], String(answering));
    assert.equal(response.headers.get("x-own"), status === 201 ? "1" : null);
  }
  const head = await responseOf((_req, res) => res.setHeader("x-own", 1).end("text"), { method: "HEAD" });
  assert.deepEqual([head.status, head.headers.get("x-own"), head.body], [200, "1", null]);
});

Deno.test("headers of the connection are no part of an answer (RFC 9110, 7.6.1)", async () => {
  const { headers } = await responseOf((_req, res) => {
    res.setHeader("Connection", "close").setHeader("Keep-Alive", "timeout=5").setHeader(
      "Transfer-Encoding",
      "chunked",
    );
    res.setHeader("Set-Cookie", ["a=1", "b=2"]).setHeader("X-Number", 7).end();
  });
  assert.deepEqual([...headers], [["set-cookie", "a=1"], ["set-cookie", "b=2"], ["x-number", "7"]]);
});

Deno.test("routers hear that an answer is finished, and that what they wrote is taken", async () => {
  const heard: string[] = [];
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const response = await responseOf((_req, res) => {
    res.on("finish", () => heard.push("finish")).on("close", () => (heard.push("close"), resolve()));
    res.write("a", () => heard.push("write"));
    res.write("b", "utf8", () => heard.push("write"));
    res.end("c", () => heard.push("end"));
    res.end("d");
    heard.push("again");
  });
  assert.equal(await response.text(), "abc");
  await closed;
  assert.deepEqual(heard, ["write", "write", "again", "finish", "end", "close"]);
  const byFunction = await new Promise<Response>((done, failed) => {
    const ended = Promise.withResolvers<void>();
    responseOf((_req, res) => res.end(() => ended.resolve())).then(
      (one) => ended.promise.then(() => done(one)),
      failed,
    );
  });
  assert.equal(await byFunction.text(), "");
});

Deno.test("a router that writes more than is read waits for the reader, and hears when the client goes away", async () => {
  const heard: string[] = [];
  const { promise: gone, resolve } = Promise.withResolvers<void>();
  const response = await responseOf((_req, res) => {
    res.on("drain", () => heard.push("drain")).on("close", () => (heard.push("close"), resolve()));
    assert.equal(res.write("a"), false);
    assert.equal(res.write("b"), false);
  });
  const reader = response.body!.getReader();
  assert.deepEqual(heard, []);
  await reader.read();
  await reader.read();
  const third = reader.read();
  await Promise.resolve();
  assert.deepEqual(new Set(heard), new Set(["drain"]));
  await reader.cancel();
  await third;
  await gone;
  assert.equal(heard.at(-1), "close");
});

Deno.test("a router that goes on leaves its headers; what it passes on is a failure", async () => {
  const left = await run((_req, res, next) => (res.setHeader("x-seen", "1"), next()));
  assert.deepEqual([...(left as { headers: Headers }).headers], [["x-seen", "1"]]);
  assert.ok("headers" in await run((_req, _res, next) => next(null)));
  await assert.rejects(run((_req, _res, next) => next(new Error("broken"))), /broken/);
  await assert.rejects(run((_req, _res, next) => next("text")), (error) => error === "text");
  class Gone extends Error {
    get status() {
      return 410;
    }
  }
  await assert.rejects(run((_req, _res, next) => next(new Gone("gone"))), { status: 410, message: "gone" });
});

Deno.test("a router gets method, paths, headers and body of its request", async () => {
  const seen: unknown[] = [];
  const note: Answering = (req, res) => {
    const { method, url, httpVersion } = req;
    const { originalUrl, baseUrl } = req as IncomingMessage & Record<string, unknown>;
    seen.push([method, url, originalUrl, baseUrl, httpVersion, req.headers.host]);
    res.end();
  };
  await responseOf(note);
  await responseOf(note, { path: "/own", method: "DELETE" });
  await responseOf(note, { path: "/own?x", base: "/own" });
  await responseOf(note, { path: "/a/b", base: "", headers: { host: "other.test" } });
  assert.deepEqual(seen, [
    ["GET", "/place?x=1", "/own/place?x=1", "/own", "1.1", "shop.test"],
    ["DELETE", "/", "/own", "/own", "1.1", "shop.test"],
    ["GET", "/?x", "/own?x", "/own", "1.1", "shop.test"],
    ["GET", "/a/b", "/a/b", "", "1.1", "other.test"],
  ]);
  const read: Answering = async (req, res) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const { "transfer-encoding": encoding, "content-length": length } = req.headers;
    res.end(JSON.stringify([Buffer.concat(chunks).toString(), req.complete, encoding, length]));
  };
  const bodies: readonly [init: RequestInit, expected: unknown[]][] = [
    [{}, ["", true, null, null]],
    [{ method: "POST", body: "text" }, ["text", true, "chunked", null]],
    [{ method: "POST", body: "text", headers: { "content-length": "4" } }, ["text", true, null, "4"]],
  ];
  for (const [init, expected] of bodies) {
    assert.deepEqual(await (await responseOf(read, init)).json(), expected);
  }
});

Deno.test("the connection that a router asks for is encrypted as the URL says, and takes what is set on it", async () => {
  await responseOf((req, res) => {
    const { socket } = req as unknown as { socket: Record<string, (...given: unknown[]) => unknown> };
    assert.equal(socket.encrypted, true);
    for (const name of ["setTimeout", "setNoDelay", "setKeepAlive"]) assert.equal(socket[name]!(1), socket);
    const { destroyed, httpVersionMajor, httpVersionMinor } = { ...req, destroyed: socket.destroyed };
    assert.deepEqual([destroyed, httpVersionMajor, httpVersionMinor], [false, 1, 1]);
    res.end();
    socket.destroySoon!();
    assert.equal(socket.destroyed, true);
  });
  await responseOf((req, res) => {
    assert.equal((req.socket as unknown as { encrypted: boolean }).encrypted, false);
    res.end();
  }, { url: "http://shop.test/own" });
});

Deno.test("a router may go on writing where a reader waits, or where there is no body", async () => {
  const written: boolean[] = [];
  let write: (() => void) | undefined;
  const response = await responseOf((_req, res) => {
    res.writeHead(200);
    write = () => {
      written.push(res.write("a"), res.write("b"), res.write("c"));
      res.end();
    };
  });
  const reader = response.body!.getReader();
  const first = reader.read();
  write!();
  assert.equal(new TextDecoder().decode((await first).value), "a");
  await reader.cancel();
  assert.deepEqual(written, [true, false, false]);
  await responseOf((_req, res) => void (written.push(res.write("a")), res.end()), { method: "HEAD" });
  assert.equal(written.at(-1), true);
});

Deno.test("a body in several chunks is read once, and what fails in it fails in the router", async () => {
  const chunks = (texts: readonly string[], error?: Error) =>
    new ReadableStream({
      async start(controller) {
        for (const text of texts) {
          await new Promise((resolve) => setTimeout(resolve));
          controller.enqueue(new TextEncoder().encode(text));
        }
        error ? controller.error(error) : controller.close();
      },
    });
  const read: Answering = async (req, res) => {
    let text = "";
    try {
      for await (const chunk of req) text += chunk;
    } catch (error) {
      text += (error as Error).message;
    }
    res.end(`${text} ${req.complete}`);
  };
  const whole = await responseOf(read, { method: "POST", body: chunks(["a", "b", "c"]) });
  assert.equal(await whole.text(), "abc true");
  const broken = await responseOf(read, { method: "POST", body: chunks(["a"], new Error("broken")) });
  assert.match(await broken.text(), /broken false$/);
});

/** An Express that writes down what is asked of it. */
const EXPRESS = `require("@sap/cds");
module.exports = () => {
  const used = [];
  const application = (req, res, next) => {
    res.setHeader("x-express", used.length);
    if (application.off) res.setHeader("x-off", application.off);
    used[0](req, res, next);
  };
  application.use = (router) => used.push(router);
  application.disable = (name) => void (application.off = name);
  return application;
};`;

Deno.test("routers run in one application each of the Express of their project, where it has one", async () => {
  await withProject({ "node_modules/express/index.js": EXPRESS }, async (folder) => {
    const runRouter = nodeRoutersIn(folder);
    const answering: Answering = (req, res, next) => req.url === "/next" ? next() : res.end("own");
    const request = new Request("http://shop.test/own");
    for (let i = 0; i < 2; i++) {
      const { response } = await runRouter(answering as NodeRouter, { request, base: "" } as never) as {
        response: Response;
      };
      const { headers } = response;
      assert.deepEqual([headers.get("x-express"), headers.get("x-off")], ["1", "x-powered-by"]);
      assert.equal(await response.text(), "own");
    }
    const next = new Request("http://shop.test/next");
    const left = await runRouter(answering as NodeRouter, { request: next, base: "" } as never);
    assert.equal((left as { headers: Headers }).headers.get("x-express"), "1");
  });
});

Deno.test("errors of classes that have a status are answered with it, their text where clients may read it", async () => {
  class Gone extends Error {
    get status(): unknown {
      return 410;
    }
  }
  class Odd extends Error {
    get status(): unknown {
      return "410";
    }
  }
  const own = Object.assign(new Error("own"), { status: 410 });
  const cases: readonly (readonly [error: unknown, status: unknown, message: string])[] = [
    [new Gone("reason"), 410, "reason"],
    [Object.assign(new Gone("reason"), { expose: true }), 410, "reason"],
    [Object.assign(new Gone("reason"), { expose: false }), 410, ""],
    [new Odd("reason"), "410", "reason"],
    [own, 410, "own"],
  ];
  for (const [error, status, message] of cases) {
    const thrown = await run((_req, _res, next) => next(error)).then(() => assert.fail(), (one) => one);
    assert.equal(thrown.status, status);
    assert.equal(thrown === error, !(error instanceof Gone));
    if (message !== "") assert.equal(thrown.message, message);
    else assert.doesNotMatch(thrown.message, /reason/);
    if (thrown !== error) assert.equal(thrown.cause, error);
  }
});
