/**
 * Key objects of a request (`api` 11.10).
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";

/**
 * Copies of key objects; one with a single key converts to the value of this key (`String(id)`, `id == 1`).
 *
 * @param params key objects in the order of the URL
 */
export function keyObjects(params: readonly Row[] | undefined): readonly Row[] {
  return params === undefined ? [] : params.map(keyObject);
}

function keyObject(keys: Row): Row {
  const values = Object.values(keys);
  const copy = { ...keys };
  if (values.length !== 1) return copy;
  const [value] = values;
  return Object.defineProperties(copy, {
    valueOf: { value: () => value },
    toString: { value: () => String(value) },
  });
}
