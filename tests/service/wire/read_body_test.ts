import assert from "node:assert/strict";
import {
  assertUtf8,
  type BodyLimits,
  mediaTypeOf,
  readBytes,
  readText,
  unsupportedMediaType,
  withText,
} from "../../../src/service/wire/read_body.ts";
import type { WireRequest } from "../../../src/service/wire/wire_request.ts";
import { Deadlines } from "../../../src/util/deadlines.ts";

const BYTES = new TextEncoder().encode("abcd");
const LIMITS: BodyLimits = { bytes: 4, deadlines: new Deadlines(60_000, false) };

function request(
  body: WireRequest["body"],
  headers: Record<string, string> = {},
  more: Partial<WireRequest> = {},
): WireRequest {
  return { method: "POST", headers: new Headers(headers), body, ...more };
}

/** A stream of chunks, which notes whether it was given up. */
function streamOf(chunks: readonly (Uint8Array<ArrayBuffer> | Error)[], noted: { cancelled?: boolean } = {}) {
  const left = [...chunks];
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      const next = left.shift();
      if (next === undefined) controller.close();
      else if (next instanceof Error) controller.error(next);
      else controller.enqueue(next);
    },
    cancel() {
      noted.cancelled = true;
    },
  }, { highWaterMark: 0 });
}

function compressed(format: "gzip" | "deflate", bytes = BYTES): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new Blob([bytes]).stream().pipeThrough(new CompressionStream(format)) as ReadableStream<
    Uint8Array<ArrayBuffer>
  >;
}

/** The text of a body, or status and message of the error. */
async function read(given: WireRequest, limits: BodyLimits = LIMITS): Promise<unknown> {
  try {
    return new TextDecoder().decode(await readBytes(given, limits));
  } catch (error) {
    const { status, message } = error as { status: number; message: string };
    return [status, message];
  }
}

const LARGE = [413, "The request body exceeds 4 bytes"];
const MORE = new TextEncoder().encode("abcde");

Deno.test("bodies are as long as is allowed, and no byte longer, whatever they come as", async () => {
  const known = (bytes: Uint8Array<ArrayBuffer>, length: number) =>
    request(streamOf([]), { "content-length": String(length) }, { bytes: () => Promise.resolve(bytes) });
  const cases: readonly (readonly [given: WireRequest, found: unknown])[] = [
    [request(null), ""],
    [request(""), ""],
    [request("abcd"), "abcd"],
    [request("abcde"), LARGE],
    [request("äöü"), LARGE],
    [request(BYTES), "abcd"],
    [request(MORE), LARGE],
    [request(null, { "content-length": "4" }), ""],
    [request(null, { "content-length": "5" }), LARGE],
    [known(BYTES, 4), "abcd"],
    [known(BYTES, 5), LARGE],
    [known(MORE, 4), LARGE],
    [request(streamOf([])), ""],
    [request(streamOf([BYTES])), "abcd"],
    [request(streamOf([BYTES.slice(0, 1), BYTES.slice(1)])), "abcd"],
    [request(streamOf([MORE])), LARGE],
    [request(streamOf([BYTES, BYTES.slice(0, 1)])), LARGE],
    [request(compressed("gzip"), { "content-encoding": "gzip" }), "abcd"],
    [request(compressed("gzip"), { "content-encoding": " X-GZip " }), "abcd"],
    [request(compressed("deflate"), { "content-encoding": "deflate" }), "abcd"],
    [request(compressed("gzip", MORE), { "content-encoding": "gzip" }), LARGE],
    [request(streamOf([BYTES]), { "content-encoding": "identity" }), "abcd"],
    [request(streamOf([BYTES]), { "content-encoding": "" }), "abcd"],
    [request(streamOf([BYTES]), { "content-encoding": "br" }), [415, "Unsupported Media Type"]],
    [request("abcd", { "content-encoding": "gzip" }), [415, "Unsupported Media Type"]],
    [request(BYTES, { "content-encoding": "deflate" }), [415, "Unsupported Media Type"]],
  ];
  for (const [at, [given, found]] of cases.entries()) assert.deepEqual(await read(given), found, String(at));
});

Deno.test("what goes on with a body that is known may wait, and may fail", async () => {
  const known = () =>
    request(streamOf([]), { "content-length": "4" }, { bytes: () => Promise.resolve(BYTES) });
  assert.equal(await withText(known(), LIMITS, (text) => Promise.resolve(`${text}!`)), "abcd!");
  const failing = withText(known(), LIMITS, () => Promise.reject(new Error("later")));
  await assert.rejects(async () => await failing, { message: "later" });
  const thrown = withText(known(), LIMITS, () => {
    throw new Error("now");
  });
  await assert.rejects(async () => await thrown, { message: "now" });
});

