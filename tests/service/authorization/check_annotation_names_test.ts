/** Which names of annotations look like ours and are none (auth 7). */

import assert from "node:assert/strict";
import type { CsnDefinition } from "../../../src/model/csn.ts";
import { Problems } from "../../../src/model/problems.ts";
import { checkAnnotationNames } from "../../../src/service/authorization/check_annotation_names.ts";

/** What is found at a definition: problems, and what existing projects start with. */
function found(definition: object, seen = new Map<string, string | undefined>()) {
  const passed: string[] = [];
  const problems = new Problems();
  checkAnnotationNames("S.E", definition as CsnDefinition, {
    seen,
    problems,
    pass: ({ message }) => void passed.push(message),
  });
  try {
    problems.throwIfAny();
    return { passed, problem: undefined };
  } catch (error) {
    return { passed, problem: (error as Error).message };
  }
}

/** The name that is meant by one. */
function meant(name: string): string | undefined {
  const { passed, problem } = found({ kind: "entity", [name]: true });
  return /did you mean (.*)\?$/.exec(problem ?? passed[0] ?? "")?.[1];
}

Deno.test("names near to ours are told with what is meant, others belong to whoever made them", () => {
  const names: readonly (readonly [name: string, meant: string | undefined])[] = [
    ["@restrict", undefined],
    ["@requires", undefined],
    ["@restrictt", "@restrict"],
    ["@Restrict", "@restrict"],
    ["@restricted", "@restrict"],
    ["@requirs", "@requires"],
    ["@requires.any", "@requires"],
    ["@restrict.to", "@restrict: [{ to: … }]"],
    ["@restrct.to", "@restrict"],
    ["@restrct.other", undefined],
    ["@_restrict", undefined],
    ["@restrict_", undefined],
    ["@title", undefined],
    ["@assert.range", undefined],
    ["@assert.rnage", "@assert.range"],
    ["@asert.range", "@assert.range"],
    ["@other.range", undefined],
  ];
  assert.deepEqual(names.map(([name]) => [name, meant(name)]), names);
});

Deno.test("names are looked at in all that a definition has inside, and told with their place", () => {
  const inside: readonly (readonly [definition: object, place: string])[] = [
    [{ "@restrictt": [] }, "S.E"],
    [{ elements: { a: { "@restrictt": [] } } }, "S.E/a"],
    [{ actions: { run: { params: { b: { "@restrictt": [] } } } } }, "S.E/run/b"],
    [{ elements: { a: { items: { "@restrictt": [] } } } }, "S.E/a"],
    [{ actions: { run: { returns: { "@restrictt": [] } } } }, "S.E/run"],
  ];
  for (const [definition, place] of inside) {
    const { problem, passed } = found({ kind: "entity", ...definition });
    assert.match(String(problem), new RegExp(`@restrictt of ${place} is unknown`));
    assert.deepEqual(passed, []);
  }
  const located = {
    kind: "entity",
    $location: { file: "m.cds", line: 2, col: 3 },
    elements: { a: { "@restrictt": 1 } },
  };
  assert.match(String(found(located).problem), /^m\.cds:2:3: /);
});

Deno.test("misspelt checks of input stop no existing project, misspelt rights do", () => {
  const { passed, problem } = found({ "@assert.rnage": 1, "@restrictt": 1 });
  assert.equal(passed.length, 1);
  assert.match(String(problem), /@restrictt/);
  assert.doesNotMatch(String(problem), /rnage/);
});
