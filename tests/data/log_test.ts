import assert from "node:assert/strict";
import type { ServiceRequest } from "../../src/service/requests/service_request.ts";
import { type Answer, type App, type Json, withApp } from "./app.ts";

const MODEL = `
entity db_Things { key ID : Integer; name : String(20); }
@protocol: ['odata', 'rest']
service Test {
  entity Things as projection on db_Things;
  action fail(how : String);
}
`;

const SECRET = "balance 815 in /srv/secret.ts";

function fail(req: ServiceRequest): void {
  const { how } = req.data as { how?: string };
  const cause = new Error("the cause of it");
  switch (how) {
    case "reject":
      req.reject({ status: 503, code: "DOWN", message: SECRET, target: "t", cause });
      break;
    case "record":
      req.error({ status: 500, message: SECRET, cause });
      req.error({ status: 400, message: "Other" });
      break;
    case "commit":
      req.before("commit", () => {
        throw new Error(SECRET, { cause });
      });
      break;
    case "text":
      throw SECRET;
    case "missing":
      req.reject({ status: 501, message: SECRET, cause });
      break;
    default:
      throw new Error(SECRET, { cause });
  }
}

/** Runs requests and gives the lines of the log. */
async function logged(run: (app: App) => Promise<unknown>): Promise<string> {
  const lines: string[] = [];
  const kept = { error: console.error, warn: console.warn };
  console.error = (...line: unknown[]) => void lines.push(line.join(" "));
  console.warn = console.error;
  try {
    await withApp({
      model: MODEL,
      env: { log: { levels: { default: "warn" } } },
      handlers: (srv) => {
        srv.on("fail", fail);
        srv.before("CREATE", "Things", fail);
      },
    }, run);
  } finally {
    Object.assign(console, kept);
  }
  return lines.join("\n");
}

function assertSanitized(answer: Answer | Json, status: number): void {
  assert.equal(answer.status, status);
  const text = JSON.stringify(answer.body);
  assert.doesNotMatch(text, /balance|secret|cause|\.ts|DOWN/);
  assert.equal((answer.body as Json).error!.code, String(status) as unknown);
}

const ID = { "x-correlation-id": "id-4711" };

for (
  const [how, status] of [
    ["throw", 500],
    ["reject", 503],
    ["record", 500],
    ["commit", 500],
    ["missing", 501],
  ] as const
) {
  Deno.test(`a 5xx by ${how} is sanitized, and complete in the log under the correlation id [7.2.5]`, async () => {
    for (const path of ["fail", "/rest/test/fail"]) {
      const log = await logged(async (app) => assertSanitized(await app.post(path, { how }, ID), status));
      assert.match(log, /balance 815/, path);
      assert.match(log, /the cause of it/, path);
      assert.match(log, /id-4711/, path);
    }
  });

  Deno.test(`a 5xx by ${how} in a batch and a change set is sanitized and logged [7.2.5]`, async () => {
    const part = { method: "POST", url: "fail", body: { how } };
    for (const group of [{}, { atomicityGroup: "g" }]) {
      const log = await logged(async (app) => {
        const [answer] = await app.batch([{ ...part, ...group }], { headers: ID });
        assertSanitized(answer!, status);
      });
      assert.match(log, /balance 815/);
      assert.match(log, /the cause of it/);
      assert.match(log, /id-4711/);
    }
  });
}

Deno.test("a thrown text shapes nothing of the answer, and is in the log [7.2.5]", async () => {
  const log = await logged(async (app) => assertSanitized(await app.post("fail", { how: "text" }, ID), 500));
  assert.match(log, /balance 815/);
  assert.match(log, /id-4711/);
});

Deno.test("4xx answers leave no error in the log", async () => {
  const log = await logged(async (app) => {
    assert.equal((await app.get("Things(1)")).status, 404);
    assert.equal((await app.get("Nothing")).status, 404);
    assert.equal((await app.get("Things?$filter=x")).status, 400);
    assert.equal((await app.post("Things", "{")).status, 415);
  });
  assert.equal(log, "");
});
