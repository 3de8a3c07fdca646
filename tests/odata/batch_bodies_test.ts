/*
 * Bodies of requests in JSON batches (JSON Format 19.1): each is what the batch holds, whoever asks for it.
 */

import assert from "node:assert/strict";
import { createRuntime, type Row, type ServiceRequest } from "../../mod.ts";
import { ServiceError } from "../../src/errors/service_error.ts";
import { compileCdl } from "../../src/model/cdl/compile_cdl.ts";
import { ENGINES } from "./engines.ts";

const TEXT = `
context my { entity Books { key ID: Integer; title: String(20); more: Map; stock: Int64; } }
service S { entity Books as projection on my.Books; }
`;
const MODEL = compileCdl(["m.cds"], { readFile: (path) => path === "m.cds" ? TEXT : undefined });

type Part = Readonly<Record<string, unknown>>;

/** Sends parts to a service whose handler gets each new book first. */
async function send(
  parts: readonly Part[],
  before: (req: ServiceRequest) => unknown = () => {},
): Promise<readonly { readonly status: number; readonly body?: Row; readonly headers: Row }[]> {
  const runtime = createRuntime({
    model: MODEL,
    env: { requires: { db: { kind: "sqlite" } }, log: { levels: { default: "silent" } } },
    kinds: { databases: { sqlite: () => ENGINES.sqlite! } },
    handlers: { S: (srv) => void srv.before("CREATE", "Books", before) },
  });
  try {
    const requests = parts.map((part, at) => ({ id: String(at), method: "POST", url: "Books", ...part }));
    const response = await runtime.fetch(
      new Request("http://localhost/odata/v4/s/$batch", {
        method: "POST",
        headers: { "content-type": "application/json" },
        // integers of 64 bits as they are
        body: JSON.stringify({ requests }).replaceAll(/"(\d{16,})"/g, "$1"),
      }),
    );
    return (await response.json()).responses;
  } finally {
    await runtime.close();
  }
}

Deno.test("what a handler changes of a row is not there where the change set runs once more", async () => {
  const more = { a: { b: 1 } };
  const seen: unknown[] = [];
  const url = "Books(7)";
  const change = (ID: number) => ({
    method: "PUT",
    url,
    atomicityGroup: "g",
    body: { ID, title: "x", more },
  });
  let isFirst = true;
  const [made] = await send([change(7)], (req) => {
    const row = req.data as { more: { a: Record<string, number> } };
    seen.push(structuredClone(row.more));
    row.more.a.b = 2;
    row.more.a.c = 3;
    // as if another request had created the row meanwhile
    if (isFirst) {
      isFirst = false;
      throw new ServiceError({ status: 409, code: "ENTITY_ALREADY_EXISTS" });
    }
  });
  assert.deepEqual([made!.status, seen], [201, [more, more]]);
});

Deno.test("handlers read the body of their part as it was sent, with all digits", async () => {
  const texts: string[] = [];
  const answers = await send(
    [1, 2].map((ID) => ({ atomicityGroup: "g", body: { ID, title: "a\u2028b", stock: "9007199254740993" } })),
    async (req) => {
      (req.data as Row).title = "changed";
      texts.push(await req.req!.clone().text());
    },
  );
  assert.deepEqual(answers.map(({ status }) => status), [201, 201]);
  assert.deepEqual(
    texts,
    [1, 2].map((ID) => `{"ID":${ID},"title":"a\u2028b","stock":9007199254740993}`),
  );
});

Deno.test("parts have their own headers, however alike those of the part before are", async () => {
  const json = { "content-type": "application/json" };
  const body = (ID: number) => ({ ID, title: "x" });
  const answers = await send([
    { headers: { ...json, prefer: "return=minimal" }, body: body(1) },
    { headers: { ...json, prefer: "return=representation" }, body: body(2) },
    { headers: { ...json, prefer: "return=representation" }, body: body(3) },
    { headers: json, body: body(4) },
    { method: "GET", url: "Books(1)", headers: json },
    { headers: { ...json, "content-encoding": "gzip" }, body: body(5) },
    { headers: { "content-type": "application/xml" }, body: body(6) },
  ]);
  assert.deepEqual(answers.map(({ status }) => status), [204, 201, 201, 201, 200, 415, 415]);
});

Deno.test("a change set whose members wait for nothing fails as one, and says where", async () => {
  const answers = await send([
    { atomicityGroup: "g", body: { ID: 1, title: "one" } },
    { atomicityGroup: "g", body: { ID: 1, title: "again" } },
    { atomicityGroup: "g", body: { ID: 2, title: "never" } },
    { method: "GET", url: "Books" },
  ]);
  assert.deepEqual(answers.map(({ status }) => status), [424, 409, 424, 200]);
  assert.deepEqual(answers.at(-1)!.body!.value, []);
});
