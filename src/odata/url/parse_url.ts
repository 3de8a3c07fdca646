/**
 * Raw URL → syntax tree. Needs no model.
 *
 * @module
 */

import { DEFAULT_LIMITS, type Limits } from "../../config/limits.ts";
import { ServiceError } from "../../errors/service_error.ts";
import { nearestName } from "../../util/nearest_name.ts";
import type { CommonExpr, ODataRelativeUri, PathSegment, QueryOptions, SearchExpr } from "./ast.ts";
import { wholeNumber } from "./literals.ts";
import { parsePath } from "./parse_path.ts";
import { type MutableOptions, parseText, type TextOptions } from "./url_parser.ts";
import { type Piece, rawOffset, type RawOption, splitUrl } from "./split_url.ts";
import { syntaxError } from "./syntax_error.ts";
import { SYSTEM_OPTIONS, WordTable } from "./words.ts";

const NAMES: WordTable<string> = new WordTable([], SYSTEM_OPTIONS);

/**
 * The name of a system query option that is written with `$`.
 *
 * @param text the option with `$`, in any letter case
 * @returns its name in the spelling of the standard, without `$`; undefined for any other text
 */
function systemOption(text: string): string | undefined {
  return NAMES.find(text, 1, text.length);
}

/** Options that only count with `$`: without it they are custom options. */
const DOLLAR_REQUIRED: ReadonlySet<string> = new Set([
  "at",
  "deltatoken",
  "from",
  "skiptoken",
  "to",
  "toInclusive",
]);

/**
 * Parses a URL relative to the service root.
 *
 * @param raw path and query, not decoded, without leading slash: `Books(1)?$select=ID`
 * @param limits bounds of depth and size
 * @returns the tree
 * @throws {ServiceError} 400 with offset, found and expected for what the grammar does not allow; 414 for a URL too long
 */
export function parseUrl(raw: string, limits: Limits = DEFAULT_LIMITS): ODataRelativeUri {
  checkLength(raw.length, limits);
  const { segments, options: given } = splitUrl(raw);
  const path = parsePath(segments, limits);
  const options = parseQueryOptions(given, limits);
  const [first] = path;
  if (first?.kind === "systemSegment" && first.name === "$entity") assertEntityOptions(options, path);
  return { path, options };
}

const OF_ENTITY = ["id", "format", "schemaversion"];
const OF_CAST = [...OF_ENTITY, "expand", "select"];

// entityOptions = *( entityIdOption "&" ) id *( "&" entityIdOption ); entityCastOption = entityIdOption / expand / select
/** The options of `$entity`, and of `$entity` with a type cast. */
function assertEntityOptions(
  { id, offsets }: QueryOptions,
  [entity, cast, ...more]: readonly PathSegment[],
): void {
  if (id === undefined) {
    throw syntaxError({ offset: entity!.offset, found: "$entity", expected: 'the option "$id"' });
  }
  if (more[0]) throw syntaxError({ offset: more[0].offset, found: "/", expected: "the end of the path" });
  const allowed = cast ? OF_CAST : OF_ENTITY;
  for (const name in offsets) {
    if (allowed.includes(name)) continue;
    const expected = allowed.map((one) => `$${one}`).join(", ");
    throw syntaxError({ offset: offsets[name]!, found: `$${name}`, expected });
  }
}

/**
 * Checks the length of a URL.
 *
 * @param length its characters
 * @param limits `urlLength`
 * @throws {ServiceError} 414 if it is too long
 */
export function checkLength(length: number, limits: Limits): void {
  if (length <= limits.urlLength) return;
  throw new ServiceError({
    status: 414,
    code: "414",
    message: `The URL is longer than ${limits.urlLength} characters`,
  });
}

/**
 * Parses an expression on its own.
 *
 * @param piece the decoded text
 * @param limits bounds of depth and size
 * @returns the tree
 */
export function parseExpressionText(piece: Piece, limits: Limits = DEFAULT_LIMITS): CommonExpr {
  return parseText(piece, (parser) => parser.valueInUrl(), { mode: "expression", limits });
}

/**
 * Parses all query options of a URL.
 *
 * @param raw the options, decoded
 * @param limits bounds in effect
 * @returns the options; those without `$` that are no valid system option are kept with their error (`custom`)
 */
export function parseQueryOptions(raw: readonly RawOption[], limits: Limits): QueryOptions {
  const reading: Reading = { options: { offsets: {} }, how: { mode: "expression", limits } };
  for (const option of raw) {
    const { text } = option.name;
    if (text[0] === "@") parseAlias(reading, option);
    else if (text[0] === "$") parseSystemOption(reading, systemName(option), option);
    else parseNamed(reading, option);
  }
  return reading.options;
}

/** Options while they are read. */
interface Reading {
  readonly options: MutableOptions;
  readonly how: TextOptions;
}

function systemName({ name }: RawOption): string {
  const known = systemOption(name.text);
  if (known !== undefined) return known;
  throw syntaxError({
    offset: name.base,
    found: name.text,
    expected: "a known query option",
    nearest: nearestName(name.text, [...SYSTEM_OPTIONS.values()].map((known) => `$${known}`)),
  });
}

