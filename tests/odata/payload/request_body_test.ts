/** Bodies of requests by what they are read as (Protocol 8.1.1, 11.4; JSON Format 8, 11, 14). */

import assert from "node:assert/strict";
import { ENGINES } from "../engines.ts";
import type { Csn } from "../../../src/model/csn.ts";
import { SHOP } from "../fixture_model.ts";
import type { Shop } from "../fixture_host.ts";
import { withShop } from "../with_shop.ts";

/** Requests: content type, body as it is sent, and the status of the answer, maybe with the text of the error. */
const SENT: readonly (readonly [
  request: string,
  type: string | undefined,
  body: string | undefined,
  status: number,
  message?: string,
])[] = [
  ["PATCH Books(201)", "application/json", '{"stock":1}', 200],
  ["PATCH Books(201)", "application/json;charset=utf-8;odata.metadata=minimal", '{"stock":1}', 200],
  ["PATCH Books(201)", "application/json;charset=latin1", '{"stock":1}', 415],
  ["PATCH Books(201)", "text/plain", '{"stock":1}', 415],
  ["PATCH Books(201)", "application/json", "[1]", 400, "The request body must be a JSON object"],
  ["PATCH Books(201)", "application/json", "5", 400, "The request body must be a JSON object"],
  ["PATCH Books(201)", "application/json", " \n", 200],
  ["PUT Books(201)/stock", "application/json", '{"value":5}', 200],
  ["PUT Books(201)/stock", "application/json", "{}", 400, 'The request body must have a member "value"'],
  ["PUT Books(201)/stock", "application/json", '{"value":null}', 204],
  ["PUT Books(201)/stock/$value", "text/plain", "7", 204],
  ["PUT Books(201)/stock/$value", "text/plain;charset=utf-8", "-7", 204],
  ["PUT Books(201)/stock/$value", "application/json", "7", 415],
  ["PUT Books(201)/stock/$value", "text/plain", "07", 400],
  ["PUT Books(201)/stock/$value", "text/plain", "seven", 400],
  ["PUT Books(201)/price/$value", "text/plain", "1.5", 204],
  ["PUT Books(201)/price/$value", "text/plain", "1e1", 204],
  ["PUT Books(201)/title/$value", "text/plain", "true", 204],
  ["PUT Books(201)/title/$value", "text/plain", "12", 204],
  ["PUT Books(201)/author/$ref", "application/json", '{"@odata.id":"Authors(150)"}', 204],
  ["PUT Books(201)/author/$ref", "application/json", '{"@id":"Authors(150)"}', 204],
  [
    "PUT Books(201)/author/$ref",
    "application/json",
    "{}",
    400,
    'The request body must have a member "@odata.id"',
  ],
  [
    "PUT Books(201)/author/$ref",
    "application/json",
    '{"@odata.id":5}',
    400,
    'The request body must have a member "@odata.id"',
  ],
  ["PUT Authors(150)/books/$ref", "application/json", '{"value":[{"@id":"Books(201)"}]}', 204],
  [
    "PUT Authors(150)/books/$ref",
    "application/json",
    '{"value":[{}]}',
    400,
    '"value[0]" must have a member "@odata.id"',
  ],
  [
    "PUT Authors(150)/books/$ref",
    "application/json",
    '{"value":[5]}',
    400,
    '"value[0]" must have a member "@odata.id"',
  ],
  [
    "PUT Authors(150)/books/$ref",
    "application/json",
    "{}",
    400,
    'The request body must have an array "value"',
  ],
  [
    "PUT Authors(150)/books/$ref",
    "application/json",
    `{"value":[${Array(4).fill('{"@id":"Books(201)"}')}]}`,
    400,
    "A request may change at most 3 rows",
  ],
  [
    "PUT Authors(150)/books/$ref",
    "application/json",
    `{"value":[${Array(3).fill('{"@id":"Books(201)"}')}]}`,
    204,
  ],
  ["POST add", "application/json", "[]", 400, "The request body must be a JSON object"],
  ["PUT Media(1)/content", "image/png", "bytes", 204],
  ["PUT Media(1)/content", undefined, "bytes", 415],
];

async function send(shop: Shop, [request, type, body]: (typeof SENT)[number]) {
  const [method, url] = request.split(" ") as [string, string];
  return await shop.send(method, url, { body, headers: type === undefined ? {} : { "content-type": type } });
}

Deno.test("bodies have the form of what is written, and say what they lack", () =>
  withShop(async (shop) => {
    for (const sent of SENT) {
      const answer = await send(shop, sent);
      assert.equal(answer.status, sent[3], JSON.stringify([sent, answer.body]));
      const message = (answer.body as { error?: { message: string } } | undefined)?.error?.message;
      if (sent[4] !== undefined) assert.equal(message, sent[4]);
    }
  }, { limits: { changedRows: 3 } }));

Deno.test("a body that is no JSON is told what is taken instead (RFC 9110 15.5.16)", () =>
  withShop(async (shop) => {
    const { status, headers } = await shop.send("PATCH", "Books(201)", {
      body: "{}",
      headers: { "content-type": "text/plain" },
    });
    assert.deepEqual([status, headers.accept], [415, "application/json"]);
    const untyped = await shop.send("PATCH", "Books(201)", { body: "{}" });
    assert.deepEqual([untyped.status, untyped.headers.accept], [415, "application/json"]);
    assert.equal((await shop.send("PATCH", "Books(201)", { body: " " })).status, 200);
  }));

Deno.test("texts of numbers and truth values are taken as such, of others as text (Protocol 11.4.9.1)", () =>
  withShop(async (shop) => {
    const headers = { "content-type": "text/plain" };
    for (
      const [name, text] of [["price", "1.5"], ["stock", "-7"], ["title", "7"], ["title", "false"]] as const
    ) {
      assert.equal(
        (await shop.send("PUT", `Books(201)/${name}/$value`, { body: text, headers })).status,
        204,
      );
      assert.equal((await shop.send("GET", `Books(201)/${name}/$value`)).body, text);
    }
  }));

Deno.test("a stream has the type and the length that it was sent with, where elements hold them (Protocol 11.4.7)", () => {
  const definitions = { ...SHOP.definitions! };
  const { elements } = definitions["shop.Media"]!;
  definitions["shop.Media"] = {
    ...definitions["shop.Media"]!,
    elements: {
      ...elements,
      size: { type: "cds.Integer" },
      content: { ...elements!.content!, "@odata.media.length": { "=": "size" } },
    },
  };
  return withShop(async (shop) => {
    const headers = { "content-type": "image/png" };
    assert.equal((await shop.send("PUT", "Media(1)/content", { body: "five!", headers })).status, 204);
    const { type, size } = (await shop.send("GET", "Media(1)")).body as Record<string, unknown>;
    assert.deepEqual([type, size], ["image/png", 5]);
  }, { model: { definitions } as Csn, database: ENGINES.memory! });
});
