/**
 * All changes of a run in one text: each behind a switch, so that one copy of the tree holds them all and a process turns on
 * whichever it tries, as often as it likes.
 *
 * @module
 */

import ts from "typescript";
import type { Mutant } from "./find_mutants.ts";
import { MUTANT_VARIABLE } from "./messages.ts";

/** A mutant with the number of its switch, from 1. */
export interface Switched {
  readonly id: number;
  readonly mutant: Mutant;
}

/**
 * Defines the function that asks for a switch, where no host of tests did: in processes and workers that tests start. Without
 * permission to read the environment, or without one, nothing is on.
 */
const DEFINITION =
  `globalThis.$m ??= (() => { let on; try { on = Number(process.env.${MUTANT_VARIABLE}); } ` +
  "catch { /* none */ } return (id) => id === on; })(); ";

/**
 * Puts switches into a text that nobody checks the types of; its lines keep their numbers, but for the first, which moves to the
 * second.
 *
 * @param text the source
 * @param switched its mutants, in any order; one may lie within another
 */
export function withSwitches(text: string, switched: readonly Switched[]): string {
  const outerFirst = switched.toSorted(({ mutant: a }, { mutant: b }) => a.start - b.start || b.end - a.end);
  const [first, ...lines] = render({ start: 0, end: text.length }, outerFirst, text).split("\n");
  return `// @ts-nocheck\n${DEFINITION}${first} ${lines.join("\n")}`;
}

/** `import page from "./page.js" with { type: "text" };` */
const TEXT_IMPORT = /^import (\w+) from ("[^"]+\.js" with \{ type: "text" \};)$/gm;

/**
 * Makes a module that imports texts for browsers say in them which change is on in the process that loads it, as they have no
 * environment where they run. Its lines keep their numbers.
 *
 * @param text the source
 */
export function withTextsToldOf(text: string): string {
  const asked = JSON.stringify(`process.env.${MUTANT_VARIABLE}`);
  const on = `String(Number((globalThis as any).process?.env.${MUTANT_VARIABLE}))`; // other tests check the types of a copy
  return text.replaceAll(TEXT_IMPORT, `import $$$1 from $2 const $1 = $$$1.replaceAll(${asked}, ${on});`);
}

/** Renders a range of the text with the switches that lie in it, outer ones first. */
function render(
  { start, end }: { readonly start: number; readonly end: number },
  switched: readonly Switched[],
  text: string,
): string {
  let result = "";
  let at = start;
  let left = switched;
  while (left.length > 0) {
    const [outer, ...others] = left;
    const { mutant } = outer;
    const inner = others.filter((other) => other.mutant.end <= mutant.end);
    result += text.slice(at, mutant.start) + switchOf(outer, render(mutant, inner, text));
    at = mutant.end;
    left = others.slice(inner.length);
  }
  return result + text.slice(at, end);
}

function switchOf({ id, mutant: { kind, replacement } }: Switched, original: string): string {
  if (kind === "removed statement") return `{ if (!$m(${id})) { ${original} } }`;
  return `($m(${id}) ? (${inOneLine(replacement)}) : (${original}))`;
}

/** The tokens of an expression without the line breaks and comments between them. */
function inOneLine(expression: string): string {
  if (!expression.includes("\n")) return expression;
  const source = ts.createSourceFile("expression.ts", `(${expression})`, ts.ScriptTarget.Latest, true);
  const tokens: string[] = [];
  const visit = (node: ts.Node): void => {
    const children = node.getChildren(source);
    if (children.length === 0) tokens.push(node.getText(source));
    for (const child of children) visit(child);
  };
  visit(source);
  return tokens.join(" ");
}