function parseAlias({ options, how }: Reading, { name, value }: RawOption): void {
  const alias = name.text.slice(1);
  if (value === undefined || !/^[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*$/.test(alias)) {
    throw syntaxError({ offset: name.base, found: name.text, expected: "@name=value" });
  }
  if (options.aliases?.some((other) => other.name === alias)) {
    throw syntaxError({ offset: name.base, found: name.text, expected: "each option once" });
  }
  (options.aliases ??= []).push({
    kind: "aliasAndValue",
    offset: name.base,
    name: alias,
    value: parseText(value, (parser) => parser.valueInUrl(), how),
  });
}

/** An option without `$`: a system option, unless it is none or its value is none. */
function parseNamed(reading: Reading, option: RawOption): void {
  const { options } = reading;
  const { name, value } = option;
  const system = SYSTEM_OPTIONS.get(name.text.toLowerCase());
  let error: ServiceError | undefined;
  if (system !== undefined && !DOLLAR_REQUIRED.has(system)) {
    try {
      parseSystemOption(reading, system, option);
    } catch (problem) {
      if (!(problem instanceof ServiceError)) throw problem;
      error = problem;
    }
  }
  (options.custom ??= []).push({
    offset: name.base,
    name: name.text,
    value: value?.text ?? "",
    valueOffset: value?.base ?? name.base + name.raw.length,
    ...(system === undefined || DOLLAR_REQUIRED.has(system) ? {} : { system }),
    ...(error === undefined ? {} : { error }),
  });
}

function parseSystemOption(reading: Reading, name: string, option: RawOption): void {
  const { offsets } = reading.options;
  const value = option.value ??
    { text: "", raw: "", base: option.name.base + option.name.raw.length };
  if (offsets[name] !== undefined) {
    throw syntaxError({ offset: option.name.base, found: option.name.text, expected: "each option once" });
  }
  setOption(reading, name, value);
  offsets[name] = option.name.base;
}

function setOption({ options, how }: Reading, name: string, value: Piece): void {
  switch (name) {
    case "apply":
      options.apply = parseText(value, (parser) => parser.applyExpr(), { ...how, mode: "apply" });
      return;
    case "compute":
      options.compute = parseText(value, (parser) => parser.compute(), how);
      return;
    case "count":
      options.count = booleanOption(value);
      return;
    case "expand":
      // An empty list expands nothing.
      options.expand = value.text === "" ? [] : parseText(value, (parser) => parser.expand(), how);
      return;
    case "filter":
      options.filter = parseText(value, (parser) => parser.commonExpr(), how);
      return;
    case "orderby":
      options.orderby = parseText(value, (parser) => parser.orderby(), how);
      return;
    case "search": {
      const search = searchOption(value, how.limits);
      if (search) options.search = search;
      return;
    }
    case "select":
      options.select = parseText(value, (parser) => parser.select(), how);
      return;
    case "skip":
      options.skip = numberOption(value);
      (options.valueOffsets ??= {}).skip = value.base;
      return;
    case "top":
      options.top = numberOption(value);
      (options.valueOffsets ??= {}).top = value.base;
      return;
    case "index":
      options.index = indexOption(value);
      return;
    case "at":
    case "from":
    case "to":
    case "toInclusive":
      options.temporal = {
        ...options.temporal,
        [name]: parseText(value, (parser) => parser.temporal(), how),
      };
      return;
    case "format":
    case "id":
    case "schemaversion":
    case "deltatoken":
    case "skiptoken":
      options[name] = textOption(value, name);
      if (name === "skiptoken") (options.valueOffsets ??= {}).skiptoken = value.base;
  }
}

/** The text to search for; nothing finds all rows, as a field that was emptied asks for. */
function searchOption(value: Piece, limits: Limits): SearchExpr | undefined {
  const blanks = /^[ \t]*/.exec(value.text)![0].length;
  if (blanks === value.text.length) return undefined;
  const from = rawOffset(value, blanks) - value.base;
  const trimmed = blanks === 0
    ? value
    : { text: value.text.slice(blanks), raw: value.raw.slice(from), base: value.base + from };
  return parseText(trimmed, (parser) => parser.searchText(), { mode: "search", limits });
}

function booleanOption({ text, base }: Piece): boolean {
  const lower = text.toLowerCase();
  if (lower !== "true" && lower !== "false") {
    throw syntaxError({ offset: base, found: text, expected: '"true" or "false"' });
  }
  return lower === "true";
}

function numberOption({ text, base }: Piece): number {
  const number = wholeNumber(text);
  if (number === undefined) {
    throw syntaxError({ offset: base, found: text, expected: "a non-negative integer" });
  }
  return number;
}

function indexOption({ text, base }: Piece): number {
  const number = Number(text);
  if (!/^-?\d+$/.test(text) || !Number.isSafeInteger(number)) {
    throw syntaxError({ offset: base, found: text, expected: "an integer" });
  }
  return number;
}

/** Options that not every text is a value of, and what is expected instead. */
const TEXT_FORMS: Readonly<Record<string, readonly [RegExp, string]>> = {
  format: [/^(?:atom|json|xml|[^/]+\/[^/]+)$/i, 'json, xml or a media type like "application/json"'],
  schemaversion: [/^(?:\*|[\w.~-]+)$/, "a version or *"],
};

function textOption({ text, base }: Piece, name: string): string {
  const [form, expected] = TEXT_FORMS[name] ?? [/./s, `a value of $${name}`];
  if (!form.test(text)) throw syntaxError({ offset: base, found: text, expected });
  return text;
}
