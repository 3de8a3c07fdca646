/**
 * What linked objects need to know of the model they belong to.
 *
 * @module
 */

import type { CsnElement } from "../csn.ts";
import type { LinkedDefinition } from "../linked.ts";

/** The model as linked objects see it. */
export interface LinkScope {
  /** A definition by full name. */
  definition(name: string): LinkedDefinition | undefined;
  /** The definition as in the CSN. */
  source(name: string): CsnElement | undefined;
  /** Makes a linked object that is complete immutable, but where the model is for somebody who adds to it. */
  close<T extends object>(node: T): T;
}
