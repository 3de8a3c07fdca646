/**
 * Routes: what is known of all requests to a service for one event of one entity, compiled at the first of them.
 *
 * @module
 */

import type { LinkedElement, LinkedEntity } from "../../model/linked.ts";
import { typeHierarchy } from "../../model/derived_types.ts";
import { isGenerated } from "../../model/exposure.ts";
import { hasParameters } from "../../model/runtime_view.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";
import { incapability } from "../authorization/assert_capable.ts";
import { accessOf, isOwnAuthority } from "../authorization/pass.ts";
import { type AuthorizationScope, passOf } from "../authorization/pass_of.ts";
import { isRestricted } from "../authorization/view_restrictions.ts";
import type { Handlers } from "../handlers/handlers.ts";
import { conditionOf } from "../requests/addressed_keys.ts";
import type { ServiceRequest } from "../requests/service_request.ts";
import { hasWriteRules } from "../rules/constraints.ts";
import { targetRulesOf } from "../validation/element_rules.ts";
import { backLinkOf } from "../validation/given_value.ts";

/** What requests are about. */
export interface RouteSubject {
  readonly event: string;
  /** The entity of the service. */
  readonly target: LinkedEntity;
  /** Canonical path with navigation. */
  readonly path: string;
}

/** What happens to requests that are alike. */
export interface Route {
  /**
   * Whether only the framework takes part: no handler of the service, not even for errors, and its class overrides
   * none of the steps.
   */
  readonly isPlain: boolean;
  /** Whether, beside that, nothing is left to do for requests but a statement with the conditions of the user. */
  readonly isStatement: boolean;
  /** Whether other rows, or the row that is written itself, may have to be looked at. */
  readonly refers: boolean;
  /**
   * Whether a statement is all that writing a row without parts takes: for who may write all rows, and for changes that
   * leave a row among those that the user may change.
   */
  readonly writesOneRow: boolean;
}

const PHASES = ["before", "on", "after", "error"] as const;
/** Routes of an entity that are kept; clients choose paths. */
const MOST_PATHS = 100;

/** What routes are compiled from: a service. */
export interface RouteOwner {
  /** The handlers of the service. */
  readonly handlers: Handlers;
  /** Whether its class overrides none of the steps of an event. */
  isGeneric(event: string): boolean;
}

/** By the handlers, which a service shares with all that is bound to its transactions. */
const ROUTES: WeakMap<Handlers, Routes> = new WeakMap();

/**
 * The route of requests to a service.
 *
 * @param service the service
 * @param subject what they are about
 */
export function routeOf(service: RouteOwner, subject: RouteSubject): Route {
  const { handlers } = service;
  let routes = ROUTES.get(handlers);
  if (!routes) ROUTES.set(handlers, routes = new Routes());
  return routes.of(service, subject);
}

/** The routes of a service, for as long as no handler is added. */
class Routes {
  #known: Map<string, WeakMap<LinkedEntity, Map<string, Route>>> = new Map();
  #added = -1;

  /**
   * The route of requests.
   *
   * @param owner the service
   * @param subject what they are about
   */
  of(owner: RouteOwner, subject: RouteSubject): Route {
    const { added } = owner.handlers;
    if (this.#added !== added) {
      this.#known = new Map();
      this.#added = added;
    }
    const { event, target, path } = subject;
    let ofEvent = this.#known.get(event);
    if (!ofEvent) this.#known.set(event, ofEvent = new WeakMap());
    let ofTarget = ofEvent.get(target);
    if (!ofTarget) ofEvent.set(target, ofTarget = new Map());
    let route = ofTarget.get(path);
    if (!route) {
      route = compileRoute(owner, subject);
      if (ofTarget.size < MOST_PATHS) ofTarget.set(path, route);
    }
    return route;
  }
}

