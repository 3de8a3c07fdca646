import type { Csn } from "./csn.ts";

/**
 * Whether a model says that it is inferred.
 *
 * @param csn the model
 */
export function isInferred({ meta }: Csn): boolean {
  return meta?.flavor === "inferred" || meta?.compilerCsnFlavor === "inferred";
}
