/**
 * The statements of a file to CSN: definitions with full names, extensions in the order of the text.
 *
 * @module
 */

import { toExpression } from "../../cqn/conjunction.ts";
import type { CsnDefinition, CsnExtension } from "../csn.ts";
import type {
  AstDefinition,
  AstElement,
  AstExtension,
  AstFile,
  AstOperationExtension,
  AstStatement,
} from "./ast.ts";
import { locate, resolveQuery } from "./build_query.ts";
import {
  applyFacets,
  buildElements,
  buildEnum,
  buildReturns,
  buildType,
  type ElementContext,
  queryResolver,
  setOwn,
} from "./build_types.ts";
import { innerScope, qualify, resolveName, type Scope } from "./scope.ts";

/** What the files of a model are gathered in. */
export interface CsnDraft {
  readonly definitions: Record<string, CsnDefinition>;
  readonly extensions: CsnExtension[];
}

type Node = Record<string, unknown>;

/**
 * Adds a file to the model.
 *
 * @param draft the model so far
 * @param file the parsed file
 * @param scope its outermost scope
 */
export function buildFile(draft: CsnDraft, file: AstFile, scope: Scope): void {
  buildStatements(draft, file.statements, { scope, prefix: file.namespace });
}

interface Place {
  readonly scope: Scope;
  /** Full name of what surrounds the statements. */
  readonly prefix: string | undefined;
}

function buildStatements(draft: CsnDraft, statements: readonly AstStatement[], place: Place): void {
  for (const statement of statements) {
    if (statement.statement === "definition") addDefinition(draft, statement, place);
    else addExtension(draft, statement, place.scope);
  }
}

function addDefinition(draft: CsnDraft, definition: AstDefinition, { scope, prefix }: Place): void {
  const name = qualify(prefix, definition.name);
  const context: ElementContext = { scope, owner: name };
  const node = buildDefinition(definition, context);
  const earlier = Object.hasOwn(draft.definitions, name) ? draft.definitions[name] : undefined;
  setOwn(draft.definitions, name, earlier ? { ...earlier, ...node } : node);
  if (definition.members) {
    buildStatements(draft, definition.members, { scope: innerScope(scope, name), prefix: name });
  }
}

function buildDefinition(definition: AstDefinition, context: ElementContext): CsnDefinition {
  const { kind, annotations, doc, includes, elements, type, params, returns, actions } = definition;
  const { query, projection, notNull } = definition;
  const resolver = queryResolver(context);
  const node: Node = { kind, ...annotations, ...(doc !== undefined && { doc }) };
  if (includes) node.includes = includes.map((include) => resolveName(context.scope, include, "include"));
  if (elements) node.elements = buildElements(elements, context);
  if (type) Object.assign(node, buildType(type, context));
  if (notNull !== undefined) node.notNull = notNull;
  if (definition.default) node.default = toExpression(resolveQuery(definition.default, resolver));
  if (params?.length) node.params = buildElements(params, context);
  if (returns) node.returns = buildReturns(returns, context);
  if (query) node.query = resolveQuery(query, resolver);
  if (projection) node.projection = resolveQuery(projection, resolver);
  if (actions) node.actions = buildActions(actions, context);
  return locate(node as CsnDefinition, definition.location);
}

function buildActions(actions: readonly AstDefinition[], context: ElementContext): Node {
  const result: Node = {};
  for (const action of actions) {
    if (Object.hasOwn(result, action.name)) {
      const text = `Duplicate operation "${action.name}" of "${context.owner}"`;
      context.scope.problems.add(text, action.location);
    }
    setOwn(result, action.name, buildDefinition(action, context));
  }
  return result;
}

function addExtension(draft: CsnDraft, extension: AstExtension, scope: Scope): void {
  const { statement, target, path, members } = extension;
  const name = resolveName(scope, target, statement === "extend" ? "extended" : "annotated");
  const context: ElementContext = { scope, owner: name };
  const content = extensionContent(extension, context);
  if (!members || Object.keys(content).length > 0) {
    const node = { [statement]: name, ...nested(content, path ?? [], statement) };
    draft.extensions.push(locate(node as CsnExtension, target.location));
  }
  if (members) buildStatements(draft, members, { scope: innerScope(scope, name), prefix: name });
}

/** Content for an element inside the extended definition, wrapped in the elements of the path. */
function nested(content: Node, path: readonly string[], kind: string): Node {
  return path.reduceRight<Node>((inner, step) => {
    return { elements: { [step]: kind === "extend" ? { kind, ...inner } : inner } };
  }, content);
}

function extensionContent(extension: AstExtension, context: ElementContext): Node {
  const { annotations, doc, includes, elements, columns, facets, actions, params, returns } = extension;
  const isAnnotate = extension.statement === "annotate";
  const build = isAnnotate ? buildAnnotations : buildElements;
  const node: Node = { ...annotations, ...(doc !== undefined && { doc }) };
  if (includes) node.includes = includes.map((include) => resolveName(context.scope, include, "include"));
  if (elements) node.elements = build(elements, context);
  if (extension.enum) node.enum = buildEnum(extension.enum, context);
  if (columns) node.columns = resolveQuery(columns, queryResolver(context));
  if (facets) applyFacets(node, facets, context);
  if (params) node.params = build(params, context);
  if (returns) {
    node.returns = { ...returns.annotations, ...annotationsOfType({ ...returns, name: "" }, context) };
  }
  if (actions) {
    const operations: Node = {};
    for (const action of actions) {
      const operation = action.statement === "annotate"
        ? annotatedOperation(action, context)
        : buildDefinition(action, context);
      setOwn(operations, action.name, operation);
    }
    node.actions = operations;
  }
  return node;
}

function annotatedOperation(operation: AstOperationExtension, context: ElementContext): object {
  const { annotations, params, returns, location } = operation;
  const node = {
    ...annotations,
    ...(params && { params: buildAnnotations(params, context) }),
    ...(returns && {
      returns: { ...returns.annotations, ...annotationsOfType({ ...returns, name: "" }, context) },
    }),
  };
  return locate(node, location);
}

/** The elements of an `annotate`: names with annotations, maybe nested. */
function buildAnnotations(elements: readonly AstElement[], context: ElementContext): Node {
  const result: Node = {};
  for (const element of elements) {
    const node = {
      ...element.annotations,
      ...(element.doc !== undefined && { doc: element.doc }),
      ...annotationsOfType(element, context),
    };
    setOwn(result, element.name, locate(node, element.location));
  }
  return result;
}

function annotationsOfType(
  { type }: Pick<AstElement, "type" | "name">,
  context: ElementContext,
): Node {
  return {
    ...(type?.elements && { elements: buildAnnotations(type.elements, context) }),
    ...(type?.enum && { enum: buildEnum(type.enum, context) }),
  };
}
