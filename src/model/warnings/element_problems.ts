/**
 * Elements that cannot be what their declaration says: sizes that nothing fits, symbols and checks of another type,
 * associations that lead back to something else.
 *
 * @module
 */

import type { Xo } from "../../cqn/cqn.ts";
import { comparedText, isTemporal } from "../../util/temporal_text.ts";
import type { Csn, CsnElement } from "../csn.ts";

/** Where an element stands. */
export interface ElementPlace {
  /** Its definition. */
  readonly name: string;
  /** The element. */
  readonly key: string;
  readonly definitions: NonNullable<Csn["definitions"]>;
}

const TEXTS = /^cds\.(?:String|LargeString|UUID)$/;
const WITH_LENGTH = /^cds\.(?:String|LargeString|Binary|LargeBinary|Vector|hana\.\w+)$/;

/**
 * What is suspicious about an element.
 *
 * @param element the element, its type known
 * @param at where it stands
 * @returns texts, each behind the name of the element
 */
export function elementProblems(element: CsnElement, at: ElementPlace): readonly string[] {
  return [
    ...sizeProblems(element),
    ...symbolProblems(element),
    ...checkProblems(element as Annotated),
    ...backlinkProblems(element, at),
  ];
}

function sizeProblems({ type, length, precision, scale }: CsnElement): string[] {
  if (typeof type !== "string" || !type.startsWith("cds.")) return [];
  const problems: string[] = [];
  if (Number(scale) > Number(precision)) {
    problems.push(
      `has ${scale} digits behind the point of ${precision} in all: the number of all digits stands first`,
    );
  }
  if (length === 0) problems.push("has the length 0, so nothing fits");
  else if (length !== undefined && !WITH_LENGTH.test(type)) {
    problems.push(`has a length, which ${type.slice("cds.".length)} does not take: it has no effect`);
  }
  return problems;
}

/** Values of symbols are values of the type. */
function symbolProblems({ type, enum: symbols }: CsnElement): string[] {
  if (typeof type !== "string") return [];
  return Object.entries(symbols ?? {}).flatMap(([symbol, { val }]) => {
    if (val === undefined || val === null) return [];
    const expected = expectedOf(type, val);
    return expected === undefined
      ? []
      : [`has the symbol "${symbol}" that is ${JSON.stringify(val)}, expected ${expected}`];
  });
}

type Annotated = CsnElement & {
  readonly "@assert.range"?: unknown;
  readonly "@assert.format"?: unknown;
  readonly "@assert.target"?: unknown;
};

/** Checks that no value passes, or that have no effect. */
function checkProblems(element: Annotated): string[] {
  const { type, target } = element;
  const { "@assert.range": range, "@assert.format": format, "@assert.target": ofTarget } = element;
  const isBuiltin = typeof type === "string" && type.startsWith("cds.");
  const problems: string[] = [];
  if (Array.isArray(range) && range.length === 2) {
    const [low, high] = range;
    const [from, to] = range.map((bound) =>
      typeof bound === "string" && isBuiltin && isTemporal(type) ? comparedText(bound, type) : bound
    );
    if (typeof low === typeof high && typeof low !== "object" && from > to) {
      problems.push(`takes no value: @assert.range begins with ${low} and ends with ${high}`);
    }
  }
  if (format && isBuiltin && !TEXTS.test(type)) {
    problems.push("has an @assert.format, which has no effect: expected it at texts");
  }
  if (ofTarget === true && isBuiltin && target === undefined) {
    problems.push("has an @assert.target, which has no effect: expected it at associations");
  }
  return problems;
}

/** `on books.author = $self` asks for an association that leads here, or to what this is a projection of. */
function backlinkProblems({ target, on }: CsnElement, { name, key, definitions }: ElementPlace): string[] {
  if (typeof target !== "string" || !on) return [];
  return on.flatMap((token, index) => {
    if (!isSelf(token) || on[index - 1] !== "=") return [];
    const before = on[index - 2];
    const path = typeof before === "object" && "ref" in before ? before.ref : undefined;
    if (path?.length !== 2 || path[0] !== key || typeof path[1] !== "string") return [];
    const back = definitions[target]?.elements?.[path[1]]?.target;
    if (typeof back !== "string" || related(back, name, definitions)) return [];
    return [`never leads anywhere: "${path[1]}" of "${target}" leads to "${back}", not to "${name}"`];
  });
}

function isSelf(token: Xo | undefined): boolean {
  return typeof token === "object" && "ref" in token && token.ref?.length === 1 && token.ref[0] === "$self";
}

/** Whether two definitions have an origin in common: what they are, project or include. */
function related(a: string, b: string, definitions: ElementPlace["definitions"]): boolean {
  const others = originsOf(b, definitions);
  return [...originsOf(a, definitions)].some((one) => others.has(one));
}

function originsOf(name: string, definitions: ElementPlace["definitions"]): ReadonlySet<string> {
  const found = new Set([name]);
  for (const one of found) {
    const { query, projection, includes = [] } = definitions[one] ?? {};
    const from = (projection ?? (query && "SELECT" in query ? query.SELECT : undefined))?.from;
    const source = from && "ref" in from && from.ref.length === 1 ? from.ref[0] : undefined;
    for (const next of [...includes, source]) if (typeof next === "string") found.add(next);
  }
  return found;
}

const WHOLE = (value: unknown) =>
  Number.isInteger(Number(value)) && typeof value !== "boolean" && value !== "";
const NUMBER = (value: unknown) => typeof value !== "boolean" && value !== "" && !Number.isNaN(Number(value));

/** What a value has to be, by type. */
const FORMS: Readonly<Record<string, readonly [is: (value: unknown) => boolean, expected: string]>> = {
  "cds.Boolean": [(value) => typeof value === "boolean" || value === 0 || value === 1, "true or false"],
  "cds.UInt8": [WHOLE, "a whole number"],
  "cds.Int16": [WHOLE, "a whole number"],
  "cds.Int32": [WHOLE, "a whole number"],
  "cds.Integer": [WHOLE, "a whole number"],
  "cds.Int64": [WHOLE, "a whole number"],
  "cds.Integer64": [WHOLE, "a whole number"],
  "cds.Decimal": [NUMBER, "a number like 12.34"],
  "cds.Double": [NUMBER, "a number like 12.34"],
  "cds.Date": [(value) => /^\d{4}-\d\d-\d\d$/.test(String(value)), "a date like '2026-12-31'"],
  "cds.Time": [(value) => /^\d\d:\d\d(?::\d\d)?$/.test(String(value)), "a time like '13:45:00'"],
};

/**
 * What is wrong with the default of an element.
 *
 * @param element the element, its type known
 * @returns the end of a sentence; undefined where nothing can be said against it
 */
export function defaultProblem({ type, default: given }: CsnElement): string | undefined {
  if (typeof type !== "string") return undefined;
  const value = typeof given === "object" && given !== null && "val" in given ? given.val : undefined;
  if (value === undefined || value === null) return undefined;
  const expected = expectedOf(type, value);
  return expected === undefined ? undefined : `is ${JSON.stringify(value)}, expected ${expected}`;
}

/**
 * What a type takes in place of a value that is none of it.
 *
 * @param type name of a built-in type
 * @param value what a model has for it
 * @returns undefined where it is, or where the type takes anything; else what was expected
 */
function expectedOf(type: string, value: unknown): string | undefined {
  const [is, expected] = Object.hasOwn(FORMS, type) ? FORMS[type] : [];
  return is === undefined || is(value) ? undefined : expected;
}
