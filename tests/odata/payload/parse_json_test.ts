import assert from "node:assert/strict";
import { ServiceError } from "../../../src/errors/service_error.ts";
import { ExactNumber, parseJson } from "../../../src/odata/payload/parse_json.ts";

function expectError(text: string, message: string): void {
  assert.throws(() => parseJson(text, 4), (error: unknown) => {
    assert(error instanceof ServiceError);
    assert.equal(error.status, 400);
    assert.equal(error.message, message);
    return true;
  });
}

Deno.test("parseJson() reads what JSON.parse reads", () => {
  const text = '{"a":[1,-2.5,true,false,null,"x\\u00e4\\n\\"",{"b":{}}],"e":1e3,"long":12345678901234567890}';
  const { long, ...others } = parseJson(text, 4) as Record<string, unknown>;
  assert.deepEqual(others, { a: [1, -2.5, true, false, null, 'xä\n"', { b: {} }], e: 1000 });
  assert(long instanceof ExactNumber);
  assert.equal(long.text, "12345678901234567890");
});

Deno.test("parseJson() keeps all digits of numbers beyond the precision of JavaScript", () => {
  assert.equal(String(parseJson("9007199254740993", 4)), "9007199254740993");
  assert.equal(String(parseJson("123456789.1234567890", 4)), "123456789.1234567890");
  assert.equal(String(parseJson("0.12345678901234567", 4)), "0.12345678901234567");
  assert.equal(parseJson("9007199254740991", 4), 9007199254740991);
  for (const text of ["1e400", "1E400"]) assert.equal(String(parseJson(text, 4)), text);
  for (const zero of ["0", "0.0", "0e5", "0.00e-400"]) assert.equal(parseJson(zero, 4), 0);
  const tiny = parseJson("1e-400", 4);
  assert(tiny instanceof ExactNumber);
  assert.equal(tiny.text, "1e-400");
  const { b } = parseJson('{"a":"\\"5e","b":[12345678.123456789]}', 4) as { b: unknown[] };
  assert.equal(String(b[0]), "12345678.123456789");
});

Deno.test("parseJson() keeps all digits whatever the texts beside a number hold", () => {
  const digits = "12345678901234567890";
  const names = ["#", "##", "!", '\\"', "\\\\", '\\\\\\"', "{[", "1234567890123456789", "5e", "", "\\u0022"];
  for (const name of names) {
    for (
      const text of [`{"${name}":${digits}}`, `["${name}",${digits}]`, `{"a":"${name}","b":[${digits}]}`]
    ) {
      const found = JSON.stringify(
        parseJson(text, 4),
        (_, value) => value instanceof ExactNumber ? value.text : value,
      );
      assert.ok(found.includes(`"${digits}"`), text);
    }
  }
  assert.deepEqual(parseJson('["{{{{[[[[1e5",1]', 1), ["{{{{[[[[1e5", 1]);
});

Deno.test("parseJson() gives numbers that fit beside others that do not: up to 15 digits, and whole ones that are exact", () => {
  const beside = (text: string) => (parseJson(`[${text},12345678901234567890]`, 4) as unknown[])[0];
  const numbers = [
    "0.123456789012345",
    "123456789012345",
    "-1.50",
    "9007199254740991",
    "1e3",
    "100000000000000000000e1",
  ];
  for (const text of numbers) assert.equal(beside(text), Number(text), text);
  for (const text of ["0.1234567890123456", "9007199254740993", "1234567890123456.0", "1e-400", "1e400"]) {
    assert.equal((beside(text) as ExactNumber).text, text);
  }
});

Deno.test("parseJson() takes any character in texts but those of control, beside numbers of many digits", () => {
  for (const text of [" ", "!", "~", "\u007f", "ä", "\u{1f600}", '\\"', "\\u0000", "\\/"]) {
    const json = `["a${text}b",12345678901234567890]`;
    assert.equal((parseJson(json, 4) as unknown[])[0], JSON.parse(`"a${text}b"`), json);
  }
  for (const text of ["\u001f", "\n", "\u0000", "\\u00g0", "\\x"]) {
    assert.throws(() => parseJson(`["a${text}b",12345678901234567890]`, 4), { status: 400 });
  }
});

Deno.test("parseJson() tells position, found and expected", () => {
  expectError(
    "{",
    'Malformed JSON at position 1: found the end of the text, expected a property name or "}"',
  );
  expectError('{"a" 1}', 'Malformed JSON at position 5: found "1", expected ":"');
  expectError('{"a":1,}', 'Malformed JSON at position 7: found "}", expected a property name or "}"');
  expectError("[1 2]", 'Malformed JSON at position 3: found "2", expected "," or "]"');
  expectError("", "Malformed JSON at position 0: found the end of the text, expected a value");
  expectError("{} x", 'Malformed JSON at position 3: found "x", expected the end of the text');
  expectError(
    '"a\\x"',
    'Malformed JSON at position 2: found "\\\\", expected an escape sequence such as \\n',
  );
  expectError('"a', "Malformed JSON at position 2: found the end of the text, expected the rest of a string");
  expectError("01", 'Malformed JSON at position 1: found "1", expected the end of the text');
});

Deno.test("parseJson() allows nesting up to the limit and not beyond", () => {
  assert.deepEqual(parseJson("[[[[1]]]]", 4), [[[[1]]]]);
  assert.deepEqual(parseJson("[[],[],[],[],[]]", 4), [[], [], [], [], []]);
  assert.deepEqual(parseJson('[[[[],"a"]]]', 4), [[[[], "a"]]]);
  expectError("[[[[[1]]]]]", "The JSON body is nested deeper than 4 levels at position 4");
  expectError("[[[[[]]]]]", "The JSON body is nested deeper than 4 levels at position 4");
  for (const text of ["[]", "{}", "[1]"]) {
    assert.throws(() => parseJson(text, 0), { status: 400 }, text);
    assert.deepEqual(parseJson(text, 1), JSON.parse(text));
  }
});

Deno.test("parseJson() takes numbers of up to 1,000 characters", () => {
  const number = (length: number) => `1.${"0".repeat(length - 3)}1`;
  assert.equal(String(parseJson(number(1000), 4)), number(1000));
  expectError(
    number(1001),
    'Malformed JSON at position 0: found "1", expected a number of at most 1000 characters',
  );
});

Deno.test("parseJson() makes __proto__ an ordinary member", () => {
  const value = parseJson('{"__proto__":{"x":1},"n":1e1}', 4) as Record<string, unknown>;
  assert.deepEqual(Object.keys(value), ["__proto__", "n"]);
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
});
