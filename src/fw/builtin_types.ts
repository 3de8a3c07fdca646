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
  /** The same as `name`. */
  readonly type: string;
  /** Of `Date`: the day of the current request, in UTC. */
  readonly today?: () => string;
  /** Of `DateTime` and `Timestamp`: the time of the current request. */
  readonly now?: () => string;
}

const time = (): string => (currentContext()?.timestamp ?? new Date()).toISOString();

const FUNCTIONS: Readonly<Record<string, Omit<BuiltinType, "name" | "type">>> = {
  Date: { today: () => time().slice(0, 10) },
  DateTime: { now: () => `${time().slice(0, 19)}Z` },
  Timestamp: { now: time },
};

/** The classes of built-in types. */
class Scalar {
  declare readonly name: string;
}
class Bool extends Scalar {}
class Text extends Scalar {}
class Numeric extends Scalar {}
class Instant extends Scalar {}

const CLASSES: readonly (readonly [RegExp, new () => Scalar])[] = [
  [/^Boolean$/, Bool],
  [/Int|^Decimal|^Double$/, Numeric],
  [/^Date|^Time/, Instant],
  [/String$|Binary$|^UUID$|^Vector$|^Map$/, Text],
];

function typeNamed(name: string): BuiltinType {
  const local = name.replace(/^cds\./, "");
  const Class = CLASSES.find(([names]) => names.test(local))?.[1] ?? Scalar;
  return Object.freeze(Object.assign(new Class(), { name, type: name }, FUNCTIONS[local]));
}

const named: readonly BuiltinType[] = [...builtinTypeNames()].map(typeNamed);
const groups: Readonly<Record<string, Scalar>> = {
  scalar: new Scalar(),
  boolean: new Bool(),
  string: new Text(),
  number: new Numeric(),
  date: new Instant(),
};

/** Built-in types by local and full name, and one of each class: `x instanceof types.number.constructor`. */
export const builtinTypes: Readonly<Record<string, BuiltinType>> = Object.freeze({
  ...Object.fromEntries(
    Object.entries(groups).map((
      [name, one],
    ) => [name, Object.freeze(Object.assign(one, { name, type: name }))]),
  ),
  ...Object.fromEntries(named.map((one) => [one.name, one])),
  ...Object.fromEntries(named.map((one) => [one.name.replace(/^cds\./, ""), one])),
});
