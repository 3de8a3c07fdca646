/**
 * JSON of request bodies: bounded nesting, errors with offset, numbers without loss of digits.
 *
 * @module
 */

import { ServiceError } from "../../errors/service_error.ts";
import { jsonOr } from "../../util/json_text.ts";

/** A JSON number that a JavaScript number cannot hold exactly. */
export class ExactNumber {
  /** The number as it was written. */
  readonly text: string;

  /** @param text the number as it was written */
  constructor(text: string) {
    this.text = text;
  }

  /** The number as it was written. */
  toString(): string {
    return this.text;
  }
}

/** A value of a JSON text. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | ExactNumber
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

/** Characters of a number: more than any type holds. */
const LONGEST_NUMBER = 1000;

/** Digits that a JavaScript number keeps, whatever they are. */
const SAFE_DIGITS = 15;

/**
 * Parses a JSON text. Numbers with more digits than a JavaScript number keeps become `ExactNumber`.
 *
 * @param text the text
 * @param maxDepth nesting allowed
 * @throws ServiceError 400 with the offset, what was found and what was expected
 */
export function parseJson(text: string, maxDepth: number): JsonValue {
  if (text.length < 100_000) {
    const value = jsonOr(text, undefined) as JsonValue | undefined; // the parser below tells where it is malformed
    if (value !== undefined && (isPlain(value, maxDepth) || isHarmless(text, maxDepth))) return value;
  }
  return new JsonParser(text, maxDepth).parse();
}

/** Whether a value has no numbers, and no more levels than allowed. */
function isPlain(value: JsonValue, levels: number): boolean {
  if (typeof value === "number") return false;
  if (typeof value !== "object" || value === null) return true;
  if (levels === 0) return false;
  if (Array.isArray(value)) return value.every((item) => isPlain(item, levels - 1));
  for (const name in value) {
    if (!isPlain((value as { readonly [name: string]: JsonValue })[name]!, levels - 1)) return false;
  }
  return true;
}

/** Whether neither the numbers of a text nor the opening brackets in it need care: no exponents, few digits. */
function isHarmless(text: string, maxDepth: number): boolean {
  let brackets = 0;
  let digits = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) isQuoted = !isQuoted;
    else if (isQuoted) { if (code === 0x5c) at++; }
    else if ((code >= 0x30 && code <= 0x39) || code === 0x2e) {
      if (++digits > SAFE_DIGITS) return false;
      continue;
    } else if ((code === 0x65 || code === 0x45) && digits > 0) return false;
    else if ((code === 0x5b || code === 0x7b) && ++brackets > maxDepth) return false;
    digits = 0;
  }
  return true;
}

class JsonParser {
  readonly #text: string;
  readonly #maxDepth: number;
  #at = 0;

  constructor(text: string, maxDepth: number) {
    this.#text = text;
    this.#maxDepth = maxDepth;
  }

  parse(): JsonValue {
    const value = this.#value(0);
    this.#blanks();
    if (this.#at < this.#text.length) throw this.#error("the end of the text");
    return value;
  }

  #value(depth: number): JsonValue {
    this.#blanks();
    const char = this.#text[this.#at];
    if (char === "{") return this.#object(depth + 1);
    if (char === "[") return this.#array(depth + 1);
    if (char === '"') return this.#string();
    if (char === "t" && this.#word("true")) return true;
    if (char === "f" && this.#word("false")) return false;
    if (char === "n" && this.#word("null")) return null;
    return this.#number();
  }

  #object(depth: number): JsonValue {
    this.#enter(depth);
    const members: Record<string, JsonValue> = {};
    this.#blanks();
    if (this.#take("}")) return members;
    while (true) {
      this.#blanks();
      if (this.#text[this.#at] !== '"') throw this.#error('a property name or "}"');
      const name = this.#string();
      this.#blanks();
      if (!this.#take(":")) throw this.#error('":"');
      const value = this.#value(depth);
      if (name === "__proto__") {
        Object.defineProperty(members, name, { value, enumerable: true, configurable: true, writable: true });
      } else members[name] = value;
      this.#blanks();
      if (this.#take("}")) return members;
      if (!this.#take(",")) throw this.#error('"," or "}"');
    }
  }

  #array(depth: number): JsonValue {
    this.#enter(depth);
    const values: JsonValue[] = [];
    this.#blanks();
    if (this.#take("]")) return values;
    while (true) {
      values.push(this.#value(depth));
      this.#blanks();
      if (this.#take("]")) return values;
      if (!this.#take(",")) throw this.#error('"," or "]"');
    }
  }

  #enter(depth: number): void {
    if (depth > this.#maxDepth) {
      const message = `The JSON body is nested deeper than ${this.#maxDepth} levels at position ${this.#at}`;
      throw new ServiceError({ status: 400, message });
    }
    this.#at++;
  }

  #string(): string {
    const start = this.#at++;
    while (true) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === 0x22) break;
      if (Number.isNaN(code) || code < 0x20) throw this.#error("the rest of a string");
      if (code === 0x5c) this.#escape();
      else this.#at++;
    }
    return JSON.parse(this.#text.slice(start, ++this.#at));
  }

  #escape(): void {
    const match = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
    match.lastIndex = this.#at;
    if (!match.test(this.#text)) throw this.#error("an escape sequence such as \\n");
    this.#at = match.lastIndex;
  }

  #number(): number | ExactNumber {
    const pattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (!match) throw this.#error("a value");
    if (match[0].length > LONGEST_NUMBER) {
      throw this.#error(`a number of at most ${LONGEST_NUMBER} characters`);
    }
    this.#at = pattern.lastIndex;
    return exactNumber(match[0]);
  }

  #word(word: string): boolean {
    if (!this.#text.startsWith(word, this.#at)) return false;
    this.#at += word.length;
    return true;
  }

  #take(char: string): boolean {
    if (this.#text[this.#at] !== char) return false;
    this.#at++;
    return true;
  }

  #blanks(): void {
    while (" \t\n\r".includes(this.#text[this.#at] ?? "x")) this.#at++;
  }

  #error(expected: string): ServiceError {
    const char = this.#text[this.#at];
    const found = char === undefined ? "the end of the text" : JSON.stringify(char);
    const message = `Malformed JSON at position ${this.#at}: found ${found}, expected ${expected}`;
    return new ServiceError({ status: 400, message });
  }
}

/** A JavaScript number if it has all digits of the text, else the text. */
function exactNumber(text: string): number | ExactNumber {
  const digits = text.replace(/[eE].*$/, "").replace(/[-.]/g, "").replace(/^0+/, "").replace(/0+$/, "");
  const value = Number(text);
  if (digits.length <= 15 && Number.isFinite(value) && (value !== 0 || digits === "")) return value;
  if (Number.isSafeInteger(value) && String(value) === text) return value;
  return new ExactNumber(text);
}
