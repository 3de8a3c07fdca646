/** What is sent to other systems, and what becomes of their answers (Protocol 8, 9). */

import assert from "node:assert/strict";
import { EventContext } from "../../../mod.ts";
import { runWithContext } from "../../../src/context/store.ts";
import {
  type RemoteCall,
  RemoteClient,
  RemoteError,
  remoteRoot,
} from "../../../src/odata/remote/remote_client.ts";
import type { Logger } from "../../../src/log/logger.ts";

interface Sent {
  readonly line: string;
  readonly headers: Headers;
  readonly body: string;
}

/** A client whose requests are answered in turn, the last answer for all that follow. */
function clientOf(
  answers: readonly (() => Response)[],
  options: Readonly<Record<string, unknown>> = {},
  authorization: string | Promise<string> = "Basic me",
): { readonly client: RemoteClient; readonly sent: Sent[]; readonly logged: unknown[][] } {
  const [sent, logged]: [Sent[], unknown[][]] = [[], []];
  const log = { debug() {}, error: (...values: unknown[]) => void logged.push(values) } as unknown as Logger;
  const client = new RemoteClient({
    name: "Far",
    options: { kind: "odata", credentials: { url: "http://far.test/base/" }, ...options },
    log,
    answerBytes: 20,
    redirects: 2,
    async fetch(request) {
      request.signal.throwIfAborted();
      const line = `${request.method} ${request.url.replace("http://far.test", "")}`;
      sent.push({ line, headers: request.headers, body: await request.text() });
      return answers[Math.min(sent.length, answers.length) - 1]!();
    },
    authentication: { header: () => authorization as string },
  });
  return { client, sent, logged };
}

const to = (status: number, location: string) => () => new Response(null, { status, headers: { location } });
const done = () => Response.json({ a: 1 });
const GET: RemoteCall = { method: "GET", url: "Books" };
const POST: RemoteCall = { method: "POST", url: "/Books", body: "{}" };

/** Redirects, and the requests that follow from them; a failure where the last one is none. */
const REDIRECTED: readonly (readonly [call: RemoteCall, answers: (() => Response)[], ...lines: string[]])[] =
  [
    [GET, [done], "GET /base/Books"],
    [GET, [to(301, "/a"), done], "GET /base/Books", "GET /a"],
    [GET, [to(302, "b"), done], "GET /base/Books", "GET /base/b"],
    [GET, [to(307, "/a"), to(308, "/b"), done], "GET /base/Books", "GET /a", "GET /b"],
    [GET, [to(303, "/a"), done], "GET /base/Books", "GET /a"],
    [{ ...GET, method: "HEAD" }, [to(303, "/a"), done], "HEAD /base/Books", "HEAD /a"],
    [POST, [to(303, "/a"), done], "POST /base/Books", "GET /a"],
    [POST, [to(307, "/a"), done], "POST /base/Books", "POST /a"],
    [POST, [to(308, "http://far.test/a"), done], "POST /base/Books", "POST /a"],
  ];

Deno.test("redirects are followed that say what becomes of the request, and no others (Protocol 9.1.5)", async () => {
  for (const [call, answers, ...lines] of REDIRECTED) {
    const { client, sent } = clientOf(answers);
    const { status } = await client.send(call);
    assert.equal(status, 200);
    assert.deepEqual(sent.map(({ line }) => line), lines);
    for (const { line, body, headers } of sent) {
      const isPost = line.startsWith("POST");
      assert.deepEqual(
        [body, headers.get("content-type")],
        isPost ? ["{}", "application/json"] : ["", null],
        line,
      );
    }
  }
  const refused: readonly (readonly [call: RemoteCall, answers: (() => Response)[], requests: number])[] = [
    [GET, [to(301, "/a"), to(302, "/b"), to(302, "/c"), done], 3],
    [GET, [to(300, "/a"), done], 1],
    [GET, [to(302, "http://other.test/a"), done], 1],
    [POST, [to(301, "/a"), done], 1],
    [POST, [to(302, "/a"), done], 1],
  ];
  for (const [call, answers, requests] of refused) {
    const { client, sent } = clientOf(answers);
    await assert.rejects(client.send(call), { status: 502 });
    assert.equal(sent.length, requests);
  }
});

Deno.test("a change is sent again with the token that the service wants, one for each login", async () => {
  const required = () => new Response(null, { status: 403, headers: { "x-csrf-token": "Required" } });
  const token = () =>
    new Response(null, {
      headers: [["x-csrf-token", "t1"], ["set-cookie", "a=1; path=/"], ["set-cookie", "b=2"]],
    });
  for (const options of [{ kind: "odata-v2" }, { csrf: true }]) {
    for (const login of ["Basic me", Promise.resolve("Bearer me")]) {
      const { client, sent } = clientOf([required, token, done], options, login);
      await client.send(POST);
      await client.send(POST);
      await client.send(GET);
      const seen = sent.map(({ line, headers }) =>
        [line, headers.get("x-csrf-token"), headers.get("cookie")].filter((one) => one !== null).join(" ")
      );
      assert.deepEqual(seen, [
        "POST /base/Books",
        "GET /base/ Fetch",
        "POST /base/Books t1 a=1; b=2",
        "POST /base/Books t1 a=1; b=2",
        "GET /base/Books",
      ]);
    }
  }
  for (const options of [{}, { csrf: false }, { kind: "odata-v2", csrf: false }]) {
    const { client, sent } = clientOf([required, token, done], options);
    await assert.rejects(client.send(POST), { status: 502 });
    assert.equal(sent.length, 1);
  }
  const other = clientOf([() => new Response(null, { status: 403 })], { csrf: true });
  await assert.rejects(other.client.send(POST), { status: 502 });
  assert.equal(other.sent.length, 1);
  const none = clientOf([required, done, done], { csrf: true });
  await none.client.send(POST);
  assert.equal(none.sent[2]!.headers.get("x-csrf-token"), null);
});

