import type { Limits } from "../../config/limits.ts";
import type { AliasAndValue, AstNode, CountStep, MemberExpr, ODataRelativeUri, QueryOptions } from "./ast.ts";
import { limitError } from "./syntax_error.ts";
import { ServiceError } from "../../errors/service_error.ts";

/**
 * Checks a tree against the limits; depth and number of nodes were checked while parsing, but for what aliases add.
 *
 * @param url the tree
 * @param limits bounds in effect
 * @throws {ServiceError} 400 naming the limit
 */
export function checkUrl(url: ODataRelativeUri, limits: Limits): void {
  checkExpand(url.options, limits);
  checkInList(url, limits);
  checkLambdaDepth(url, limits);
  checkPathSteps(url, limits);
  checkAliases(url, limits);
}

/**
 * Checks `$expand` at all levels.
 *
 * @param options query options
 * @param limits `expandDepth`, `expandItems`
 * @throws {ServiceError} 400 beyond a limit
 */
function checkExpand(options: QueryOptions, limits: Limits): void {
  let items = 0;
  function visit({ expand }: QueryOptions, depth: number): void {
    for (const item of expand ?? []) {
      if (++items > limits.expandItems) {
        throw limitError("Too many items of $expand", limits.expandItems, item.offset);
      }
      if (depth > limits.expandDepth) {
        throw limitError("$expand is nested too deeply", limits.expandDepth, item.offset);
      }
      if (item.options !== undefined) visit(item.options, depth + 1);
    }
  }
  visit(options, 1);
}

/**
 * Checks all lists of a URL.
 *
 * @param url the tree
 * @param limits `inList`
 * @throws {ServiceError} 400 beyond the limit
 */
function checkInList(url: ODataRelativeUri, limits: Limits): void {
  walkTree(url, (node) => {
    if (node.kind !== "listExpr" && node.kind !== "array") return;
    const { items, offset } = node as unknown as { items: readonly unknown[]; offset: number }; // both kinds have them
    if (items.length > limits.inList) throw limitError("The list is too long", limits.inList, offset);
  });
}

/**
 * Checks the number of segments, and of steps of each path in an expression.
 *
 * @param url the tree
 * @param limits `pathSteps`
 * @throws {ServiceError} 400 beyond the limit
 */
function checkPathSteps(url: ODataRelativeUri, { pathSteps }: Limits): void {
  const segment = url.path[pathSteps];
  if (segment !== undefined) throw limitError("The path is too long", pathSteps, segment.offset);
  walkTree(url, (node) => {
    if (node.kind !== "memberExpr") return;
    const step = (node as MemberExpr).steps[pathSteps]; // nodes of this kind are paths
    if (step !== undefined) throw limitError("The path is too long", pathSteps, step.offset);
  });
}

/** The size of a part of a tree with values in place of aliases. */
interface Size {
  /** Operands and operators. */
  readonly nodes: number;
  /** Operands and operators above each other. */
  readonly height: number;
  /** The same without chains of operators. */
  readonly depth: number;
  /** Conditions about related rows above each other. */
  readonly lambdas: number;
  /** Steps of its longest path. */
  readonly steps: number;
}

const NOTHING: Size = { nodes: 0, height: 0, depth: 0, lambdas: 0, steps: 0 };
const EXPRESSIONS: ReadonlySet<string> = new Set([
  "primitiveLiteral",
  "array",
  "object",
  "listExpr",
  "memberExpr",
  "methodCallExpr",
  "caseExpr",
  "castExpr",
  "isofExpr",
  "notExpr",
  "negateExpr",
  "binaryExpr",
]);

/**
 * Checks the expressions of a URL that has aliases; those without were checked while parsing.
 *
 * @param url the tree
 * @param limits `queryNodes` for all of it; `filterDepth`, `filterNodes`, `lambdaDepth` and `pathSteps` for what is nested
 * @throws {ServiceError} 400 beyond a limit, or for aliases that refer to each other in a circle
 */
function checkAliases(url: ODataRelativeUri, limits: Limits): void {
  const aliases: AliasAndValue[] = [];
  walkTree(url, (node) => {
    if (node.kind === "aliasAndValue") aliases.push(node as AliasAndValue); // nodes of this kind are aliases
  });
  if (aliases.length === 0) return;
  const { nodes } = new Measurement(aliases, limits).sizeOf(url, NOTHING);
  if (nodes > limits.queryNodes) throw tooMuch("it is too long", limits.queryNodes, aliases[0].offset);
}

/** Measures each alias once. Nested options may assign a name again: it counts as the largest of its values. */
class Measurement {
  readonly #aliases: readonly AliasAndValue[];
  readonly #limits: Limits;
  readonly #known: Map<string, Size> = new Map();
  readonly #open: Set<string> = new Set();

  constructor(aliases: readonly AliasAndValue[], limits: Limits) {
    this.#aliases = aliases;
    this.#limits = limits;
  }

  /** The size of a part of a tree; `above`: of what it stands in. */
  sizeOf(part: unknown, above: Size): Size {
    if (typeof part !== "object" || part === null || part instanceof Error) return NOTHING;
    const isNode = "kind" in part && "offset" in part;
    const own = isNode ? ownSize(part as AstNode) : NOTHING; // nodes are the objects with kind and offset
    const inside = below(above, own);
    const name = isNode ? aliasName(part as AstNode) : undefined;
    const value = name === undefined ? NOTHING : this.#sizeOfAlias(name, part as MemberExpr, inside);
    let inner = value;
    for (const member of Object.values(part)) {
      if (typeof member === "object") inner = beside(inner, this.sizeOf(member, inside));
    }
    return { ...below(own, inner), steps: Math.max(own.steps + value.steps, inner.steps) };
  }

