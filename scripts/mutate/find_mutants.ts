/**
 * Which single changes of a source file a test should notice.
 *
 * @module
 */

import ts from "typescript";

/** What kind of change it is. */
export type MutantKind =
  | "operator"
  | "condition"
  | "boundary"
  | "constant"
  | "returned value"
  | "removed statement"
  | "removed await";

/** One change of one file. */
export interface Mutant {
  readonly file: string;
  readonly kind: MutantKind;
  /** Offsets of the text that is replaced. */
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** The replaced text. */
  readonly original: string;
  /** Counted from 1. */
  readonly line: number;
  /** The line around it, without indentation: what names the place when lines move. */
  readonly context: string;
  /** Whether it takes place while the module loads: it stands in no function and no property of instances. */
  readonly isOfLoad: boolean;
}

/** `src/service/authorization/x.ts`: `service/authorization`; `src/errors/x.ts`: `errors`. */
export function roomOf(file: string): string {
  return file.split("/").slice(1, -1).slice(0, 2).join("/") || "src";
}

const OPERATORS: ReadonlyMap<ts.SyntaxKind, { text: string; kind: MutantKind }> = new Map([
  [ts.SyntaxKind.EqualsEqualsEqualsToken, { text: "!==", kind: "operator" }],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, { text: "===", kind: "operator" }],
  [ts.SyntaxKind.AmpersandAmpersandToken, { text: "||", kind: "operator" }],
  [ts.SyntaxKind.BarBarToken, { text: "&&", kind: "operator" }],
  [ts.SyntaxKind.QuestionQuestionToken, { text: "&&", kind: "operator" }],
  [ts.SyntaxKind.AsteriskToken, { text: "/", kind: "operator" }],
  [ts.SyntaxKind.MinusToken, { text: "+", kind: "operator" }],
  [ts.SyntaxKind.LessThanToken, { text: "<=", kind: "boundary" }],
  [ts.SyntaxKind.LessThanEqualsToken, { text: "<", kind: "boundary" }],
  [ts.SyntaxKind.GreaterThanToken, { text: ">=", kind: "boundary" }],
  [ts.SyntaxKind.GreaterThanEqualsToken, { text: ">", kind: "boundary" }],
]);

/** Names of what logs: what they are called with is not looked at. */
const LOGGERS = /^(log|logger|console)$/i;

/** A change before its place is described. */
type Change = Pick<Mutant, "kind" | "start" | "end" | "replacement">;

/**
 * Finds the mutants of a file. Types, imports, texts, comments, thrown messages and calls of loggers are left alone.
 *
 * @param file its path, as mutants name it
 * @param text its text
 * @returns in the order of the text
 */
export function findMutants(file: string, text: string): Mutant[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const mutants: Mutant[] = [];
  const visit = (node: ts.Node, isOfLoad: boolean): void => {
    if (isLeftAlone(node)) return;
    const isOfNode = isOfLoad && !runsLater(node);
    for (const change of changesOf(node, source)) mutants.push({ ...describe(change), isOfLoad: isOfNode });
    ts.forEachChild(node, (child) => visit(child, isOfNode));
  };
  const lines = text.split("\n");
  const describe = (change: Change): Omit<Mutant, "isOfLoad"> => {
    const line = source.getLineAndCharacterOfPosition(change.start).line;
    const original = text.slice(change.start, change.end);
    return { file, ...change, original, line: line + 1, context: lines[line].trim() };
  };
  visit(source, true);
  return mutants.sort((a, b) => a.start - b.start);
}

function runsLater(node: ts.Node): boolean {
  if (!ts.isPropertyDeclaration(node)) return ts.isFunctionLike(node);
  return !node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword);
}

function isLeftAlone(node: ts.Node): boolean {
  return ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) ||
    ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isThrowStatement(node) ||
    (ts.isCallExpression(node) && isLogged(node));
}

function isLogged({ expression }: ts.CallExpression): boolean {
  return ts.isPropertyAccessExpression(expression) && LOGGERS.test(lastName(expression.expression));
}

