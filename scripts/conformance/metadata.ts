/**
 * The `metadata` conformance suite: the CSDL of every service of the recorded models means the same as the metadata
 * document that was recorded. Both are parsed; order, prefixes and members with their default value do not count.
 *
 * @module
 */

import csdl from "odata-csdl";
import { compile } from "../../src/fw/facade_compile.ts";
import { linkModel } from "../../src/model/link_model.ts";
import type { LinkedModel } from "../../src/model/linked.ts";
import { compiledModel } from "../fixtures/fixture_model.ts";
import { difference } from "./json_difference.ts";
import type { SuiteResult } from "./suite_result.ts";

/** Members of recorded documents that ours do not have, with the reason. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  "@Core.Links": "names the authors of the runtime that was recorded",
};

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
    const folder = `${casesDir}/cap/models/${model}`;
    for (const [from, linked] of modelsOf(folder)) {
      for (const file of names(`${folder}/metadata`)) {
        total++;
        const service = file.replace(/\.xml$/, "");
        const found = compare(linked, service, Deno.readTextFileSync(`${folder}/metadata/${file}`));
        if (found === undefined) continue;
        failed.push(`${service} (${from})`);
        notes.push(`${service} (${from}): ${found}`);
      }
    }
  }
  return { suite: "metadata", passed: total - failed.length, total, failed, notes };
}

function* modelsOf(folder: string): Iterable<readonly [string, LinkedModel]> {
  yield ["csn.json", linkModel(JSON.parse(Deno.readTextFileSync(`${folder}/csn.json`)))];
  const compiled = compiledModel(folder);
  if (compiled) yield ["cds", linkModel(compiled)];
}

function names(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
}

function compare(model: LinkedModel, service: string, recorded: string): string | undefined {
  const parse = (xml: string) => meaning(csdl.xml2json(xml, { annotations: true }));
  try {
    return difference(parse(recorded), parse(compile.to.edmx(model, { service })));
  } catch (error) {
    return (error as Error).message;
  }
}

function meaning(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(meaning);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, inner]) =>
        !Object.hasOwn(LEFT_OUT, name) && !(Object.hasOwn(DEFAULTS, name) && DEFAULTS[name] === inner)
      )
      .map(([name, inner]) => [name, meaning(inner)]),
  );
}
