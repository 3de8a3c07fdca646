/**
 * Descriptions of a service: the service document (JSON Format 5), the metadata document (CSDL XML and JSON 4.01, OData
 * Protocol 11.1.2) and OpenAPI.
 *
 * @module
 */

import { frameworkLabel } from "../../i18n/framework_labels.ts";
import { buildCsdl, type CsdlOffers } from "../../model/csdl/build_csdl.ts";
import { onlyAnnotations } from "../../model/csdl/vocabularies.ts";
import { writeCsdlJson } from "../../model/csdl/write_csdl_json.ts";
import { writeCsdlXml } from "../../model/csdl/write_csdl_xml.ts";
import type { LinkedService } from "../../model/linked.ts";
import { buildOpenApi } from "../../model/openapi/build_openapi.ts";
import type { ApiProtocol } from "../../model/openapi/path_context.ts";
import type { ServiceHost } from "../../service/host.ts";
import { contentTag } from "../../util/content_tag.ts";
import { type Answer, type Exchange, finishAnswer } from "../exchange.ts";
import { type AnnotationsList, isWanted } from "../headers/prefer.ts";
import { formatFor } from "../headers/accept.ts";
import { isUnmodified } from "../headers/etag.ts";
import type { WireSettings } from "../settings.ts";
import type { ServicePlan } from "../plan/plan.ts";
import { serviceDocument } from "../../model/service_document.ts";

/** A description of a service in one format and language. */
interface ServiceDescription {
  readonly text: string;
  /** Changes with the text: the opaque part of the entity tag. */
  readonly tag: string;
}

/** Formats of descriptions: CSDL as XML or JSON, OpenAPI for the paths of one protocol. */
type DescriptionKind = "xml" | "json" | `openapi ${ApiProtocol}`;

/** Browsers show XML as a tree by a style of their own. */
const READABLE = {
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
};

/** Languages and formats kept per service; clients choose the language. */
const KEPT_DOCUMENTS = 64;

const documents = new WeakMap<LinkedService, Map<string, ServiceDescription>>();

/** Answers GET of `$metadata`. */
export function readMetadata(exchange: Exchange, plan: ServicePlan): Answer {
  const { kind, contentType } = formatFor(exchange, plan, ["xml", "json"]);
  const format = kind === "json" ? "json" : "xml";
  const document = exchange.preferences.annotations === undefined
    ? metadataDocument(exchange, format)
    : describe(exchange, format, exchange.preferences.annotations);
  return descriptionAnswer(exchange, document, contentType);
}

/**
 * Answers GET of `openapi.json`.
 *
 * @param exchange the request
 * @param protocol the protocol whose paths are described
 */
export function readOpenApi(exchange: Exchange, protocol: ApiProtocol): Answer {
  return descriptionAnswer(exchange, metadataDocument(exchange, `openapi ${protocol}`), "application/json");
}

function descriptionAnswer(
  exchange: Exchange,
  { text, tag }: ServiceDescription,
  contentType: string,
): Answer {
  const headers = { etag: `W/"${tag}"`, ...contentType.startsWith("application/xml") ? READABLE : {} };
  if (isUnmodified(exchange.preconditions, tag)) return finishAnswer(exchange, { status: 304, headers });
  return finishAnswer(exchange, { status: 200, contentType, body: text, headers });
}

/**
 * A description of the service of an exchange, in the language of the caller.
 *
 * @param exchange the exchange
 * @param kind its format
 */
export function metadataDocument(exchange: Exchange, kind: DescriptionKind): ServiceDescription {
  const { definition } = exchange.scope;
  const { locale } = exchange.context;
  let kept = documents.get(definition);
  if (!kept) documents.set(definition, kept = new Map());
  const key = `${kind} ${exchange.version} ${locale ?? ""}`;
  let document = kept.get(key);
  if (!document) {
    document = describe(exchange, kind);
    if (kept.size >= KEPT_DOCUMENTS) kept.clear();
    kept.set(key, document);
  }
  return document;
}

