/**
 * Places in a source text.
 *
 * @module
 */

/** A text with its name and the offsets at which its lines start. */
export interface SourceText {
  readonly text: string;
  readonly file: string | undefined;
  readonly lineStarts: readonly number[];
}

/** A line and column, both counted from 1. */
export interface LineAndColumn {
  readonly line: number;
  readonly column: number;
}

/**
 * Prepares a text for `lineAndColumn`.
 *
 * @param text the text
 * @param file its file name, if it has one
 * @returns the text with its line starts
 */
export function sourceText(text: string, file?: string): SourceText {
  const lineStarts = [0];
  for (let i = text.indexOf("\n"); i >= 0; i = text.indexOf("\n", i + 1)) lineStarts.push(i + 1);
  return { text, file, lineStarts };
}

/**
 * Line and column of an offset.
 *
 * @param source the text
 * @param offset an offset in it
 * @returns both counted from 1
 */
export function lineAndColumn(source: SourceText, offset: number): LineAndColumn {
  let low = 0;
  let high = source.lineStarts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (source.lineStarts[middle] <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - source.lineStarts[low] + 1 };
}
