/**
 * From a parsed model to an inferred one: extensions applied, includes expanded, generated entities added, signatures
 * of views computed, associations redirected (csn-cqn 1).
 *
 * @module
 */

import type { Csn, CsnDefinition } from "./csn.ts";
import { Problems } from "./problems.ts";
import { applyExtensions, reportLateExtensions } from "./infer/apply_extensions.ts";
import { checkDependencies, checkStructures } from "./infer/check_cycles.ts";
import { checkReferences } from "./infer/check_references.ts";
import { copyDefinition, type Draft, emptyRecord } from "./infer/draft.ts";
import { expandIncludes } from "./infer/expand_includes.ts";
import { fillKeys } from "./infer/fill_keys.ts";
import { generateCompositions, nameGeneratedSources } from "./infer/generate_compositions.ts";
import { generateTexts } from "./infer/generate_texts.ts";
import { inferViews } from "./infer/infer_views.ts";
import { redirectAssociations } from "./infer/redirect_associations.ts";
import { resolveTypes } from "./infer/resolve_types.ts";
import { typeCalculated } from "./infer/type_calculated.ts";

type Pass = (draft: Draft) => void;

/**
 * Infers a model. A model that is inferred already is returned as it is.
 *
 * @param csn a parsed or inferred model; it is not changed
 * @returns the inferred model, marked by `meta.flavor`
 * @throws {ConfigurationError} with the place in the source, for references that lead nowhere and everything else
 *   that leaves no sound model; it names all mistakes of the first stage with mistakes
 */
export function inferModel(csn: Csn): Csn {
  if (isInferred(csn)) return csn;
  const draft = createDraft(csn);
  const extensions = csn.extensions ?? [];
  // Mistakes of one stage do not follow from each other; what comes after a stage would only repeat them.
  const stages: readonly (readonly Pass[])[] = [
    [() => applyExtensions(draft, extensions), expandIncludes],
    [resolveTypes],
    [checkStructures],
    [generateCompositions, generateTexts, nameGeneratedSources, reportLateExtensions],
    [fillKeys, typeCalculated, inferViews],
    [resolveTypes, fillKeys, checkDependencies],
    [redirectAssociations, fillKeys, checkReferences],
  ];
  for (const passes of stages) {
    for (const pass of passes) draft.problems.attempt(() => pass(draft));
    draft.problems.throwIfAny();
  }
  const { extensions: _applied, requires: _loaded, ...rest } = csn;
  return {
    ...rest,
    definitions: draft.definitions as Record<string, CsnDefinition>, // drafts are definitions that may change
    meta: { ...csn.meta, flavor: "inferred" },
  };
}

function isInferred(csn: Csn): boolean {
  if (csn.extensions?.length) return false;
  return csn.meta?.flavor === "inferred" || csn.meta?.compilerCsnFlavor === "inferred";
}

function createDraft(csn: Csn): Draft {
  const definitions: Draft["definitions"] = emptyRecord();
  for (const [name, definition] of Object.entries(csn.definitions ?? {})) {
    definitions[name] = copyDefinition(definition);
  }
  return {
    definitions,
    annotations: new Map(),
    lateExtensions: new Map(),
    lateIncludes: new Map(),
    problems: new Problems(),
    selected: new Map(),
  };
}
