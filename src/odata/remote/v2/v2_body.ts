/**
 * Bodies of OData 2 (OData 2.0, "JSON Format").
 *
 * @module
 */

import type { Row } from "../../../cqn/cqn.ts";
import type { LinkedEntity } from "../../../model/linked.ts";
import { isPlainObject } from "../../../util/is_plain_object.ts";
import { elementAt } from "../remote_expression.ts";
import { remoteType } from "../remote_literal.ts";
import { v2BodyValue } from "./v2_values.ts";

/**
 * An answer in the form of OData 4: without `d` and `results`, what is deferred left out.
 *
 * @param body what came
 * @param name of the function import that was called, whose name simple results have
 */
export function fromV2Body(body: unknown, name?: string): unknown {
  if (!isPlainObject(body) || !("d" in body)) return body;
  const { d } = body;
  if (Array.isArray(d)) return { value: d.map(plain) };
  if (!isPlainObject(d)) return { value: d };
  if (Array.isArray(d.results)) {
    return {
      value: d.results.map(plain),
      ...(d.__count === undefined ? {} : { "@odata.count": d.__count }),
      ...(d.__next === undefined ? {} : { "@odata.nextLink": d.__next }),
    };
  }
  const members = Object.keys(d).filter((member) => member !== "__metadata");
  if (name === undefined || members.length !== 1 || members[0] !== name) return plain(d);
  const result = plain(d[name]);
  return isPlainObject(result) ? result : { value: result };
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isPlainObject(value)) return value;
  if (Array.isArray(value.results)) return value.results.map(plain);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, member]) => name !== "__metadata" && !(isPlainObject(member) && "__deferred" in member))
      .map(([name, member]) => [name, plain(member)]),
  );
}

/**
 * Data as JSON text of a body. A to-one association given by its key is sent as foreign key.
 *
 * @param data a row, or rows
 * @param entity definition of the rows, if it is known
 */
export function toV2Body(data: unknown, entity?: LinkedEntity): string {
  return JSON.stringify(toValue(data, entity));
}

function toValue(data: unknown, entity: LinkedEntity | undefined): unknown {
  if (Array.isArray(data)) return data.map((one) => toValue(one, entity));
  if (!isPlainObject(data)) return v2BodyValue(data, undefined);
  return Object.fromEntries(
    Object.entries(data).filter(([, value]) => value !== undefined)
      .flatMap(([name, value]) => toMembers(name, value, entity)),
  );
}

function toMembers(name: string, value: unknown, entity: LinkedEntity | undefined): [string, unknown][] {
  const element = elementAt(entity, [name]);
  const target = element?.$target;
  if (!target) {
    const isNested = Array.isArray(value) || isPlainObject(value);
    return [[name, isNested ? toValue(value, undefined) : v2BodyValue(value, remoteType(element))]];
  }
  const foreign = element.isComposition || !isPlainObject(value) ? [] : element.$foreignKeys ?? [];
  if (foreign.length === 0) return [[name, toValue(value, target)]];
  const row = value as Row;
  return foreign.filter((one) => Object.hasOwn(row, one.target)).map((one) => [
    one.name,
    v2BodyValue(row[one.target], remoteType(one.element.element)),
  ]);
}
