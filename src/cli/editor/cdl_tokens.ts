/**
 * The tokens of CDL as editors need them: nothing is refused, and comments count.
 *
 * @module
 */

/** A piece of a source. */
export interface EditorToken {
  readonly kind: "comment" | "text" | "name" | "number" | "sign";
  readonly text: string;
  /** Offset of its first character. */
  readonly start: number;
}

/** The kinds in the order of the groups of the expression. */
const KINDS: readonly EditorToken["kind"][] = ["comment", "text", "name", "number", "sign"];
const TOKENS =
  /(\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|('(?:[^'\n]|'')*'?|`[\s\S]*?(?:`|$)|"[^"\n]*"?)|(@?!\[[^\]\n]*\]?|@?[\p{L}_$][\p{L}\p{N}_$]*)|(\d[\w.]*)|(\S)/gu;

/** Splits a source. */
export function editorTokens(source: string): readonly EditorToken[] {
  return [...source.matchAll(TOKENS)].map((match) => {
    const kind = KINDS.find((_, index) => match[index + 1] !== undefined)!;
    return { kind, text: match[0], start: match.index };
  });
}

/** A dotted name, and where each of its parts stands. */
export interface NamePath {
  readonly parts: readonly EditorToken[];
}

/** All dotted names of a source. */
export function namePaths(tokens: readonly EditorToken[]): readonly NamePath[] {
  const paths: NamePath[] = [];
  for (let index = 0; index < tokens.length; index++) {
    if (tokens[index]!.kind !== "name") continue;
    const parts = [tokens[index]!];
    let next = index + 1;
    while (tokens[next]?.text === "." && tokens[next + 1]?.kind === "name") {
      parts.push(tokens[next + 1]!);
      next += 2;
    }
    paths.push({ parts });
    index = next - 1;
  }
  return paths;
}
