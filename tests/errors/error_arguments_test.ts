import assert from "node:assert/strict";
import {
  type ErrorArguments,
  errorFromArguments,
  errorProperties,
} from "../../src/errors/error_arguments.ts";

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
