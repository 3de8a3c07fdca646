/**
 * Suite `abnf`: accept or reject every case of the OData ABNF that a server must parse, with the names of the cases'
 * constraints as the model.
 *
 * @module
 */

import { join } from "node:path";
import { DEFAULT_LIMITS } from "../../src/config/limits.ts";
import { isServiceError } from "../../src/errors/service_error.ts";
import type { CommonExpr, ODataRelativeUri, QueryOptions } from "../../src/odata/url/ast.ts";
import { parseText } from "../../src/odata/url/parse_text.ts";
import { parseQueryOptions, parseUrl } from "../../src/odata/url/parse_url.ts";
import { queryPiece, splitQuery } from "../../src/odata/url/split_url.ts";
import { checkExpressionNames, checkOptionNames, checkUrlNames, type Names } from "./abnf_names.ts";
import { VALUE_FORMS } from "./abnf_values.ts";
import type { SuiteResult } from "./suite_result.ts";

/** A case of the suite. */
export interface Case {
  readonly id: string;
  readonly rule: string;
  readonly group: string;
  readonly input: string;
  readonly expect: "accept" | "reject";
}

const SUITES = ["core", "aggregation", "temporal"];
// `context` tests what we emit; headers have their own parser.
const SKIPPED_GROUPS = new Set(["context", "header"]);

/**
 * Runs the suite.
 *
 * @param casesDir folder with `abnf/` and `odata-urls.txt`
 * @returns how many cases are decided as expected, and which are not
 */
export async function runAbnfSuite(casesDir: string): Promise<SuiteResult> {
  const constraints = JSON.parse(await Deno.readTextFile(join(casesDir, "abnf", "constraints.json")));
  const failed: string[] = [];
  let total = 0;
  for (const suite of SUITES) {
    const cases: Case[] = JSON.parse(await Deno.readTextFile(join(casesDir, "abnf", `${suite}.json`)));
    const names = constraints[suite] ?? undefined;
    for (const item of cases) {
      if (SKIPPED_GROUPS.has(item.group)) continue;
      total++;
      if (accepts(item, names) !== (item.expect === "accept")) failed.push(item.id);
    }
  }
  const urls = (await Deno.readTextFile(join(casesDir, "odata-urls.txt"))).split("\n").filter((line) =>
    line !== ""
  );
  for (const [index, url] of urls.entries()) {
    total++;
    if (!succeeds(() => void parseUrl(url))) failed.push(`odata-urls-${index + 1}`);
  }
  return { suite: "abnf", passed: total - failed.length, total, failed };
}

function succeeds(run: () => void): boolean {
  try {
    run();
    return true;
  } catch (error) {
    if (isServiceError(error) && (error.status === 400 || error.status === 404)) return false;
    throw error;
  }
}

/**
 * Whether our parser accepts the text of a case.
 *
 * @param item rule and text
 * @param names names that rules may match
 */
export function accepts(item: Pick<Case, "rule" | "input">, names: Names | undefined): boolean {
  return succeeds(() => {
    const decide = RULES[item.rule] ?? valueRule(item.rule);
    decide(item.input, names);
  });
}

function valueRule(rule: string): (input: string) => void {
  const form = VALUE_FORMS[rule];
  if (form === undefined) throw new TypeError(`No way to run the rule ${rule}`);
  return (input) => {
    // Values in payloads are not percent-encoded.
    if (!form(rule.endsWith("Value") ? input : decodeURIComponent(input))) parseUrl("$");
  };
}

type Decide = (input: string, names: Names | undefined) => void;

function expression(input: string): CommonExpr {
  return parseText(queryPiece(input, 0), (parser) => parser.commonExpr(), {
    mode: "expression",
    limits: DEFAULT_LIMITS,
  });
}

/** Options by the grammar: the same one twice is for a later stage. */
function options(input: string): QueryOptions {
  if (input.includes("#")) parseUrl("#");
  const seen = new Set<string>();
  const raw = splitQuery(input, 0);
  const merged = raw.map((option) => {
    const name = option.name.text.toLowerCase().replace("$", "");
    if (seen.has(name)) return parseQueryOptions([option], DEFAULT_LIMITS);
    seen.add(name);
    return undefined;
  });
  const first = new Set<string>();
  const result = parseQueryOptions(
    raw.filter((option, index) => merged[index] === undefined && (first.add(option.name.text), true)),
    DEFAULT_LIMITS,
  );
  for (const { error } of result.custom ?? []) if (error !== undefined) throw error;
  return result;
}

function relativeUri(input: string): ODataRelativeUri {
  // A fragment never reaches a server.
  const raw = input.startsWith("$metadata") ? input.replace(/#.*/, "") : input;
  const url = parseUrl(raw);
  for (const { error } of url.options.custom ?? []) {
    if (error !== undefined && url.path.length === 0) throw error;
  }
  return url;
}

function absoluteUri(input: string): ODataRelativeUri {
  const root = /^https?:\/\/(?:\[[0-9A-Fa-f:.]+\]|[\w.~%!$&'()*+,;=-]+)(?::\d*)?\//i.exec(input);
  if (root === null) parseUrl("$");
  let rest = input.slice(root![0].length);
  // The service root ends where the names of the cases begin.
  for (;;) {
    const next = /^(?:MyService|service|OData|OData\.svc|Model\.Container)\//.exec(rest);
    if (next === null) return relativeUri(rest);
    rest = rest.slice(next[0].length);
  }
}

const withOptions: Decide = (input, names) => checkOptionNames(options(input), names);
const withExpression: Decide = (input, names) => checkExpressionNames(expression(input), names);

const RULES: Readonly<Record<string, Decide>> = {
  odataUri: (input, names) => checkUrlNames(absoluteUri(input), names),
  odataRelativeUri: (input, names) => checkUrlNames(relativeUri(input), names),
  resourcePath: (input, names) => checkUrlNames(relativeUri(input), names),
  entitySetName: (input) => void relativeUri(input),
  functionParameter: (input) => void relativeUri(`f(${input})`),
  queryOptions: withOptions,
  systemQueryOption: withOptions,
  customQueryOption: withOptions,
  expand: withOptions,
  filter: withOptions,
  select: withOptions,
  orderby: withOptions,
  compute: withOptions,
  search: (input, names) => checkOptionNames(single(input), names),
  skiptoken: (input) => void single(input),
  deltatoken: (input) => void single(input),
  searchExpr: (input) => void options(`$search=${input}`),
  commonExpr: withExpression,
  boolCommonExpr: withExpression,
  firstMemberExpr: withExpression,
  propertyPathExpr: withExpression,
  isofExpr: withExpression,
  anyExpr: (input) => void expression(`Products/${input}`),
  stringInUrl: (input) => void expression(`[${input}]`),
};

function single(input: string): QueryOptions {
  if (input.includes("&")) parseUrl("$");
  return options(input);
}
