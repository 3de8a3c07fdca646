/**
 * Few words, found in a text without cutting them out of it.
 *
 * @module
 */

interface Entry<V> {
  readonly word: string;
  readonly value: V;
  readonly anyCase: boolean;
}

const LONGEST_WORD = 15;

/** What words stand for. Most other names are told from them by first letter and length alone. */
export class WordTable<V> {
  /** By first letter and length. */
  readonly #entries: (readonly Entry<V>[] | undefined)[] = new Array(formOf(31, LONGEST_WORD) + 1).fill(
    undefined,
  );

  /**
   * @param words words of ASCII letters in this spelling
   * @param ofAnyCase words in lower case, which may be written in any
   */
  constructor(words: Iterable<readonly [string, V]>, ofAnyCase: Iterable<readonly [string, V]> = []) {
    for (const [word, value] of words) this.#add({ word, value, anyCase: false });
    for (const [word, value] of ofAnyCase) this.#add({ word, value, anyCase: true });
  }

  #add(entry: Entry<V>): void {
    const form = formOf(entry.word.charCodeAt(0), entry.word.length);
    this.#entries[form] = [...this.#entries[form] ?? [], entry];
  }

  /**
   * What a word in a text stands for.
   *
   * @param text the text
   * @param start where the word begins
   * @param end where it ends
   * @returns undefined for any other word
   */
  find(text: string, start: number, end: number): V | undefined {
    if (end === start || end - start > LONGEST_WORD) return undefined;
    const entries = this.#entries[formOf(text.charCodeAt(start), end - start)];
    if (entries === undefined) return undefined;
    for (const entry of entries) if (isAt(text, start, entry)) return entry.value;
    return undefined;
  }
}

/** The last five bits of a letter, which its case does not change, and the length. */
function formOf(first: number, length: number): number {
  return (first & 31) * (LONGEST_WORD + 1) + length;
}

function isAt(text: string, start: number, { word, anyCase }: Entry<unknown>): boolean {
  // the sixth bit of a letter is its case
  const letterCase = anyCase ? 0x20 : 0;
  for (let i = 0; i < word.length; i++) {
    if ((text.charCodeAt(start + i) | letterCase) !== word.charCodeAt(i)) return false;
  }
  return true;
}
