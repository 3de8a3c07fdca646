/** Bounds of URLs: as much as a limit says is allowed, and nothing more. */

import assert from "node:assert/strict";
import { DEFAULT_LIMITS, type Limits } from "../../../src/config/limits.ts";
import { isServiceError } from "../../../src/errors/service_error.ts";
import { checkUrl } from "../../../src/odata/url/check_url.ts";
import { parseUrl } from "../../../src/odata/url/parse_url.ts";

function said(url: string, limits: Partial<Limits>): string {
  const all = { ...DEFAULT_LIMITS, ...limits };
  try {
    checkUrl(parseUrl(url, all), all);
    return "allowed";
  } catch (error) {
    assert.ok(isServiceError(error), String(error));
    return `${error.status} ${error.message}`;
  }
}

const CASES: readonly (readonly [limits: Partial<Limits>, allowed: string, refused: string, why: string])[] =
  [
    [
      { expandItems: 3 },
      "A?$expand=a,b($expand=c)",
      "A?$expand=a,b($expand=c,d)",
      "Too many items of $expand",
    ],
    [{ expandDepth: 2 }, "A?$expand=a($expand=b)", "A?$expand=a($expand=b($expand=c))", "nested too deeply"],
    [{ inList: 2 }, "A?$filter=a in (1,2)", "A?$filter=a in (1,2,3)", "The list is too long"],
    [{ inList: 2 }, "A?$filter=a eq [1,2]", "A?$filter=a eq [1,2,3]", "The list is too long"],
  ];

for (const [limits, allowed, refused, why] of CASES) {
  Deno.test(`${Object.keys(limits)} allows ${allowed}, not ${refused} (odata-limits)`, () => {
    assert.equal(said(allowed, limits), "allowed");
    assert.match(said(refused, limits), new RegExp(`^400 .*${why.replaceAll("$", "\\$")}`));
  });
}
