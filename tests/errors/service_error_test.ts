import assert from "node:assert/strict";
import { ConfigurationError } from "../../src/errors/configuration_error.ts";
import { errorProperties } from "../../src/errors/error_arguments.ts";
import { fromReadable, normalizeError, readableError } from "../../src/errors/normalize_error.ts";
import {
  answerTooLarge,
  type ErrorProperties,
  isServiceError,
  ServiceError,
  unsupported,
} from "../../src/errors/service_error.ts";

/** An error without text, and what shows who caught or logged it. */
const CASES: readonly (readonly [ErrorProperties, string])[] = [
  [{ status: 404 }, "404"],
  [{ status: 400, code: "ASSERT_MANDATORY", target: "title" }, "ASSERT_MANDATORY title"],
  [
    {
      status: 400,
      code: "MULTIPLE_ERRORS",
      details: [{ code: "ASSERT_MANDATORY", target: "title" }, { message: "Sold out", target: "stock" }],
    },
    "MULTIPLE_ERRORS: ASSERT_MANDATORY title, Sold out",
  ],
  [{ code: "OUTER", details: [{ code: "INNER", details: [{ code: "INMOST" }] }] }, "OUTER: INNER"],
  [{}, ""],
];

Deno.test("an error without text says by its message what it is about, and answers what it did", () => {
  for (const [properties, message] of CASES) {
    const error = new ServiceError(properties);
    assert.equal(error.message, message);
    assert.equal(String(error), message === "" ? "ServiceError" : `ServiceError: ${message}`);
    assert.deepEqual(normalizeError(error), normalizeError(Object.assign(new Error(), properties)));
    assert.deepEqual(errorProperties([error]), { ...properties, message: "" });
  }
});

Deno.test("an error has the cause that it was given, and else none", () => {
  const cause = new Error("disk full");
  assert.equal(new ServiceError({ status: 500, cause }).cause, cause);
  assert.equal(Object.hasOwn(new ServiceError({ status: 500 }), "cause"), false);
});

Deno.test("thrown values are read as they are, unless their members throw, too", () => {
  const parts = Object.assign(() => {}, { message: "a function" });
  for (
    const thrown of [undefined, null, "text", 7, parts, { status: 409 }, new ServiceError({ status: 404 })]
  ) {
    assert.equal(readableError(thrown), thrown);
  }
  const fails = () => {
    throw new Error("hidden");
  };
  for (const thrown of [new Proxy({}, { get: fails }), new Proxy(() => {}, { get: fails })]) {
    assert.match((readableError(thrown) as Error).message, /cannot be read/);
  }
  const error = new Error("kept");
  Object.defineProperty(error, "detail", { enumerable: true, get: fails });
  assert.match((readableError(error) as Error).message, /cannot be read/);
  for (const name of ["message", "name", "stack", "cause"]) {
    const own = Object.defineProperty(new Error("kept"), name, { get: fails });
    assert.match((readableError(own) as Error).message, /cannot be read/, name);
  }
});

Deno.test("whoever looks whether an error can be read makes no text of its stack", () => {
  const engine = Error as { prepareStackTrace?: unknown };
  const { prepareStackTrace } = engine;
  const error = new Error("kept");
  let made = 0;
  engine.prepareStackTrace = () => `made ${++made}`;
  try {
    assert.equal(readableError(error), error);
    assert.equal(made, 0);
    assert.equal(error.stack, "made 1");
  } finally {
    engine.prepareStackTrace = prepareStackTrace;
  }
});

Deno.test("mistakes found with one another are shown up to a number, behind their places", () => {
  const others = Array.from(
    { length: 25 },
    (_, at) => new ConfigurationError(`mistake ${at}`, { file: "m.cds", line: at }),
  );
  const lines = new ConfigurationError("first", {}, { others }).message.split("\n");
  assert.equal(lines[0], "first");
  assert.deepEqual([lines[1], lines.length, lines.at(-1)], ["m.cds:0: mistake 0", 21, "and 6 more"]);
  const few = new ConfigurationError("first", { file: "m.cds", line: 2, column: 3 }, {
    others: others.slice(0, 19),
  });
  assert.deepEqual([few.message.split("\n")[0], few.message.split("\n").length], ["m.cds:2:3: first", 20]);
});

Deno.test("a mistake names its place, as members and in front of the message, and has the cause that it was given", () => {
  const cause = new Error("disk full");
  const error = new ConfigurationError("wrong", { file: "m.cds", line: 2, column: 3 }, { cause });
  const { name, message, text, file, line, column, others } = error;
  assert.deepEqual({ name, message, text, file, line, column, others, cause: error.cause }, {
    ...{ name: "ConfigurationError", message: "m.cds:2:3: wrong", text: "wrong" },
    ...{ file: "m.cds", line: 2, column: 3, others: [], cause },
  });
});

Deno.test("a text that an error gets later is answered", () => {
  const error = new ServiceError({ status: 409 });
  error.message = "Sold out";
  assert.equal(normalizeError(error).message, "Sold out");
});

Deno.test("an error keeps a hundred details, in its message too: a body may hold mistakes in each of many rows", () => {
  const details = Array.from(
    { length: 5000 },
    (_, at) => ({ status: 400, code: "ASSERT_RANGE", target: `n${at}` }),
  );
  const error = new ServiceError({ status: 400, code: "MULTIPLE_ERRORS", details });
  assert.deepEqual(error.details, details.slice(0, 100));
  assert.equal(error.message.split(", ").length, 100);
  assert.deepEqual(new ServiceError({ status: 400, details: details.slice(0, 100) }).details?.length, 100);
});

Deno.test("what the framework does not do is 501, and clients read why", () => {
  const { status, message, target, $sanitize } = unsupported("Joins") as unknown as Record<string, unknown>;
  assert.deepEqual([status, message, target, $sanitize], [501, "Joins", undefined, false]);
  assert.equal(unsupported("Joins", "from").target, "from");
  assert.equal(Object.hasOwn(unsupported("Joins"), "target"), false);
});

Deno.test("an answer beyond the limit is 413, with the limit", () => {
  const { status, code, args } = answerTooLarge(7) as unknown as Record<string, unknown>;
  assert.deepEqual([status, code, args], [413, "ANSWER_TOO_LARGE", [7]]);
});

const fail = () => {
  throw new Error("unreadable");
};

Deno.test("isServiceError() is false for what cannot be looked at", () => {
  assert.equal(isServiceError(new ServiceError({ status: 404 })), true);
  for (const value of [new Error(), { status: 404 }, undefined, new Proxy({}, { getPrototypeOf: fail })]) {
    assert.equal(isServiceError(value), false);
  }
});

Deno.test("readableError() stands in for what has no text, and fromReadable() for what cannot be used", () => {
  const bad = { toString: fail };
  for (
    const thrown of [{ message: bad }, { name: bad }, { stack: bad }, {
      get cause() {
        return fail();
      },
    }]
  ) {
    assert.match((readableError(thrown) as Error).message, /cannot be read/);
  }
  const good = { message: "x" };
  assert.equal(readableError(good), good);
  const messageOf = (thrown: unknown) => fromReadable(thrown, (error) => (error as Error).message);
  assert.equal(messageOf(good), "x");
  assert.match(messageOf(undefined), /cannot be read/);
});
