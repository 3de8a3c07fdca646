import assert from "node:assert/strict";
import { messagesHeader, type RequestMessage, SEVERITIES } from "../../src/errors/messages_header.ts";
import { TextBundles } from "../../src/i18n/text_bundles.ts";

const bundles = new TextBundles({
  project: new Map([["de", new Map([["SOLD_OUT", "Nur noch {0} übrig"]])]]),
});
const texts = bundles.at.bind(bundles);

function header(...messages: RequestMessage[]): unknown {
  return JSON.parse(messagesHeader(messages, { texts, locale: "de", maxBytes: 8192 })!);
}

Deno.test("messagesHeader() renders code, message, severity and target, drops other members", () => {
  assert.deepEqual(
    header({ numericSeverity: 2, message: "Hi", target: "in/x", status: 202, extra: 1, "@a": 1 }),
    [
      { code: "202", message: "Hi", numericSeverity: 2, target: "in/x" },
    ],
  );
});

Deno.test("messagesHeader() renders further targets and the address of a longer text where a message has them", () => {
  const further = { longtextUrl: "/help", additionalTargets: ["in/y", "in/z"] };
  assert.deepEqual(header({ numericSeverity: 1, code: "A", message: "Hi", target: "in/x", ...further }), [
    { code: "A", message: "Hi", numericSeverity: 1, target: "in/x", ...further },
  ]);
});

Deno.test("messagesHeader() uses an empty code if there is none", () => {
  assert.deepEqual(header({ numericSeverity: 1, message: "Hi" }), [{
    code: "",
    message: "Hi",
    numericSeverity: 1,
  }]);
});

Deno.test("messagesHeader() localizes a key, which becomes the code", () => {
  assert.deepEqual(header({ numericSeverity: 2, message: "SOLD_OUT", args: [3] }), [
    { code: "SOLD_OUT", message: "Nur noch 3 übrig", numericSeverity: 2 },
  ]);
});

Deno.test("messagesHeader() escapes what could break a header [2.3.notify.c]", () => {
  const value = messagesHeader(
    [{ numericSeverity: 1, message: "Ümlaut €\r\nSet-Cookie: x\u0000\u007f 漢" }],
    { maxBytes: 8192 },
  )!;
  assert.match(value, /^[\x20-\x7e]*$/);
  assert.ok(value.includes("\\u00dc") && value.includes("\\u6f22"));
  new Headers({ "fw-messages": value });
  assert.equal(JSON.parse(value)[0].message, "Ümlaut €\r\nSet-Cookie: x\u0000\u007f 漢");
});

Deno.test("messagesHeader() is undefined without messages", () => {
  assert.equal(messagesHeader([], { maxBytes: 8192 }), undefined);
});

Deno.test("messagesHeader() is never longer than the limit; its last entry says how many messages were left out", () => {
  for (const maxBytes of [200, 1000, 8192]) {
    for (const count of [1, 2, 10, 100, 1000]) {
      for (const length of [0, 10, 100, 5000, 900_000 / count]) {
        for (const letter of ["x", "漢", "\n"]) {
          const messages = Array.from({ length: count }, (_, at) => ({
            numericSeverity: at % 3 + 1,
            message: letter.repeat(length),
          }));
          const value = messagesHeader(messages, { maxBytes })!;
          assert.ok(value.length <= maxBytes, `${value.length} of ${maxBytes}`);
          assert.match(value, /^[\x20-\x7e]*$/);
          const shown: { code: string; message: string }[] = JSON.parse(value);
          const last = shown.at(-1)!;
          const leftOut = last.code === "MESSAGES_LEFT_OUT" ? Number(/^\d+/.exec(last.message)![0]) : 0;
          assert.equal(leftOut > 0 ? shown.length - 1 + leftOut : shown.length, count);
        }
      }
    }
  }
});

