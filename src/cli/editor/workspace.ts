/**
 * The model of a project as an editor has it: files on disk, and above them what is being typed.
 *
 * @module
 */

import { ConfigurationError } from "../../errors/configuration_error.ts";
import type { Csn, CsnDefinition, CsnElement, SourceLocation } from "../../model/csn.ts";
import { compileCdl, parseCdl } from "../../model/cdl/compile_cdl.ts";
import type { ParsedModules } from "../../model/cdl/load_modules.ts";
import { findModelFiles } from "../../deno/find_model_files.ts";
import { readConfiguration } from "../../deno/read_configuration.ts";
import { readTextIfExists } from "../../deno/text_files.ts";
import { sourceHost } from "../../deno/source_host.ts";
import { type EditorToken, editorTokens, type NamePath, namePaths } from "./cdl_tokens.ts";

/** A mistake or a remark at a place. */
export interface Finding {
  readonly file: string;
  /** Line and column, from 1. */
  readonly line: number;
  readonly column: number;
  readonly text: string;
  readonly isRemark: boolean;
}

/** Something that has a name: a definition, or an element of one. */
export interface Declared {
  /** Full name of the definition. */
  readonly name: string;
  /** Name of the element; undefined for the definition itself. */
  readonly element?: string;
  readonly node: CsnDefinition | CsnElement;
}

/** A source with its tokens. */
export interface OpenSource {
  readonly path: string;
  readonly text: string;
  readonly tokens: readonly EditorToken[];
  readonly paths: readonly NamePath[];
}

/** Files, and the last model that could be made of them. */
export class Workspace {
  /** Absolute path of the project. */
  readonly root: string;
  readonly #typed: Map<string, string> = new Map();
  readonly #sources: Map<string, OpenSource> = new Map();
  readonly #parsed: ParsedModules = new Map();
  #model: Csn = { definitions: {} };

  /** Looks at nothing yet. */
  constructor(root: string) {
    this.root = root;
  }

  /** The last model without mistakes. */
  get model(): Csn {
    return this.#model;
  }

  /** Takes what an editor holds; undefined: what is on disk counts. */
  change(path: string, text: string | undefined): void {
    if (text === undefined) this.#typed.delete(path);
    else this.#typed.set(path, text);
  }

  /** The text of a source, as typed or as stored. */
  text(path: string): string | undefined {
    return this.#typed.get(path) ?? readTextIfExists(path);
  }

  /** A source, as typed or as stored. */
  source(path: string): OpenSource | undefined {
    const text = this.text(path);
    if (text === undefined) return undefined;
    const known = this.#sources.get(path);
    if (known?.text === text) return known;
    const tokens = editorTokens(text);
    const source = { path, text, tokens, paths: namePaths(tokens) };
    this.#sources.set(path, source);
    return source;
  }

  /** The files of the model, and those that are being typed. */
  files(): readonly string[] {
    return [...new Set([...this.#roots(), ...this.#typed.keys(), ...this.#used()])];
  }

  /** Compiles everything; what is wrong is given, and the model before stays. */
  check(): readonly Finding[] {
    const remarks: Finding[] = [];
    const warn = (text: string, { file, line, col }: SourceLocation) => {
      remarks.push({ file, line, column: col, text, isRemark: true });
    };
    try {
      const host = sourceHost((path) => this.text(path));
      const roots = [...new Set([...this.#roots(), ...this.#typed.keys()])];
      if (roots.length > 0) this.#model = compileCdl(roots, host, { docs: true, warn, parsed: this.#parsed });
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      if (Object.keys(this.#model.definitions ?? {}).length === 0) this.#model = this.#partial();
      return [...remarks, ...[error, ...error.others].map((one) => this.#finding(one))];
    }
    return remarks;
  }

  /** What the files say by themselves, as long as there has been no model without mistakes; as stored where typed is wrong. */
  #partial(): Csn {
    const parse = (path: string) => {
      for (const text of [this.#typed.get(path), readTextIfExists(path)]) {
        try {
          if (text !== undefined) return parseCdl(text, path, { docs: true }).definitions ?? {};
        } catch (error) {
          if (!(error instanceof ConfigurationError)) throw error;
        }
      }
      return {};
    };
    return { definitions: Object.assign({}, ...[...this.#roots(), ...this.#typed.keys()].map(parse)) };
  }

  #finding({ file, line = 1, column = 1, text }: ConfigurationError): Finding {
    return { file: file ?? this.#roots()[0] ?? this.root, line, column, text, isRemark: false };
  }

  #roots(): readonly string[] {
    try {
      return findModelFiles(this.root, readConfiguration(this.root).env).filter((file) =>
        file.endsWith(".cds")
      );
    } catch (error) {
      if (error instanceof ConfigurationError) return [];
      throw error;
    }
  }

  /** Files that others use: those where definitions of the model stand. */
  #used(): readonly string[] {
    const places = Object.values(this.#model.definitions ?? {}).map(({ $location }) => $location?.file ?? "");
    return places.filter((file) => file.startsWith("/") && this.text(file) !== undefined);
  }

  /** All definitions and elements, with their places. */
  declared(): readonly Declared[] {
    return Object.entries(this.#model.definitions ?? {}).flatMap(([name, node]) => [
      { name, node },
      ...Object.entries(node.elements ?? {}).map(([element, node]) => ({ name, element, node })),
    ]);
  }
}
