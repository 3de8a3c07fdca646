/**
 * Values that elements cannot hold.
 *
 * @module
 */

import { ServiceError } from "../../errors/service_error.ts";
import type { ResolvedType } from "../../model/linked.ts";

/** Characters of a value that an error repeats. */
const SHOWN = 100;

/** An element, as far as errors tell about it. */
export interface RefusingElement {
  readonly name?: string;
  readonly type: ResolvedType;
}

/**
 * Refuses a value.
 *
 * @param value what is no value of the element
 * @param element its name, if it is known, and its type
 * @throws ServiceError 400, always
 */
export function refuseValue(value: unknown, { name, type }: RefusingElement): never {
  const text = typeof value === "object" ? "The value" : String(value);
  const shown = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
  const args = [shown, typeText(type)];
  throw new ServiceError({ status: 400, code: "ASSERT_DATA_TYPE", ...(name && { target: name }), args });
}

function typeText({ builtin = "", length, precision, scale }: ResolvedType): string {
  const facets = [length ?? precision, precision === undefined ? undefined : scale].filter((facet) =>
    facet !== undefined
  );
  return builtin.replace(/^cds\./, "") + (facets.length > 0 ? `(${facets.join(",")})` : "");
}
