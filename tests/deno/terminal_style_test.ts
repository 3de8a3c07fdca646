import assert from "node:assert/strict";
import { terminalStyle } from "../../src/deno/terminal_style.ts";

/** The style where standard error is a terminal or not, with these variables. */
function styleOf(isTerminal: boolean, variables: Readonly<Record<string, string>>, noColor = false) {
  const own = Object.getOwnPropertyDescriptor(Deno, "noColor")!;
  const { isTerminal: asked } = Deno.stderr;
  const { get } = Deno.env;
  Object.defineProperty(Deno, "noColor", { configurable: true, enumerable: true, value: noColor });
  Object.assign(Deno.stderr, { isTerminal: () => isTerminal });
  Object.assign(Deno.env, { get: (name: string) => variables[name] });
  try {
    const { colours, shortStacks } = terminalStyle();
    return [colours, shortStacks];
  } finally {
    Object.defineProperty(Deno, "noColor", own);
    Object.assign(Deno.stderr, { isTerminal: asked });
    Object.assign(Deno.env, { get });
  }
}

Deno.test("colours are for terminals and those who force them, unless NO_COLOR is set; stacks are short unless FW_STACK says full", () => {
  assert.deepEqual(styleOf(true, {}), [true, true]);
  assert.deepEqual(styleOf(false, {}), [false, true]);
  assert.deepEqual(styleOf(false, { FORCE_COLOR: "1" }), [true, true]);
  assert.deepEqual(styleOf(false, { FORCE_COLOR: "" }), [false, true]);
  assert.deepEqual(styleOf(true, { FORCE_COLOR: "1" }, true), [false, true]);
  assert.deepEqual(styleOf(true, { FW_STACK: "full" }), [true, false]);
  assert.deepEqual(styleOf(true, { FW_STACK: "short" }), [true, true]);
});
