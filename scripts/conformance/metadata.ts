/**
 * The `metadata` conformance suite: the CSDL of every service of the recorded models means the same as the metadata
 * document that was recorded. Both are parsed; order, prefixes and members with their default value do not count.
 *
 * @module
 */

import csdl from "odata-csdl";
import { compile } from "../../src/fw/facade_compile.ts";
import type { DraftApiOptions } from "../../src/model/drafts/draft_api.ts";
import { linkModel } from "../../src/model/link_model.ts";
import type { LinkedModel } from "../../src/model/linked.ts";
import { compiledModel } from "../fixtures/fixture_model.ts";
import { difference } from "./json_difference.ts";
import type { SuiteResult } from "./suite_result.ts";

/** Members of recorded documents that ours do not have, with the reason. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  "@Core.Links": "names the authors of the runtime that was recorded",
};

/** Labels of the recorded runtime, which ours names in its own words. */
const LABELS: ReadonlySet<string> = new Set(["@Common.Label", "@Core.Description"]);

/** What absent members mean (CSDL JSON 4.01, clauses 7.2.3, 12.5 and 12.8). */
const DEFAULTS: Readonly<Record<string, unknown>> = {
  $IsBound: false,
  $IsComposable: false,
  $Scale: "variable",
};

/**
 * Compares all services: of the compiled models, and of those compiled from sources where these are there.
 *
 * @param casesDir the folder that holds `cap/models/<model>` with `csn.json`, `metadata` and maybe `cds`
 * @returns counts, the services that differ, and in notes the first difference of each
 */
export function runMetadataSuite(casesDir: string): SuiteResult {
  const failed: string[] = [];
  const notes = Object.entries(LEFT_OUT).map(([member, reason]) =>
    `"${member}" does not count: it ${reason}`
  );
  let total = 0;
  for (const model of names(`${casesDir}/cap/models`)) {
    for (const { id, found } of compareAll(`${casesDir}/cap/models/${model}`)) {
      total++;
      if (found === undefined) continue;
      failed.push(id);
      notes.push(`${id}: ${found}`);
    }
  }
  const drafts = draftMetadata(casesDir, notes);
  return {
    suite: "metadata",
    passed: total - failed.length,
    total,
    failed,
    notes: [...notes, `drafts: ${drafts.passed}/${drafts.total}`],
    apart: { drafts },
  };
}

/** The same for the services with drafts, apart from the total. */
function draftMetadata(casesDir: string, notes: string[]): { passed: number; total: number } {
  const folder = `${casesDir}/drafts/models/draft`;
  const all = isFolder(folder) ? [...compareAll(folder)] : [];
  for (const { id, found } of all) if (found !== undefined) notes.push(`${id}: ${found}`);
  return { passed: all.filter(({ found }) => found === undefined).length, total: all.length };
}

interface Compared {
  readonly id: string;
  /** The first difference. */
  readonly found: string | undefined;
}

function* compareAll(folder: string): Iterable<Compared> {
  for (const [from, linked] of modelsOf(folder)) {
    for (const file of names(`${folder}/metadata`)) {
      const name = file.replace(/\.xml$/, "");
      const found = compare(linked, name, Deno.readTextFileSync(`${folder}/metadata/${file}`));
      yield { id: `${name} (${from})`, found };
    }
  }
}

function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Configurations of drafts by the ending of a file. */
const DRAFT_VARIANTS: Readonly<Record<string, DraftApiOptions>> = {
  "draft-agnostic": { messages: true, newAction: true },
  "draft-nomessages": { messages: false, newAction: false },
};

function* modelsOf(folder: string): Iterable<readonly [string, LinkedModel]> {
  yield ["csn.json", linkModel(JSON.parse(Deno.readTextFileSync(`${folder}/csn.json`)))];
  const compiled = compiledModel(folder);
  if (compiled) yield ["cds", linkModel(compiled)];
}

function names(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
}

function compare(model: LinkedModel, name: string, recorded: string): string | undefined {
  const [service, variant] = serviceAndVariant(model, name);
  const drafts = variant === undefined ? undefined : DRAFT_VARIANTS[variant];
  const isLabeled = !service.startsWith("draft.");
  const parse = (xml: string) => {
    const document = meaning(csdl.xml2json(xml, { annotations: true }));
    return isLabeled ? document : withoutLabels(document);
  };
  try {
    return difference(parse(recorded), parse(compile.to.edmx(model, { service, drafts })));
  } catch (error) {
    return (error as Error).message;
  }
}

/** `TripService.draft-agnostic` is `draft.TripService` in another configuration. */
function serviceAndVariant(model: LinkedModel, name: string): readonly [string, string | undefined] {
  if (model.service(name)) return [name, undefined];
  const [local, variant] = name.split(".");
  const found = model.services.find((service) => service.name.split(".").at(-1) === local);
  return found ? [found.name, variant] : [name, undefined];
}

function withoutLabels(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutLabels);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !LABELS.has(name));
  // what has only labels is not annotated otherwise
  return Object.fromEntries(
    kept.map(([name, inner]) => [name, withoutLabels(inner)] as const)
      .filter(([, inner]) => JSON.stringify(inner) !== "{}"),
  );
}

function isOperation(value: unknown): boolean {
  const kind = (value as { readonly $Kind?: unknown } | null)?.$Kind;
  return kind === "Action" || kind === "Function";
}

function meaning(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(meaning);
    // the order of overloads means nothing
    return items.some(isOperation) ? items.map((item) => JSON.stringify(item)).sort() : items;
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, inner]) =>
        !Object.hasOwn(LEFT_OUT, name) && !(Object.hasOwn(DEFAULTS, name) && DEFAULTS[name] === inner)
      )
      .map(([name, inner]) => [name, meaning(inner)]),
  );
}
