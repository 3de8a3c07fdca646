/**
 * What clients get of what handlers reject: texts of bundles, redirections.
 *
 * @module
 */

import assert from "node:assert/strict";
import { createRuntime } from "../../mod.ts";
import type { ErrorArguments } from "../../src/errors/error_arguments.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { send } from "../http/fixture.ts";

const MODEL = parseCdl("@protocol: ['odata', 'rest'] service S { action go(); }");
const TEXTS = new Map([["", new Map([["KEY", "Only {1} left of {0}"], ["PLAIN", "No placeholder"]])]]);

type Expected = { readonly code: string; readonly message: string; readonly status?: number };

async function expectRejected(given: unknown, expected: Expected): Promise<void> {
  const runtime = createRuntime({
    model: MODEL,
    texts: TEXTS,
    handlers: {
      S: (srv) =>
        srv.on("go", (req) => {
          req.info({ code: "KEY", message: "told" });
          req.reject(...given as ErrorArguments);
        }),
    },
    env: { requires: { db: false }, log: { levels: { default: "silent" } } },
  });
  try {
    await runtime.start();
    for (const protocol of ["odata/v4", "rest"]) {
      const { status, headers, body } = await send(runtime, `/${protocol}/s/go`, {
        method: "POST",
        body: {},
      });
      const { code, message } = body.error;
      assert.deepEqual({ status, code, message }, { status: 400, ...expected }, protocol);
      assert.equal(headers.get("content-type"), "application/json");
      assert.equal(JSON.parse(headers.get("fw-messages")!)[0].message, "told");
    }
  } finally {
    await runtime.close();
  }
}

Deno.test("a text whose placeholders have no values never reaches a client: the message given in code stands (behaviours 5)", async () => {
  const given = { status: 400, code: "KEY", message: "given" };
  await expectRejected([given], { code: "KEY", message: "given" });
  await expectRejected([{ ...given, args: [] }], { code: "KEY", message: "given" });
  await expectRejected([{ ...given, args: ["Emma"] }], { code: "KEY", message: "given" });
  await expectRejected([{ ...given, args: ["Emma", 2] }], { code: "KEY", message: "Only 2 left of Emma" });
  await expectRejected([{ ...given, code: "PLAIN" }], { code: "PLAIN", message: "No placeholder" });
  await expectRejected([{ status: 400, code: "KEY" }], { code: "KEY", message: "Bad Request" });
  await expectRejected([400, "KEY"], { code: "400", message: "KEY" });
  await expectRejected([400, "KEY", ["Emma", 2]], { code: "KEY", message: "Only 2 left of Emma" });
});

Deno.test("a rejection by a status from 300 on keeps its body, but for 304 (behaviours 5)", async () => {
  for (const status of [300, 301, 302, 303, 307, 308, 399]) {
    const given = { status, code: "MOVED", message: "Look elsewhere" };
    await expectRejected([given], { status, code: "MOVED", message: "Look elsewhere" });
  }
});

Deno.test("a body of another content type is 415, which names application/json, in every protocol (behaviours 1)", async () => {
  const runtime = createRuntime({ model: MODEL, env: { requires: { db: false } } });
  try {
    await runtime.start();
    for (const protocol of ["odata/v4", "rest"]) {
      const answers: [Record<string, string>, string][] = [
        [
          { "content-type": "application/x-www-form-urlencoded" },
          "The content type must be application/json, but is application/x-www-form-urlencoded",
        ],
        [{ "content-type": "text/xml" }, "The content type must be application/json, but is text/xml"],
        [{}, "Unsupported Media Type"], // the client names a type by itself
      ];
      for (const [headers, message] of answers) {
        const path = `/${protocol}/s/go`;
        const { status, body, headers: sent } = await send(runtime, path, {
          method: "POST",
          body: "a=1",
          headers,
        });
        const { code, message: told } = body.error;
        const expected = { status: 415, code: "415", told: message, accept: "application/json" };
        assert.deepEqual({ status, code, told, accept: sent.get("accept") }, expected);
      }
    }
  } finally {
    await runtime.close();
  }
});
