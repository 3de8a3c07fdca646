/**
 * A plugin for `deno lint` that finds what compiles, and does not do what was meant: queries and calls of services that
 * nobody awaits, misspelt events, an `init()` that leaves out the one of its class.
 *
 * ```jsonc
 * // deno.json
 * { "lint": { "plugins": ["jsr:@fw/runtime/lint"] } }
 * ```
 *
 * @module
 */

import { nearestName } from "../util/nearest_name.ts";

type Node = Deno.lint.Node;

const QUERIES: ReadonlySet<string> = new Set(["SELECT", "INSERT", "UPSERT", "UPDATE", "DELETE"]);

/** Calls of services that give a promise, or a query. */
const CALLS: ReadonlySet<string> = new Set([
  ..."emit send run schedule read create insert upsert update delete get put post patch new edit save discard"
    .split(" "),
]);

/** Events that services know without a model. */
const EVENTS: readonly string[] = [
  ..."CREATE READ UPDATE UPSERT DELETE NEW PATCH EDIT SAVE DISCARD CANCEL ACTIVATE".split(" "),
];

/** Those that are never the name of an action as well. */
const GENERIC: ReadonlySet<string> = new Set(["CREATE", "READ", "UPDATE", "UPSERT", "DELETE"]);

const REGISTRATIONS: ReadonlySet<string> = new Set(["before", "on", "after"]);

/** What a chain of calls begins with: `SELECT` of ``SELECT.from(Books).where`stock > 1` ``. */
function rootOf(node: Node): Node {
  switch (node.type) {
    case "CallExpression":
      return rootOf(node.callee);
    case "TaggedTemplateExpression":
      return rootOf(node.tag);
    case "MemberExpression":
      return rootOf(node.object);
    default:
      return node;
  }
}

/** The name of the method that a call ends with, and what it is called on. */
function methodOf(node: Node): { readonly name: string; readonly object: Node } | undefined {
  const callee = node.type === "CallExpression" ? node.callee : undefined;
  if (callee?.type !== "MemberExpression" || callee.property.type !== "Identifier") return undefined;
  return { name: callee.property.name, object: callee.object };
}

function isNamed(node: Node | null | undefined, name: string | ReadonlySet<string>): boolean {
  return node?.type === "Identifier" && (typeof name === "string" ? node.name === name : name.has(node.name));
}

/** Whether a chain is a query: by its first word, or as member of the facade (`cds.ql.SELECT`). */
function isQuery(node: Node): boolean {
  if (isNamed(rootOf(node), QUERIES)) return true;
  for (let inner: Node = node; inner.type !== "Identifier";) {
    if (inner.type === "MemberExpression" && isNamed(inner.property, QUERIES)) return true;
    if (inner.type === "CallExpression") inner = inner.callee;
    else if (inner.type === "TaggedTemplateExpression") inner = inner.tag;
    else if (inner.type === "MemberExpression") inner = inner.object;
    else return false;
  }
  return false;
}

/** Whether somebody takes the result of a chain of promises. */
function isHandled(node: Node): boolean {
  const last = methodOf(node)?.name;
  return last === "then" || last === "catch" || last === "finally";
}

/** Whether an expression gives a service: `await fw.connect.to("db")`, `fw.services.CatalogService`, `fw.db`. */
function isService(node: Node): boolean {
  if (node.type === "AwaitExpression") return isService(node.argument);
  const method = methodOf(node);
  if (method !== undefined) {
    return method.name === "to" && method.object.type === "MemberExpression" &&
      isNamed(method.object.property, "connect");
  }
  if (node.type !== "MemberExpression") return false;
  const isFacade = isNamed(node.object, "fw") || isNamed(node.object, "cds");
  if (isFacade) return isNamed(node.property, "db");
  return node.object.type === "MemberExpression" && isNamed(node.object.property, "services");
}

function extendsService({ superClass }: { readonly superClass: Node | null }): boolean {
  const name = superClass?.type === "MemberExpression" ? superClass.property : superClass;
  return name?.type === "Identifier" && /Service$/.test(name.name);
}

/** A word that is hardly meant: a letter too many, too few, another one, or two that changed places. */
function misspelt(event: string): string | undefined {
  const known = EVENTS.find((one) => one === event.toUpperCase() && GENERIC.has(one));
  if (known !== undefined || event !== event.toUpperCase()) return known === event ? undefined : known;
  if (EVENTS.includes(event)) return undefined;
  const nearest = nearestName(event, EVENTS);
  return nearest !== undefined && lettersBeside(event, nearest) <= 1 && lettersBeside(nearest, event) <= 1
    ? nearest
    : undefined;
}

/** How many letters of a word another one does not have. */
function lettersBeside(word: string, other: string): number {
  const rest = [...other];
  return [...word].filter((letter) => {
    const at = rest.indexOf(letter);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  }).length;
}

/** The literals of an argument: one, or those of a list. */
function literalsIn(node: Node | null | undefined): readonly Deno.lint.Literal[] {
  if (node?.type === "Literal") return [node];
  return node?.type === "ArrayExpression" ? node.elements.flatMap(literalsIn) : [];
}