Deno.test("a stream that is too long is given up, one that breaks off could not be read", async () => {
  const noted: { cancelled?: boolean } = {};
  assert.deepEqual(await read(request(streamOf([MORE, BYTES], noted))), LARGE);
  assert.equal(noted.cancelled, true);
  const broken = [400, "The request body could not be read"];
  assert.deepEqual(await read(request(streamOf([BYTES, new Error("gone")]))), broken);
  const known = { bytes: () => Promise.reject(new Error("gone")) };
  assert.deepEqual(await read(request(streamOf([]), { "content-length": "4" }, known)), broken);
});

Deno.test("a body that is late is told so, however it comes, and is not waited for", async () => {
  let ends: (() => void)[] = [];
  // as if the time were over when it is told
  const deadlines = {
    start(end: () => void) {
      ends.push(end);
      return { stop: () => true };
    },
  } as unknown as Deadlines;
  const limits = { bytes: 4, deadlines };
  const late = [408, "The request body took too long to arrive"];
  const noted: { cancelled?: boolean } = {};
  const waiting = new ReadableStream<Uint8Array<ArrayBuffer>>({
    cancel: () => void (noted.cancelled = true),
  });
  const endless = new Promise<Uint8Array<ArrayBuffer>>(() => {});
  for (
    const given of [
      request(waiting),
      request(waiting, { "content-length": "4" }, { bytes: () => endless }),
    ]
  ) {
    ends = [];
    const found = read(given, limits);
    assert.equal(ends.length, 1);
    ends[0]();
    assert.deepEqual(await found, late);
  }
  assert.equal(noted.cancelled, true);
});

Deno.test("texts are UTF-8, also with the character that stands for what is none", async () => {
  const text = async (bytes: Uint8Array<ArrayBuffer> | string, type = "text/plain") => {
    try {
      return await readText(request(bytes, { "content-type": type }), { ...LIMITS, bytes: 100 });
    } catch (error) {
      const { status, message } = error as { status: number; message: string };
      return `${status} ${message}`;
    }
  };
  assert.equal(await text("grün"), "grün");
  assert.equal(await text("\uFFFD"), "\uFFFD");
  assert.equal(await text(new Uint8Array([0x61, 0xff])), "400 The request body is not UTF-8");
  assert.equal(
    await text("a", "text/plain;charset=latin1"),
    "415 The content type must be in UTF-8, but is text/plain;charset=latin1",
  );
  assert.equal(withText(request("a"), LIMITS, (found) => `${found}!`), "a!");
});

Deno.test("content types have a media type, and may name UTF-8 or ASCII as their charset [RFC 8259 8.1]", () => {
  const types = [null, "", "application/json", "Text/HTML; charset=x", " a/b ", "a/b;c=d;e=f"];
  assert.deepEqual(types.map(mediaTypeOf), ["", "", "application/json", "text/html", "a/b", "a/b"]);
  for (
    const header of [
      null,
      "",
      "a/b",
      "a/b;c=d",
      "a/b;charset=utf-8",
      "a/b; charset=UTF8",
      'a/b; Charset = "utf-8"',
      "a/b;charset=us-ascii;c=d",
    ]
  ) assert.doesNotThrow(() => assertUtf8(header), String(header));
  for (
    const header of [
      "a/b;charset=latin1",
      "a/b;c=d; charset=utf-16",
      "a/b;charset=utf-80",
      "a/b;charset=xutf-8",
    ]
  ) {
    assert.throws(() => assertUtf8(header), { status: 415 }, header);
  }
  const messages = [
    unsupportedMediaType(),
    unsupportedMediaType("x"),
    unsupportedMediaType(undefined, "a/b"),
    unsupportedMediaType("x", "text/plain;charset=UTF-8"),
    unsupportedMediaType("x", "a/b"),
    unsupportedMediaType("x", "a".repeat(101)),
  ].map(({ status, message }) => `${status} ${message}`);
  assert.deepEqual(messages, [
    ...Array(4).fill("415 Unsupported Media Type"),
    "415 The content type must be x, but is a/b",
    `415 The content type must be x, but is ${"a".repeat(100)}`,
  ]);
});