Deno.test("the headers of a call are those of protocol, login, language and context; the own ones win", async () => {
  const context = EventContext.for({ locale: "de_AT", id: "call-1" });
  const headersOf = async (call: RemoteCall, options = {}) => {
    const { client, sent } = clientOf([done], options);
    await client.send(call);
    return Object.fromEntries(sent[0]!.headers);
  };
  const common = { "accept-language": "de-AT", "authorization": "Basic me", "x-correlation-id": "call-1" };
  assert.deepEqual(await headersOf({ ...GET, context }), {
    ...common,
    "accept": "application/json;odata.metadata=minimal;IEEE754Compatible=true",
    "odata-version": "4.0",
    "odata-maxversion": "4.01",
  });
  const v2 = { accept: "application/json", dataserviceversion: "2.0", maxdataserviceversion: "2.0" };
  assert.deepEqual(await headersOf({ ...GET, context }, { kind: "odata-v2" }), { ...common, ...v2 });
  const credentials = { url: "http://far.test/base", headers: { "x-key": "k", accept: "text/plain" } };
  assert.deepEqual(
    await headersOf({ ...POST, headers: { a: 1, b: null, c: undefined, authorization: "own" } }, {
      kind: "rest",
      credentials,
    }),
    {
      "a": "1",
      "accept": "application/json",
      "authorization": "own",
      "content-type": "application/json",
      "x-key": "k",
    },
  );
});

/** Answers, and what comes of them: a body, or the status of a failure. */
const ANSWERED: readonly (readonly [answer: () => Response, body: unknown, status?: number])[] = [
  [() => Response.json([1]), [1]],
  [() => Response.json({ a: 1 }, { status: 404 }), { a: 1 }],
  [() => new Response(null, { status: 204 }), undefined],
  [() => new Response("text"), "text"],
  [() => new Response("{", { headers: { "content-type": "application/problem+json" } }), undefined, 502],
  [() => new Response("x".repeat(20)), "x".repeat(20)],
  [() => new Response("x".repeat(21)), undefined, 502],
  [() => Response.json({ a: 1 }, { status: 400 }), undefined, 502],
  [() => Response.json({ a: 1 }, { status: 500 }), undefined, 502],
  [() => fail(new TypeError("refused")), undefined, 502],
  [() => fail(new DOMException("late", "TimeoutError")), undefined, 504],
  [() => fail(new DOMException("late", "AbortError")), undefined, 502],
];

function fail(error: Error): never {
  throw error;
}

Deno.test("answers are JSON, text or nothing up to their limit; 404 is one, failures are 502 and 504 and in the log", async () => {
  for (const [answer, body, status] of ANSWERED) {
    const { client, logged } = clientOf([answer]);
    if (status === undefined) {
      assert.deepEqual((await client.send(GET)).body, body);
      assert.equal(logged.length, 0);
    } else {
      const message = 'The remote service "Far" failed';
      await assert.rejects(client.send(GET), { status, message });
      assert.equal(logged.length, 1);
      assert.match(String(logged[0]![0]), /^Far: GET Books failed:/);
    }
  }
  const { client, logged } = clientOf([() => Response.json({ a: 1 }, { status: 418 })]);
  const error = await client.send(GET).catch((one) => one) as { cause: RemoteError };
  assert.ok(error.cause instanceof RemoteError);
  assert.deepEqual([error.cause.status, error.cause.body], [418, { a: 1 }]);
  assert.equal(logged[0]![0], 'Far: GET Books failed: {"a":1}');
});

Deno.test("a call ends with the time of its caller", async () => {
  const ended = new AbortController();
  ended.abort(new DOMException("over", "TimeoutError"));
  const context = EventContext.for({});
  Object.defineProperty(context, "signal", { value: ended.signal });
  const { client } = clientOf([done]);
  await assert.rejects(runWithContext(context, () => client.send(GET)), { status: 504 });
});

Deno.test("the root of a service is an http or https URL, with the path of the entry", () => {
  const root = (credentials?: unknown) => remoteRoot({ name: "Far", options: { credentials } }).href;
  assert.equal(root({ url: "https://far.test//", path: "//odata" }), "https://far.test/odata");
  assert.equal(root({ url: "http://far.test/a" }), "http://far.test/a");
  for (
    const credentials of [undefined, {}, { url: 5 }, { url: "far" }, { url: "ftp://far.test" }, { path: "a" }]
  ) {
    assert.throws(() => root(credentials), {
      name: "ConfigurationError",
      message: /must be an http or https URL/,
    });
  }
});