/** A class while its code is read. */
interface ClassScope {
  readonly isService: boolean;
  init: Node | undefined;
  callsSuper: boolean;
}

/** What is known of a file while it is read. */
class Scope {
  readonly #classes: ClassScope[] = [];
  readonly #services: Set<string> = new Set();

  enter(node: Deno.lint.ClassDeclaration | Deno.lint.ClassExpression): void {
    const init = node.body.body.find((member): member is Deno.lint.MethodDefinition =>
      member.type === "MethodDefinition" && !member.static && isNamed(member.key, "init")
    );
    this.#classes.push({ isService: extendsService(node), init, callsSuper: false });
  }

  /** The class that ends: the innermost one. */
  leave(): ClassScope {
    return this.#classes.pop()!;
  }

  /** Notes that `super.init()` is called. */
  callSuper(): void {
    const inner = this.#classes.at(-1);
    if (inner) inner.callsSuper = true;
  }

  declare({ id, init }: Deno.lint.VariableDeclarator): void {
    if (init === null) return;
    if (id.type === "Identifier" && isService(init)) this.#services.add(id.name);
    const isTable = init.type === "MemberExpression" && isNamed(init.property, "services");
    if (id.type !== "ObjectPattern" || !isTable) return;
    for (const property of id.properties) {
      if (property.type === "Property" && property.value.type === "Identifier") {
        this.#services.add(property.value.name);
      }
    }
  }

  /** Whether an expression is a service: `this` inside of one, a variable that got one, or what gives one. */
  isService(node: Node): boolean {
    if (node.type === "ThisExpression") return this.#classes.at(-1)?.isService === true;
    return node.type === "Identifier" ? this.#services.has(node.name) : isService(node);
  }

  /** The method of a service that a chain of calls begins with: `read` of `srv.read("Books").where({…})`. */
  serviceCall(node: Node): string | undefined {
    const method = methodOf(node);
    if (method === undefined) return undefined;
    return this.isService(method.object) && CALLS.has(method.name)
      ? method.name
      : this.serviceCall(method.object);
  }
}

function isSuperInit(node: Node): boolean {
  const method = methodOf(node);
  return method?.name === "init" && method.object.type === "Super";
}

/** The visitors of all rules share what they know of a file. */
function visitor(
  visit: (scope: Scope, report: (node: Node, message: string, hint: string) => void) => Deno.lint.LintVisitor,
) {
  return {
    create(context: Deno.lint.RuleContext): Deno.lint.LintVisitor {
      const scope = new Scope();
      const own = visit(scope, (node, message, hint) => context.report({ node, message, hint }));
      const leave = own["ClassDeclaration:exit"] ?? (() => void scope.leave());
      return {
        ...own,
        ClassDeclaration: (node) => scope.enter(node),
        ClassExpression: (node) => scope.enter(node),
        "ClassDeclaration:exit": leave,
        "ClassExpression:exit": leave as () => void,
        VariableDeclarator: (node) => scope.declare(node),
      };
    },
  };
}

/** The rules, for `"lint": { "plugins": [...] }` of `deno.json`. */
const plugin: Deno.lint.Plugin = {
  name: "fw",
  rules: {
    "await-queries": visitor((_scope, report) => ({
      ExpressionStatement({ expression }) {
        const isCall = expression.type === "CallExpression" || expression.type === "TaggedTemplateExpression";
        if (!isCall || !isQuery(expression) || isHandled(expression)) return;
        report(
          expression,
          "A query runs when it is awaited: this one does nothing",
          "Put await in front of it",
        );
      },
    })),
    "await-calls": visitor((scope, report) => ({
      ExpressionStatement({ expression }) {
        const name = scope.serviceCall(expression);
        if (name === undefined || isHandled(expression)) return;
        report(
          expression,
          `Nobody awaits ${name}(…): the handler goes on before it has ended, and its errors are lost`,
          "Put await in front of it",
        );
      },
    })),
    "known-events": visitor((scope, report) => ({
      CallExpression(node) {
        const method = methodOf(node);
        if (method === undefined || !REGISTRATIONS.has(method.name) || !scope.isService(method.object)) {
          return;
        }
        for (const literal of literalsIn(node.arguments[0])) {
          const known = misspelt(String(literal.value));
          if (known === undefined) continue;
          report(literal, `No service has an event "${literal.value}"`, `Did you mean "${known}"?`);
        }
      },
    })),
    "call-super-init": visitor((scope, report) => ({
      CallExpression(node) {
        if (isSuperInit(node)) scope.callSuper();
      },
      ExpressionStatement({ expression }) {
        if (!isSuperInit(expression)) return;
        report(
          expression,
          "Nobody awaits super.init()",
          "Write: await super.init(); or: return super.init();",
        );
      },
      "ClassDeclaration:exit"() {
        const { isService, init, callsSuper } = scope.leave();
        if (!isService || init === undefined || callsSuper) return;
        report(
          init,
          "init() never calls super.init(): the generic handlers are missing",
          "Write: await super.init();",
        );
      },
    })),
  },
};

export default plugin;
