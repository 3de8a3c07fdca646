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
import { parseText } from "../../src/odata/url/url_parser.ts";
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
  if (form === undefined) throw new TypeError(`The rule ${rule} is none of what a server reads`);
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

const behind = (before: string, decide: Decide, after = ""): Decide => (input, names) =>
  decide(`${before}${input}${after}`, names);
const inPath: Decide = (input, names) => checkUrlNames(relativeUri(input), names);
const same = (rules: string, decide: Decide) => rules.split(" ").map((rule) => [rule, decide] as const);

/** An expression of these kinds, and of no other. */
const ofKind = (...kinds: readonly CommonExpr["kind"][]): Decide => (input, names) => {
  const found = expression(input);
  if (!kinds.includes(found.kind)) parseUrl("$");
  checkExpressionNames(found, names);
};

/** Rules of operators begin with the operator; the operand before it is no part of them. */
const LOGICAL = "andExpr orExpr";
const BINARY =
  "eqExpr neExpr ltExpr leExpr gtExpr geExpr inExpr addExpr subExpr mulExpr divExpr divbyExpr modExpr";
const CALLS =
  "methodCallExpr boolMethodCallExpr concatMethodCallExpr containsMethodCallExpr endsWithMethodCallExpr " +
  "indexOfMethodCallExpr lengthMethodCallExpr matchesPatternMethodCallExpr startsWithMethodCallExpr " +
  "substringMethodCallExpr toLowerMethodCallExpr toUpperMethodCallExpr trimMethodCallExpr yearMethodCallExpr " +
  "monthMethodCallExpr dayMethodCallExpr hourMethodCallExpr minuteMethodCallExpr secondMethodCallExpr " +
  "fractionalsecondsMethodCallExpr totalsecondsMethodCallExpr dateMethodCallExpr timeMethodCallExpr " +
  "totalOffsetMinutesMethodCallExpr minDateTimeMethodCallExpr maxDateTimeMethodCallExpr nowMethodCallExpr " +
  "roundMethodCallExpr floorMethodCallExpr ceilingMethodCallExpr distanceMethodCallExpr geoLengthMethodCallExpr " +
  "intersectsMethodCallExpr hasSubsetMethodCallExpr hasSubsequenceMethodCallExpr";
const TYPES = "qualifiedTypeName optionallyQualifiedTypeName singleQualifiedTypeName singleTypeName " +
  "qualifiedEntityTypeName qualifiedComplexTypeName qualifiedTypeDefinitionName qualifiedEnumTypeName " +
  "optionallyQualifiedEntityTypeName optionallyQualifiedComplexTypeName primitiveTypeName abstractSpatialTypeName " +
  "concreteSpatialTypeName namespace";
const PATHS =
  "memberExpr directMemberExpr functionExpr inscopeVariableExpr implicitVariableExpr parameterAlias " +
  "annotationInQuery";
const STEPS =
  "collectionNavigation keyPredicate simpleKey compoundKey keyPathSegments singleNavigation propertyPath " +
  "collectionPath primitivePath complexColPath complexPath filterInPath each count ref value querySegment " +
  "ordinalIndex boundOperation functionParameters";
const OPERATIONS =
  "actionImportCall entityFunctionImportCall entityColFunctionImportCall complexFunctionImportCall " +
  "complexColFunctionImportCall primitiveFunctionImportCall primitiveColFunctionImportCall functionImportCallNoParens " +
  "crossjoin";

