import assert from "node:assert/strict";
import {
  type ErrorArguments,
  errorFromArguments,
  errorProperties,
} from "../../src/errors/error_arguments.ts";
import { ServiceError } from "../../src/errors/service_error.ts";

function expectProperties(given: ErrorArguments, expected: Record<string, unknown>): void {
  assert.deepEqual(errorProperties(given), expected);
}

Deno.test("errorProperties() takes positional status, message, target and args", () => {
  expectProperties([404], { status: 404 });
  expectProperties([400, "Wrong"], { status: 400, message: "Wrong" });
  expectProperties([409, "SOLD_OUT", "stock", ["a", 3]], {
    status: 409,
    message: "SOLD_OUT",
    target: "stock",
    args: ["a", 3],
  });
});

Deno.test("errorProperties() lets status and target be left out", () => {
  expectProperties(["Only a message"], { message: "Only a message" });
  expectProperties(["Message", "target"], { message: "Message", target: "target" });
  expectProperties([409, "SOLD_OUT", ["a"]], { status: 409, message: "SOLD_OUT", args: ["a"] });
});

Deno.test("errorProperties() takes an object as it is, and errors with their message", () => {
  expectProperties([{ status: 400, code: "X", "@a": 1 }], { status: 400, code: "X", "@a": 1 });
  expectProperties([Object.assign(new Error("Broken"), { code: "E" })], { message: "Broken", code: "E" });
  expectProperties([418, new Error("Broken")], { message: "Broken", status: 418 });
});

Deno.test("errorFromArguments() hands a single error through", () => {
  const error = new RangeError("x");
  assert.equal(errorFromArguments([error]), error);
});

Deno.test("a tagged template shows values as consoles do, and what has a text of its own by it", () => {
  const text = (value: unknown) => errorProperties(wrong`${value as string}`).message;
  const wrong = (...given: readonly [TemplateStringsArray, ...unknown[]]): ErrorArguments => given;
  const named = { toString: () => "Bookshop" };
  const circle: Record<string, unknown> = { a: 1 };
  circle.self = [circle];
  const cases: readonly (readonly [unknown, string])[] = [
    ["x", "x"],
    [null, "null"],
    [undefined, "undefined"],
    [[1, "x", [null]], "[ 1, 'x', [ null ] ]"],
    [{ a: { b: "x" }, c: undefined }, "{ a: { b: 'x' }, c: undefined }"],
    [named, "Bookshop"],
    [[named], "[ Bookshop ]"],
    [new RangeError("far"), "RangeError: far"],
    [{ error: new RangeError("far") }, "{ error: RangeError: far }"],
    [Object.assign(Object.create(null), { a: 1 }), "{ a: 1 }"],
    [circle, "{ a: 1, self: [ [Circular] ] }"],
  ];
  for (const [value, expected] of cases) assert.equal(text(value), expected);
});

Deno.test("errorProperties() takes null for what is left out, and the members of a service error without its name", () => {
  const left = [409, null, null, ["a"]] as unknown as ErrorArguments;
  expectProperties(left, { status: 409, args: ["a"] });
  expectProperties([null] as unknown as ErrorArguments, {});
  const cause = new Error("disk full");
  const error = new ServiceError({ status: 409, message: "Full", cause });
  expectProperties([500, error], { status: 500, message: "Full", cause });
  expectProperties(["Full", { target: "disk", "@a": 1 }] as unknown as ErrorArguments, {
    ...{ message: "Full", target: "disk", "@a": 1 },
  });
});

Deno.test("errorFromArguments() makes an error of anything else than a single error", () => {
  const error = new RangeError("x");
  for (const given of [["Only a message"], [404], [{ code: "X" }], [418, error], [error, "target"]]) {
    const made = errorFromArguments(given as unknown as ErrorArguments);
    assert.ok(made instanceof ServiceError && made !== error as Error, String(given));
  }
});
