/**
 * The events of a model as AsyncAPI 3.0 document: what an application sends, over which topics, with which payload.
 *
 * @module
 */

import type { LinkedDefinition, LinkedModel, LinkedService } from "../linked.ts";
import { annotationText, type JsonSchema, SchemaCollection } from "./json_schema.ts";
import { compareTexts } from "../../util/compare_texts.ts";

/** What the document is about. */
export interface AsyncApiOptions {
  /** Only the events of this service; default: of all. */
  readonly service?: LinkedService;
  /** Title of the document; default: the name of the service, else `Events`. */
  readonly title?: string;
  /** Version of the application; default `1.0.0`. */
  readonly version?: string;
}

/** Attributes of CloudEvents 1.0.2 that every message carries as headers. */
const CLOUD_EVENT: JsonSchema = {
  type: "object",
  properties: {
    specversion: { type: "string", const: "1.0" },
    id: { type: "string", minLength: 1 },
    source: { type: "string", format: "uri-reference" },
    type: { type: "string", minLength: 1 },
    time: { type: "string", format: "date-time" },
    datacontenttype: { type: "string" },
    correlationid: { type: "string" },
    partitionkey: { type: "string" },
  },
  required: ["specversion", "id", "source", "type"],
};

/**
 * Writes the document.
 *
 * @param model the linked model
 * @param options service, title, version
 * @returns an object that is valid against AsyncAPI 3.0.0; without events it has no channels
 */
export function buildAsyncApi(model: LinkedModel, options: AsyncApiOptions = {}): Record<string, unknown> {
  const { service, title = service?.name ?? "Events", version = "1.0.0" } = options;
  const schemas = new SchemaCollection(model);
  const channels: Record<string, unknown> = {};
  const operations: Record<string, unknown> = {};
  const messages: Record<string, unknown> = {};
  for (const event of eventsOf(model, service)) {
    const { name } = event;
    messages[name] = messageOf(event, schemas.ofDefinition(event));
    channels[name] = {
      address: topicOf(event),
      messages: { [name]: { $ref: `#/components/messages/${name}` } },
    };
    operations[`send.${name}`] = { action: "send", channel: { $ref: `#/channels/${name}` } };
  }
  const description = service && annotationText(service).description;
  return {
    asyncapi: "3.0.0",
    info: { title, version, ...(description ? { description } : {}) },
    defaultContentType: "application/json",
    channels,
    operations,
    components: {
      messages,
      schemas: schemas.schemas,
      messageTraits: { cloudEvent: { headers: CLOUD_EVENT } },
    },
  };
}

function eventsOf(model: LinkedModel, service: LinkedService | undefined): readonly LinkedDefinition[] {
  const events = service ? [...service.events] : model.all("event");
  return events.toSorted((one, other) => compareTexts(one.name, other.name));
}

function messageOf(event: LinkedDefinition, payload: JsonSchema): Record<string, unknown> {
  const { title, description } = annotationText(event);
  return {
    name: event.name,
    title: title ?? event.name,
    ...(description ? { summary: description } : {}),
    contentType: "application/json",
    traits: [{ $ref: "#/components/messageTraits/cloudEvent" }],
    payload,
  };
}

function topicOf(event: LinkedDefinition): string {
  const topic = event["@topic"];
  return typeof topic === "string" && topic !== "" ? topic : event.name;
}
