/**
 * Headers of answers, checked and joined as the web class does it; objects of that class are costly.
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

/** Headers by name in lower case. */
export class HeaderList implements AnswerHeaders {
  readonly #values: Map<string, string> = new Map();
  #cookies: [string, string][] = [];

  /** The value of a header; null if there is none. */
  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null;
  }

  /**
   * Sets a header.
   *
   * @throws TypeError when the value cannot stand in a header
   */
  set(name: string, value: string): void {
    this.delete(name);
    this.append(name, value);
  }

  /**
   * Adds a value to those there are; cookies stay apart (RFC 6265, 3).
   *
   * @throws TypeError when the value cannot stand in a header
   */
  append(name: string, value: string): void {
    if (FORBIDDEN.test(value)) throw new TypeError(`The value of header ${name} has a line break`);
    const key = name.toLowerCase();
    const known = this.#values.get(key);
    if (key === "set-cookie") this.#cookies.push([key, value]);
    else this.#values.set(key, known === undefined ? value : `${known}, ${value}`);
  }

  /** Removes a header. */
  delete(name: string): void {
    const key = name.toLowerCase();
    this.#values.delete(key);
    if (key === "set-cookie") this.#cookies = [];
  }

  /** Names and values. */
  *[Symbol.iterator](): Iterator<[string, string]> {
    yield* this.#values;
    yield* this.#cookies;
  }
}
