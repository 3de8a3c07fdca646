/** What handlers of existing servers call on a response. */

import assert from "node:assert/strict";
import { ResponseDraft } from "../../src/context/response_draft.ts";

const draft = (): ResponseDraft => new ResponseDraft();
const text = (body: unknown) => new TextDecoder().decode(body as Uint8Array);

Deno.test("headers are set, added to, read and taken away by any case of their names", () => {
  const res = draft();
  assert.deepEqual([res.hasHeaders, res.get("a"), res.hasHeader("a")], [false, undefined, false]);
  res.removeHeader("a");
  assert.equal(res.hasHeaders, false);
  res.set("A", "1").set({ b: "2", c: 3 as never }).header("d", "4");
  res.setHeader("e", 5).setHeader("f", ["6", "7"]).append("g", "8").append("g", ["9", "10"]).setHeader(
    "h",
    [],
  );
  res.vary("accept").vary("origin").location("/x");
  assert.deepEqual(Object.fromEntries(res.headers), {
    ...{ a: "1", b: "2", c: "3", d: "4", e: "5", f: "6, 7", g: "8, 9, 10", h: "" },
    ...{ vary: "accept, origin", location: "/x" },
  });
  assert.deepEqual([res.getHeader("A"), res.get("a"), res.hasHeader("A"), res.hasHeaders], [
    "1",
    "1",
    true,
    true,
  ]);
  res.removeHeader("A");
  assert.deepEqual([res.get("a"), res.hasHeader("a")], [undefined, false]);
  assert.throws(() => res.headers.set("x", "a\nb"));
  assert.throws(() => res.headers.append("x", "a\nb"));
});

Deno.test("cookies have a path, and what else their options say", () => {
  const expires = new Date(Date.UTC(2030, 0));
  const cookies: readonly (readonly [options: object | undefined, text: string])[] = [
    [undefined, "a=b%20c; Path=/"],
    [{ path: "/x", domain: "y.z" }, "a=b%20c; Path=/x; Domain=y.z"],
    [{ maxAge: 1500, expires }, "a=b%20c; Path=/; Max-Age=1; Expires=Tue, 01 Jan 2030 00:00:00 GMT"],
    [{ httpOnly: true, secure: true, sameSite: true }, "a=b%20c; Path=/; HttpOnly; Secure; SameSite=Strict"],
    [{ httpOnly: false, secure: false, sameSite: false, maxAge: 0 }, "a=b%20c; Path=/; Max-Age=0"],
    [{ sameSite: "lax" }, "a=b%20c; Path=/; SameSite=Lax"],
  ];
  for (const [options, expected] of cookies) {
    const res = draft();
    res.cookie("a", "b c", options);
    assert.deepEqual(res.headers.getSetCookie(), [expected]);
  }
  const cleared = draft();
  cleared.cookie("a", "1").clearCookie("a", { path: "/x" });
  assert.deepEqual(cleared.headers.getSetCookie(), [
    "a=1; Path=/",
    "a=; Path=/x; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
  ]);
});

Deno.test("a status may come alone, with headers and a phrase, or with another location", () => {
  const written = draft();
  written.writeHead(201, "Made", { a: 1, b: ["x", "y"] });
  assert.deepEqual([written.statusCode, written.get("a"), written.get("b")], [201, "1", "x, y"]);
  const bare = draft();
  bare.writeHead(202);
  assert.deepEqual([bare.statusCode, bare.headersSent], [202, false]);
  const phrase = draft();
  phrase.sendStatus(404);
  assert.deepEqual([phrase.statusCode, phrase.body, phrase.get("content-type")], [
    ...[404, "Not Found", "text/plain; charset=utf-8"],
  ]);
  for (const code of [204, 205, 304]) {
    const empty = draft();
    empty.sendStatus(code);
    assert.deepEqual([empty.statusCode, empty.body, empty.headersSent, empty.hasHeaders], [
      code,
      undefined,
      true,
      false,
    ]);
  }
  const [found, moved] = [draft(), draft()];
  found.redirect("/a");
  moved.redirect(301, "/b");
  assert.deepEqual([found.statusCode, found.get("location"), found.headersSent], [302, "/a", true]);
  assert.deepEqual([moved.statusCode, moved.get("location")], [301, "/b"]);
});

Deno.test("media types have short names", () => {
  const types = ["html", "json", "text", "txt", "xml", "image/png"].map((name) => {
    const res = draft();
    res.type(name);
    return res.get("content-type");
  });
  const plain = "text/plain; charset=utf-8";
  assert.deepEqual(types, [
    "text/html; charset=utf-8",
    "application/json",
    plain,
    plain,
    "application/xml",
    "image/png",
  ]);
});

Deno.test("texts, bytes and streams are sent as they are, anything else as JSON", () => {
  const bytes = new Uint8Array([1]);
  const stream = new ReadableStream();
  for (const body of ["a", bytes, stream, undefined, null]) {
    const res = draft();
    res.send(body);
    assert.deepEqual([res.body, res.headersSent, res.hasHeaders], [body, true, false]);
  }
  for (const [body, expected] of [[{ a: 1 }, '{"a":1}'], [[1], "[1]"], [1, "1"], [false, "false"]] as const) {
    const res = draft();
    res.send(body);
    assert.deepEqual([res.body, res.get("content-type")], [expected, "application/json"]);
  }
  const typed = draft();
  typed.type("application/problem+json").json({});
  assert.equal(typed.get("content-type"), "application/problem+json");
});

Deno.test("what is written comes before what ends the response", () => {
  const res = draft();
  assert.equal(res.write("a"), true);
  res.write(new TextEncoder().encode("b"));
  assert.equal(res.headersSent, false);
  res.end("c");
  assert.equal(text(res.body), "abc");
  const bytes = draft();
  bytes.write("a");
  bytes.end(new TextEncoder().encode("b"));
  assert.equal(text(bytes.body), "ab");
  const open = draft();
  open.write("a");
  open.end();
  assert.equal(text(open.body), "a");
});

Deno.test("listeners hear of events until they are taken away, once of one, and of the end", () => {
  const res = draft();
  const heard: unknown[] = [];
  const listener = (...values: readonly unknown[]) => heard.push(["on", ...values]);
  assert.equal(res.emit("x"), false);
  res.on("x", listener).on("x", listener).once("x", (value) => heard.push(["once", value]));
  assert.equal(res.emit("x", 1, 2), true);
  assert.deepEqual(heard.splice(0), [["on", 1, 2], ["on", 1, 2], ["once", 1]]);
  res.emit("x", 3);
  assert.deepEqual(heard.splice(0), [["on", 3], ["on", 3]]);
  res.removeListener("x", listener).removeListener("y", listener);
  assert.equal(res.emit("x"), false);
  res.on("finish", () => heard.push(res.headersSent, res.body));
  res.end("z");
  assert.deepEqual(heard, [true, "z"]);
});
