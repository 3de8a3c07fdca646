/**
 * Plans by the shape of URLs.
 *
 * @module
 */

import type { ValueOf } from "./bindings.ts";
import type { PlanTemplate } from "./template.ts";

/** A template and the values of the URL at hand. */
export interface Lookup {
  readonly template: PlanTemplate;
  readonly valueOf: ValueOf;
}

/** A bounded cache. */
export class ShapeCache {
  readonly #most: number;

  /** @param most templates to keep */
  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Finds or makes the template of a URL.
   *
   * @param _raw the URL
   * @param _reads whether the method reads
   * @param create plans the URL
   * @returns template and values
   */
  lookup(_raw: string, _reads: boolean, create: () => PlanTemplate): Lookup {
    return { template: create(), valueOf: (binding) => binding.convert(binding.literal) };
  }
}
