import assert from "node:assert/strict";
import { type ApplicationService, createRuntime, type Row } from "../../../mod.ts";
import { denoKinds } from "../../../src/deno/deno_kinds.ts";
import { compileCdl } from "../../../src/model/cdl/compile_cdl.ts";

const TEXT = `
  context my {
    entity Books { key ID : Integer; author : Association to Authors; }
    entity Authors { key ID : Integer; name : localized String; }
  }
  service S {
    entity Books as projection on my.Books actions { function twin() returns Books; };
    entity Authors as projection on my.Authors;
    function best() returns Books;
    action make() returns Books;
  }`;

/** What the handler of each operation returns, at once and later. */
function register(service: ApplicationService): void {
  const book = { ID: 1, author_ID: 1 };
  service.on("best", async () => {
    await Promise.resolve();
    return book;
  });
  service.on("make", () => book);
  service.on("twin", "Books", () => Promise.resolve(book));
}

Deno.test("what options ask of a result is read for the request of the batch: in its language (Protocol 11.7, spec 2.1)", async () => {
  const runtime = createRuntime({
    model: compileCdl(["m.cds"], { readFile: (path) => path === "m.cds" ? TEXT : undefined }),
    kinds: denoKinds,
    env: {
      requires: { db: { kind: "sqlite" }, auth: { kind: "dummy" } },
      log: { levels: { default: "silent" } },
    },
    handlers: { S: (service) => register(service as ApplicationService) },
    data: new Map<string, Row[]>([
      ["my.Books", [{ ID: 1, author_ID: 1 }]],
      ["my.Authors", [{ ID: 1, name: "en" }]],
      ["my.Authors.texts", [{ ID: 1, locale: "de", name: "de" }]],
    ]),
  });
  await runtime.start();
  try {
    const calls = [["GET", "best()"], ["POST", "make"], ["GET", "Books(1)/twin()"]];
    const requests = calls.flatMap(([method, url]) =>
      ["de", "en"].map((language) => ({
        id: `${url} ${language}`,
        method,
        url: `${url}?$expand=author`,
        headers: { "accept-language": language, "content-type": "application/json" },
        ...(method === "POST" && { body: {} }),
      }))
    );
    const response = await runtime.fetch(
      new Request("http://localhost/odata/v4/s/$batch", {
        method: "POST",
        headers: { "content-type": "application/json", "accept-language": "fr" },
        body: JSON.stringify({ requests }),
      }),
    );
    const { responses } = await response.json() as { responses: { id: string; body: Row }[] };
    const names = responses.map(({ id, body }) => `${id}: ${(body.author as Row)?.name}`);
    assert.deepEqual(names, requests.map(({ id, headers }) => `${id}: ${headers["accept-language"]}`));
  } finally {
    await runtime.close();
  }
});
