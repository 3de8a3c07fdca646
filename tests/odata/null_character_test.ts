/** Texts that not every engine keeps are refused on all: with U+0000, or half of a surrogate pair. */

import assert from "node:assert/strict";
import { sqlValue } from "../../src/db/write/sql_value.ts";
import type { Csn } from "../../src/model/csn.ts";
import { ENGINES } from "./engines.ts";
import { withShop } from "./with_shop.ts";

const key = { key: true, type: "cds.Integer" };
const MODEL: Csn = {
  definitions: {
    ShopService: { kind: "service" },
    "ShopService.Notes": {
      kind: "entity",
      elements: {
        ID: key,
        text: { type: "cds.String", length: 20 },
        long: { type: "cds.LargeString" },
        tags: { items: { type: "cds.String" } },
        free: { type: "cds.Map" },
        parts: {
          type: "cds.Composition",
          cardinality: { max: "*" },
          target: "ShopService.Parts",
          on: [{ ref: ["parts", "note"] }, "=", { ref: ["$self"] }],
        },
      },
    },
    "ShopService.Words": { kind: "entity", elements: { word: { key: true, type: "cds.String" } } },
    "ShopService.Parts": {
      kind: "entity",
      elements: {
        ID: key,
        name: { type: "cds.String" },
        note: { type: "cds.Association", target: "ShopService.Notes", keys: [{ ref: ["ID"] }] },
      },
    },
  },
};

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`texts that databases cannot keep are 400 with its place (Edm.String, ${engine})`, () =>
    withShop(async (shop) => {
      const bodies = {
        text: { text: "a\0b" },
        long: { long: "\0" },
        tags: { tags: ["a", "b\0"] },
        "text ": { text: "\ud83d" },
        "free ": { free: { "\ude00": 1 } },
        free: { free: { a: [{ b: "\0" }] } },
        "parts(ID=1)/name": { parts: [{ ID: 1, name: "a\0" }] },
      };
      for (const [target, body] of Object.entries(bodies)) {
        const answer = await shop.send("POST", "Notes", { body: { ID: 1, ...body } });
        assert.equal(answer.status, 400, target);
        const message = "The text must not contain the character U+0000 or a lone surrogate";
        const error = {
          code: "ASSERT_CHARACTERS",
          message,
          target: target.trim(),
          "@Common.numericSeverity": 4,
        };
        assert.deepEqual(answer.body, { error });
      }
      assert.equal((await shop.send("GET", "Notes/$count")).body, "0");
      const { status, body } = await shop.send("GET", "Notes?$filter=text eq 'a%00'");
      const { message } = (body as { error: { message: string } }).error;
      assert.equal(status, 400);
      assert.equal(message, "Text to look for must not contain U+0000 or a lone surrogate (offset 22)");
      assert.equal((await shop.send("GET", "Notes?$search=%22a%00%22")).status, 400);
      assert.equal((await shop.send("GET", "Words(@w)?@w='%00'")).status, 404);
    }, { database, model: MODEL, data: new Map() }));
}

Deno.test("sqlValue() refuses texts that databases cannot keep, which handlers put into rows and queries", () => {
  assert.throws(() => sqlValue("a\0"), { code: "ASSERT_CHARACTERS", status: 400 });
  assert.throws(() => sqlValue("a\ud800"), { code: "ASSERT_CHARACTERS", status: 400 });
  assert.equal(sqlValue("a\u0001"), "a\u0001");
  assert.equal(sqlValue("\ud83d\ude00"), "\ud83d\ude00");
});
