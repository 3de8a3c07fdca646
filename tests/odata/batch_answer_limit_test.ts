import assert from "node:assert/strict";
import { createRuntime, type Runtime, type ServiceRequest } from "../../mod.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { send } from "../http/fixture.ts";

const MODEL = parseCdl(
  `service S { entity E { key ID : Integer; text : LargeString; } action act() returns LargeString;
  action refuse(status : Integer) returns LargeString; }`,
);
const TEXT = "x".repeat(2000);
const TOO_LARGE =
  "The answers of the batch are larger than 10000 bytes: send smaller batches (fw.limits.batchAnswerBytes)";

async function withRows(run: (runtime: Runtime, calls: number[]) => Promise<void>): Promise<void> {
  const calls: number[] = [];
  const runtime = createRuntime({
    model: MODEL,
    data: new Map([["S.E", [{ ID: 1, text: TEXT }]]]),
    handlers: {
      S: (srv) => {
        srv.on("act", () => (calls.push(1), TEXT));
        srv.on("refuse", (req: ServiceRequest<{ status: number }>) => {
          req.res!.status(req.data.status);
          return TEXT;
        });
      },
    },
    env: { log: { levels: { default: "silent" } }, limits: { batchAnswerBytes: 10_000 } },
  });
  await runtime.start();
  try {
    await run(runtime, calls);
  } finally {
    await runtime.close();
  }
}

interface Part {
  readonly id: string;
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body?: { readonly error?: { readonly code: string; readonly message: string } };
}

async function answersTo(runtime: Runtime, requests: readonly object[]): Promise<readonly Part[]> {
  const { status, body } = await send(runtime, "/odata/v4/s/$batch", { body: { requests } });
  assert.equal(status, 200);
  return body.responses;
}

function parts(count: number, part: object): object[] {
  return Array.from({ length: count }, (_, at) => ({ id: String(at), ...part }));
}

Deno.test("fw.limits.batchAnswerBytes: reads beyond the limit are 413, and those behind them are not run", () =>
  withRows(async (runtime) => {
    const answers = await answersTo(runtime, parts(10, { method: "GET", url: "E(1)" }));
    assert.deepEqual(answers.map(({ status }) => status), [200, 200, 200, 200, 413, 413, 413, 413, 413, 413]);
    const { code, message } = answers[4]!.body!.error!;
    assert.deepEqual([code, message], ["BATCH_ANSWER_TOO_LARGE", TOO_LARGE]);
  }));

Deno.test("fw.limits.batchAnswerBytes: what has changed something is told as done, without the body that has no room", () =>
  withRows(async (runtime, calls) => {
    const requests = parts(10, {}).map((part, at) => ({
      ...part,
      method: "POST",
      url: "E",
      headers: { "content-type": "application/json", "prefer": "return=representation" },
      body: { ID: 10 + at, text: TEXT },
    }));
    const answers = await answersTo(runtime, requests);
    assert.deepEqual(answers.map(({ status }) => status), [201, 201, 201, 201, 204, 413, 413, 413, 413, 413]);
    const told = answers.slice(3, 5).map(({ headers, body }) => [
      ...[headers["odata-entityid"], headers["content-type"], headers["preference-applied"], typeof body],
    ]);
    assert.deepEqual(told, [
      [undefined, "application/json", "return=representation", "object"],
      ["E(14)", undefined, undefined, "undefined"],
    ]);
    // what was told is what happened
    assert.equal((await send(runtime, "/odata/v4/s/E/$count")).body, "6");
    const actions = await answersTo(runtime, parts(10, { method: "POST", url: "act", body: {} }));
    assert.deepEqual(actions.map(({ status }) => status), [200, 200, 200, 200, 204, 413, 413, 413, 413, 413]);
    assert.equal(calls.length, 5);
  }));

Deno.test("fw.limits.batchAnswerBytes: what a handler answers with the status of a failure is never told as done", () =>
  withRows(async (runtime) => {
    for (const status of [400, 409]) {
      const answers = await answersTo(runtime, parts(6, { method: "POST", url: "refuse", body: { status } }));
      assert.deepEqual(answers.map((one) => one.status), [status, status, status, status, 413, 413]);
      assert.equal(answers[4]!.body!.error!.code, "BATCH_ANSWER_TOO_LARGE");
    }
  }));

Deno.test("fw.limits.batchAnswerBytes: a change set is one: all of it is done, or nothing of it", () =>
  withRows(async (runtime) => {
    const writes = parts(10, {}).map((part, at) => ({
      ...part,
      atomicityGroup: "g",
      method: "POST",
      url: "E",
      body: { ID: 10 + at, text: TEXT },
    }));
    const done = await answersTo(runtime, writes);
    assert.deepEqual(done.map(({ status }) => status), [201, 201, 201, 201, ...Array(6).fill(204)]);
    assert.equal((await send(runtime, "/odata/v4/s/E/$count")).body, "11");
    const reads = parts(10, { atomicityGroup: "g", method: "GET", url: "E(1)" });
    const change = { id: "w", atomicityGroup: "g", method: "PATCH", url: "E(1)", body: { text: "new" } };
    const undone = await answersTo(runtime, [...reads, change]);
    assert.deepEqual(undone.map(({ status }) => status), [...Array(4).fill(424), 413, ...Array(6).fill(424)]);
    assert.equal((await send(runtime, "/odata/v4/s/E(1)")).body.text, TEXT);
    const behind = await answersTo(runtime, [
      ...reads.slice(0, 5).map((part) => ({ ...part, atomicityGroup: undefined })),
      {
        ...change,
        headers: { prefer: "return=minimal" },
      },
    ]);
    assert.deepEqual(behind.map(({ status }) => status), [200, 200, 200, 200, 413, 413]);
    assert.equal((await send(runtime, "/odata/v4/s/E(1)")).body.text, TEXT);
  }));

Deno.test("fw.limits.batchAnswerBytes: counts bytes, not characters, and holds for multipart", () =>
  withRows(async (runtime) => {
    await send(runtime, "/odata/v4/s/E(1)", { method: "PATCH", body: { text: "€".repeat(2000) } });
    const requests = parts(3, { method: "GET", url: "E(1)" });
    assert.deepEqual((await answersTo(runtime, requests)).map(({ status }) => status), [200, 413, 413]);
    const { body } = await send(runtime, "/odata/v4/s/$batch", {
      headers: { accept: "multipart/mixed" },
      body: { requests },
    });
    assert.deepEqual([...body.matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => status), [
      "200",
      "413",
      "413",
    ]);
  }));