const RULES: Readonly<Record<string, Decide>> = {
  ...Object.fromEntries([
    ...same(LOGICAL, behind("true", withExpression)),
    ...same(BINARY, behind("1", withExpression)),
    ...same(CALLS, ofKind("methodCallExpr")),
    ...same(TYPES, behind("isof(", withExpression, ")")),
    ...same(PATHS, ofKind("memberExpr", "methodCallExpr")),
    ...same(STEPS, behind("Products", inPath)),
    ...same(OPERATIONS, inPath),
    ...same(
      "queryOptions queryOption systemQueryOption customQueryOption expand filter select orderby compute",
      withOptions,
    ),
    ...same(
      "batchOptions batchOption metadataOptions metadataOption entityOptions entityIdOption",
      withOptions,
    ),
    ...same(
      "entityCastOptions entityCastOption id index format schemaversion aliasAndValue nameAndValue",
      withOptions,
    ),
    ...same("skip top inlinecount skiptoken deltatoken apply", (input) => void single(input)),
  ]),
  odataUri: (input, names) => checkUrlNames(absoluteUri(input), names),
  odataRelativeUri: inPath,
  resourcePath: inPath,
  entitySetName: (input) => void relativeUri(input),
  functionParameter: (input) => void relativeUri(`f(${input})`),
  keyValuePair: behind("Products(", inPath, ")"),
  parameterValue: behind("f(p=", inPath, ")"),
  levels: (input) => void options(`$expand=A(${input})`),
  expandItem: behind("$expand=", withOptions),
  expandOption: behind("$expand=A(", withOptions, ")"),
  expandRefOption: behind("$expand=A(", withOptions, ")"),
  expandCountOption: behind("$expand=A/$count(", withOptions, ")"),
  selectItem: behind("$select=", withOptions),
  selectOption: behind("$select=A(", withOptions, ")"),
  selectOptionPC: behind("$select=A(", withOptions, ")"),
  selectPath: behind("$select=", withOptions),
  selectProperty: behind("$select=", withOptions),
  allOperationsInSchema: behind("$select=", withOptions),
  orderbyItem: behind("$orderby=", withOptions),
  computeItem: behind("$compute=", withOptions),
  search: (input, names) => checkOptionNames(single(input), names),
  searchExpr: (input) => void options(`$search=${input}`),
  searchParenExpr: (input) => void options(`$search=${input}`),
  searchNegateExpr: (input) => void options(`$search=${input}`),
  searchPhrase: (input) => void options(`$search=${input}`),
  searchWord: (input) => void options(`$search=${input}`),
  searchOrExpr: (input) => void options(`$search=a${input}`),
  searchAndExpr: (input) => void options(`$search=a${input}`),
  commonExpr: withExpression,
  boolCommonExpr: withExpression,
  lambdaPredicateExpr: withExpression,
  firstMemberExpr: withExpression,
  propertyPathExpr: withExpression,
  hasExpr: behind("a", withExpression),
  rootExpr: ofKind("memberExpr"),
  annotationExpr: ofKind("memberExpr"),
  notExpr: ofKind("notExpr"),
  negateExpr: ofKind("negateExpr"),
  isofExpr: ofKind("isofExpr"),
  castExpr: ofKind("castExpr"),
  caseMethodCallExpr: ofKind("caseExpr"),
  listExpr: behind("1 in ", withExpression),
  parenExpr: (input, names) => {
    // the parentheses are no part of the tree
    if (!input.startsWith("(") && !/^%28/i.test(input)) parseUrl("$");
    withExpression(input, names);
  },
  arrayOrObject: ofKind("array", "object"),
  array: ofKind("array"),
  object: ofKind("object"),
  valueInUrl: behind("[", withExpression, "]"),
  stringInUrl: behind("[", withExpression, "]"),
  anyExpr: behind("Products/", withExpression),
  allExpr: behind("Products/", withExpression),
  collectionPathExpr: behind("Products", withExpression),
  collectionNavigationExpr: behind("Products", withExpression),
  singleNavigationExpr: behind("Product", withExpression),
  complexPathExpr: behind("Address", withExpression),
  primitivePathExpr: behind("Name", withExpression),
  filterExpr: behind("Products", withExpression),
  boundFunctionExpr: ofKind("memberExpr"),
};

function single(input: string): QueryOptions {
  if (input.includes("&")) parseUrl("$");
  return options(input);
}