  #sizeOfAlias(name: string, { offset }: MemberExpr, above: Size): Size {
    if (this.#open.has(name)) {
      const message = `The parameter alias @${name} refers to itself at offset ${offset}`;
      throw new ServiceError({ status: 400, code: "400", message });
    }
    let size = this.#known.get(name);
    if (size === undefined) {
      // what is measured must not be nested too deeply for the measurement either
      this.#assertWithin(above, offset);
      this.#open.add(name);
      size = this.#aliases.filter((alias) => alias.name === name)
        .reduce((sum, { value }) => beside(sum, this.sizeOf(value, above)), NOTHING);
      this.#open.delete(name);
      this.#known.set(name, size);
    }
    const steps = above.steps + size.steps;
    this.#assertWithin({ ...below(above, size), steps }, offset);
    return size;
  }

  #assertWithin({ nodes, height, depth, lambdas, steps }: Size, offset: number): void {
    const { queryNodes, filterNodes, filterDepth, lambdaDepth, pathSteps } = this.#limits;
    if (nodes > queryNodes) throw tooMuch("it is too long", queryNodes, offset);
    if (depth > filterDepth) throw tooMuch("it is nested too deeply", filterDepth, offset);
    if (height > filterNodes) throw tooMuch("it is nested too deeply", filterNodes, offset);
    if (lambdas > lambdaDepth) {
      throw tooMuch("conditions about related rows are nested too deeply", lambdaDepth, offset);
    }
    if (steps > pathSteps) throw tooMuch("a path is too long", pathSteps, offset);
  }
}

function tooMuch(what: string, limit: number, offset: number): ServiceError {
  return limitError(`With the values of parameter aliases ${what}`, limit, offset);
}

function aliasName(node: AstNode): string | undefined {
  const root = node.kind === "memberExpr" ? (node as MemberExpr).root : undefined; // nodes of this kind are paths
  return root?.[0] === "@" ? root.slice(1) : undefined;
}

function ownSize(node: AstNode): Size {
  const { kind } = node;
  if (isAboutRows(node)) return { ...NOTHING, lambdas: 1 };
  if (!EXPRESSIONS.has(kind)) return NOTHING;
  const steps = kind === "memberExpr" ? (node as MemberExpr).steps.length : 0; // nodes of this kind are paths
  return { nodes: 1, height: 1, depth: kind === "binaryExpr" ? 0 : 1, lambdas: 0, steps };
}

/** The size of something with something else inside; what is inside of a path makes no path longer. */
function below(one: Size, inner: Size): Size {
  return {
    nodes: one.nodes + inner.nodes,
    height: one.height + inner.height,
    depth: one.depth + inner.depth,
    lambdas: one.lambdas + inner.lambdas,
    steps: inner.steps,
  };
}

/** The size of two parts, none inside of the other. */
function beside(one: Size, other: Size): Size {
  return {
    nodes: one.nodes + other.nodes,
    height: Math.max(one.height, other.height),
    depth: Math.max(one.depth, other.depth),
    lambdas: Math.max(one.lambdas, other.lambdas),
    steps: Math.max(one.steps, other.steps),
  };
}

/**
 * Checks the nesting of conditions about related rows.
 *
 * @param url the tree
 * @param limits `lambdaDepth`
 * @throws {ServiceError} 400 beyond the limit
 */
function checkLambdaDepth(url: ODataRelativeUri, limits: Limits): void {
  walkTree(url, (node, ancestors) => {
    if (!isAboutRows(node)) return;
    const depth = ancestors.filter(isAboutRows).length + 1;
    if (depth > limits.lambdaDepth) {
      throw limitError(
        "Conditions about related rows are nested too deeply",
        limits.lambdaDepth,
        node.offset,
      );
    }
  });
}

/**
 * Whether a step of a path holds a condition about the rows that the path leads to.
 *
 * @param node the step
 */
function isAboutRows(node: AstNode): boolean {
  const { kind } = node;
  return kind === "anyExpr" || kind === "allExpr" || kind === "filterStep" ||
    (kind === "countStep" && (node as CountStep).options !== undefined); // nodes of this kind are `$count`
}

/**
 * Visits each node before those below it.
 *
 * @param tree a tree or a part of one
 * @param visit is given the node and the nodes above it, outermost first
 */
export function walkTree(tree: object, visit: (node: AstNode, ancestors: readonly AstNode[]) => void): void {
  const ancestors: AstNode[] = [];
  function step(value: unknown): void {
    if (typeof value !== "object" || value === null || value instanceof Error) return;
    if (Array.isArray(value)) {
      for (const item of value) step(item);
      return;
    }
    const isNode = "kind" in value && "offset" in value;
    if (isNode) {
      const node = value as AstNode; // nodes are the objects with kind and offset
      visit(node, ancestors);
      ancestors.push(node);
    }
    for (const member of Object.values(value)) if (typeof member === "object") step(member);
    if (isNode) ancestors.pop();
  }
  step(tree);
}
