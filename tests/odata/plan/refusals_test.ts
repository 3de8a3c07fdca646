import assert from "node:assert/strict";
import { isServiceError } from "../../../src/errors/service_error.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import { createPlanner } from "../../../src/odata/plan/planner.ts";
import { REFUSED_EXPRESSIONS } from "./refused_expressions.ts";
import { CDL } from "./refused_model.ts";
import { REFUSED_OPTIONS } from "./refused_options.ts";
import { REFUSED_PATHS } from "./refused_paths.ts";
import { REFUSED_TRANSFORMATIONS } from "./refused_transformations.ts";

const planner = createPlanner(linkModel(parseCdl(CDL)).service("S")!);

/** What is said of a URL, with the method in front where it is another one than GET. */
function said(line: string): string {
  const [, method = "GET", url = ""] = /^(?:([A-Z]+) )?(.*)$/.exec(line)!;
  try {
    return `accepted as ${planner.planUrl(url, method).kind}`;
  } catch (error) {
    assert.ok(isServiceError(error), `${line}: ${error}`);
    return `${error.status} ${error.message}`;
  }
}

const CASES = {
  "paths": REFUSED_PATHS,
  "expressions": REFUSED_EXPRESSIONS,
  "options": REFUSED_OPTIONS,
  "transformations": REFUSED_TRANSFORMATIONS,
};

for (const [what, cases] of Object.entries(CASES)) {
  Deno.test(`planUrl() says what is wrong with ${what}, and where (OData 9.1)`, () => {
    const found = Object.fromEntries(Object.keys(cases).map((line) => [line, said(line)]));
    assert.deepEqual(found, cases);
  });
}
