/**
 * Where the rows of parts stand: the key that tells them apart, the association to what they are part of.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type { LinkedElement, LinkedEntity } from "../../model/linked.ts";

/** The association of the children of a composition to their parent: `items.order = $self`. */
export function backLinkOf({ name, on }: LinkedElement): string | undefined {
  for (const token of on ?? []) {
    if (typeof token === "object" && "ref" in token && token.ref.length === 2 && token.ref[0] === name) {
      const [, step] = token.ref;
      return typeof step === "string" ? step : step?.id;
    }
  }
  return undefined;
}

/** `(ID=2)` when all keys of a child are given, those of the back link aside. */
export function childKey(target: LinkedEntity, child: Row): string | undefined {
  const keys = target.$flatKeys.filter(({ foreignKey4, virtual }) => foreignKey4 === undefined && !virtual);
  if (keys.length === 0 || keys.some(({ name }) => child[name] === undefined || child[name] === null)) {
    return undefined;
  }
  return `(${keys.map(({ name }) => `${name}=${child[name]}`).join(",")})`;
}
