/**
 * What bodies are read with: checks, links, and what is written beside the row.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import { isServiceError, ServiceError, unsupported } from "../../errors/service_error.ts";
import type { LinkedEntity, LinkedModel } from "../../model/linked.ts";
import type { Exchange } from "../exchange.ts";
import { hasVersions } from "../headers/version.ts";
import { keysOfUrl, type Plan } from "../plan/plan.ts";
import type { JsonValue } from "./parse_json.ts";
import {
  type BoundMember,
  type InputOptions,
  type LinkPlace,
  type RelatedRow,
  type ReplacedCollection,
  Violations,
} from "./reading.ts";

/** What the body of an exchange is read with. */
class BodyInput implements InputOptions {
  readonly model: LinkedModel;
  readonly defaultStringLength: number;
  readonly violations: Violations;
  readonly #exchange: Exchange;

  /** @param exchange the exchange */
  constructor(exchange: Exchange) {
    const { model, settings, host } = exchange.scope;
    this.model = model;
    this.defaultStringLength = settings.defaultStringLength;
    this.violations = new Violations(host.limits);
    this.#exchange = exchange;
  }

  resolveLink(link: string, place: LinkPlace): Row {
    return resolveLink(this.#exchange, link, place);
  }

  isAnswer(value: JsonValue): boolean {
    return this.#exchange.references?.isAnswer?.(value) === true;
  }
}

/** What the body of an entity is read with; takes what objects bind, and what is written together with them. */
export class EntityInput extends BodyInput {
  /** Rows to link. */
  readonly members: BoundMember[] = [];
  /** Rows that are created with it, or changed. */
  readonly related: RelatedRow[] = [];
  /** Collections whose other members are parted from it. */
  readonly replaced: ReplacedCollection[] = [];
  /** Tags of the versions that rows are to have; undefined where they do not count. */
  readonly etags: Map<Row, string> | undefined;
  /** Takes collections whose nested rows are the full set; new rows have no others. */
  readonly replaceRelated: InputOptions["replaceRelated"];
  /** Takes tags of the versions that rows are to have. */
  readonly takeVersion: InputOptions["takeVersion"];

  /** @param exchange the exchange */
  constructor(exchange: Exchange) {
    super(exchange);
    if (exchange.method === "POST") return;
    this.replaceRelated = (collection) => void this.replaced.push(collection);
    if (!hasVersions(exchange.request.headers)) return;
    const etags = this.etags = new Map<Row, string>();
    this.takeVersion = (row, tag) => void etags.set(row, tag);
  }

  /** Takes a member of a collection. */
  bindMember(member: BoundMember): void {
    this.members.push(member);
  }

  /** Takes a row that is written together with the one that has the association. */
  insertRelated(related: RelatedRow): void {
    this.related.push(related);
  }
}

/**
 * Reads with all checks, and reports what they found together.
 *
 * @param exchange the exchange
 * @param read reads the body
 */
export function checked<T>(exchange: Exchange, read: (options: InputOptions) => T): T {
  const input = new BodyInput(exchange);
  const value = read(input);
  input.violations.throwIfAny();
  return value;
}

/**
 * Keys of the entity that a link addresses: relative, absolute path, absolute URL, or `$<id>` of a batch.
 *
 * @throws ServiceError 400 when it is none of the entity, 501 when the link does not hold its keys
 */
export function resolveLink(exchange: Exchange, link: string, { target, property }: LinkPlace): Row {
  const plan = planOfLink(exchange, link);
  if (plan?.kind !== "entity" || !isShownBy(plan.target, target)) {
    throw new ServiceError({
      status: 400,
      code: "400",
      message: `"${link}" does not address an entity of ${target.name}`,
      target: property,
    });
  }
  const keys = keysOfUrl(plan);
  if (target.$flatKeys.some(({ name, virtual }) => !virtual && keys[name] === undefined)) {
    const message = `"${link}" leads to an entity without its keys, which links cannot do here`;
    throw unsupported(message, property);
  }
  return keys;
}

/** Structures that services share refer to what their projections show. */
function isShownBy(addressed: LinkedEntity | undefined, target: LinkedEntity): boolean {
  if (addressed === undefined || addressed.name === target.name) return addressed !== undefined;
  return !target.$service && isShownBy(addressed.$source, target);
}

/** What a link addresses; undefined when it is no URL of the service. */
function planOfLink(exchange: Exchange, link: string): Plan | undefined {
  try {
    return exchange.scope.plan(relativeUrl(exchange, link), "GET");
  } catch (error) {
    if (isServiceError(error) && Number(error.status) < 500) return undefined;
    throw error;
  }
}

/** Resources of the service, which win over requests of the same name. */
const SYSTEM_RESOURCES: ReadonlySet<string> = new Set(
  ["batch", "crossjoin", "all", "entity", "root", "id", "metadata"],
);

/**
 * A URL below the service root as relative to it; references to parts of a batch replaced.
 *
 * @param exchange the exchange
 * @param url relative URL, absolute path or absolute URL
 */
export function relativeUrl(exchange: Pick<Exchange, "scope" | "references">, url: string): string {
  const reference = url.includes("$") ? /^\/?\$([^/?(]+)/.exec(url) : null;
  const id = reference?.[1];
  const referred = id === undefined || SYSTEM_RESOURCES.has(id) ? undefined : exchange.references?.get(id);
  if (referred !== undefined) return referred + url.slice(reference![0].length);
  const path = url.includes("://") ? url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "") : url;
  if (!path.startsWith("/")) return path;
  const { root } = exchange.scope;
  if (path === root || path.startsWith(`${root}/`) || path.startsWith(`${root}?`)) {
    return path.slice(root.length).replace(/^\//, "");
  }
  return path.replace(/^\//, "");
}
