/** What an HTTP channel promises and sends, by its configuration (messaging 5). */

import assert from "node:assert/strict";
import type { Message } from "../../src/messaging/channel.ts";
import { createHttpChannel } from "../../src/messaging/http/http_channel.ts";
import { channelOptions } from "./channels.ts";

/** A channel, the path of its webhook, and what it sends. */
function channelOf(
  options: Readonly<Record<string, unknown>>,
  answer: (request: Request) => Promise<Response> = () =>
    Promise.resolve(new Response(null, { status: 204 })),
) {
  const paths: string[] = [];
  const sent: Request[] = [];
  const web = {
    route: (path: string) => void paths.push(path),
    fetch: (request: Request) => {
      sent.push(request);
      return answer(request);
    },
  };
  return { channel: createHttpChannel({ ...channelOptions(options), web }), paths, sent };
}

Deno.test("an HTTP channel tells where events are received, and from whom", () => {
  const cases: readonly (readonly [options: object, path: string, senders: string])[] = [
    [{}, "/messaging/messaging", "from users with the role event-sender"],
    [{ path: "/hooks/a" }, "/hooks/a", "from users with the role event-sender"],
    [{ requires: "hub" }, "/messaging/messaging", "from users with the role hub"],
    [{ requires: ["a", "b"] }, "/messaging/messaging", "from users with one of the roles a, b"],
    [{ requires: [] }, "/messaging/messaging", `from nobody, as "requires" is empty`],
  ];
  for (const [options, path, senders] of cases) {
    const { channel, paths } = channelOf({ ...options });
    assert.deepEqual(paths, [path]);
    assert.ok(channel.notice!.endsWith(`Events are received at ${path}, ${senders}`), channel.notice);
  }
});

Deno.test("an event is sent with id, source, type and key of its message, and with the credentials of the entry", async () => {
  const url = "http://127.0.0.1/hub";
  const message = (more: Partial<Message> = {}): Message => ({ topic: "T.e", data: 1, headers: {}, ...more });
  const headersOf = async (options: object, given: Message) => {
    const { channel, sent } = channelOf({ credentials: { url }, ...options });
    await channel.publish([given]);
    await channel.close();
    assert.deepEqual(sent.map((one) => one.url), [url]);
    return sent[0]!.headers;
  };
  const plain = await headersOf({}, message());
  assert.deepEqual(["type", "topic", "partitionkey"].map((name) => plain.get(`ce-${name}`)), [
    "T.e",
    null,
    null,
  ]);
  assert.match(plain.get("ce-id")!, /^[0-9a-f-]{36}$/);
  assert.equal(plain.get("authorization"), null);
  const own = await headersOf(
    { source: "/own", credentials: { url, username: "ann", password: "p", headers: { "x-a": "b" } } },
    message({ key: "k", headers: { "x-message-id": "7", type: "other" } }),
  );
  assert.deepEqual(
    ["ce-id", "ce-source", "ce-type", "ce-topic", "ce-partitionkey", "authorization", "x-a"].map((name) =>
      own.get(name)
    ),
    ["7", "/own", "other", "T.e", "k", `Basic ${btoa("ann:p")}`, "b"],
  );
  const empty = await headersOf(
    { credentials: { url, username: "ann" } },
    message({
      headers: { "x-message-id": "", partitionkey: "given" },
      key: "k",
    }),
  );
  assert.notEqual(empty.get("ce-id"), "");
  assert.deepEqual([empty.get("ce-partitionkey"), empty.get("authorization")], [
    "given",
    `Basic ${btoa("ann:")}`,
  ]);
});

Deno.test("events leave by themselves, or as one batch; no batch is empty", async () => {
  const url = "http://127.0.0.1/hub";
  const messages: readonly Message[] = ["a", "b"].map((topic) => ({ topic, data: 1, headers: {} }));
  for (
    const [contentMode, types] of [
      [undefined, ["application/json", "application/json"]],
      ["structured", Array(2).fill("application/cloudevents+json")],
      ["batch", ["application/cloudevents-batch+json"]],
    ] as const
  ) {
    const { channel, sent } = channelOf({ credentials: { url }, contentMode });
    await channel.publish(messages);
    assert.deepEqual(sent.map(({ headers }) => headers.get("content-type")!.split(";")[0]), types);
    await channel.publish([]);
    assert.equal(sent.length, types.length);
    await channel.close();
  }
});

Deno.test("a request under way ends with its channel, or ten seconds after it began unless told otherwise", async () => {
  const { timeout } = AbortSignal;
  const credentials = { url: "http://127.0.0.1/hub" };
  for (const [timeoutMs, expected] of [[undefined, 10_000], [7, 7]] as const) {
    const asked: number[] = [];
    const ends: AbortController[] = [];
    AbortSignal.timeout = (ms) => {
      asked.push(ms);
      const end = new AbortController();
      ends.push(end);
      return end.signal;
    };
    try {
      for (const isClosed of [true, false]) {
        const { channel, sent } = channelOf(
          { credentials, timeoutMs },
          ({ signal }) =>
            new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
        );
        const published = channel.publish([{ topic: "a", data: 1, headers: {} }]);
        const failed = assert.rejects(published, { status: 502, unreachable: true });
        assert.equal(sent[0]!.signal.aborted, false);
        if (isClosed) await channel.close();
        else ends.at(-1)!.abort();
        assert.equal(sent[0]!.signal.aborted, true);
        await failed;
        await channel.close();
      }
      assert.deepEqual(asked, [expected, expected]);
    } finally {
      AbortSignal.timeout = timeout;
    }
  }
});
