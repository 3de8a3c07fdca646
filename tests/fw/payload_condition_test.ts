import assert from "node:assert/strict";
import { EventContext, User } from "../../mod.ts";
import { payloadCondition } from "../../src/fw/payload_condition.ts";
import { parseExpression } from "../../src/cqn/parse_cql.ts";
import type { Xo } from "../../src/cqn/cqn.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { csnOf } from "./shop.ts";

const EVENT = linkModel(csnOf(`service S { event ordered {
  book : Integer; title : String; price : Decimal(9,2); at { city : String; } tags : many String; }
}`)).definitions["S.ordered"]!;

const CONTEXT = EventContext.for({ user: new User({ id: "ann" }) });

/** What a condition says of payloads, and what was warned of. */
async function decided(
  where: string,
  ...payloads: readonly unknown[]
): Promise<readonly [boolean[], string[]]> {
  const warnings: string[] = [];
  const expression: readonly Xo[] = parseExpression(where);
  const condition = payloadCondition(EVENT, expression, {
    warn: (text: unknown) => void warnings.push(String(text)),
  });
  const found: boolean[] = [];
  for (const payload of payloads) found.push(await condition(payload, CONTEXT));
  return [found, warnings];
}

Deno.test("conditions of events hold for payloads as they do for rows", async () => {
  assert.deepEqual(
    await decided("book > 1 and title = 'x'", { book: 2, title: "x" }, { book: 1, title: "x" }, { book: 2 }),
    [
      [true, false, false],
      [],
    ],
  );
  assert.deepEqual(await decided("title is null", {}, { title: null }, { title: "x" }, "text", null, [1]), [
    [true, true, false, true, true, true],
    [],
  ]);
  assert.deepEqual(
    await decided("at.city = 'Oslo'", { at: { city: "Oslo" } }, { at: { city: "Rome" } }, {}),
    [
      [true, false, false],
      [],
    ],
  );
  assert.deepEqual(await decided("price > 1.25", { price: 1.5 }, { price: "1.30" }, { price: 1 }), [[
    true,
    true,
    false,
  ], []]);
  assert.deepEqual(await decided("title = $user.id", { title: "ann" }, { title: "bob" }), [
    [true, false],
    [],
  ]);
});

Deno.test("decimals of payloads have the digits that the event declares", async () => {
  assert.deepEqual(await decided("price = 1.3", { price: "1.301" }, { price: "1.31" }), [[true, false], []]);
});

Deno.test("a payload leaves nothing behind that decides about the next one", async () => {
  assert.deepEqual(await decided("book = 1", { book: 1 }, { book: 2 }, { book: 1 }), [
    [true, false, true],
    [],
  ]);
});

Deno.test("what cannot be decided is not permitted, and warned of", async () => {
  const [found, warnings] = await decided("tags = 'x'", { tags: ["x"] });
  assert.deepEqual(found, [false]);
  assert.deepEqual(warnings, ["The restriction of S.ordered cannot be decided for a payload:"]);
});
