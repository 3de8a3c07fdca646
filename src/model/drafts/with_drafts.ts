/**
 * Draft entities: the entity `X.drafts` beside each entity `X` with drafts, and the administrative data of drafts.
 *
 * @module
 */

import type { RefExpression, Xo } from "../../cqn/cqn.ts";
import type { Csn, CsnDefinition, CsnElement } from "../csn.ts";
import { DRAFT_ADMINISTRATIVE_DATA, DRAFT_BASE, DRAFT_ROW, draftsOf } from "./draft_names.ts";
import { INTERNAL, PART_BY } from "../exposure.ts";
import { placedLike } from "../infer/draft.ts";
import { stepName } from "../../cqn/steps.ts";

/**
 * A model with the draft entities of all entities with drafts.
 *
 * @param csn an inferred model; it is not changed
 * @returns the same model where nothing has drafts, or it has its draft entities already
 */
export function withDrafts(csn: Csn): Csn {
  const definitions = csn.definitions ?? {};
  if (Object.hasOwn(definitions, DRAFT_ADMINISTRATIVE_DATA)) return csn;
  const nodes = draftNodes(definitions);
  if (nodes.size === 0) return csn;
  const added: Record<string, CsnDefinition> = { [DRAFT_ADMINISTRATIVE_DATA]: ADMINISTRATIVE_DATA };
  for (const node of nodes.values()) {
    const definition = definitions[node.name];
    const withRow: CsnDefinition = {
      ...definition,
      elements: { ...definition.elements, [DRAFT_ROW]: rowOf(node, definition) },
      ...(!node.isRoot && { [PART_BY]: linksToWholes(node, { definitions, nodes }) }),
    };
    added[node.name] = placedLike(withRow, definition);
    added[draftsOf(node.name)] = placedLike(draftEntity(node, { definitions, nodes }), definition);
  }
  return { ...csn, definitions: { ...definitions, ...added } };
}

const user: CsnElement = { type: "cds.String", length: 256 };
const time: CsnElement = { type: "cds.Timestamp" };

const MESSAGES: CsnElement = {
  items: {
    elements: {
      code: { type: "cds.String" },
      message: { type: "cds.String" },
      target: { type: "cds.String" },
      additionalTargets: { items: { type: "cds.String" } },
      transition: { type: "cds.Boolean" },
      numericSeverity: { type: "cds.UInt8" },
      longtextUrl: { type: "cds.String" },
    },
  },
};

const ADMINISTRATIVE_DATA: CsnDefinition = {
  kind: "entity",
  elements: {
    DraftUUID: { key: true, type: "cds.UUID" },
    CreationDateTime: time,
    CreatedByUser: user,
    DraftIsCreatedByMe: { virtual: true, type: "cds.Boolean" },
    LastChangeDateTime: time,
    LastChangedByUser: user,
    InProcessByUser: user,
    DraftIsProcessedByMe: { virtual: true, type: "cds.Boolean" },
    DraftMessages: MESSAGES,
    [DRAFT_BASE]: { type: "cds.LargeString", [INTERNAL]: true },
  },
};

/** Leads from an entity to its draft, whoever's it is. */
function rowOf({ name }: DraftNode, definition: CsnDefinition): CsnElement {
  return {
    type: "cds.Association",
    target: draftsOf(name),
    on: sameKeys(DRAFT_ROW, definition),
    "@cds.api.ignore": true,
    [INTERNAL]: true,
  };
}

function sameKeys(association: string, { elements = {} }: CsnDefinition): Xo[] {
  return Object.entries(elements).filter(([, element]) => element.key && !element.virtual).flatMap(
    ([key, element]) => (element.keys ?? [{ ref: [] }]).map(({ ref }) => [key, ...ref]),
  ).flatMap((path, index): Xo[] => [
    ...(index > 0 ? ["and" as const] : []),
    { ref: [association, ...path] },
    "=",
    { ref: path },
  ]);
}

interface Nodes {
  readonly definitions: Definitions;
  readonly nodes: ReadonlyMap<string, DraftNode>;
}

/** The associations from a part that compositions name as their backlinks. */
function linksToWholes(part: DraftNode, { definitions, nodes }: Nodes): string[] {
  const links = [...nodes.keys()].flatMap((whole) =>
    Object.values(definitions[whole].elements ?? {}).flatMap((element) => {
      const [left, , right] = isComposition(element) && element.target === part.name ? element.on ?? [] : [];
      const backlink = isSelf(right) ? left : isSelf(left) ? right : undefined;
      return isRef(backlink) && backlink.ref.length === 2 ? [String(backlink.ref[1])] : [];
    })
  );
  return [...new Set(links)];
}

function isRef(item: unknown): item is RefExpression {
  return typeof item === "object" && item !== null && "ref" in item;
}

function isSelf(item: unknown): boolean {
  return isRef(item) && item.ref.length === 1 && item.ref[0] === "$self";
}

