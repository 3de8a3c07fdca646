/**
 * Projection functions: `b => { b.title, b.author(a => a.name) }`.
 *
 * The recorder is an object with one getter per element of the entity. Reading an element records it; calling what
 * was read turns it into a nested result, reading on makes the path longer.
 *
 * @module
 */

import type { Column, NestedColumn } from "../cqn.ts";
import type { ElementShape, EntityShape } from "../query_runner.ts";
import { fromTemplate, isTemplate, parseColumnText } from "./parse_text.ts";

/** What a projection function is given, and what each element of it is. */
export interface Recorder {
  /** Opens a nested result, maybe of several levels along an association to the entity itself. */
  (projection: Projection, options?: { readonly levels?: number }): Recorder;
  /** Records `*` and text columns, gives a column its alias, or opens a nested result with text. */
  (argument?: unknown, ...values: readonly unknown[]): Recorder;
  /** Names the column. */
  readonly as: Recorder & ((alias: string) => Recorder);
  /** Elements with the names of members that functions have. */
  readonly name: Recorder;
  /** Characters or bytes at most. */
  readonly length: Recorder;
  /** Elements of the entity by name. */
  readonly [element: string]: Recorder;
}

/** A projection function. */
export type Projection = (recorder: Recorder) => unknown;

interface Slot {
  column: Column;
}

/**
 * The columns that a projection function records.
 *
 * @param projection the function
 * @param entity definition of the entity
 * @returns the columns in the order in which they were read
 * @throws TypeError for a function that reads no element of the entity
 */
export function recordColumns(projection: Projection, entity: EntityShape): readonly Column[] {
  const slots: Slot[] = [];
  const record = (column: Column): Slot => {
    const slot = { column };
    slots.push(slot);
    return slot;
  };
  const root = ((...args: readonly unknown[]) => {
    for (const column of textColumns(args)) record(column);
    return root;
  }) as unknown as Recorder;
  defineElements(root, entityElements(entity), (name, element) => {
    const slot = record({ ref: [name] });
    return elementRecorder(slot, [name], element);
  });
  projection(root);
  if (slots.length === 0) {
    throw new TypeError(`Expected a projection function that reads elements of "${entity.name}", found none`);
  }
  return slots.map((slot) => slot.column);
}

/** What reading an element gives. It is built for that one reading, so its slot is its own. */
function elementRecorder(slot: Slot, path: readonly string[], element: ElementShape | undefined): Recorder {
  const alias = (name: string): Recorder => {
    slot.column = { ...(slot.column as NestedColumn), as: name };
    return recorder;
  };
  const recorder = ((...args: readonly unknown[]) => {
    const [argument] = args;
    if (typeof argument === "function") {
      const levels = (args[1] as { readonly levels?: number } | undefined)?.levels ?? 1;
      slot.column = repeated(path, nestedColumns(argument as Projection, path, element), levels);
      return recorder;
    }
    const text = isTemplate(args)
      ? fromTemplate(args[0], args.slice(1)).text.trim()
      : String(argument).trim();
    const alias4 = /^as\s+(\S+)$/i.exec(text);
    if (alias4) return alias(alias4[1]);
    const inner = text.replace(/^\{|\}$/g, "").replace(/^\.\*$/, "*");
    slot.column = { ref: path, expand: parseOrStar(inner) };
    return recorder;
  }) as unknown as Recorder;
  Object.defineProperty(recorder, "as", { value: alias, configurable: true });
  const inner = element?.$target ? entityElements(element.$target) : structElements(element);
  defineElements(recorder, inner, (name, member) => {
    slot.column = { ref: [...path, name] };
    return elementRecorder(slot, [...path, name], member);
  });
  return recorder;
}

/** Levels of a nested result that can be asked for; each repeats the query within itself. */
const LEVELS = 20;

/** A nested result, which holds itself as many levels deep as asked for. */
function repeated(path: readonly string[], columns: readonly Column[], levels: number): NestedColumn {
  if (!Number.isInteger(levels) || levels < 1 || levels > LEVELS) {
    throw new TypeError(`Expected 1 to ${LEVELS} levels of '${path.join(".")}', found ${levels}`);
  }
  const inner = levels === 1 ? columns : [...columns, repeated(path, columns, levels - 1)];
  return { ref: path, expand: inner };
}

function nestedColumns(
  projection: Projection,
  path: readonly string[],
  element: ElementShape | undefined,
): readonly Column[] {
  const target = element?.$target ?? structShape(path, element);
  if (!target) throw new TypeError(`Expected an association or structure, found '${path.join(".")}'`);
  return recordColumns(projection, target);
}

function textColumns(args: readonly unknown[]): readonly Column[] {
  if (isTemplate(args)) {
    const text = fromTemplate(args[0], args.slice(1));
    return text.text.trim() === "*" || text.text.trim() === ".*" ? ["*"] : parseColumnText(text);
  }
  return args.flatMap((arg) => parseOrStar(String(arg)));
}

function parseOrStar(text: string): readonly Column[] {
  return text.trim() === "*" ? ["*"] : parseColumnText({ text, values: [] });
}

function defineElements(
  recorder: Recorder,
  elements: Iterable<readonly [string, ElementShape | undefined]>,
  read: (name: string, element: ElementShape | undefined) => Recorder,
): void {
  for (const [name, element] of elements) {
    Object.defineProperty(recorder, name, { get: () => read(name, element), configurable: true });
  }
}

function* entityElements(entity: EntityShape): Iterable<readonly [string, ElementShape | undefined]> {
  for (const name of entity.$flat?.keys() ?? []) yield [name, undefined];
  yield* Object.entries(entity.elements);
}

function structElements(element: ElementShape | undefined): [string, ElementShape][] {
  return Object.entries(element?.elements ?? element?.$type?.elements ?? {});
}

function structShape(path: readonly string[], element: ElementShape | undefined): EntityShape | undefined {
  const elements = element?.elements ?? element?.$type?.elements;
  return elements && { name: path.join("."), elements };
}
