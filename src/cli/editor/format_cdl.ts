/**
 * The layout of CDL: indentation by brackets, no blanks at ends of lines, at most one empty line.
 *
 * @module
 */

import { type EditorToken, editorTokens } from "./cdl_tokens.ts";

const INDENT = "  ";
const OPENING = /^[{([]$/;
const CLOSING = /^[})\]]$/;

/**
 * Lays out a source. Only blanks and empty lines change; texts and comments over several lines stay as they are.
 *
 * @param source CDL, which need not be correct
 */
export function formatCdl(source: string): string {
  const tokens = editorTokens(source);
  const lines: string[] = [];
  let depth = 0;
  let at = 0;
  let isContinued = false;
  for (const line of splitLines(source)) {
    const end = line.start + line.text.length;
    const own: EditorToken[] = [];
    while (at < tokens.length && tokens[at]!.start <= end) own.push(tokens[at++]!);
    const isInside = tokens.some((token) =>
      token.start < line.start && token.start + token.text.length > line.start
    );
    if (isInside) lines.push(insideOf(line.text, own));
    else if (own.length === 0) {
      if (lines.length > 0 && lines.at(-1) !== "") lines.push("");
    } else {
      const closing = leadingClosers(own);
      const extra = isContinued && closing === 0 && own[0]!.kind !== "comment" ? 1 : 0;
      const text = line.text.trim();
      lines.push(INDENT.repeat(Math.max(0, depth - closing) + extra) + text);
    }
    depth = Math.max(0, depth + balance(own));
    const last = own.findLast(({ kind }) => kind !== "comment");
    if (last) isContinued = !/^[;{}()[\],]$/.test(last.text) && !isAnnotationLine(own);
  }
  while (lines.at(-1) === "") lines.pop();
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}

function splitLines(source: string): readonly { readonly text: string; readonly start: number }[] {
  let start = 0;
  return source.split("\n").map((text) => {
    const line = { text: text.replace(/\r$/, ""), start };
    start += text.length + 1;
    return line;
  });
}

/** What stands in a comment or text that began above; behind its end it is an ordinary line. */
function insideOf(text: string, own: readonly EditorToken[]): string {
  return own.length === 0 && /^\s*\*/.test(text) ? ` ${text.trim()}`.padStart(text.trimEnd().length) : text;
}

function leadingClosers(own: readonly EditorToken[]): number {
  const first = own.findIndex(({ text }) => !CLOSING.test(text));
  return first < 0 ? own.length : first;
}

function balance(own: readonly EditorToken[]): number {
  const signs = own.filter(({ kind }) => kind === "sign");
  return signs.filter(({ text }) => OPENING.test(text)).length -
    signs.filter(({ text }) => CLOSING.test(text)).length;
}

/** What is annotated stands in the next line. */
function isAnnotationLine(own: readonly EditorToken[]): boolean {
  return own[0]!.text.startsWith("@");
}
