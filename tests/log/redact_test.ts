import assert from "node:assert/strict";
import { redact, redactText } from "../../src/log/redact.ts";

Deno.test("redact() masks what stands under the name of a secret, at any depth and in lists", () => {
  const secrets = [
    "password",
    "clientSecret",
    "client_secret",
    "access_token",
    "Authorization",
    "api-key",
    "private_key",
  ];
  for (const name of secrets) {
    assert.deepEqual(redact({ a: [{ [name]: "x" }] }), { a: [{ [name]: "***" }] }, name);
  }
  assert.deepEqual(redact({ key: "x", keys: ["ID"], monkey: 1, tokens: 2 }), {
    key: "***",
    keys: ["ID"],
    monkey: 1,
    tokens: 2,
  });
});

Deno.test("a name tells a secret when it comes first and when it comes again, however long it is", () => {
  for (const length of [0, 40, 100]) {
    const own = crypto.randomUUID().slice(0, 8) + "x".repeat(length); // nobody has looked at this name
    const given = { [`${own}_password`]: "s", [`${own}_name`]: "n" };
    const shown = { [`${own}_password`]: "***", [`${own}_name`]: "n" };
    for (let time = 1; time <= 3; time++) assert.deepEqual(redact(given), shown, `${length}, time ${time}`);
  }
});

Deno.test("redact() masks logins in URLs and leaves other text", () => {
  assert.equal(redact("at postgres://me:pw@host:5432/db now"), "at postgres://***@host:5432/db now");
  assert.equal(redact("me@host.example, http://host/a@b"), "me@host.example, http://host/a@b");
});

Deno.test("redact() cuts cycles and bytes, and takes headers and errors", () => {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  assert.match(JSON.stringify(redact(cycle)), /^(\{"self":){6}"…"\}{6}$/);
  const list: unknown[] = [];
  list.push(list);
  assert.match(JSON.stringify(redact(list)), /^\[{6}"…"\]{6}$/);
  const set = new Set<unknown>();
  assert.match(JSON.stringify(redact(set.add(set))), /^\[{6}"…"\]{6}$/);
  assert.equal(redact(new Uint8Array(3)), "<3 bytes>");
  assert.deepEqual(redact(new Headers({ cookie: "a=1", accept: "*/*" })), { accept: "*/*", cookie: "***" });
  assert.equal(redact(new TypeError("wrong")), "TypeError: wrong");
});

Deno.test("texts for connections and arguments of commands show no passwords", () => {
  for (
    const [given, shown] of [
      ["host=db password=s3cret dbname=a", "host=db password=*** dbname=a"],
      ["host=db password='s3 \\'cret' dbname=a", "host=db password=*** dbname=a"],
      ["password=s3cret", "password=***"],
      ["run --client-secret=abc --verbose", "run --client-secret=*** --verbose"],
      ["(PGPASSWORD=s3cret)", "(PGPASSWORD=***"],
      ["tokens=3 and secrets are counted", "tokens=3 and secrets are counted"],
    ]
  ) assert.equal(redactText(given), shown);
});

Deno.test("redactText() masks the whole value of a secret and leaves all around it, at any level of JSON in JSON", () => {
  const values = [
    "x",
    'q"q',
    "b\\",
    'b\\"',
    '\\\\"\\',
    '{"a":"}"}',
    '{"token":"t"}',
    12,
    null,
    true,
    { a: ['}"]', { b: 1 }] },
    { a: "", b: "}" },
    [],
  ];
  const nested = (value: unknown, level: number): string => {
    const text = JSON.stringify({ before: "b", password: value, after: ["a"] });
    return Array.from({ length: level }).reduce<string>((inner) => JSON.stringify({ inner }), text);
  };
  for (const value of values) {
    for (const level of [0, 1, 2, 3]) {
      const text = nested(value, level);
      assert.equal(redactText(text), nested("***", level), text);
    }
  }
});

Deno.test("redactText() masks what is cut up to its end", () => {
  for (const rest of ['"s3cret', '{"a":"s3cret"', '["s3cret"', "7733", '"s3cret\\"']) {
    assert.equal(redactText(`{"a":1,"password": ${rest}`), '{"a":1,"password": "***"', rest);
  }
});