Deno.test("messagesHeader() keeps what fits beside a message that does not, and the worst severity of those left out", () => {
  const messages: RequestMessage[] = [
    { numericSeverity: 1, message: "first" },
    { numericSeverity: 3, message: "large", target: "x".repeat(9000) },
    { numericSeverity: 2, message: "last" },
  ];
  assert.deepEqual(JSON.parse(messagesHeader(messages, { texts, locale: "de", maxBytes: 8192 })!), [
    { code: "", message: "first", numericSeverity: 1 },
    { code: "", message: "last", numericSeverity: 2 },
    { code: "MESSAGES_LEFT_OUT", message: "1 weitere Meldungen wurden weggelassen", numericSeverity: 3 },
  ]);
});

Deno.test("messagesHeader() gives up a message, the only one too, for the entry that says how many were left out", () => {
  const target = "x".repeat(200);
  const messages = [{ numericSeverity: 1, message: "m", target }, {
    numericSeverity: 3,
    message: "m",
    target,
  }];
  const value = messagesHeader(messages, {
    maxBytes: messagesHeader([messages[0]], { maxBytes: 8192 })!.length,
  });
  assert.deepEqual(JSON.parse(value!), [
    { code: "MESSAGES_LEFT_OUT", message: "2 more messages were left out", numericSeverity: 3 },
  ]);
});

Deno.test("messagesHeader() leaves out no message that has room", () => {
  const messages = Array.from(
    { length: 9 },
    () => ({ numericSeverity: SEVERITIES.notify, message: "xxxxx" }),
  );
  const whole = messagesHeader(messages, { maxBytes: 8192 })!;
  assert.equal(messagesHeader(messages, { maxBytes: whole.length }), whole);
  const one = JSON.stringify(JSON.parse(whole)[0]).length + 1;
  for (let maxBytes = whole.length - 1; maxBytes > whole.length - one * 3; maxBytes--) {
    const value = messagesHeader(messages, { maxBytes })!;
    assert.ok(maxBytes - value.length < one, `${maxBytes - value.length} bytes of ${maxBytes} are free`);
  }
});

Deno.test("messages of notify, info and warn have severities 1, 2 and 3 (Protocol 8.3.9)", () => {
  assert.deepEqual(SEVERITIES, { notify: 1, info: 2, warn: 3 });
});

Deno.test("messagesHeader() cuts a long text", () => {
  const [shown] = JSON.parse(
    messagesHeader([{ numericSeverity: 2, message: "x".repeat(900_000) }], { maxBytes: 8192 })!,
  );
  assert.equal(shown.message, `${"x".repeat(1024)}…`);
});

Deno.test("messagesHeader() cuts a text that is longer than an eighth of the limit", () => {
  const textOf = (length: number) => {
    const value = messagesHeader([{ numericSeverity: 1, message: "x".repeat(length) }], { maxBytes: 800 })!;
    return JSON.parse(value)[0].message;
  };
  assert.equal(textOf(100), "x".repeat(100));
  assert.equal(textOf(101), `${"x".repeat(100)}…`);
});

Deno.test("messagesHeader() says of messages that were left out how severe the worst of them is", () => {
  for (const [severities, worst] of [[[1, 1], 1], [[2, 1], 2], [[1, 3, 2], 3]] as const) {
    const messages = severities.map((numericSeverity) => ({ numericSeverity, message: "x".repeat(90) }));
    const [last, ...more] = JSON.parse(messagesHeader(messages, { maxBytes: 90 })!);
    assert.deepEqual([last.code, last.numericSeverity, more], ["MESSAGES_LEFT_OUT", worst, []]);
  }
});

Deno.test("messagesHeader() says that messages were left out where not even that fits", () => {
  const [last] = JSON.parse(messagesHeader([{ numericSeverity: 1, message: "x" }], { maxBytes: 1 })!);
  assert.equal(last.code, "MESSAGES_LEFT_OUT");
});

Deno.test("SEVERITIES are those of OData: 1 success, 2 information, 3 warning", () => {
  assert.deepEqual(SEVERITIES, { notify: 1, info: 2, warn: 3 });
});
