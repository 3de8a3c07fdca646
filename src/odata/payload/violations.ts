/**
 * Errors found in a body, reported together.
 *
 * @module
 */

import { type ErrorProperties, ServiceError } from "../../errors/service_error.ts";

/** Collects the errors of a body, so that a client learns all of them at once. */
export class Violations {
  readonly #errors: ErrorProperties[] = [];

  /** A value that is not of the type of its element. */
  wrongType(value: unknown, type: string, target: string): void {
    const text = typeof value === "object" && value !== null ? describe(value) : value;
    this.#errors.push({ status: 400, code: "ASSERT_DATA_TYPE", target, args: [text, type] });
  }

  /** Something else where an array is declared. */
  noArray(target: string): void {
    this.#errors.push({ status: 400, code: "ASSERT_ARRAY", target });
  }

  /** Something beside the key of a reference. */
  notKey(name: string, association: string, target: string): void {
    this.#errors.push({ status: 400, code: "ASSERT_KEY_ONLY", target, args: [name, association] });
  }

  /** How many errors were found. */
  get count(): number {
    return this.#errors.length;
  }

  /** Any other error. */
  add(error: ErrorProperties): void {
    this.#errors.push(error);
  }

  /** Throws the error, or an aggregate of several; nothing if there is none. */
  throwIfAny(): void {
    if (this.#errors.length === 0) return;
    if (this.#errors.length === 1) throw new ServiceError(this.#errors[0]!);
    throw new ServiceError({ status: 400, code: "MULTIPLE_ERRORS", details: this.#errors });
  }
}

function describe(value: object): string {
  if (Array.isArray(value)) return "An array";
  return Object.getPrototypeOf(value) === Object.prototype ? "An object" : String(value);
}
