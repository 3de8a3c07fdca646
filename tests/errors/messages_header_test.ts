import assert from "node:assert/strict";
import { messagesHeader, type RequestMessage } from "../../src/errors/messages_header.ts";
import { TextBundles } from "../../src/i18n/text_bundles.ts";

const bundles = new TextBundles({
  project: new Map([["de", new Map([["SOLD_OUT", "Nur noch {0} übrig"]])]]),
});
const texts = bundles.at.bind(bundles);

function header(...messages: RequestMessage[]): unknown {
  return JSON.parse(messagesHeader(messages, { texts, locale: "de" })!);
}

Deno.test("messagesHeader() renders code, message, severity and target, drops other members", () => {
  assert.deepEqual(
    header({ numericSeverity: 2, message: "Hi", target: "in/x", status: 202, extra: 1, "@a": 1 }),
    [
      { code: "202", message: "Hi", numericSeverity: 2, target: "in/x" },
    ],
  );
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
    {},
  )!;
  assert.match(value, /^[\x20-\x7e]*$/);
  assert.ok(value.includes("\\u00dc") && value.includes("\\u6f22"));
  new Headers({ "fw-messages": value });
  assert.equal(JSON.parse(value)[0].message, "Ümlaut €\r\nSet-Cookie: x\u0000\u007f 漢");
});

Deno.test("messagesHeader() is undefined without messages", () => {
  assert.equal(messagesHeader([], {}), undefined);
});
