/**
 * Projection functions: `b => { b.title, b.author(a => a.name) }`.
 *
 * The recorder is an object with one getter per element of the entity. Reading an element records it; calling what
 * was read turns it into a nested result, reading on makes the path longer.
 *
 * @module
 */

import type { Column, NestedColumn, RefExpression, RefStep } from "../cqn.ts";
import { isQuery } from "../is_query.ts";
import type { ElementShape, EntityShape } from "../query_runner.ts";
import {
  fromTemplate,
  isTemplate,
  parseColumnText,
  parseSourceText,
  type TextWithValues,
} from "./parse_text.ts";
import { stepName } from "../steps.ts";

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

/** What a path leads to; `undefined` stands for what no model says, where any name may follow. */
type Place = { readonly shape: EntityShape | undefined; readonly isOpen: boolean };

/**
 * The columns that a projection function records.
 *
 * @param projection the function
 * @param entity definition of the entity; without one, whatever is read is a column
 * @returns the columns in the order in which they were read
 * @throws TypeError for a function that reads no element of the entity
 */
export function recordColumns(projection: Projection, entity: EntityShape | undefined): readonly Column[] {
  const slots: Slot[] = [];
  const record = (column: Column): Slot => {
    const slot = { column };
    slots.push(slot);
    return slot;
  };
  const root = ((...args: readonly unknown[]) => {
    const [query] = args;
    if (isQuery(query)) return queryRecorder(record({ ...query } as Column));
    for (const column of textColumns(args)) record(column);
    return recorder;
  }) as unknown as Recorder;
  const recorder = withElements(root, { shape: entity, isOpen: entity === undefined }, (name, element) => {
    const slot = record({ ref: [name] });
    return elementRecorder(slot, [name], placeOf(element, entity === undefined));
  });
  projection(recorder);
  if (slots.length === 0) {
    const whose = entity ? ` of "${entity.name}"` : "";
    throw new TypeError(`Expected a projection function that reads elements${whose}, found none`);
  }
  return slots.map((slot) => slot.column);
}

/** A subquery as column, which needs a name. */
function queryRecorder(slot: Slot): Pick<Recorder, "as"> {
  const as = (name: string) => slot.column = { ...slot.column as object, as: name } as Column;
  return { as } as unknown as Pick<Recorder, "as">; // nothing can be read of it
}

/** What reading an element gives. It is built for that one reading, so its slot is its own. */
function elementRecorder(slot: Slot, path: readonly RefStep[], place: Place): Recorder {
  const alias = (name: string): Recorder => {
    slot.column = { ...(slot.column as NestedColumn), as: name };
    return recorder;
  };
  const own = ((...args: readonly unknown[]) => {
    const [argument] = args;
    if (typeof argument === "function") {
      slot.column = nested(path, argument as Projection, { place, options: args[1] });
      return recorder;
    }
    const { text, values } = isTemplate(args)
      ? fromTemplate(args[0], args.slice(1))
      : { text: String(argument), values: [] };
    const plain = text.trim();
    const [, name] = /^as\s+(\S+)$/i.exec(plain) ?? [];
    if (name !== undefined) return alias(name);
    if (plain.startsWith("[")) return elementRecorder(slot, filtered(path, { text: plain, values }), place);
    const isInline = plain.startsWith(".");
    const inner = plain.replace(/^\./, "").replace(/^\{|\}$/g, "");
    slot.column = { ref: path, [isInline ? "inline" : "expand"]: parseOrStar(inner) };
    return recorder;
  }) as unknown as Recorder;
  Object.defineProperty(own, "as", { value: alias, configurable: true });
  const recorder = withElements(own, place, (name, element) => {
    slot.column = { ref: [...path, name] };
    return elementRecorder(slot, [...path, name], placeOf(element, place.isOpen));
  });
  return recorder;
}

/** A path whose last step has a filter, or an order. */
function filtered(path: readonly RefStep[], { text, values }: TextWithValues): readonly RefStep[] {
  const last = path.at(-1)!;
  const id = stepName(last);
  const { ref } = parseSourceText({ text: `rows${text}`, values }) as RefExpression; // a name with a filter
  return [...path.slice(0, -1), { ...ref[0] as object, id }];
}

/** Levels of a nested result that can be asked for; each repeats the query within itself. */
const LEVELS = 20;

/** What a nested projection function makes: a nested result, or paths where its parameter is called `_`. */
function nested(
  path: readonly RefStep[],
  projection: Projection,
  { place, options }: { readonly place: Place; readonly options: unknown },
): NestedColumn {
  if (!place.isOpen && !place.shape) {
    throw new TypeError(`Expected an association or structure, found '${nameOf(path)}'`);
  }
  const columns = recordColumns(projection, place.shape);
  if (/^(?:async\s*)?\(?\s*_\s*(?:\)|=>)/.test(String(projection))) return { ref: path, inline: columns };
  return repeated(path, columns, (options as { readonly levels?: number } | undefined)?.levels ?? 1);
}

/** A nested result, which holds itself as many levels deep as asked for. */
function repeated(path: readonly RefStep[], columns: readonly Column[], levels: number): NestedColumn {
  if (!Number.isInteger(levels) || levels < 1 || levels > LEVELS) {
    throw new TypeError(`Expected 1 to ${LEVELS} levels of '${nameOf(path)}', found ${levels}`);
  }
  const inner = levels === 1 ? columns : [...columns, repeated(path, columns, levels - 1)];
  return { ref: path, expand: inner };
}

function nameOf(path: readonly RefStep[]): string {
  return path.map(stepName).join(".");
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

/**
 * A recorder with the elements of a place. Without a model any name is one, which only a proxy can answer: the names are
 * not known before they are read.
 */
function withElements(
  recorder: Recorder,
  { shape, isOpen }: Place,
  read: (name: string, element: ElementShape | undefined) => Recorder,
): Recorder {
  if (isOpen) {
    return new Proxy(recorder, {
      get: (target, name) =>
        typeof name === "symbol" || name === "as" ? Reflect.get(target, name) : read(name, undefined),
    });
  }
  const define = (name: string, element: ElementShape | undefined) =>
    Object.defineProperty(recorder, name, { get: () => read(name, element), configurable: true });
  for (const name of shape?.$flat?.keys() ?? []) define(name, undefined);
  for (const [name, element] of Object.entries(shape?.elements ?? {})) define(name, element);
  return recorder;
}

function placeOf(element: ElementShape | undefined, isOpen: boolean): Place {
  const elements = element?.elements ?? element?.$type?.elements;
  return { shape: element?.$target ?? (elements && { name: "structure", elements }), isOpen };
}