function compileRoute(owner: RouteOwner, { event, target, path }: RouteSubject): Route {
  const handlers = owner.handlers.byPhase({ event, entity: target.name, path });
  const isPlain = owner.isGeneric(event) && target["@fw.requests"] !== "always" &&
    PHASES.every((phase) => handlers[phase].length === 0);
  const isStored = target["@cds.persistence.skip"] !== true;
  const isReached = path.includes("/") || !isGenerated(target);
  const isStatement = isPlain && isStored && isReached && incapability(target, event) === undefined;
  const refers = targetRulesOf(target).length > 0 || hasWriteRules(target);
  // an update looks at the type of its row
  const isKnown = event === "CREATE" || (typeHierarchy(target) === undefined && !hasParameters(target));
  return {
    isPlain,
    isStatement,
    refers,
    writesOneRow: isStatement && !refers && isKnown && isOwnAuthority(target),
  };
}

/**
 * Whether the rows of a composition are written with their whole by statements alone, for who may write all of them: nothing
 * in them refers to rows that are looked at, but to their whole.
 *
 * @param composition a composition to many
 */
export function isWrittenWithWhole(composition: LinkedElement): boolean {
  let isWritten = WITH_WHOLE.get(composition);
  if (isWritten === undefined) WITH_WHOLE.set(composition, isWritten = refersToWholeOnly(composition));
  return isWritten;
}

const WITH_WHOLE: WeakMap<LinkedElement, boolean> = new WeakMap();

function refersToWholeOnly(composition: LinkedElement): boolean {
  const { $target: part, isManaged } = composition;
  if (part === undefined || isManaged || part["@cds.persistence.skip"] === true) return false;
  const backLink = backLinkOf(composition);
  return !hasWriteRules(part) && !hasParameters(part) &&
    targetRulesOf(part).every(({ association }) => association === backLink);
}

/**
 * Whether a request waits for no other code and looks at no other rows, so that it need not enter the context: one
 * that reads, or one that writes a row without parts and without references that are checked, whose user may write any.
 *
 * @param req the request
 * @param service the service
 */
export function isSelfContained(
  req: ServiceRequest,
  service: AuthorizationScope & RouteOwner,
): boolean {
  const { target, event, operation } = req;
  if (target === undefined || operation !== undefined) return false;
  const route = routeOf(service, { event, target, path: req.path });
  if (!route.isPlain) return false;
  if (event === "READ") return true;
  if (route.refers || req.precondition !== undefined || req.subject.ref.length > 1) return false;
  if (!isRowAlone(req, target)) return false;
  return !isRestricted(target) || accessOf(passOf(req, service), target, event) === "all";
}

/**
 * Whether a request changes or deletes what it addresses by one statement, without any handler.
 *
 * @param req the request
 * @param service the service
 */
export function isPlainStatement(
  req: ServiceRequest,
  service: RouteOwner & {
    readonly host: { readonly db?: { needsNoContext(req: ServiceRequest): boolean } | undefined };
  },
): boolean {
  const { event, target, operation, isAddressed, path } = req;
  if (target === undefined || operation !== undefined || !isAddressed) return false;
  if (event !== "UPDATE" && event !== "DELETE") return false;
  return routeOf(service, { event, target, path }).isStatement &&
    service.host.db?.needsNoContext(req) === true;
}

function isByKey({ isAddressed, statement }: ServiceRequest): boolean {
  return isAddressed && statement !== undefined && conditionOf(statement.query) === undefined;
}

/** Whether a request creates, changes or deletes one row without parts, which it addresses by nothing but its key. */
function isRowAlone(req: ServiceRequest, { compositions }: LinkedEntity): boolean {
  const { event } = req;
  const isDeletion = event === "DELETE";
  if (event !== "CREATE" && !((isDeletion || event === "UPDATE") && isByKey(req))) return false;
  const data = isDeletion ? undefined : req.data;
  if (!isDeletion && !isPlainObject(data)) return false;
  for (const { name } of compositions) {
    if (isDeletion || (data as Readonly<Record<string, unknown>>)[name] !== undefined) return false;
  }
  return true;
}
