/**
 * Which entities of a model have drafts.
 *
 * @module
 */

import type { CsnDefinition, CsnElement } from "../csn.ts";

/** Definitions by full name. */
export type Definitions = Readonly<Record<string, CsnDefinition>>;

/** An entity with drafts. */
export interface DraftNode {
  /** Full name. */
  readonly name: string;
  /** The service it belongs to. */
  readonly service: string;
  /** Whether drafts start here: new, edited and activated ones. */
  readonly isRoot: boolean;
}

/**
 * The entities with drafts: entities of services with `@odata.draft.enabled`, and what compositions reach from there.
 *
 * @param definitions the definitions of an inferred model
 * @returns by full name; none without the annotation
 */
export function draftNodes(definitions: Definitions): ReadonlyMap<string, DraftNode> {
  const nodes = new Map<string, DraftNode>();
  const roots = Object.keys(definitions).filter((name) => isDraftRoot(definitions[name]));
  if (roots.length === 0) return nodes;
  const services = Object.keys(definitions).filter((name) => definitions[name].kind === "service");
  for (const root of roots) {
    const service = services.filter((name) =>
      root.startsWith(`${name}.`)
    ).sort((a, b) => b.length - a.length)[0];
    // those of another system keep their drafts there
    if (service !== undefined && !definitions[service]["@cds.external"]) {
      addTree(nodes, {
        definitions,
        name: root,
        service,
      });
    }
  }
  return nodes;
}

/** Whether drafts of a definition start there. */
function isDraftRoot(definition: CsnDefinition): boolean {
  return definition.kind === "entity" && definition["@odata.draft.enabled"] === true;
}

interface Reached {
  readonly definitions: Definitions;
  readonly name: string;
  readonly service: string;
}

function addTree(nodes: Map<string, DraftNode>, { definitions, name, service }: Reached): void {
  if (nodes.has(name) || !name.startsWith(`${service}.`)) return;
  const definition = definitions[name];
  if (!definition) return;
  nodes.set(name, { name, service, isRoot: isDraftRoot(definition) });
  for (const element of Object.values(definition.elements ?? {})) {
    if (isComposition(element)) addTree(nodes, { definitions, name: element.target as string, service });
  }
}

/** Whether an element is a composition with a named target. */
export function isComposition(element: CsnElement): boolean {
  return element.type === "cds.Composition" && typeof element.target === "string";
}
