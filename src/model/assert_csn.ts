/**
 * The shape of models in CSN (csn-cqn 1): what reads definitions relies on it.
 *
 * @module
 */

import { ConfigurationError } from "../errors/configuration_error.ts";
import { isPlainObject } from "../util/is_plain_object.ts";
import { jsonKeyLine } from "../util/json_text.ts";
import { conditionMistake } from "./condition_mistake.ts";
import type { Csn } from "./csn.ts";

/** Where a model stands. */
export interface CsnSource {
  readonly file: string;
  readonly text: string;
}

/**
 * Checks that a value has the shape of a model. What names mean is checked by those who follow them.
 *
 * @param value parsed JSON
 * @param source its file and text, for messages
 * @throws ConfigurationError with file and line of what is not of the expected kind
 */
export function assertCsn(value: unknown, source: CsnSource): asserts value is Csn {
  const shape = new Shape(source);
  const csn = shape.object(value, []);
  shape.each(csn.definitions, ["definitions"], (definition, path) => shape.definition(definition, path));
  if (csn.extensions !== undefined && !Array.isArray(csn.extensions)) shape.fail(["extensions"], "an array");
}

type Members = Readonly<Record<string, unknown>>;
type Path = readonly string[];

class Shape {
  readonly #source: CsnSource;

  constructor(source: CsnSource) {
    this.#source = source;
  }

  object(value: unknown, path: Path): Members {
    return isPlainObject(value) ? value : this.fail(path, "an object");
  }

  /** Checks each member of an object that may be missing. */
  each(given: unknown, path: Path, check: (value: Members, path: Path) => void): void {
    if (given === undefined) return;
    for (const [key, value] of Object.entries(this.object(given, path))) {
      const inner = [...path, key];
      check(this.object(value, inner), inner);
    }
  }

  definition(definition: Members, path: Path): void {
    this.#text(definition, "kind", path);
    this.element(definition, path);
    this.each(definition.params, [...path, "params"], (param, inner) => this.element(param, inner));
    this.each(definition.actions, [...path, "actions"], (action, inner) => this.definition(action, inner));
    if (definition.returns !== undefined) this.element(this.object(definition.returns, path), path);
    this.#query(definition, path);
  }

  element(element: Members, path: Path): void {
    const { type, items, on } = element;
    const isReference = isPlainObject(type) && Array.isArray(type.ref);
    if (type !== undefined && typeof type !== "string" && !isReference) {
      this.fail([...path, "type"], `a name or a reference`);
    }
    const mistake = on === undefined ? undefined : conditionMistake(on);
    if (mistake !== undefined) this.fail([...path, "on"], "a condition", mistake);
    this.each(element.elements, [...path, "elements"], (inner, at) => this.element(inner, at));
    this.each(element.enum, [...path, "enum"], () => {});
    if (items !== undefined) this.element(this.object(items, [...path, "items"]), [...path, "items"]);
  }

  #text(of: Members, name: string, path: Path): void {
    if (of[name] !== undefined && typeof of[name] !== "string") this.fail([...path, name], "a text");
  }

  #query({ query, projection }: Members, path: Path): void {
    if (projection !== undefined) this.#select(projection, [...path, "projection"]);
    if (query === undefined) return;
    const { SELECT: select, SET: set } = this.object(query, [...path, "query"]);
    const at = [...path, "query"];
    if (select !== undefined) this.#select(select, [...at, "SELECT"]);
    else if (!isPlainObject(set) || !Array.isArray(set.args)) this.fail(at, "a SELECT or SET");
  }

  #select(select: unknown, path: Path): void {
    this.object(this.object(select, path).from, [...path, "from"]);
  }

  fail(path: Path, expected: string, found?: string): never {
    const { file, text } = this.#source;
    const what = path.length === 0 ? "a model as JSON object" : `${expected} as "${path.join('"."')}"`;
    const reason = found === undefined ? "" : `: ${found}`;
    throw new ConfigurationError(`Expected ${what}${reason}`, { file, line: jsonKeyLine(text, path) });
  }
}
