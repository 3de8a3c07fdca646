/**
 * `fw.builtin.types`: the built-in types of models by local name (api 1).
 *
 * @module
 */

import { currentContext } from "../context/store.ts";
import { builtinTypeNames } from "../model/builtin_types.ts";

/** A built-in type. */
export interface BuiltinType {
  /** Name in models: `cds.String`. */
  readonly name: string;
  /** Of `Date`: the day of the current request, in UTC. */
  readonly today?: () => string;
  /** Of `DateTime` and `Timestamp`: the time of the current request. */
  readonly now?: () => string;
}

const time = (): string => (currentContext()?.timestamp ?? new Date()).toISOString();

const FUNCTIONS: Readonly<Record<string, Omit<BuiltinType, "name">>> = {
  Date: { today: () => time().slice(0, 10) },
  DateTime: { now: () => `${time().slice(0, 19)}Z` },
  Timestamp: { now: time },
};

/** Built-in types by local name. */
export const builtinTypes: Readonly<Record<string, BuiltinType>> = Object.freeze(Object.fromEntries(
  [...builtinTypeNames()].map((name) => {
    const local = name.replace(/^cds\./, "");
    return [local, Object.freeze({ name, ...FUNCTIONS[local] })];
  }),
));
