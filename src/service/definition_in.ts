/**
 * The definition of a service in a model.
 *
 * @module
 */

import type { LinkedModel, LinkedService } from "../model/linked.ts";

/** A service with the definition it was made from. */
interface DefinedService {
  readonly host: { readonly model: LinkedModel };
  readonly baseDefinition: LinkedService | undefined;
}

/**
 * The definition of a service in one of the models of its runtime.
 *
 * @param model that of whoever asks
 * @param service the service
 */
export function definitionIn(
  model: LinkedModel,
  { host, baseDefinition: base }: DefinedService,
): LinkedService | undefined {
  return base === undefined || model === host.model ? base : model.service(base.name) ?? base;
}
