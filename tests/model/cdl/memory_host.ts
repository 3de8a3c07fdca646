/**
 * Sources in memory, for compiler tests.
 *
 * @module
 */

import assert from "node:assert/strict";
import { compileCdl } from "../../../src/model/cdl/compile_cdl.ts";
import type { SourceHost } from "../../../src/model/resolve_module.ts";
import type { Csn, CsnDefinition, CsnElement } from "../../../src/model/csn.ts";

/** A host over a record of path → text. */
export function memoryHost(files: Readonly<Record<string, string>>): SourceHost {
  return { readFile: (path) => Object.hasOwn(files, path) ? files[path] : undefined };
}

/** Compiles one text. */
export function compile(text: string, options = {}): Csn {
  return compileCdl(["m.cds"], memoryHost({ "m.cds": text }), options);
}

/** Compiles one text and gives one definition. */
export function definition(text: string, name: string): CsnDefinition {
  const found = compile(text).definitions?.[name];
  assert.ok(found, `${name} in ${text}`);
  return found;
}

/** Compiles the elements of an entity `E`, after some other definitions. */
export function elements(text: string, others = ""): Readonly<Record<string, CsnElement>> {
  return definition(`${others} entity E { ${text} }`, "E").elements ?? {};
}

/** Compiles one text and expects a failure with exactly this message. */
export function rejects(text: string, message: string): void {
  assert.throws(() => compile(text), { name: "ConfigurationError", message }, text);
}
