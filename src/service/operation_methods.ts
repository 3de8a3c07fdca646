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
