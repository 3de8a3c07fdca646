/**
 * What may stand at a place in a model.
 *
 * @module
 */

import type { EditorToken } from "./cdl_tokens.ts";
import type { OpenSource, Workspace } from "./workspace.ts";
import { unqualified } from "../../util/unqualified.ts";

const TYPES = [
  "UUID",
  "Boolean",
  "Integer",
  "UInt8",
  "Int16",
  "Int32",
  "Int64",
  "Integer64",
  "Decimal",
  "Double",
  "Date",
  "Time",
  "DateTime",
  "Timestamp",
  "String",
  "Binary",
  "LargeBinary",
  "LargeString",
  "Vector",
];
const AFTER_COLON = [
  "Association to ",
  "Association to many ",
  "Composition of ",
  "Composition of many ",
  "array of ",
  "localized ",
];
const WORDS = [
  "namespace ",
  "using ",
  "from ",
  "service ",
  "entity ",
  "type ",
  "aspect ",
  "event ",
  "action ",
  "function ",
  "key ",
  "virtual ",
  "projection on ",
  "as ",
  "select ",
  "annotate ",
  "extend ",
  "with ",
  "returns ",
  "enum ",
  "default ",
  "not null",
  "on ",
  "where ",
  "excluding ",
  "actions ",
  "context ",
  "define ",
];
const ANNOTATIONS = [
  "@requires: ",
  "@restrict: ",
  "@readonly",
  "@insertonly",
  "@mandatory",
  "@title: ",
  "@path: ",
  "@protocol: ",
  "@assert.range: ",
  "@assert.format: ",
  "@assert.unique: ",
  "@assert.target",
  "@cds.persistence.skip",
  "@cds.redirection.target",
  "@cds.autoexpose",
  "@cds.search: ",
  "@odata.etag",
  "@odata.draft.enabled",
  "@odata.singleton",
  "@Core.MediaType: ",
  "@Core.Computed",
  "@restrict.where: ",
];
/** Kinds of LSP. */
const KEYWORD = 14;
const CLASS = 7;
const FIELD = 5;
const PROPERTY = 10;

/** Completions at an offset. */
export function completionsAt(workspace: Workspace, source: OpenSource, offset: number): readonly unknown[] {
  const before = source.text.slice(0, offset);
  if (isInText(source, offset)) return [];
  const [, word = ""] = /([@\p{L}\p{N}_$.]*)$/u.exec(before) ?? [];
  const context = before.slice(0, before.length - word.length).trimEnd();
  if (word.startsWith("@") || /@\s*$/.test(context)) {
    return ANNOTATIONS.map((label) => item(label.trim(), PROPERTY, label));
  }
  const names = definitionNames(workspace);
  if (/(?::|\bto|\bof|\bmany|\bon|\bfrom|\bannotate|\bextend|\bentity\s*:|,)$/.test(context)) {
    const types = /:$/.test(context)
      ? [...AFTER_COLON, ...TYPES].map((label) => item(label.trim(), KEYWORD, label))
      : [];
    return [...types, ...names, ...elementNames(workspace)];
  }
  return [...WORDS.map((label) => item(label.trim(), KEYWORD, label)), ...names, ...elementNames(workspace)];
}

function isInText({ tokens }: OpenSource, offset: number): boolean {
  return tokens.some((token) => {
    const { kind, start, text } = token;
    if (kind !== "comment" && kind !== "text") return false;
    return start < offset && offset < start + text.length + (isOpen(token) ? 1 : 0);
  });
}

/** Whether what is typed behind a comment or text belongs to it. */
function isOpen({ kind, text }: EditorToken): boolean {
  return kind === "comment" ? !text.endsWith("*/") : text.length === 1 || !text.endsWith(text[0]!);
}

/** Definitions by their short names; those that share one by their full names. */
function definitionNames(workspace: Workspace): readonly unknown[] {
  return Object.entries(workspace.model.definitions ?? {}).map(([name, { kind }]) =>
    item(unqualified(name), CLASS, undefined, `${kind} ${name}`)
  );
}

function elementNames(workspace: Workspace): readonly unknown[] {
  const names = workspace.declared().flatMap(({ element }) => element ?? []);
  return [...new Set(names)].map((name) => item(name, FIELD));
}

function item(label: string, ...[kind, insertText, detail]: readonly [number, string?, string?]) {
  return {
    label,
    kind,
    ...(insertText === undefined ? {} : { insertText }),
    ...(detail === undefined ? {} : { detail }),
  };
}
