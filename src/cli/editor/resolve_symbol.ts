/**
 * What the names in a source mean.
 *
 * @module
 */

import type { CsnDefinition } from "../../model/csn.ts";
import type { EditorToken } from "./cdl_tokens.ts";
import type { Declared, OpenSource, Workspace } from "./workspace.ts";

/** A name at a place. */
export interface Occurrence {
  readonly path: string;
  readonly token: EditorToken;
  readonly meaning: Declared;
}

/** The name at an offset, and what it means. */
export function symbolAt(workspace: Workspace, source: OpenSource, offset: number): Occurrence | undefined {
  return occurrencesIn(workspace, source).find(({ token }) =>
    token.start <= offset && offset <= token.start + token.text.length
  );
}

/** All places where a meaning is named. */
export function occurrencesOf(workspace: Workspace, meaning: Declared): readonly Occurrence[] {
  const sources = workspace.files().flatMap((path) => workspace.source(path) ?? []);
  return sources.flatMap((source) => occurrencesIn(workspace, source)).filter(({ meaning: found }) =>
    found.name === meaning.name && found.element === meaning.element
  );
}

/** The names in a source that mean something, with what they mean. */
export function occurrencesIn(workspace: Workspace, source: OpenSource): readonly Occurrence[] {
  const scopes = scopesOf(workspace, source);
  return source.paths.flatMap(({ parts }) => {
    const declared = scopes.find(({ start }) => start === parts[0]!.start);
    if (declared) {
      const meaning = { name: declared.name, node: declared.definition };
      return [{ path: source.path, token: parts.at(-1)!, meaning }];
    }
    // each part has a meaning of its own: in "author.name" the association, and an element of its target
    return parts.flatMap((token, i) => {
      const meaning = meaningOf(workspace, { source, scopes, parts: parts.slice(0, i + 1) });
      return meaning ? [{ path: source.path, token, meaning }] : [];
    });
  });
}

interface Scope {
  readonly name: string;
  readonly definition: CsnDefinition;
  readonly start: number;
  readonly end: number;
}

/** The definitions of a source with the brackets that belong to them. */
function scopesOf(workspace: Workspace, { path, text, tokens }: OpenSource): readonly Scope[] {
  const definitions = Object.entries(workspace.model.definitions ?? {});
  return definitions.filter(([, { $location }]) => $location?.file === path).map(([name, definition]) => {
    const start = offsetOf(text, definition.$location!);
    return { name, definition, start, end: endOf(tokens, start) };
  }).sort((a, b) => b.start - a.start);
}

/** Where a definition ends: behind its last bracket, or at its semicolon. */
function endOf(tokens: readonly EditorToken[], start: number): number {
  let depth = 0;
  for (const { start: at, text, kind } of tokens) {
    if (at < start || kind !== "sign") continue;
    if (/[{([]/.test(text)) depth++;
    if (/[})\]]/.test(text) && --depth < 0) return at;
    if (text === ";" && depth === 0) return at;
  }
  return Infinity;
}

/** Offset of a place. */
export function offsetOf(
  text: string,
  { line, col }: { readonly line: number; readonly col: number },
): number {
  let start = 0;
  for (let number = 1; number < line; number++) {
    const end = text.indexOf("\n", start);
    if (end < 0) return text.length;
    start = end + 1;
  }
  return start + col - 1;
}

interface Question {
  readonly source: OpenSource;
  readonly scopes: readonly Scope[];
  readonly parts: readonly EditorToken[];
}

/** What a path means: an element of what is around it, else a definition. */
function meaningOf(workspace: Workspace, { source, scopes, parts }: Question): Declared | undefined {
  const definitions = workspace.model.definitions ?? {};
  const names = parts.map(({ text }) => plain(text));
  const last = parts.at(-1)!;
  const enclosing = scopes.filter(({ start, end }) => start <= last.start && last.start <= end);
  for (const { name, definition } of enclosing) {
    const found = elementIn(definitions, { name, definition, names });
    if (found) return found;
  }
  const full = fullName(workspace, { source, names, enclosing });
  return full === undefined ? undefined : { name: full, node: definitions[full]! };
}

function plain(text: string): string {
  return text.replace(/^!\[(.*?)\]?$/, "$1");
}

/** An element of the definition around, along associations, or of what it is a projection on. */
function elementIn(
  definitions: Readonly<Record<string, CsnDefinition>>,
  { name, definition, names, passed = [] }: {
    readonly name: string;
    readonly definition: CsnDefinition;
    readonly names: readonly string[];
    /** Projections on the way here. */
    readonly passed?: readonly string[];
  },
): Declared | undefined {
  const [first, ...rest] = names;
  const element = definition.elements?.[first!];
  if (element) {
    if (rest.length === 0) return { name, element: first, node: element };
    const { target } = element as { readonly target?: unknown };
    const next = typeof target === "string" ? definitions[target] : undefined;
    return next && elementIn(definitions, { name: target as string, definition: next, names: rest });
  }
  const { projection, query } = definition as {
    readonly projection?: { readonly from?: { readonly ref?: readonly unknown[] } };
    readonly query?: { readonly SELECT?: { readonly from?: { readonly ref?: readonly unknown[] } } };
  };
  const [origin] = (projection ?? query?.SELECT)?.from?.ref ?? [];
  const seen = [...passed, name];
  // while they are typed, projections may lead back to themselves
  const below = typeof origin === "string" && !seen.includes(origin) ? definitions[origin] : undefined;
  return below && elementIn(definitions, { name: origin as string, definition: below, names, passed: seen });
}

/** A definition by its name as written: below what is around, in the namespace, or by what is imported. */
function fullName(
  workspace: Workspace,
  { source, names, enclosing }: {
    readonly source: OpenSource;
    readonly names: readonly string[];
    readonly enclosing: readonly Scope[];
  },
): string | undefined {
  const definitions = workspace.model.definitions ?? {};
  const written = names.join(".");
  const [, namespace] = /\bnamespace\s+([\w.]+)/.exec(source.text) ?? [];
  const prefixes = [...enclosing.map(({ name }) => `${name}.`), ...namespace ? [`${namespace}.`] : [], ""];
  const direct = prefixes.map((prefix) => prefix + written).find((name) => Object.hasOwn(definitions, name));
  if (direct !== undefined) return direct;
  const imported = Object.keys(definitions).filter((name) => name.endsWith(`.${written}`));
  return imported.length === 1 ? imported[0] : undefined;
}
