import assert from "node:assert/strict";
import { renderDdl } from "../../../src/db/ddl/render_ddl.ts";
import type { Csn, CsnDefinition } from "../../../src/model/csn.ts";
import { inferModel } from "../../../src/model/infer_model.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import { LANGUAGE_CASES } from "./language_cases.ts";
import { compile } from "./memory_host.ts";

/** The part of a model that a case is about. */
function partOf({ definitions = {} }: Csn, at: string): unknown {
  if (at === "definitions") return definitions;
  const path = at.replace(/^definitions\./, "");
  const name = Object.keys(definitions).sort((a, b) => b.length - a.length)
    .find((candidate) => path === candidate || path.startsWith(`${candidate}.`))!;
  const rest = path.slice(name.length + 1);
  const steps = rest.startsWith("@") ? [rest] : rest.match(/!\[(?:[^\]]|\]\])+\]|[^.]+/g) ?? [];
  return steps.reduce<unknown>((part, step) => {
    const key = step.startsWith("![") ? step.slice(2, -1).replaceAll("]]", "]") : step;
    return (part as Record<string, unknown>)[key];
  }, definitions[name] satisfies CsnDefinition);
}

for (const { section, form, at, text, csn } of LANGUAGE_CASES) {
  Deno.test(`CDL, ${section}: ${at} ${form} of ${text.replaceAll(/\s+/g, " ").slice(0, 90)}`, () => {
    const parsed = compile(text, { docs: true });
    const inferred = inferModel(parsed);
    const actual = partOf(form === "parsed" ? parsed : inferred, at);
    assert.deepEqual(JSON.parse(JSON.stringify(actual)), csn);
    assert.doesNotThrow(() => renderDdl(linkModel(inferred)));
  });
}
