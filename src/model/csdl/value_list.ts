/**
 * `@cds.odata.valuelist`: a value help for the foreign key of associations to code lists (csn-cqn 12).
 *
 * @module
 */

import { isPlainObject } from "../../util/is_plain_object.ts";
import { edmName } from "../edm_name.ts";
import type { LinkedElement, LinkedEntity } from "../linked.ts";

/**
 * The value list of an association to one code list entry.
 *
 * @param association the association; its target is in the service
 * @returns the value of `Common.ValueList`, or undefined if the target is no code list
 */
export function valueListOf(association: LinkedElement): Record<string, unknown> | undefined {
  const { $target: target, $foreignKeys: keys } = association;
  if (!target || keys?.length !== 1 || target["@cds.odata.valuelist"] !== true) return undefined;
  const text = identifyingText(target);
  const parameters: Record<string, unknown>[] = [{
    $Type: "Common.ValueListParameterInOut",
    LocalDataProperty: keys[0].name,
    ValueListProperty: keys[0].target,
  }];
  if (text !== undefined && text !== keys[0].target) {
    parameters.push({ $Type: "Common.ValueListParameterDisplayOnly", ValueListProperty: text });
  }
  const label = association["@title"] ?? association["@Common.Label"] ?? target["@title"] ??
    target["@Common.Label"];
  return { Label: label ?? edmName(target), CollectionPath: edmName(target), Parameters: parameters };
}

/** What `UI.Identification` shows of an entry. */
function identifyingText(target: LinkedEntity): string | undefined {
  const identification = target["@UI.Identification"];
  const first: unknown = Array.isArray(identification) ? identification[0] : undefined;
  const value = isPlainObject(first) ? first.Value : undefined;
  return isPlainObject(value) && typeof value["="] === "string" ? value["="] : undefined;
}
