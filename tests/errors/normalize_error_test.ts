import assert from "node:assert/strict";
import { aggregateErrors, normalizeError, normalizeWithLanguage } from "../../src/errors/normalize_error.ts";
import { sanitizeError } from "../../src/errors/sanitize_error.ts";
import { type ErrorProperties, ServiceError } from "../../src/errors/service_error.ts";
import { TextBundles } from "../../src/i18n/text_bundles.ts";

const bundles = new TextBundles({
  project: new Map([
    ["", new Map([["SOLD_OUT", "Only {1} left of {0}"], ["404", "Nothing here"], ["HELLO", "Hello"]])],
    ["de", new Map([["SOLD_OUT", "Nur noch {1} von {0}"]])],
  ]),
});
const texts = bundles.at.bind(bundles);

/** Checks members of the normalized form of a ServiceError. */
function expectNormalized(given: ErrorProperties, expected: Record<string, unknown>, locale?: string): void {
  const normalized = normalizeError(new ServiceError(given), { texts, locale });
  for (const [name, value] of Object.entries(expected)) assert.deepEqual(normalized[name], value, name);
}

Deno.test("normalizeError() takes the status as HTTP status [2.4.status]", () => {
  expectNormalized({ status: 418, message: "Short" }, { status: 418, code: "418", message: "Short" });
});

Deno.test("normalizeError() takes a code from 300 to 599 as status when there is none [7.2.1]", () => {
  expectNormalized({ code: 409, message: "x" }, { status: 409, code: "409" });
  expectNormalized({ code: "409", message: "x" }, { status: 409, code: "409" });
  expectNormalized({ code: 300, message: "x" }, { status: 300 });
  expectNormalized({ code: 599, message: "x" }, { status: 599 });
  expectNormalized({ code: 299, message: "x" }, { status: 500, code: "299" });
  expectNormalized({ status: 400, code: 409, message: "x" }, { status: 400, code: "409" });
});

Deno.test("normalizeError() answers 500 for code 600, which no response can carry", () => {
  expectNormalized({ code: 600, message: "six hundred" }, { status: 500, code: "600" });
});

Deno.test("normalizeError() answers 500 for a message alone", () => {
  expectNormalized({ message: "Only a message" }, { status: 500, code: "500", message: "Only a message" });
});

Deno.test("normalizeError() uses a string code as key of the text, the message as fallback [7.2.2] [2.4.code]", () => {
  const args = ["Book", 3];
  expectNormalized({ status: 400, code: "SOLD_OUT", args }, {
    code: "SOLD_OUT",
    message: "Only 3 left of Book",
  });
  expectNormalized({ status: 400, code: "SOLD_OUT", message: "Literal", args }, {
    message: "Only 3 left of Book",
  });
  expectNormalized({ status: 400, code: "MY_CODE", message: "Mine" }, { code: "MY_CODE", message: "Mine" });
});

Deno.test("normalizeError() uses the message as key without code, and then as code [7.2.2]", () => {
  const args = ["Book", 3];
  expectNormalized({ status: 409, message: "SOLD_OUT", args }, {
    code: "SOLD_OUT",
    message: "Only 3 left of Book",
  });
  expectNormalized({ status: 400, message: "NO_SUCH_KEY" }, { code: "400", message: "NO_SUCH_KEY" });
});

Deno.test("normalizeError() looks the text up in the language of the caller, else the default [7.2.3] [2.4.message]", () => {
  const given = { status: 409, code: "SOLD_OUT", args: ["Buch", 3] };
  expectNormalized(given, { message: "Nur noch 3 von Buch" }, "de");
  expectNormalized(given, { message: "Only 3 left of Buch" }, "fr");
  expectNormalized({ status: 400, code: "ASSERT_MANDATORY" }, { message: "Une valeur est requise" }, "fr");
});

Deno.test("normalizeError() fills arguments into texts [2.4.args]", () => {
  expectNormalized({ status: 400, code: "ASSERT_RANGE", args: [7, 1, 5] }, {
    message: "The value must lie between 1 and 5",
    args: [7, 1, 5],
  });
});

