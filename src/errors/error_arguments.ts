/**
 * The argument forms of `reject`, `error`, `notify`, `info` and `warn` (spec 2.3).
 *
 * @module
 */

import { isPlainObject } from "../util/is_plain_object.ts";
import { type ErrorProperties, givenMessage, isServiceError, ServiceError } from "./service_error.ts";

/**
 * The arguments of `req.reject` and its kin: one object or error, or `(status?, message?, target?, args?)`; `target`
 * may be left out before `args`. Further members may follow in an object.
 */
export type ErrorArguments =
  | readonly [text: TemplateStringsArray, ...values: readonly unknown[]]
  | readonly [properties: ErrorProperties | Error]
  | readonly [status: number, more: Error | ErrorProperties]
  | readonly [message: string, target?: string | readonly unknown[], args?: readonly unknown[]]
  | readonly [
    status: number,
    message?: string,
    target?: string | readonly unknown[],
    args?: readonly unknown[],
  ];

/**
 * One object of members from any of the argument forms.
 *
 * @param given the arguments of the call
 */
export function errorProperties(given: ErrorArguments): ErrorProperties {
  const [first, ...others] = given as readonly unknown[];
  if (Array.isArray(first) && "raw" in first) {
    return { message: templateText(first as unknown as TemplateStringsArray, others) };
  }
  const last = others.at(-1);
  if (isPlainObject(last)) {
    return { ...errorProperties(given.slice(0, -1) as unknown as ErrorArguments), ...last };
  }
  if (typeof first === "object" && first !== null) return membersOf(first);
  const status = typeof first === "number" ? first : undefined;
  if (status !== undefined && others[0] instanceof Error) return { ...membersOf(others[0]), status };
  const [message, target, args] = status === undefined ? [first, ...others] : others;
  const properties: Record<string, unknown> = {};
  if (status !== undefined) properties.status = status;
  if (message !== undefined && message !== null) properties.message = String(message);
  if (Array.isArray(target)) properties.args = target;
  else if (target !== undefined && target !== null) properties.target = String(target);
  if (Array.isArray(args)) properties.args = args;
  return properties;
}

/**
 * The error to throw for any of the argument forms; an error that was given is thrown itself.
 *
 * @param given the arguments of the call
 */
export function errorFromArguments(given: ErrorArguments): Error {
  const [first] = given;
  return first instanceof Error && given.length === 1 ? first : new ServiceError(errorProperties(given));
}

function membersOf(value: object): ErrorProperties {
  if (!(value instanceof Error)) return { ...value };
  // `message` and `cause` of an error are not enumerable.
  const { cause } = value;
  const own = isServiceError(value) ? withoutName(value) : { ...value };
  return { ...own, message: givenMessage(value), ...(cause === undefined ? {} : { cause }) };
}

function withoutName(error: Error): object {
  const { name: _name, ...members } = { ...error };
  return members;
}

/** A text whose objects are written with their members. */
export function templateText(strings: TemplateStringsArray, values: readonly unknown[]): string {
  return String.raw({ raw: strings }, ...values.map(shown));
}

/** A value in a message; texts without quotes. */
export function shown(value: unknown): string {
  return typeof value === "string" ? value : printed(value, []);
}

/** As consoles print values: `{ a: 1 }`. What has a text of its own shows it; an object inside of itself is named only. */
function printed(value: unknown, around: readonly object[]): string {
  if (typeof value === "string") return `'${value}'`;
  if (typeof value !== "object" || value === null) return String(value);
  if (around.includes(value)) return "[Circular]";
  const within = [...around, value];
  if (Array.isArray(value)) return `[ ${value.map((item) => printed(item, within)).join(", ")} ]`;
  if (hasOwnText(value)) return String(value);
  const members = Object.entries(value).map(([name, member]) => `${name}: ${printed(member, within)}`);
  return `{ ${members.join(", ")} }`;
}

/** Objects without a prototype have no `toString` at all. */
function hasOwnText(value: object): boolean {
  return typeof value.toString === "function" && value.toString !== Object.prototype.toString;
}
