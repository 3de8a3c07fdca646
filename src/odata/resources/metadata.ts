/**
 * The metadata document (CSDL XML and JSON 4.01, OData Protocol 11.1.2).
 *
 * @module
 */

import { FRAMEWORK_LABELS } from "../../i18n/framework_labels.ts";
import { buildCsdl } from "../../model/csdl/build_csdl.ts";
import { writeCsdlJson } from "../../model/csdl/write_csdl_json.ts";
import { writeCsdlXml } from "../../model/csdl/write_csdl_xml.ts";
import type { LinkedService } from "../../model/linked.ts";
import { contentTag } from "../../util/content_tag.ts";
import type { Answer } from "../answer.ts";
import { type Exchange, finishAnswer } from "../exchange.ts";
import { negotiateFormat } from "../headers/accept.ts";
import { isUnmodified } from "../headers/etag.ts";
import type { WireSettings } from "../settings.ts";
import type { Plan } from "../plan/plan.ts";

/** A metadata document in one format and language. */
interface MetadataDocument {
  readonly text: string;
  /** Changes with the text: the opaque part of the entity tag. */
  readonly tag: string;
}

/** Languages and formats kept per service; clients choose the language. */
const KEPT_DOCUMENTS = 64;

const documents = new WeakMap<LinkedService, Map<string, MetadataDocument>>();

/** Answers GET of `$metadata`. */
export function readMetadata(exchange: Exchange, plan: Plan): Answer {
  const format = negotiateFormat(exchange.request.headers.get("accept"), plan.format, ["xml", "json"]);
  const { text, tag } = metadataDocument(exchange, format.kind === "json" ? "json" : "xml");
  const headers = { ETag: `W/"${tag}"` };
  if (isUnmodified(exchange.preconditions, tag)) return finishAnswer(exchange, { status: 304, headers });
  return finishAnswer(exchange, { status: 200, contentType: format.contentType, body: text, headers });
}

/**
 * The metadata document of the service of an exchange, in the language of the caller.
 *
 * @param exchange the exchange
 * @param kind its format
 */
export function metadataDocument(exchange: Exchange, kind: "json" | "xml"): MetadataDocument {
  const { definition, model, host } = exchange.scope;
  const { locale } = exchange.context;
  const { version } = exchange;
  let kept = documents.get(definition);
  if (!kept) documents.set(definition, kept = new Map());
  const key = `${kind} ${version} ${locale ?? ""}`;
  let document = kept.get(key);
  if (!document) {
    const csdl = buildCsdl(
      definition,
      model,
      version === "4.0" ? undefined : capabilities(exchange.scope.settings),
    );
    const texts = (name: string) => host.texts(name, locale) ?? labelOf(name, locale);
    const text = kind === "json"
      ? JSON.stringify(writeCsdlJson(csdl, texts, version))
      : writeCsdlXml(csdl, texts, version);
    document = { text, tag: contentTag(text) };
    if (kept.size >= KEPT_DOCUMENTS) kept.clear();
    kept.set(key, document);
  }
  return document;
}

/** What the protocol can beyond what clients of 4.01 may expect anyway (Capabilities vocabulary). */
function capabilities({ respondAsync }: WireSettings): ReadonlyMap<string, unknown> {
  const batch = "Capabilities.BatchSupport";
  return new Map<string, unknown>([
    [`${batch}.ContinueOnErrorSupported`, true],
    [`${batch}.ReferencesInRequestBodiesSupported`, true],
    [`${batch}.ReferencesAcrossChangeSetsSupported`, true],
    [`${batch}.EtagReferencesSupported`, true],
    [`${batch}.RequestDependencyConditionsSupported`, true],
    [`${batch}.SupportedFormats`, ["multipart/mixed", "application/json"]],
    ["Capabilities.AsynchronousRequestsSupported", respondAsync],
    ["Capabilities.DefaultCapabilities.UpdateRestrictions.DeltaUpdateSupported", true],
  ]);
}

/** Our own label for a key of the common module; English for languages we do not speak. */
function labelOf(key: string, locale: string | undefined): string | undefined {
  const language = (locale ?? "en").split("_", 1)[0]!;
  return (FRAMEWORK_LABELS.get(language) ?? FRAMEWORK_LABELS.get("en"))?.get(key);
}
