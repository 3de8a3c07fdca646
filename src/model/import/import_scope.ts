/**
 * What the parts of an import know of the whole document.
 *
 * @module
 */

import type { CsdlDocument, CsdlObject } from "./csdl_document.ts";

/** A document on its way into a model. */
export interface ImportScope {
  /** The document. */
  readonly csdl: CsdlDocument;
  /** Name of the service in the model. */
  readonly service: string;
  /** Members of the entity container: sets, singletons, imports of operations. */
  readonly members: readonly (readonly [string, CsdlObject])[];
  /** The name in the model of a type of the document. */
  readonly nameOf: (qualified: string) => string;
  /** The members of a structured type by name, those of its base types too. */
  membersOfType(qualified: string): ReadonlyMap<string, CsdlObject>;
}
