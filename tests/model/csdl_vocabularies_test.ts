import assert from "node:assert/strict";
import type { Csdl, CsdlAnnotation, CsdlValue } from "../../src/model/csdl/csdl.ts";
import { usedVocabularies } from "../../src/model/csdl/vocabularies.ts";

const text: CsdlValue = { kind: "string", value: "a" };
const annotation = (
  term: string,
  value: CsdlValue = text,
  annotations: readonly CsdlAnnotation[] = [],
): CsdlAnnotation => ({ term, value, annotations });

Deno.test("vocabularies are those of all terms, types and members of annotations, of the schema, too, and two that clients expect", () => {
  const record = (type: string | undefined, annotations: readonly CsdlAnnotation[] = []): CsdlValue => ({
    kind: "record",
    type,
    properties: [["P", { kind: "enum", value: "Aggregation.A/B" }]],
    annotations,
  });
  const cases: readonly (readonly [CsdlAnnotation, more: readonly string[]])[] = [
    [annotation("UI.Hidden"), ["UI"]],
    [annotation("Own.Term"), []],
    [annotation("UI.Hidden", text, [annotation("Measures.Unit")]), ["Measures", "UI"]],
    [annotation("Own.Term", { kind: "collection", items: [record("Validation.T")] }), [
      "Aggregation",
      "Validation",
    ]],
    [annotation("Own.Term", record(undefined, [annotation("Session.A")])), ["Aggregation", "Session"]],
  ];
  const aliases = (csdl: Pick<Csdl, "schemaAnnotations" | "annotations">) =>
    usedVocabularies(csdl as Csdl).map(({ alias }) => alias);
  assert.deepEqual(aliases({ schemaAnnotations: [], annotations: [] }), ["Common", "Core"]);
  for (const [one, more] of cases) {
    const expected = ["Common", "Core", ...more].sort();
    assert.deepEqual(aliases({ schemaAnnotations: [one], annotations: [] }), expected, one.term);
    assert.deepEqual(aliases({ schemaAnnotations: [], annotations: [["S.E", [one]]] }), expected, one.term);
  }
});
