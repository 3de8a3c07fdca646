/**
 * Headers of an answer. The class `Headers` does it, too; objects of that class are costly.
 *
 * @module
 */

/** What answers need of headers; `Headers` has it, too. */
export interface AnswerHeaders extends Iterable<[string, string]> {
  /** The value of a header; null if there is none. */
  get(name: string): string | null;
  /** Sets a header. */
  set(name: string, value: string): void;
  /** Adds a value. */
  append(name: string, value: string): void;
  /** Removes a header. */
  delete(name: string): void;
}

/** Line breaks would let a value add headers to a part of a batch. */
const FORBIDDEN = /[\r\n\0]/;
const COOKIE = "set-cookie";

/** Headers by name in lower case. There are few: they are looked up by comparing. */
export class HeaderList implements AnswerHeaders {
  #entries: [string, string][];

  /**
   * @param entries headers that are there from the start: names in lower case, each once
   * @throws TypeError when a value cannot stand in a header
   */
  constructor(entries: [name: string, value: string][] = []) {
    for (const entry of entries) assertValue(entry[0], entry[1]);
    this.#entries = entries;
  }

  /** Whether there are no headers. */
  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** The value of a header; null if there is none. */
  get(name: string): string | null {
    return this.#find(name.toLowerCase())?.[1] ?? null;
  }

  /**
   * Sets a header.
   *
   * @throws TypeError when the value cannot stand in a header
   */
  set(name: string, value: string): void {
    assertValue(name, value);
    const key = name.toLowerCase();
    const entry = this.#find(key);
    if (entry === undefined) this.#entries.push([key, value]);
    else if (key === COOKIE) {
      this.delete(key);
      this.#entries.push([key, value]);
    } else entry[1] = value;
  }

  /**
   * Adds a value to those there are; cookies stay apart (RFC 6265, 3).
   *
   * @throws TypeError when the value cannot stand in a header
   */
  append(name: string, value: string): void {
    assertValue(name, value);
    const key = name.toLowerCase();
    const entry = key === COOKIE ? undefined : this.#find(key);
    if (entry) entry[1] = `${entry[1]}, ${value}`;
    else this.#entries.push([key, value]);
  }

  /** Removes a header. */
  delete(name: string): void {
    const key = name.toLowerCase();
    this.#entries = this.#entries.filter(([known]) => known !== key);
  }

  /** Names and values. */
  [Symbol.iterator](): Iterator<[string, string]> {
    return this.#entries[Symbol.iterator]();
  }

  #find(key: string): [string, string] | undefined {
    for (const entry of this.#entries) if (entry[0] === key) return entry;
    return undefined;
  }
}

function assertValue(name: string, value: string): void {
  if (FORBIDDEN.test(value)) throw new TypeError(`The value of header ${name} has a line break`);
}
