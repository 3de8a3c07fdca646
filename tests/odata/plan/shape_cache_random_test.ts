import assert from "node:assert/strict";
import fc from "fast-check";
import { isServiceError } from "../../../src/errors/service_error.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import type { Plan } from "../../../src/odata/plan/plan.ts";
import { createPlanner } from "../../../src/odata/plan/planner.ts";
import { propertyRuns } from "../../property_runs.ts";
import { LIBRARY } from "../library.ts";
import { applyUrls } from "../random_apply_urls.ts";
import { damaged, soundUrls } from "../random_library_urls.ts";
import { wildUrls } from "../random_wild_urls.ts";

const SERVICE = linkModel(LIBRARY).service("ShopService")!;
/** What stands for a literal in the URLs of the generators, and a bit more. */
const LITERAL = /(?:'|%27)[^'%]*(?:'|%27)|-?\d[\d:.TZ-]*|null|true|false/g;
const LIKE_NUMBERS =
  "0 1 7 42 -1 -7 007 1.5 -1.5 0.50 1e3 1E-2 12L 1.5M 5D +5 9007199254740991 9007199254740993 2147483648"
    .split(" ");
const LIKE_DATES = [
  ..."2024-02-29 2024-02-30 2023-13-01 0001-01-01 -0001-01-01 10000-01-01 12:30:00 24:00:00".split(" "),
  ..."2024-02-29T12:30:00Z 2024-02-29T12:30:00.123Z 2024-02-29T25:30:00Z 2024-13-29T12:30Z".split(" "),
  ..."2024-02-29T12:30:00%2B01:00 2024-02-29T12:30:00+01:00 2024-02-29t12:30z".split(" "),
];
const LIKE_GUIDS =
  "01234567-89ab-cdef-0123-456789abcdef abcdefab-89ab-cdef-0123-456789ABCDEF 01234567-89ab-cdef-0123".split(
    " ",
  );
const STRINGS = [
  ..."'' 'a' '1' '1.5' 'it''s' '''' %27a%27 %27it%27%27s%27 %27%27 '%27%27' 'a%27%27b' '%C3%A9' '%FF' '%2' '%'"
    .split(" "),
  ..."'a+b' '%2B' '12:30+01:00' 'a%20b' 'é' '😀' 'a/b' 'a#b' 'a?b' 'a%26b' 'a=b' '(' ')' ',' '%25' '%00' 'a"
    .split(" "),
];
const OTHERS = [
  ..."null true FALSE INF -INF NaN 99999999999999999999 -99999999999999999999 @p @t [1,2] ['a','b'] (1)"
    .split(" "),
  ..."duration'P1D' binary'AQ' Red ShopService.Colour'Red' {\"a\":1} -(1) stock title".split(" "),
];
const GROUPS = [LIKE_NUMBERS, LIKE_DATES, LIKE_GUIDS, STRINGS, OTHERS];

/** Each kind of literal at the places that have literals. */
const PLAIN = fc.constantFrom(
  "Books(1)",
  "Books/1/title",
  "Books(1)/loans(2)?$expand=book($select=title)",
  "Books?$filter=published eq 2024-02-29",
  "Books?$filter=published gt 2024-02-29T12:30:00Z or price le 1.5",
  "Books?$filter=title eq 'a' and contains(title,%27b%27)&$top=2&$skip=1",
  "Books?$filter=ID in (1,2,3)&$orderby=stock add 1",
  "Books?$filter=price eq 1.5 and stock eq -1 and title ne 'x'&$count=true",
  "Books?$filter=title eq 01234567-89ab-cdef-0123-456789abcdef",
  "Books?$filter=substring(title,1,2) eq 'a' or round(price) eq 3",
  "Books?$filter=tags/any(t:t eq 'a') and marks/any(m:m gt 1)",
  "Books?$expand=loans($top=2;$skip=1;$filter=days gt 1;$orderby=days mul 2)",
  "Books?$compute=stock add 1 as more&$filter=more gt 2&$skiptoken=3",
  "Books?$apply=filter(stock gt 1)/groupby((title),aggregate(stock with sum as s))/filter(s gt 2)",
  "Authors?$filter=books/any(b:b/stock gt 1 and b/title eq @t)&@t='a'",
  "Authors?$filter=@p eq rank&@p=5",
);

/** URLs that differ in their literals, mostly in others of the same kind. */
function variants(url: string): fc.Arbitrary<readonly string[]> {
  const found = url.match(LITERAL) ?? [];
  const others = found.map((literal) => {
    const like = GROUPS.find((group) => group.some((other) => formOf(other) === formOf(literal))) ?? OTHERS;
    return fc.oneof(
      fc.constant(literal),
      { weight: 3, arbitrary: fc.constantFrom(...like) },
      fc.constantFrom(...GROUPS.flat()),
    );
  });
  const swap = fc.tuple(...others).map((chosen) => {
    let place = 0;
    return url.replace(LITERAL, () => chosen[place++]!);
  });
  return fc.array(swap, { minLength: 4, maxLength: 4 }).map((swapped) => [url, ...swapped, url]);
}

function formOf(literal: string): string {
  return literal.replace(/^(?:'|%27).*/, "'").replace(/\d+/g, "0");
}

const URLS = fc.oneof(
  { weight: 8, arbitrary: PLAIN },
  { weight: 4, arbitrary: soundUrls },
  { weight: 2, arbitrary: applyUrls },
  wildUrls,
  damaged(soundUrls),
);

Deno.test("planUrl() gives URLs of a known shape the plan, or the error, that it gives them without cache", () => {
  const cached = createPlanner(SERVICE);
  const uncached = createPlanner(SERVICE, { planCache: 0 });
  const property = fc.property(URLS.chain(variants), fc.constantFrom("GET", "PATCH"), (urls, method) => {
    for (const url of urls.flatMap((url) => [url, encoded(url)])) {
      const [one, other] = [cached, uncached].map((planner) => outcome(() => planner.planUrl(url, method)));
      assert.deepEqual(one, other, url);
    }
  });
  fc.assert(property, propertyRuns(200, 43));
});

/** As a web `Request` writes it. */
function encoded(url: string): string {
  return URL.canParse(url, "http://h/") ? new URL(url, "http://h/").href.slice("http://h/".length) : url;
}

function outcome(run: () => Plan): unknown {
  try {
    const plan = run();
    if (!plan.target) return plan;
    const { params, subject, url } = plan.addressed;
    return { ...plan, addressed: { params, subject, url } };
  } catch (error) {
    assert.ok(isServiceError(error), String(error));
    return `${error.status} ${error.message}`;
  }
}
