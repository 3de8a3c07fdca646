/**
 * The modules that generated types of a model stand for: what is imported from them by name are its definitions.
 *
 * @module
 */

import { fw } from "../fw.ts";
import type { LinkedDefinition, LinkedModel } from "../model/linked.ts";
import { unqualified } from "../util/unqualified.ts";

/**
 * The names of a namespace or service: entities and types in singular and plural, events and operations.
 *
 * @param folder the namespace as the path of a folder; empty for what has none
 * @returns their values: definitions, names, or the values of an enumeration
 */
export function modelledNames(folder: string): Readonly<Record<string, unknown>> {
  const namespace = folder.replaceAll("/", ".");
  const prefix = namespace === "" ? "" : `${namespace}.`;
  const { definitions } = fw.model;
  const inside = Object.entries(definitions).filter(([name]) =>
    name.startsWith(prefix) && !name.slice(prefix.length).includes(".")
  );
  const own = Object.fromEntries(
    inside.map(([name, definition]) => [name.slice(prefix.length), valueOf(name, definition)]),
  );
  const others = Object.entries(own).filter(([, value]) => typeof value === "object").flatMap((
    [name, value],
  ) => otherForms(name).map((form) => [form, value] as const));
  const owner = namespace === "" ? {} : { name: namespace, default: { name: namespace } };
  return { ...Object.fromEntries(others), ...owner, ...own, __esModule: true };
}

/**
 * The namespace that a module of generated types is named after.
 *
 * @param name what is asked for: `#cds-models/sap/shop`, or the path of a file in the folder of that name
 * @returns the namespace as the path of a folder; undefined for other modules
 */
export function modelledFolder(name: string): string | undefined {
  return /(?:^#|\/@?)cds-models\/(.*?)(?:\/index(?:\.\w+)?)?$/.exec(name)?.[1];
}

const numbers: WeakMap<LinkedModel, number> = new WeakMap();
let last = 0;

/** Tells the model in effect from those of other runtimes in this process. */
export function modelNumber(): number {
  const { model } = fw;
  if (!numbers.has(model)) numbers.set(model, ++last);
  return numbers.get(model)!;
}

function valueOf(name: string, definition: LinkedDefinition): unknown {
  const { kind } = definition;
  if (kind === "event") return name;
  if (kind === "action" || kind === "function") return unqualified(name);
  const symbols = (definition as { enum?: Readonly<Record<string, { readonly val?: unknown }>> }).enum;
  if (!symbols) return definition;
  return Object.fromEntries(Object.entries(symbols).map(([symbol, { val }]) => [symbol, val ?? symbol]));
}

/** The other number of an English noun, and the names that generated types have where both are the same. */
function otherForms(name: string): readonly string[] {
  const singular = name.replace(/ies$/, "y").replace(/(ss|x|ch|sh)es$/, "$1").replace(/([^s])s$/, "$1");
  const plurals = [`${name}s`, `${name}es`, `${name}_`, name.replace(/y$/, "ies")];
  return [singular, ...plurals].filter((form) => form !== name);
}
