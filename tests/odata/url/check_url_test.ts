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

/** The least limits that allow a URL with aliases: paths, nodes, their height, their depth without chains, conditions about rows. */
const LEAST: Readonly<Record<string, readonly [number, number, number, number, number]>> = {
  "A?$filter=@p/x/y/z eq 1&@p=5": [3, 5, 3, 2, 0],
  'A?$filter=@p/x/y/z eq 1&@p={"x":1}': [3, 7, 4, 3, 0],
  "A?$filter=@p/x eq 1&@p=[1]": [1, 7, 4, 3, 0],
  "A?$filter=@p/x eq 1&@p=a/b": [3, 5, 3, 2, 0],
  "A?$filter=@p/x eq 1&@p=$it/a": [2, 5, 3, 2, 0],
  "A?$filter=@p/any(x:x/y eq 1)&@p=a/b": [3, 6, 3, 2, 1],
  "A?$filter=@p eq 1&@p=@q/y&@q=a/b/c": [4, 8, 4, 3, 0],
  "A?$filter=@p/x eq 1&@p=@q/y&@q=a/b": [4, 8, 4, 3, 0],
  "A?$filter=@p/x eq 1&@p=concat(a,b)": [2, 9, 4, 3, 0],
  "A?$filter=@a&@a=b eq 1": [1, 7, 3, 2, 0],
  "A?$filter=not @a&@a=not (b eq 1)": [1, 10, 5, 4, 0],
  "A?$filter=@a or @a&@a=b eq 1 or c eq 1 or d eq 1": [1, 36, 6, 2, 0],
  "A?$filter=@a eq 1&@a=length(trim(b))": [1, 9, 5, 4, 0],
  "A?$filter=c/any(d:@a)&@a=d/x/any(y:y eq 1)": [3, 10, 5, 4, 2],
};
const NAMES = ["pathSteps", "queryNodes", "filterNodes", "filterDepth", "lambdaDepth"] as const;

Deno.test("expressions are as large as with the values of aliases in their place (odata-limits)", () => {
  for (const [url, least] of Object.entries(LEAST)) {
    for (const [index, name] of NAMES.entries()) {
      const most = least[index]!;
      assert.equal(said(url, { [name]: most }), "allowed", `${url} ${name}`);
      if (most === 0) continue;
      assert.match(said(url, { [name]: most - 1 }), new RegExp(`^400 .* the limit is ${most - 1}$`), url);
    }
  }
});

Deno.test("aliases that refer to each other in a circle are refused (odata-limits)", () => {
  for (const url of ["A?$filter=@a&@a=@a", "A?$filter=@a&@a=not @b&@b=@a", "A?@a=@b&@b=[@a]"]) {
    assert.match(said(url, {}), /^400 The parameter alias @[ab] refers to itself at offset \d+$/, url);
  }
  assert.equal(said("A?$filter=@a and @a and @b&@a=@b&@b=c", {}), "allowed");
});
