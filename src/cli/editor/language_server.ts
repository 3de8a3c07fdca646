/**
 * The answers of the language server (LSP 3.17), apart from how messages come and go.
 *
 * @module
 */

import { nearestName } from "../../util/nearest_name.ts";
import type { CsnDefinition } from "../../model/csn.ts";
import { formatCdl } from "./format_cdl.ts";
import { completionsAt } from "./completion.ts";
import { editorTokens, namePaths } from "./cdl_tokens.ts";
import { type Occurrence, occurrencesOf, offsetOf, symbolAt } from "./resolve_symbol.ts";
import { type Finding, type OpenSource, Workspace } from "./workspace.ts";
import { unqualified } from "../../util/unqualified.ts";

/** A position: line and character from 0, as LSP has them. */
export interface Position {
  readonly line: number;
  readonly character: number;
}

/** From a position to another. */
export interface Range {
  readonly start: Position;
  readonly end: Position;
}

/** What requests about a place carry. */
export interface PlaceParams {
  readonly textDocument: { readonly uri: string };
  readonly position: Position;
}

/** What the server can do, as `initialize` tells. */
export const CAPABILITIES = {
  textDocumentSync: { openClose: true, change: 1, save: true },
  completionProvider: { triggerCharacters: [":", ".", "@", " "] },
  hoverProvider: true,
  definitionProvider: true,
  referencesProvider: true,
  renameProvider: true,
  documentFormattingProvider: true,
  documentSymbolProvider: true,
  codeActionProvider: true,
} as const;

/** LSP numbers of kinds of symbols. */
const KINDS: Readonly<Record<string, number>> = {
  service: 2,
  context: 3,
  entity: 5,
  type: 26,
  aspect: 11,
  event: 24,
  action: 12,
  function: 12,
};
const FIELD = 8;
const ERROR = 1;
const WARNING = 2;

/** Answers requests about the sources of a project. */
export class LanguageServer {
  readonly workspace: Workspace;
  #reported: ReadonlySet<string> = new Set();

  /** Looks at the project in a folder. */
  constructor(root: string) {
    this.workspace = new Workspace(root);
  }

  /** Takes a source as it is typed; undefined: it was closed. */
  change(uri: string, text: string | undefined): void {
    this.workspace.change(pathOf(uri), text);
  }

  /** Mistakes and remarks by file; files that have none any more are among them. */
  diagnostics(): readonly { readonly uri: string; readonly diagnostics: readonly unknown[] }[] {
    const byFile = Map.groupBy(this.workspace.check(), ({ file }) => file);
    const cleared = [...this.#reported].filter((file) => !byFile.has(file));
    this.#reported = new Set(byFile.keys());
    return [...byFile, ...cleared.map((file) => [file, [] as Finding[]] as const)].map((
      [file, findings],
    ) => ({
      uri: uriOf(file),
      diagnostics: findings.map((finding) => this.#diagnostic(finding)),
    }));
  }

  #diagnostic({ file, line, column, text, isRemark }: Finding): unknown {
    const [row = ""] = this.workspace.text(file)?.split("\n").slice(line - 1, line) ?? [];
    const start = { line: line - 1, character: column - 1 };
    const word = markedIn(row.slice(column - 1), text) ?? " ";
    const end = { ...start, character: start.character + word.length };
    return { range: { start, end }, severity: isRemark ? WARNING : ERROR, source: "fw", message: text };
  }

  /** What may stand at a place. */
  completion({ textDocument, position }: PlaceParams): unknown {
    const source = this.#source(textDocument.uri);
    return source ? completionsAt(this.workspace, source, toOffset(source.text, position)) : [];
  }

  /** What a name means, with its doc comment. */
  hover(params: PlaceParams): unknown {
    const found = this.#symbol(params);
    if (!found) return null;
    const { meaning: { name, element, node } } = found;
    const head = element === undefined
      ? `${(node as CsnDefinition).kind} ${name}`
      : `${name}:${element} : ${typeText(node)}`;
    const doc = (node as { readonly doc?: unknown }).doc;
    const value = `\`\`\`cds\n${head}\n\`\`\`${typeof doc === "string" ? `\n\n${doc}` : ""}`;
    return { contents: { kind: "markdown", value }, range: this.#rangeOf(found) };
  }

  /** Where a name is declared. */
  definition(params: PlaceParams): unknown {
    const { $location } = this.#symbol(params)?.meaning.node ?? {};
    if (!$location || !$location.file.startsWith("/")) return null;
    const start = { line: $location.line - 1, character: $location.col - 1 };
    return { uri: uriOf($location.file), range: { start, end: start } };
  }

  /** Everywhere a name stands. */
  references(params: PlaceParams): unknown {
    return this.#occurrences(params).map((one) => ({ uri: uriOf(one.path), range: this.#rangeOf(one) }));
  }

  /** Another name, everywhere. */
  rename({ newName, ...params }: PlaceParams & { readonly newName: string }): unknown {
    if (!/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(newName)) {
      throw new TypeError(`"${newName}" is no name: expected letters, digits and _`);
    }
    const changes: Record<string, unknown[]> = {};
    for (const one of this.#occurrences(params)) {
      (changes[uriOf(one.path)] ??= []).push({ range: this.#rangeOf(one), newText: newName });
    }
    return { changes };
  }

  /** The layout of a source. */
  formatting({ textDocument }: { readonly textDocument: { readonly uri: string } }): unknown {
    const source = this.#source(textDocument.uri);
    if (!source) return null;
    const newText = formatCdl(source.text);
    if (newText === source.text) return [];
    const range = { start: { line: 0, character: 0 }, end: toPosition(source.text, source.text.length) };
    return [{ range, newText }];
  }

  /** The outline of a source. */
  documentSymbol({ textDocument }: { readonly textDocument: { readonly uri: string } }): unknown {
    const path = pathOf(textDocument.uri);
    return Object.entries(this.workspace.model.definitions ?? {})
      .filter(([, { $location }]) => $location?.file === path)
      .map(([name, definition]) => ({
        ...outline(name, definition, KINDS[definition.kind ?? ""] ?? FIELD),
        children: Object.entries(definition.elements ?? {})
          .filter(([, { $location }]) => $location?.file === path)
          .map(([element, node]) => outline(element, node, FIELD)),
      }));
  }

  /** Ways out of mistakes: the name that a message suggests. */
  codeAction(
    { textDocument: { uri }, context }: {
      readonly textDocument: { readonly uri: string };
      readonly context: {
        readonly diagnostics: readonly { readonly message: string; readonly range: Range }[];
      };
    },
  ): unknown {
    return context.diagnostics.flatMap((diagnostic) => {
      const { message, range } = diagnostic;
      const [, suggested] = /did you mean "([^"]+)"/.exec(message) ?? [];
      const name = suggested ?? this.#nearest(uri, range);
      if (name === undefined) return [];
      const edit = { changes: { [uri]: [{ range, newText: name }] } };
      return [{ title: `Replace with ${name}`, kind: "quickfix", diagnostics: [diagnostic], edit }];
    });
  }

  #nearest(uri: string, range: Range): string | undefined {
    const text = this.#source(uri)?.text;
    if (text === undefined) return undefined;
    const written = text.slice(toOffset(text, range.start), toOffset(text, range.end));
    const names = this.workspace.declared().map(({ name, element }) => element ?? unqualified(name));
    return names.includes(written) ? undefined : nearestName(written, [...new Set(names)]);
  }

  #source(uri: string): OpenSource | undefined {
    return this.workspace.source(pathOf(uri));
  }

