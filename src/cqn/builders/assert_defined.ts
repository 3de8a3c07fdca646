/**
 * Values that are not there, in calls of query builders.
 *
 * @module
 */

import { withCallerFrames } from "../../util/caller_frames.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";

/**
 * Refuses `undefined`, which is a mistake in a condition or key: a name that was mistyped, an input that is missing. Rows
 * without a value are found by `null`.
 *
 * @param call how the call reads: `UPDATE(Books, …)`
 * @param value what was given to it; members of lists and plain objects are looked at as well
 * @param path of the member
 * @throws TypeError for what is undefined
 */
export function assertDefined(call: string, value: unknown, path = ""): void {
  if (value === undefined) {
    const what = path === "" ? "The value" : `"${path}"`;
    const text = `${what} in ${call} is undefined: expected a value, or null for none`;
    throw withCallerFrames(new TypeError(text));
  }
  if (Array.isArray(value)) value.forEach((item, i) => assertDefined(call, item, `${path}[${i}]`));
  else if (isPlainObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      assertDefined(call, member, path === "" ? name : `${path}.${name}`);
    }
  }
}