Deno.test("normalizeError() gives an error without message the text under its status, else the phrase", () => {
  expectNormalized({ status: 404 }, { code: "404", message: "Nothing here" });
  expectNormalized({ status: 403 }, { code: "403", message: "Forbidden" });
});

Deno.test("normalizeError() takes the text of a code that is a number, before that of the status", () => {
  expectNormalized({ status: 400, code: 404 }, { status: 400, code: "404", message: "Nothing here" });
  expectNormalized({ status: 404, code: 409 }, { status: 404, code: "409", message: "Nothing here" });
});

Deno.test("normalizeWithLanguage() has the language of the text; phrases of HTTP are English (RFC 9110 8.5)", () => {
  const languageOf = (given: ErrorProperties) =>
    normalizeWithLanguage(new ServiceError(given), { texts: localized, locale: "de" }).language;
  const localized = Object.assign(texts, {
    localeOf: bundles.localeOf.bind(bundles),
    defaultLocale: "fr",
  });
  assert.equal(languageOf({ status: 409, code: "SOLD_OUT", args: ["a", 1] }), "de");
  assert.equal(languageOf({ status: 409, message: "Own text" }), "fr");
  for (const status of [500, 503]) {
    assert.equal(languageOf({ status, message: "Own text" }), "en");
    assert.equal(languageOf({ status, message: "Own text", $sanitize: false }), "fr");
  }
  assert.equal(languageOf({ status: 499, message: "Own text" }), "fr");
  assert.equal(languageOf({ status: 403 }), "en");
});

Deno.test("normalizeError() keeps the target [2.4.target]", () => {
  expectNormalized({ status: 400, message: "x", target: "stock" }, { target: "stock" });
});

Deno.test("normalizeError() honours status and code of other errors", () => {
  const thrown = Object.assign(new Error("Gone for good"), { status: 410 });
  assert.deepEqual(normalizeError(thrown), { status: 410, code: "410", message: "Gone for good" });
  const coded = Object.assign(new TypeError("Broken"), { code: "E_BROKEN" });
  assert.deepEqual(normalizeError(coded), { status: 500, code: "E_BROKEN", message: "Broken" });
});

Deno.test("normalizeError() uses nothing of a thrown value that is no Error", () => {
  for (const thrown of ["secret", { status: 404, message: "secret" }, null, undefined, 404]) {
    assert.deepEqual(normalizeError(thrown), { status: 500, code: "500", message: "Internal Server Error" });
  }
});

Deno.test("normalizeError() completes details like errors of their own", () => {
  expectNormalized({
    status: 400,
    code: "TOP",
    message: "Top",
    details: [{ code: "D1", message: "First", target: "a" }, {
      message: "SOLD_OUT",
      args: ["Book", 2],
      status: 409,
    }],
  }, {
    details: [
      { code: "D1", message: "First", target: "a", status: 400 },
      { code: "SOLD_OUT", message: "Only 2 left of Book", args: ["Book", 2], status: 409 },
    ],
  });
});

Deno.test("normalizeError() passes over details that are no objects", () => {
  const details = [null, "text", 7, undefined, { message: "kept" }] as ErrorProperties["details"];
  expectNormalized({ status: 400, message: "Top", details }, {
    details: [{ code: "400", message: "kept", status: 400 }],
  });
});

Deno.test("only an aggregate without text of its own has the message of its single detail", () => {
  const details = [{ message: "Detail" }];
  expectNormalized({ status: 400, code: "MULTIPLE_ERRORS", details }, { message: "Detail" });
  expectNormalized({ status: 400, code: "MULTIPLE_ERRORS", message: "Own", details }, {
    message: "Several errors occurred, see the details",
  });
  expectNormalized({ status: 409, details }, { code: "409", message: "Conflict" });
});

Deno.test("aggregateErrors() has code MULTIPLE_ERRORS and the errors as details in order [7.2.0b] [2.4.details]", () => {
  const errors = [{ status: 400, message: "First", target: "a" }, {
    status: 409,
    message: "Second",
    target: "b",
  }];
  const normalized = normalizeError(aggregateErrors(errors), { texts });
  assert.deepEqual(normalized, {
    status: 400,
    code: "MULTIPLE_ERRORS",
    message: "Several errors occurred, see the details",
    details: [{ ...errors[0], code: "400" }, { ...errors[1], code: "409" }],
  });
});

