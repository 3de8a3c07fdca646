import assert from "node:assert/strict";
import { ENGINES } from "./engines.ts";
import { type App, withApp } from "../data/app.ts";

const MODEL = `
entity db_Things { key ID : Integer; name : String(20); version : Integer @odata.etag @odata.etag.counter default 1;
  tags : array of String; @Core.MediaType: type content : LargeBinary; @Core.IsMediaType type : String(40); }
service Test { entity Things as projection on db_Things; }
`;

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`an answer without body to the change of a property has the new version (Protocol 8.3.1, ${engine})`, () =>
    withApp({ model: MODEL, rows: { db_Things: [{ ID: 1, name: "a" }] }, database }, async (app: App) => {
      let tag = 'W/"1"';
      const minimal = { prefer: "return=minimal" };
      const text = { "content-type": "text/plain" };
      for (
        const [method, path, body, headers] of [
          ["PUT", "name", { value: "b" }, minimal],
          ["PUT", "name/$value", "c", text],
          ["DELETE", "name", undefined, {}],
          ["PUT", "tags", { value: ["a"] }, minimal],
          ["POST", "tags", { value: "b" }, minimal],
          ["PUT", "content", "hello", text],
          ["DELETE", "content", undefined, {}],
        ] as const
      ) {
        const sent = { headers: { ...headers, "if-match": tag }, ...(body === undefined ? {} : { body }) };
        const answer = await app.send(method, `Things(1)/${path}`, sent);
        assert.equal(answer.status, 204, `${method} ${path}: ${answer.text}`);
        const next = answer.headers.get("etag");
        assert.ok(next !== null && next !== tag, `${method} ${path}: ${next}`);
        tag = next;
      }
      assert.equal((await app.get("Things(1)")).headers.get("etag"), tag);
    }));
}
