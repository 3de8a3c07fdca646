/**
 * Declared operations as methods of their service.
 *
 * @module
 */

import type { LinkedOperation, LinkedService } from "../model/linked.ts";
import type { SendProperties } from "./requests/send_properties.ts";

/** What calls an operation. */
interface Sender {
  send(properties: SendProperties): Promise<unknown>;
}

/**
 * Defines a method for every operation that is not named like a member of the service (`behaviours` 8.6): unbound ones
 * take their data as object or as single arguments, bound ones the entity and the key first.
 *
 * @param service gets the methods
 * @param definition its definition
 */
export function defineOperationMethods(service: Sender, definition: LinkedService): void {
  for (const operation of definition.operations) {
    define(service, localName(definition, operation), function (this: Sender, ...args) {
      return this.send({ event: localName(definition, operation), data: dataOf(operation, args) });
    });
  }
  for (const entity of definition.entities) {
    for (const operation of entity.actions) {
      define(service, operation.name, function (this: Sender, target, key, ...args) {
        const params = key === undefined ? [] : [keyOf(key, entity.$flatKeys[0]?.name)];
        const name = typeof target === "string" ? target : (target as { name: string }).name;
        const data = dataOf(operation, args);
        return this.send({ event: operation.name, entity: name, params, data });
      });
    }
  }
}

type Method = (this: Sender, ...args: unknown[]) => Promise<unknown>;

function define(service: Sender, name: string, method: Method): void {
  if (name in service) return;
  Object.defineProperty(service, name, { value: method, configurable: true, writable: true });
}

function localName(definition: LinkedService, operation: LinkedOperation): string {
  const prefix = `${definition.name}.`;
  return operation.name.startsWith(prefix) ? operation.name.slice(prefix.length) : operation.name;
}

/** One object of data, or the values of the parameters in order. */
function dataOf(operation: LinkedOperation, args: readonly unknown[]): unknown {
  const names = [...operation.params].map((param) => param.name);
  const [first] = args;
  const isObject = typeof first === "object" && first !== null && !Array.isArray(first);
  if (args.length === 0) return {};
  if (args.length === 1 && isObject && Object.keys(first).every((name) => names.includes(name))) return first;
  return Object.fromEntries(args.map((value, index) => [names[index], value]));
}

function keyOf(key: unknown, name: string | undefined): Record<string, unknown> {
  if (typeof key === "object" && key !== null) return { ...key };
  return name === undefined ? {} : { [name]: key };
}

/** A service whose class may have methods. */
interface Handling extends Sender {
  readonly definition: LinkedService | undefined;
  on(event: string, handler: (req: unknown, next: unknown) => unknown): unknown;
  on(event: string, entity: string, handler: (req: unknown, next: unknown) => unknown): unknown;
}

/**
 * Makes handlers of the methods of a class that are named as operations, where those have none.
 *
 * @param service its class has the methods
 * @param base the class that methods of all services belong to
 * @param isHandled whether an operation of the service, or of an entity, has a handler
 */
export function handleByMethods(
  service: Handling,
  base: object,
  isHandled: (event: string, entity?: string) => boolean,
): void {
  const { definition } = service;
  if (!definition) return;
  for (const operation of definition.operations) {
    const name = localName(definition, operation);
    const method = methodOf(service, base, name);
    if (method && !isHandled(name)) service.on(name, method);
  }
  for (const entity of definition.entities) {
    for (const { name } of entity.actions) {
      const method = methodOf(service, base, name);
      if (method && !isHandled(name, entity.name)) service.on(name, entity.name, method);
    }
  }
}

/** A method that a class has beside those of all services. */
function methodOf(
  service: object,
  base: object,
  name: string,
): ((req: unknown, next: unknown) => unknown) | undefined {
  for (let at = Object.getPrototypeOf(service); at !== null && at !== base; at = Object.getPrototypeOf(at)) {
    const method: unknown = Object.getOwnPropertyDescriptor(at, name)?.value;
    if (typeof method === "function") return method.bind(service);
  }
  return undefined;
}
