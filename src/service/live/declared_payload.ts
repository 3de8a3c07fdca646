/**
 * What of a payload is declared: what handlers emit beside it is not for clients.
 *
 * @module
 */

import type { LinkedElement, LinkedElements } from "../../model/linked.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";

/**
 * A payload without members that its event does not declare; payloads of events without elements are whole.
 *
 * @param payload the payload
 * @param elements the elements of the event
 */
export function declaredPayload(payload: unknown, elements: LinkedElements): unknown {
  const declared = [...elements];
  if (declared.length === 0 || !isPlainObject(payload)) return payload;
  return Object.fromEntries(
    Object.entries(payload).flatMap(([name, value]): [string, unknown][] => {
      const element = Object.hasOwn(elements, name) ? elements[name]! : undefined;
      if (element) return [[name, declaredValue(value, element)]];
      return declared.some((one) => isPartOf(name, one)) ? [[name, value]] : [];
    }),
  );
}

/** Whether a name is that of a foreign key, or of a member of a structure. */
function isPartOf(name: string, { name: owner, $target, $type }: LinkedElement): boolean {
  return ($target !== undefined || $type.elements !== undefined) && name.startsWith(`${owner}_`);
}

function declaredValue(value: unknown, { $target, $type }: LinkedElement): unknown {
  const elements = $target?.elements ?? $type.elements ?? $type.items?.$type.elements;
  if (!elements) return value;
  return Array.isArray(value)
    ? value.map((one) => declaredPayload(one, elements))
    : declaredPayload(value, elements);
}
