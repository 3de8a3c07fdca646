import { assertHeaderValue } from "../util/http_text.ts";
import { type ErrorProperties, ServiceError } from "../errors/service_error.ts";

/** What answers need of headers; `Headers` has it, too. */
export interface AnswerHeaders extends Iterable<HeaderEntry> {
  /** The value of a header; null if there is none. */
  get(name: string): string | null;
  /** Sets a header. */
  set(name: string, value: string): void;
  /** Adds a value. */
  append(name: string, value: string): void;
  /** Removes a header. */
  delete(name: string): void;
}

/** A header: its name in lower case, and its value. */
export type HeaderEntry = [name: string, value: string];

const COOKIE = "set-cookie";

/** Headers by name in lower case. There are few: they are looked up by comparing. */
export class HeaderList implements AnswerHeaders {
  /** Never changed but replaced: lists share it. */
  #entries: readonly HeaderEntry[];

  /**
   * @param first headers that are there from the start: names in lower case, each once; or those of another list
   * @throws TypeError when a value cannot stand in a header
   */
  constructor(first: readonly HeaderEntry[] | HeaderList = []) {
    if (first instanceof HeaderList) this.#entries = first.#entries;
    else {
      for (const [name, value] of first) assertHeaderValue(name, value);
      this.#entries = first;
    }
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
    assertHeaderValue(name, value);
    const key = name.toLowerCase();
    const entry = this.#find(key);
    if (entry === undefined) this.#entries = [...this.#entries, [key, value]];
    else if (key === COOKIE) this.#entries = [...this.#without(key), [key, value]];
    else this.#replace(entry, value);
  }

  /**
   * Adds a value to those there are; cookies stay apart (RFC 6265, 3).
   *
   * @throws TypeError when the value cannot stand in a header
   */
  append(name: string, value: string): void {
    assertHeaderValue(name, value);
    const key = name.toLowerCase();
    const entry = key === COOKIE ? undefined : this.#find(key);
    if (entry) this.#replace(entry, `${entry[1]}, ${value}`);
    else this.#entries = [...this.#entries, [key, value]];
  }

  /** Removes a header. */
  delete(name: string): void {
    this.#entries = this.#without(name.toLowerCase());
  }

  /**
   * Whether others are a list of the same headers in the same order.
   *
   * @param others the others
   */
  equals(others: AnswerHeaders): boolean {
    if (!(others instanceof HeaderList)) return false;
    const [own, other] = [this.#entries, others.#entries];
    return own === other ||
      (own.length === other.length &&
        own.every(([name, value], at) => other[at]![0] === name && other[at]![1] === value));
  }

  /** Names and values. */
  [Symbol.iterator](): Iterator<HeaderEntry> {
    return this.#entries[Symbol.iterator]();
  }

  #find(key: string): HeaderEntry | undefined {
    for (const entry of this.#entries) if (entry[0] === key) return entry;
    return undefined;
  }

  #replace(entry: HeaderEntry, value: string): void {
    this.#entries = this.#entries.map((other) => other === entry ? [entry[0], value] : other);
  }

  #without(key: string): readonly HeaderEntry[] {
    return this.#entries.filter(([name]) => name !== key);
  }
}

/** An error whose answer says more in its headers: allowed methods, length of a stream. */
export class ErrorWithHeaders extends ServiceError {
  readonly #headers: Readonly<Record<string, string>>;

  /**
   * @param properties of the error
   * @param headers of the answer
   */
  constructor(properties: ErrorProperties, headers: Readonly<Record<string, string>>) {
    super(properties);
    this.#headers = headers;
  }

  /** Adds the headers to those of the answer. */
  addTo(headers: Headers): void {
    for (const [name, value] of Object.entries(this.#headers)) headers.set(name, value);
  }
}
