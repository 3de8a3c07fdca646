/**
 * Errors found in a body, reported together.
 *
 * @module
 */

import type { Limits } from "../../config/limits.ts";
import { type ErrorProperties, ServiceError } from "../../errors/service_error.ts";
import { nearestName } from "../../util/nearest_name.ts";

/** What a property that does not exist was looked for in. */
interface LookedIn {
  /** What does not have it. */
  readonly owner: string;
  /** The properties there are. */
  readonly known: readonly string[];
  /** What it is said to be. */
  readonly what?: string;
}

/** Collects the errors of a body, so that a client learns all of them at once. */
export class Violations {
  readonly #errors: ErrorProperties[] = [];
  readonly #mostUnknown: number;
  #unknown = 0;

  /** @param limits how many members may be unknown */
  constructor({ unknownMembers }: Pick<Limits, "unknownMembers">) {
    this.#mostUnknown = unknownMembers;
  }

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

  /**
   * A property that does not exist. The nearest name is looked for each time, so that there may not be any number of them.
   *
   * @param name its name
   * @param place what does not have it, and the properties there are
   * @throws ServiceError 400 for more than the limit, with those found so far
   */
  unknown(name: string, { owner, known, what = "Property" }: LookedIn): void {
    if (this.#unknown++ === this.#mostUnknown) {
      const args = [this.#mostUnknown];
      throw new ServiceError({ status: 400, code: "TOO_MANY_UNKNOWN_MEMBERS", args, details: this.#errors });
    }
    const near = nearestName(name, known);
    const hint = near === undefined ? "" : `, did you mean "${near}"`;
    const message = `${what} "${name}" does not exist in ${owner}${hint}`;
    this.#errors.push({ status: 400, code: "400", message, target: owner });
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
