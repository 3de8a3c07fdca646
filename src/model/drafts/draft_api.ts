/**
 * What clients see of entities with drafts: the elements, actions and annotations of the draft protocol.
 *
 * @module
 */

import type { Csn, CsnDefinition, CsnElement, CsnOperation } from "../csn.ts";
import { csnOf, linkModel } from "../link_model.ts";
import type { LinkedModel } from "../linked.ts";
import { placedLike } from "../infer/draft.ts";
import { DRAFT_ROW } from "./draft_names.ts";
import { type DraftNode, draftNodes } from "./with_drafts.ts";

/** What the configuration decides about the interface of drafts. */
export interface DraftApiOptions {
  /** Messages are kept with drafts, and clients see them: `fw.fiori.draft_messages`. */
  readonly messages: boolean;
  /** Drafts are made by an action of their own: `fw.fiori.draft_new_action`. */
  readonly newAction: boolean;
}

/** Without configuration. */
export const DRAFT_API_DEFAULTS: DraftApiOptions = { messages: true, newAction: false };

/**
 * The model as clients see it.
 *
 * @param model the model of the runtime
 * @param options what the configuration decides
 * @returns the same model where nothing has drafts
 */
export function draftApi(model: LinkedModel, options: DraftApiOptions = DRAFT_API_DEFAULTS): LinkedModel {
  const key = `draftApi ${options.messages} ${options.newAction}`;
  return model.derived(key, () => {
    const csn = csnOf(model);
    const nodes = draftNodes(csn.definitions ?? {});
    return nodes.size === 0 ? model : linkModel(apiOf(csn, { nodes, options }));
  });
}

interface Api {
  readonly nodes: ReadonlyMap<string, DraftNode>;
  readonly options: DraftApiOptions;
}

function apiOf(csn: Csn, api: Api): Csn {
  const definitions: Record<string, CsnDefinition> = {};
  const services = new Set([...api.nodes.values()].map(({ service }) => service));
  for (const [name, definition] of Object.entries(csn.definitions ?? {})) {
    const node = api.nodes.get(name);
    definitions[name] = node
      ? apiEntity(node, definition, api.options)
      : api.options.messages && services.has(name)
      ? placedLike({ ...definition, "@Common.AddressViaNavigationPath": true }, definition)
      : definition;
  }
  for (const service of services) Object.assign(definitions, typesOf(service, api.options));
  return { ...csn, definitions };
}

/** Name of the type of messages in a service. */
function messageType(service: string): string {
  return `${service}.DRAFT_DraftAdministrativeData_DraftMessage`;
}

function typesOf(service: string, { messages }: DraftApiOptions): Record<string, CsnDefinition> {
  const text: CsnElement = { type: "cds.String", "@odata.MaxLength": null };
  const user: CsnElement = { type: "cds.String", length: 256 };
  const time: CsnElement = { type: "cds.Timestamp" };
  const hidden: CsnElement = { type: "cds.Boolean", "@UI.Hidden": true };
  return {
    [`${service}.DraftAdministrativeData`]: {
      kind: "entity",
      "@odata.contained": true,
      "@cds.persistence.skip": true,
      elements: {
        DraftUUID: { key: true, type: "cds.UUID", "@UI.Hidden": true },
        CreationDateTime: time,
        CreatedByUser: user,
        DraftIsCreatedByMe: hidden,
        LastChangeDateTime: time,
        LastChangedByUser: user,
        InProcessByUser: user,
        DraftIsProcessedByMe: hidden,
      },
    },
    ...(messages && {
      [messageType(service)]: {
        kind: "type",
        elements: {
          code: text,
          message: text,
          target: text,
          additionalTargets: { items: { type: "cds.String" } },
          transition: { type: "cds.Boolean" },
          numericSeverity: { type: "cds.UInt8" },
          longtextUrl: text,
        },
      },
    }),
  };
}

function apiEntity(node: DraftNode, definition: CsnDefinition, options: DraftApiOptions): CsnDefinition {
  const elements: Record<string, CsnElement> = {};
  for (const [name, element] of Object.entries(definition.elements ?? {})) {
    if (name === DRAFT_ROW) continue;
    const { notNull, ...others } = element;
    // a draft may lack what its active instance must have
    elements[name] = notNull && !element.key ? placedLike(others, element) : element;
  }
  const entity: CsnDefinition = {
    ...definition,
    elements: { ...elements, ...draftElements(node, options) },
    actions: { ...definition.actions, ...draftActions(node, definition, options) },
    ...draftAnnotations(node, options),
  };
  return placedLike(entity, definition);
}

function draftElements(
  { name, service }: DraftNode,
  { messages }: DraftApiOptions,
): Record<string, CsnElement> {
  const flag = (value: boolean): CsnElement => ({
    type: "cds.Boolean",
    notNull: true,
    default: { val: value },
    "@UI.Hidden": true,
  });
  const elements: Record<string, CsnElement> = {
    IsActiveEntity: { key: true, ...flag(true), "@odata.key.optional": true },
    HasActiveEntity: flag(false),
    HasDraftEntity: flag(false),
    DraftAdministrativeData: {
      type: "cds.Association",
      target: `${service}.DraftAdministrativeData`,
      on: [{ val: true }],
      "@UI.Hidden": true,
    },
    SiblingEntity: { type: "cds.Association", target: name, on: [{ val: true }] },
  };
  if (messages) {
    elements.DraftMessages = { items: { type: messageType(service) }, "@Core.Computed": true };
  }
  return elements;
}

function draftActions(
  { name, isRoot }: DraftNode,
  { elements = {} }: CsnDefinition,
  { newAction }: DraftApiOptions,
): Record<string, CsnOperation> {
  const returns = { type: name };
  const prepare: CsnOperation = {
    kind: "action",
    params: { SideEffectsQualifier: { type: "cds.String", "@odata.MaxLength": null } },
    returns,
  };
  if (!isRoot) return { draftPrepare: prepare };
  const keys = Object.entries(elements).filter(([, element]) => element.key && element.type !== "cds.UUID");
  const create: CsnOperation = {
    kind: "action",
    params: {
      in: { items: { type: "$self" } },
      ...Object.fromEntries(keys.map(([key, { type, length }]) => [key, { type, length, notNull: true }])),
    },
    returns,
  };
  return {
    ...(newAction && { draftNew: create }),
    draftPrepare: prepare,
    draftActivate: { kind: "action", returns },
    draftEdit: { kind: "action", params: { PreserveChanges: { type: "cds.Boolean" } }, returns },
  };
}

function draftAnnotations(
  { service, isRoot }: DraftNode,
  { messages, newAction }: DraftApiOptions,
): Record<`@${string}`, unknown> {
  const action = (name: string) => `${service}.${name}`;
  const sideEffects = "@Common.SideEffects#alwaysFetchMessages";
  return {
    ...(isRoot
      ? {
        "@Common.DraftRoot.ActivationAction": action("draftActivate"),
        "@Common.DraftRoot.EditAction": action("draftEdit"),
        ...(newAction && { "@Common.DraftRoot.NewAction": action("draftNew") }),
        "@Common.DraftRoot.PreparationAction": action("draftPrepare"),
      }
      : { "@Common.DraftNode.PreparationAction": action("draftPrepare") }),
    ...(messages && {
      [`${sideEffects}.SourceEntities`]: [{ "=": "" }],
      [`${sideEffects}.TargetProperties`]: ["DraftMessages"],
      "@Common.Messages": { "=": "DraftMessages" },
    }),
  };
}