/** The table of the drafts: what the entity has, and the elements of drafts. */
function draftEntity(node: DraftNode, model: Nodes): CsnDefinition {
  const definition = model.definitions[node.name];
  const elements: Record<string, CsnElement> = {};
  for (const [name, element] of Object.entries(definition.elements ?? {})) {
    elements[name] = draftElement(name, element, { node, ...model });
  }
  const flag: CsnElement = { type: "cds.Boolean" };
  Object.assign(elements, {
    IsActiveEntity: { ...flag, virtual: true },
    HasActiveEntity: { ...flag, default: { val: false } },
    HasDraftEntity: { ...flag, virtual: true },
    DraftAdministrativeData: {
      type: "cds.Association",
      target: DRAFT_ADMINISTRATIVE_DATA,
      keys: [{ ref: ["DraftUUID"] }],
    },
    SiblingEntity: {
      type: "cds.Association",
      target: node.name,
      on: sameKeys("SiblingEntity", definition),
    },
    DraftMessages: { ...MESSAGES, virtual: true },
  });
  const { actions } = definition;
  return {
    kind: "entity",
    elements,
    ...(actions && { actions }),
    "@cds.api.ignore": true,
    "@fw.draft.of": node.name,
    // who may read them is decided by requests, whatever the annotations of the entity say
    "@fw.requests": "always",
  };
}

/** Annotations of checks, which drafts are not subject to, and of periods: drafts are there whatever the time is. */
const OF_ACTIVE = /^@(assert\b|mandatory\b|Common\.FieldControl|Validation\.|cds\.valid\.)/;

interface Place extends Nodes {
  readonly node: DraftNode;
}

function draftElement(name: string, element: CsnElement, place: Place): CsnElement {
  const { notNull, localized: _localized, ...rest } = element;
  const kept = Object.entries(rest).filter(([key]) => !OF_ACTIVE.test(key));
  const copy = placedLike(Object.fromEntries(kept) as CsnElement, element);
  if (element.key) {
    return Object.assign(copy, notNull !== undefined && { notNull }, draftTarget(name, element, place));
  }
  if (element.type === "cds.Composition" || element.type === "cds.Association") {
    return Object.assign(copy, draftTarget(name, element, place));
  }
  const value = calculated(name, element, place);
  return Object.assign(copy, value && { value });
}

/** Parts lead to drafts, and so does what leads to a text among them, or from a part to its whole. */
function draftTarget(name: string, element: CsnElement, { definitions, nodes, node }: Place): CsnElement {
  const { target } = element;
  if (typeof target !== "string" || !nodes.has(target)) return {};
  const isWhole = Object.entries(definitions[target]?.elements ?? {}).some(([part, composition]) =>
    isComposition(composition) && composition.target === node.name &&
    isReverse([name, element], [part, composition])
  );
  const isText = name === "localized";
  return isComposition(element) || isWhole || isText ? { target: draftsOf(target) } : {};
}

type Named = readonly [name: string, element: CsnElement];

/** Whether an association leads from parts to their whole: it is the backlink of the composition, or compares the same. */
function isReverse(association: Named, composition: Named): boolean {
  if (isBacklink(association, composition) || isBacklink(composition, association)) return true;
  const back = pairsOf(association).map(([own, other]) => `${other} ${own}`);
  const pairs = new Set(pairsOf(composition).map((pair) => pair.join(" ")));
  return back.length > 0 && back.length === pairs.size && back.every((pair) => pairs.has(pair));
}

/** Whether the condition of an association names another one as its way back: `items.order = $self`. */
function isBacklink([name]: Named, [other, { on = [] }]: Named): boolean {
  return pairsIn(on).some((pair) => pair.includes("$self") && pair.includes(`${other}_${name}`));
}

/** Columns of both ends that an association compares: the own one first. */
function pairsOf([name, { keys = [], on = [] }]: Named): (readonly [string, string])[] {
  const managed = keys.map(({ ref }) => ref.join("_")).map((key) => [`${name}_${key}`, key] as const);
  const compared = pairsIn(on).map((pair) => {
    const other = pair.findIndex((path) => path.startsWith(`${name}_`));
    return [pair[1 - other] ?? "", pair[other]?.slice(name.length + 1) ?? ""] as const;
  });
  return [...managed, ...compared];
}

/** The paths of the comparisons of a condition, as flat names. */
function pairsIn(on: readonly Xo[]): (readonly [string, string])[] {
  return on.flatMap((operator, at) => {
    const [left, right] = [on[at - 1], on[at + 1]];
    return operator === "=" && isRef(left) && isRef(right) ? [[flatPath(left), flatPath(right)]] : [];
  });
}

function flatPath({ ref }: RefExpression): string {
  const names = ref.map(stepName);
  return (names.length > 1 && names[0] === "$self" ? names.slice(1) : names).join("_");
}

/** What a calculated element of the source of a projection is calculated from, where its name stays. */
function calculated(name: string, element: CsnElement, { definitions, node }: Place): CsnElement["value"] {
  if (element.value) return { ...element.value, stored: false } as CsnElement["value"];
  const { projection } = definitions[node.name];
  if (!projection || !("ref" in projection.from) || projection.from.ref.length > 1) return undefined;
  const renamed = projection.columns?.some((column) => column !== "*" && column.as !== undefined);
  if (renamed) return undefined;
  const [source] = projection.from.ref;
  const found = definitions[stepName(source)]?.elements?.[name];
  return found
    ? calculated(name, found, { definitions, nodes: new Map(), node: { ...node, name: String(source) } })
    : undefined;
}

/** Definitions by full name. */
type Definitions = Readonly<Record<string, CsnDefinition>>;

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
function isComposition(element: CsnElement): boolean {
  return element.type === "cds.Composition" && typeof element.target === "string";
}