/** `log` of `this.#log`, `host.log("odata")` and `log`. */
function lastName(expression: ts.Expression): string {
  if (ts.isCallExpression(expression)) return lastName(expression.expression);
  const name = ts.isPropertyAccessExpression(expression) ? expression.name.text : expression.getText();
  return name.replace(/^#/, "");
}

function* changesOf(node: ts.Node, source: ts.SourceFile): Generator<Change> {
  const replace = (target: ts.Node, replacement: string, kind: MutantKind): Change => {
    return { kind, start: target.getStart(source), end: target.end, replacement };
  };
  if (ts.isBinaryExpression(node)) {
    const other = OPERATORS.get(node.operatorToken.kind);
    const [left, right] = [node.left, node.right].map((side) => side.getText(source));
    if (other) yield replace(node, `((${left}) ${other.text} (${right}))`, other.kind);
  } else if (ts.isIfStatement(node)) {
    yield replace(node.expression, `!(${node.expression.getText(source)})`, "condition");
  } else if (ts.isConditionalExpression(node)) {
    yield replace(node.condition, `!(${node.condition.getText(source)})`, "condition");
  } else if (ts.isNumericLiteral(node) && !isName(node)) {
    yield replace(node, String(Number(node.text.replaceAll("_", "")) + 1), "constant");
  } else if (ts.isReturnStatement(node) && node.expression) {
    const other = otherValue(node.expression);
    if (other) yield replace(node.expression, other, "returned value");
  } else if (ts.isArrowFunction(node) && isBoolean(node.body)) {
    yield replace(node.body, otherValue(node.body as ts.Expression)!, "returned value");
  } else if (isRemovable(node)) {
    yield replace(node, ";", "removed statement");
  } else if (ts.isAwaitExpression(node) && !isHandedOn(node)) {
    yield replace(node, `(${node.expression.getText(source)})`, "removed await");
  }
}

function otherValue(expression: ts.Expression): string | undefined {
  if (expression.kind === ts.SyntaxKind.TrueKeyword) return "false";
  if (expression.kind === ts.SyntaxKind.FalseKeyword) return "true";
  if (expression.kind === ts.SyntaxKind.NullKeyword || expression.getText() === "undefined") return undefined;
  if (ts.isArrayLiteralExpression(expression) && expression.elements.length > 0) return "[]";
  if (ts.isCallExpression(expression) || ts.isNewExpression(expression) || ts.isAwaitExpression(expression)) {
    return "undefined";
  }
  return undefined;
}

function isBoolean(node: ts.Node): boolean {
  return node.kind === ts.SyntaxKind.TrueKeyword || node.kind === ts.SyntaxKind.FalseKeyword;
}

function isName(node: ts.NumericLiteral): boolean {
  const { parent } = node;
  return (ts.isPropertyAssignment(parent) && parent.name === node) ||
    (ts.isBindingElement(parent) && parent.propertyName === node) ||
    (ts.isElementAccessExpression(parent) && node.text === "0");
}

/** Whether an `await` stands before what an async function returns, where nothing catches: the caller awaits that anyway. */
function isHandedOn(node: ts.AwaitExpression): boolean {
  if (ts.isArrowFunction(node.parent)) return true;
  if (!ts.isReturnStatement(node.parent)) return false;
  let around: ts.Node = node.parent;
  while (!ts.isFunctionLike(around)) {
    if (ts.isTryStatement(around) || isUsing(around)) return false;
    around = around.parent;
  }
  return true;
}

/** Whether a block disposes of something when it is left. */
function isUsing(node: ts.Node): boolean {
  return ts.isBlock(node) && node.statements.some((one) =>
    ts.isVariableStatement(one) &&
    (one.declarationList.flags & ts.NodeFlags.Using) !== 0
  );
}

/** A statement that calls or assigns, and no `super(…)`. */
function isRemovable(node: ts.Node): boolean {
  if (!ts.isExpressionStatement(node)) return false;
  const { expression } = node;
  const inner = ts.isAwaitExpression(expression) ? expression.expression : expression;
  if (ts.isCallExpression(inner)) {
    return inner.expression.kind !== ts.SyntaxKind.SuperKeyword && !isLogged(inner);
  }
  return ts.isBinaryExpression(inner) && inner.operatorToken.kind === ts.SyntaxKind.EqualsToken;
}
