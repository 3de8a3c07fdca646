import assert from "node:assert/strict";
import fc from "fast-check";
import { renderDdl } from "../../../src/db/ddl/render_ddl.ts";
import { ConfigurationError } from "../../../src/errors/configuration_error.ts";
import { buildCsdl } from "../../../src/model/csdl/build_csdl.ts";
import { writeCsdlJson } from "../../../src/model/csdl/write_csdl_json.ts";
import { writeCsdlXml } from "../../../src/model/csdl/write_csdl_xml.ts";
import { inferModel } from "../../../src/model/infer_model.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import { modelWarnings } from "../../../src/model/warnings/model_warnings.ts";
import { propertyRuns } from "../../property_runs.ts";
import { LANGUAGE_CASES } from "./language_cases.ts";
import { compile } from "./memory_host.ts";

const REFERENCE = "scripts/fixtures/reference/model.cds";
const TEXTS = [...LANGUAGE_CASES.map(({ text }) => text), Deno.readTextFileSync(REFERENCE)];
const TOKENS = TEXTS.map((text) => text.match(/\s+|[A-Za-z_$][\w$]*|'[^']*'|\d+|[^]/g) ?? []);

/** Everything that a model is used for. */
function useModel(text: string): void {
  const parsed = compile(text, { docs: true });
  const inferred = inferModel(parsed);
  modelWarnings(parsed, inferred);
  const model = linkModel(inferred);
  for (const service of model.services) {
    const csdl = buildCsdl(service, model);
    writeCsdlXml(csdl);
    writeCsdlJson(csdl);
  }
  renderDdl(model);
}

/** Mistakes have a place inside of the text. */
function failsOrderly(text: string): void {
  try {
    useModel(text);
  } catch (error) {
    assert.ok(error instanceof ConfigurationError, `${(error as Error).stack}\nfor ${text}`);
    for (const { line, column, message } of [error, ...error.others]) {
      const lines = text.split("\n");
      assert.ok(line !== undefined && column !== undefined, `${message}\nhas no place in ${text}`);
      assert.ok(line >= 1 && line <= lines.length, `${message}\nis outside of ${text}`);
      assert.ok(column >= 1 && column <= lines[line - 1].length + 1, `${message}\nis outside of ${text}`);
    }
  }
}

Deno.test("compileCdl() accepts the texts that the next test changes", () => {
  for (const text of TEXTS) assert.doesNotThrow(() => compile(text), text);
});

Deno.test("models of changed texts are used, or refused with a place inside of the text", () => {
  const edit = fc.record({ kind: fc.nat(3), at: fc.nat(), other: fc.nat() });
  fc.assert(
    fc.property(fc.nat(TEXTS.length - 1), fc.array(edit, { minLength: 1, maxLength: 2 }), (index, edits) => {
      const tokens = [...TOKENS[index]];
      for (const { kind, at, other } of edits) {
        const [one, two] = [at % tokens.length, other % tokens.length];
        if (kind === 0) tokens.splice(one, 1); // left out
        else if (kind === 1) [tokens[one], tokens[two]] = [tokens[two], tokens[one]]; // swapped
        else if (kind === 2) tokens.splice(one, 0, tokens[one]); // doubled
        else tokens[one] = tokens[two]; // replaced
      }
      failsOrderly(tokens.join(""));
    }),
    propertyRuns(1000, 11),
  );
});
