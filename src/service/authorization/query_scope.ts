/**
 * The names that can be used at a place of a query, and what references start with.
 *
 * @module
 */

import { stepName, stepsOfName } from "../../cqn/steps.ts";
import type { TreeStep } from "../../algebra/tree.ts";
import type { LinkedElements, LinkedEntity } from "../../model/linked.ts";
import { findElement } from "./restrict_path.ts";

/** Elements that can be named, by the alias of their entity too. */
export interface ScopeSource {
  readonly name: string | undefined;
  /** Whether the name was given as alias: only then it comes before elements of the same name. */
  readonly isExplicit: boolean;
  readonly elements: LinkedElements;
  /** Undefined for the elements of a structure. */
  readonly entity?: LinkedEntity | undefined;
  /** Whether its rows are those that the user may read. */
  readonly isRead: boolean;
}

/** The names that can be used at a place of a query. */
export interface Scope {
  readonly sources: readonly ScopeSource[];
  readonly parent?: Scope;
  /** The targets of associations that the query adds to its source. */
  readonly mixins?: ReadonlyMap<string, LinkedEntity>;
  /** Whether the names are those of a query, which `$self` stands for, not of a step inside. */
  readonly isQuery: boolean;
}

/** Where nothing can be named. */
export const OUTSIDE: Scope = { sources: [], isQuery: true };

/** A row whose elements can be named. */
interface Inside extends Pick<ScopeSource, "elements" | "entity"> {
  readonly as?: string | undefined;
}

/** The names inside of a step, whose row may have a name of its own. */
export function nestedScope({ as, elements, entity }: Inside, parent: Scope): Scope {
  return {
    sources: [{ name: as, isExplicit: as !== undefined, elements, entity, isRead: true }],
    parent,
    isQuery: false,
  };
}

/** The source of a query that an alias names, from the inside out. */
export function explicitSource(alias: string, scope: Scope): ScopeSource | undefined {
  for (let one: Scope | undefined = scope; one; one = one.parent) {
    const found = one.sources.find(({ name }) => name === alias);
    if (found) return found.isExplicit ? found : undefined;
  }
  return undefined;
}

/** Where a reference starts. */
export interface RefAnchor {
  readonly elements: LinkedElements;
  readonly scope: Scope;
  /** Steps in front of the path that name the source. */
  readonly prefix: number;
  /** The target of the first step, where that is an association of the query itself. */
  readonly first?: LinkedEntity;
}

/** Where a reference starts: an alias, an element, the name of a source, or `$self`, from the inside out. */
export function anchorOf(ref: readonly TreeStep[], scope: Scope): RefAnchor | undefined {
  const first = stepName(ref[0]!);
  const second = ref[1];
  const isSelf = first === "$self" || first === "$projection" || first === "$it";
  for (let one: Scope | undefined = scope; one; one = one.parent) {
    if (isSelf) {
      const own = one.isQuery ? one.sources[0] : undefined;
      const mixin = second === undefined ? undefined : one.mixins?.get(stepName(second));
      if (own) return { elements: own.elements, scope: one, prefix: 1, ...(mixin && { first: mixin }) };
      continue;
    }
    const mixin = one.mixins?.get(first);
    if (mixin) return { elements: mixin.elements, scope: one, prefix: 0, first: mixin };
    const named = ref.length > 1 ? one.sources.find(({ name }) => name === first) : undefined;
    if (named?.isExplicit) return { elements: named.elements, scope: one, prefix: 1 };
    const owner = one.sources.find(({ elements }) => findElement(elements, first));
    if (owner) return { elements: owner.elements, scope: one, prefix: 0 };
    if (named) return { elements: named.elements, scope: one, prefix: 1 };
    for (const { elements, entity, isExplicit } of one.sources) {
      const prefix = isExplicit || !entity ? 0 : stepsOfName(ref, entity.name);
      if (prefix > 0) return { elements, scope: one, prefix };
    }
  }
  return undefined;
}
