import assert from "node:assert/strict";
import { maskLogins } from "../../src/util/mask_logins.ts";

Deno.test("maskLogins() masks what stands in front of the host of each URL, and no other @", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["a://me:pw@host/x@y b://you@other", "a://***@y b://***@other"],
    ["https://me:p@w@host/x@y?z@", "https://***@host/x@y?z@"],
    ["://me@host", "://***@host"],
    ["amqp://user:password@host", "amqp://user:password@host"],
    ["me@host and a://host", "me@host and a://host"],
    ['"wss://a:b@c" "d@e"', '"wss://***@c" "d@e"'],
  ];
  for (const [text, masked] of cases) assert.equal(maskLogins(text), masked, text);
});
