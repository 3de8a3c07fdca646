/**
 * What projects ask for and do not get: it is said at the start, with what to do.
 *
 * @module
 */

import type { PassedOver } from "../service/check_rules.ts";
import type { Environment } from "../config/environment.ts";
import { annotationsOf } from "../model/annotations_of.ts";
import { placeOf } from "../model/problems.ts";
import { viewQuery } from "../model/runtime_view.ts";
import { switchedOff } from "../service/authorization/check_annotation_names.ts";
import type { LinkedBase, LinkedModel } from "../model/linked.ts";
import { isPlainObject } from "../util/is_plain_object.ts";

/**
 * Remarks what of model and configuration has no effect.
 *
 * @param model the model in effect
 * @param env configuration; its remarks take what is found
 */
export function remarkWithoutEffect(model: LinkedModel, env: Environment): void {
  remarkSwitchedOff(model, env);
  remarkRules(model, env);
  remarkExtensibility(env);
  remarkFormats(env);
}

/**
 * What takes privileges that grant nothing, as they cannot be understood, and misspelt checks of input: existing projects
 * start all the same.
 *
 * @param env configuration; its remarks take them
 */
export function passOver({ remarks, isLenient }: Environment): PassedOver | undefined {
  if (!isLenient) return undefined;
  return {
    privilege: ({ message }) => remarks.add(`It grants nothing: ${message}`),
    check: ({ message }) => remarks.add(`It checks nothing: ${message}`),
  };
}

function remarkSwitchedOff({ definitions }: LinkedModel, { remarks }: Environment): void {
  for (const definition of Object.values(definitions)) {
    for (const key in definition) {
      const meant = switchedOff(key);
      if (meant === undefined) continue;
      remarks.add(
        `${key} of "${definition.name}" has no effect: without the underscore it is ${meant}`,
        placeOf(definition),
      );
    }
  }
}

/** Constraints that no query can look at, and searches in what is not there. Views may leave out what they inherit. */
function remarkRules(model: LinkedModel, { remarks }: Environment): void {
  for (const definition of Object.values(model.definitions)) {
    const operations = [definition, ...definition.actions ?? []];
    const params = operations.flatMap((one) => [...one.params ?? []]);
    for (const one of [definition, ...params] as readonly LinkedBase[]) {
      if ((one as { readonly "@assert"?: unknown })["@assert"] === undefined) continue;
      remarks.add(`@assert of "${one}" has no effect: it belongs to elements`, placeOf(one));
    }
  }
  for (const entity of model.entities()) {
    for (const element of entity.elements) {
      if (element["@assert"] === undefined || !element.virtual) continue;
      remarks.add(
        `@assert of "${entity.name}/${element.name}" has no effect: virtual elements are not stored`,
        placeOf(element),
      );
    }
    if (viewQuery(entity) !== undefined) continue;
    for (const [key, value] of annotationsOf(entity)) {
      const path = key.startsWith(SEARCH) && value ? key.slice(SEARCH.length) : undefined;
      const [name] = path?.split(".") ?? [];
      if (name === undefined || entity.elements[name] || entity.$flat.has(name)) continue;
      remarks.add(`${key} of "${entity.name}" has no effect: there is no element "${name}"`, placeOf(entity));
    }
  }
}

const SEARCH = "@cds.search.";

function remarkExtensibility({ requires, remarks }: Environment): void {
  const { extensibility } = requires as Readonly<Record<string, unknown>>;
  if (!extensibility) return;
  remarks.add(
    '"requires.extensibility" has no effect: tenants cannot extend the model; feature toggles (folder "fts") add to ' +
      "it by tenant",
  );
}

/** The messaging service that an application calls writes messages, and not the channels that it hands them to. */
function remarkFormats({ requires, remarks }: Environment): void {
  for (const [name, entry] of Object.entries(requires)) {
    if (entry?.kind !== "composite-messaging" || !isPlainObject(entry.routes)) continue;
    for (const channel of Object.keys(entry.routes)) {
      const format = requires[channel]?.format;
      if (format === undefined || format === entry.format) continue;
      remarks.add(
        `"requires.${channel}.format" has no effect behind "${name}": "requires.${name}.format" says how messages ` +
          "are written",
      );
    }
  }
}
