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

const TOKENS =
  /(?<comment>\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(?<text>'(?:[^'\n]|'')*'?|`[\s\S]*?(?:`|$)|"[^"\n]*"?)|(?<name>@?!\[[^\]\n]*\]?|@?[\p{L}_$][\p{L}\p{N}_$]*)|(?<number>\d[\w.]*)|(?<sign>\S)/gu;

/** Splits a source. */
export function editorTokens(source: string): readonly EditorToken[] {
  return [...source.matchAll(TOKENS)].map((match) => {
    const [kind] = Object.entries(match.groups!).find(([, text]) => text !== undefined)!;
    // the names of the groups are those of the kinds
    return { kind: kind as EditorToken["kind"], text: match[0], start: match.index };
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