  #symbol({ textDocument, position }: PlaceParams): Occurrence | undefined {
    const source = this.#source(textDocument.uri);
    return source && symbolAt(this.workspace, source, toOffset(source.text, position));
  }

  #occurrences(params: PlaceParams): readonly Occurrence[] {
    const found = this.#symbol(params);
    return found ? occurrencesOf(this.workspace, found.meaning) : [];
  }

  #rangeOf({ path, token }: Occurrence): Range {
    const { text } = this.workspace.source(path)!;
    return { start: toPosition(text, token.start), end: toPosition(text, token.start + token.text.length) };
  }
}

/** What a mistake is about, by the rest of its line: the path that its text names, else the first token. */
function markedIn(rest: string, message: string): string | undefined {
  const tokens = editorTokens(rest);
  const [first] = tokens;
  if (first?.start !== 0) return undefined;
  const [path] = namePaths(tokens);
  const last = path?.parts[0] === first ? path.parts.at(-1) : undefined;
  const whole = last && rest.slice(0, last.start + last.text.length);
  return whole !== undefined && message.includes(`"${whole}"`) ? whole : first.text;
}

function outline(name: string, { $location }: Pick<CsnDefinition, "$location">, kind: number) {
  const start = { line: ($location?.line ?? 1) - 1, character: ($location?.col ?? 1) - 1 };
  const range = { start, end: { ...start, character: start.character + name.length } };
  return { name, kind, range, selectionRange: range };
}

function typeText(node: object): string {
  const { type, target, items, elements } = node as Record<string, unknown>;
  if (target) return `${String(type).replace("cds.", "")} to ${String(target)}`;
  if (items) return "array of …";
  if (elements) return "{ … }";
  return typeof type === "string" ? type.replace(/^cds\./, "") : "…";
}

/** Offset of a position. */
export function toOffset(text: string, { line, character }: Position): number {
  return Math.min(offsetOf(text, { line: line + 1, col: character + 1 }), text.length);
}

/** Position of an offset. */
export function toPosition(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  const line = before.split("\n").length - 1;
  return { line, character: offset - (before.lastIndexOf("\n") + 1) };
}

/** Path of a URI. */
export function pathOf(uri: string): string {
  return uri.startsWith("file:") ? decodeURIComponent(new URL(uri).pathname) : uri;
}

function uriOf(path: string): string {
  return path.startsWith("/") ? `file://${path.split("/").map(encodeURIComponent).join("/")}` : path;
}