/** A description, with all annotations unless the client wants some only. */
function describe(exchange: Exchange, kind: DescriptionKind, wanted?: AnnotationsList): ServiceDescription {
  const text = writeDescription(exchange, kind, wanted);
  return { text, tag: contentTag(text) };
}

function writeDescription(
  { scope, context, version }: Exchange,
  kind: DescriptionKind,
  wanted: AnnotationsList | undefined,
): string {
  const { definition, model, host, root } = scope;
  const offers = version === "4.0" ? undefined : capabilities(scope.settings);
  const whole = buildCsdl(definition, model, offers);
  const csdl = wanted
    ? onlyAnnotations(whole, (term, qualifier) => isWanted(wanted, term, qualifier))
    : whole;
  const texts = (name: string) => host.texts(name, context.locale) ?? frameworkLabel(name, context.locale);
  switch (kind) {
    case "xml":
      return writeCsdlXml(csdl, texts, version);
    case "json":
      return JSON.stringify(writeCsdlJson(csdl, texts, version));
    case "openapi odata":
    case "openapi rest": {
      const protocol = kind === "openapi rest" ? "rest" : "odata";
      return JSON.stringify(
        buildOpenApi(csdl, definition, {
          protocol,
          url: serverUrl(root),
          authentication: schemeOf(host),
          texts,
          events: host.live !== undefined,
        }),
      );
    }
  }
}

/** The root of a service as seen from its `openapi.json`, which proxies may serve at another path, too. */
function serverUrl(root: string): string {
  return root === "" ? "." : `../${root.slice(root.lastIndexOf("/") + 1)}`;
}

/** The scheme of authentication that the strategy in effect asks for. */
function schemeOf({ challenge, isAuthenticationOff }: ServiceHost): "basic" | "bearer" | undefined {
  if (isAuthenticationOff || challenge === undefined) return undefined;
  return /^basic\b/i.test(challenge) ? "basic" : "bearer";
}

/** What the protocol can beyond what clients of 4.01 may expect anyway (Capabilities vocabulary), and its versions. */
function capabilities({ respondAsync }: WireSettings): CsdlOffers {
  const batch = "Capabilities.BatchSupport";
  const container = new Map<string, unknown>([
    // 4.01 stands for both
    ["Core.ODataVersions", "4.01"],
    [`${batch}.ContinueOnErrorSupported`, true],
    [`${batch}.ReferencesInRequestBodiesSupported`, true],
    [`${batch}.ReferencesAcrossChangeSetsSupported`, true],
    [`${batch}.EtagReferencesSupported`, true],
    [`${batch}.RequestDependencyConditionsSupported`, true],
    [`${batch}.SupportedFormats`, ["multipart/mixed", "application/json"]],
    ["Capabilities.AsynchronousRequestsSupported", respondAsync],
    ["Capabilities.DefaultCapabilities.UpdateRestrictions.DeltaUpdateSupported", true],
  ]);
  // operations are called without it
  return { schema: new Map([["Core.DefaultNamespace", true]]), container };
}

/** Answers GET of the service root. */
export function readServiceDocument(exchange: Exchange, plan: ServicePlan): Answer {
  const format = formatFor(exchange, plan);
  const { tag } = metadataDocument(exchange, "xml");
  const headers = { etag: `W/"${tag}"` };
  if (isUnmodified(exchange.preconditions, tag)) return finishAnswer(exchange, { status: 304, headers });
  const control = format.metadata === "none"
    ? []
    : [`"@odata.context":"$metadata"`, `"@odata.metadataEtag":${JSON.stringify(headers.etag)}`];
  const body = `{${
    [...control, `"value":${JSON.stringify(serviceDocument(exchange.scope.definition))}`].join(",")
  }}`;
  return finishAnswer(exchange, { status: 200, contentType: format.contentType, body, headers });
}