Deno.test("aggregateErrors() takes the common status, 500 if there is a 5xx, else 400", () => {
  const status = (...all: number[]) => aggregateErrors(all.map((one) => ({ status: one }))).status;
  assert.equal(status(409, 409), 409);
  assert.equal(status(409, 404), 400);
  assert.equal(status(409, 503), 500);
  assert.equal(status(409, 500), 500);
  assert.equal(status(409, 499), 400);
});

Deno.test("aggregateErrors() of one error has its status, message and target", () => {
  const normalized = normalizeError(aggregateErrors([{ status: 409, message: "Only one", target: "a" }]));
  assert.deepEqual(sanitizeError(normalized, "rest"), {
    code: "MULTIPLE_ERRORS",
    message: "Only one",
    target: "a",
    details: [{ code: "409", message: "Only one", target: "a" }],
  });
  assert.equal(normalized.status, 409);
  for (const $sanitize of [true, false]) {
    assert.equal(aggregateErrors([{ status: 500, message: "m", $sanitize }]).$sanitize, $sanitize);
  }
  assert.equal(Object.hasOwn(aggregateErrors([{ message: "m" }]), "$sanitize"), false);
});

Deno.test("normalizeError() answers 500 for a foreign error with the status of a success, which is no answer", () => {
  const normalized = (status: number) =>
    normalizeError(Object.assign(new Error("not JSON"), { status })).status;
  assert.deepEqual([200, 204, 299, 300, 304, 404].map(normalized), [500, 500, 500, 300, 304, 404]);
  expectNormalized({ status: 204 }, { status: 204 });
});

Deno.test("normalizeError() takes a text that the model declares before that of the code, unless it is empty", () => {
  const given = { status: 400, code: "SOLD_OUT", args: ["x", 7] };
  expectNormalized({ ...given, $message: "{1} of {0}" }, { code: "SOLD_OUT", message: "7 of x" });
  expectNormalized({ ...given, $message: "" }, { code: "SOLD_OUT", message: "Only 7 left of x" });
});

Deno.test("normalizeError() answers 500 for a status that no response carries, and keeps eight levels of details", () => {
  for (const status of [0, 199, 600, 404.5, "x"]) {
    assert.equal(
      normalizeError(new ServiceError({ status: status as number, message: "x" }), { texts }).status,
      500,
    );
  }
  const nested = (levels: number): ErrorProperties =>
    levels === 0
      ? { status: 400, message: "0" }
      : { status: 400, message: "x", details: [nested(levels - 1)] };
  let depth = 0;
  let found = normalizeError(new ServiceError(nested(12)), { texts });
  for (; found.details?.[0] !== undefined; depth++) found = found.details[0] as typeof found;
  assert.equal(depth, 8);
});

Deno.test("normalizeError() takes a status from 200 to 599, as number or text, and 500 for any other", () => {
  for (const status of [200, 599, "404"]) {
    expectNormalized({ status: status as number }, { status: Number(status) });
  }
  for (const status of [199, 600, 404.5, "x"]) {
    expectNormalized({ status: status as number }, { status: 500 });
  }
});

Deno.test("normalizeError() has the status as code where the code is neither text nor number", () => {
  for (const code of ["", {}, true, null]) {
    expectNormalized({ status: 409, code: code as string, message: "x" }, { code: "409", message: "x" });
  }
});

Deno.test("normalizeError() shows the messages of details, whether these are errors or not", () => {
  const details: readonly unknown[] = [Object.assign(new RangeError("Too far"), { target: "a" }), {
    message: "Plain",
    target: "b",
  }];
  const { details: found } = normalizeError(
    new ServiceError({ status: 400, message: "x", details: details as ErrorProperties[] }),
    {
      texts,
    },
  );
  assert.deepEqual(found!.map(({ status, message, target }) => [status, message, target]), [
    [400, "Too far", "a"],
    [400, "Plain", "b"],
  ]);
});
