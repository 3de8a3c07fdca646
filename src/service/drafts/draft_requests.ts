/**
 * Which requests are those of drafts, who may make them, and what is checked of their input.
 *
 * @module
 */

import type { EventContext } from "../../context/event_context.ts";
import type { User } from "../../context/user.ts";
import type { Row, SelectQuery } from "../../cqn/cqn.ts";
import { copyRow } from "../../cqn/entries_of.ts";
import { type ErrorProperties, isServiceError } from "../../errors/service_error.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { draftsOf } from "../../model/drafts/draft_names.ts";
import { deepFreeze } from "../../util/deep_freeze.ts";
import { andThen, type MaybePromise, orElse } from "../../util/maybe_promise.ts";
import { authorizeRequest } from "../authorization/authorize_request.ts";
import { isOwnAuthority } from "../authorization/pass.ts";
import { ServiceRequest } from "../requests/service_request.ts";
import { dispatchTo } from "../service.ts";
import { isGeneratedKey } from "../validation/fill_managed.ts";
import { throwViolations, validateInput } from "../validation/validate_input.ts";
import { activeName, isRoot } from "./administration.ts";
import { checkDraftInput, keepErrors } from "./draft_messages.ts";
import { DRAFT_CLEANUP, type DraftService, draftSettings } from "./draft_settings.ts";
import { DRAFT_ONLY, restore } from "./draft_tree.ts";

/** What an inner request of a draft event brings along: its checks are done, or it is an activation. */
export type Inner = "checked" | Activation;

/** What the write of an active instance needs to know of the draft that it comes from. */
export interface Activation {
  /** The active instance when the draft was made; undefined for new ones. */
  readonly base: Row | undefined;
  /** The active instance now; undefined where there is none. */
  readonly active: Row | undefined;
}

const INNER: WeakMap<ServiceRequest, Inner> = new WeakMap();

/** What a request of the draft protocol brings along. */
export function innerOf(req: ServiceRequest): Inner | undefined {
  return INNER.get(req);
}

/** Makes a request the write of the active instance by which a draft is activated. */
export function asActivation(req: ServiceRequest, activation: Activation): ServiceRequest {
  INNER.set(req, activation);
  return req;
}

/** Runs an inner request of a draft event. */
export function runInner(
  service: DraftService,
  properties: ConstructorParameters<typeof ServiceRequest>[0],
): MaybePromise<unknown> {
  const inner = new ServiceRequest(properties);
  INNER.set(inner, "checked");
  return dispatchTo(service, inner);
}

/** Whether a request is one of the drafts. */
export function isDraftRequest(req: ServiceRequest): boolean {
  const { target } = req;
  if (req.operation !== undefined) return false;
  if (target === undefined) return req.event === DRAFT_CLEANUP;
  if (activeName(target) !== undefined) return true;
  return isRoot(target) && (req.event === "EDIT" || INNER.has(req));
}

/**
 * Decides what the user may do, and checks the input of a request of drafts.
 *
 * @param req a request for which `isDraftRequest` holds
 * @param service the service
 */
export function prepareDraft(req: ServiceRequest, service: DraftService): MaybePromise<void> {
  const inner = INNER.get(req);
  if (inner === "checked" || req.event === DRAFT_CLEANUP) return;
  if (inner !== undefined) return prepareActivation(req, service);
  if (req.event === "EDIT") return prepareEdit(req, service);
  return andThen(authorizeDraft(req, service), () => {
    switch (req.event) {
      case "READ":
        // what draft entities lead to is restricted as everywhere
        return authorizeRequest(req, service);
      case "NEW":
        return prepareNew(req, service);
      case "UPDATE":
      case "CREATE":
        return andThen(validateInput(req, service), () => checkInput(req, service));
    }
  });
}

/** The events of active instances one of which must be permitted to read drafts. */
const READERS: readonly string[] = ["READ", "CREATE", "UPDATE"];

/** The events of active instances one of which must be permitted to change drafts. */
const WRITERS: readonly string[] = ["CREATE", "UPDATE"];

/** Who works with drafts needs what creates or changes active instances; which ones is decided for these. */
function authorizeDraft(req: ServiceRequest, service: DraftService): MaybePromise<void> {
  const target = service.model.entity(activeName(req.target)!)!;
  // a new part that stands for nothing itself is a change of its whole
  const isNewWhole = req.event === "NEW" && isOwnAuthority(target);
  const events = isNewWhole ? ["CREATE"] : req.event === "READ" ? READERS : WRITERS;
  return authorizeDraftOf(req, { service, target, events });
}

/** Who may do one of several things. */
export interface Alternatives {
  readonly service: DraftService;
  /** The entity of active instances. */
  readonly target: LinkedEntity;
  readonly events: readonly string[];
}

/**
 * Refuses users that have no grant at all for any of the events.
 *
 * @param context the request
 * @param alternatives the entity and the events
 * @throws ServiceError 401, 403
 */
export function authorizeDraftOf(
  context: ServiceRequest,
  { service, target, events }: Alternatives,
): MaybePromise<void> {
  const [event, ...others] = events;
  return orElse(
    () =>
      authorizeRequest(asked(context, { event: event!, target, data: {} }), service, { isQuestion: true }),
    (refused) => {
      if (others.length === 0) throw refused;
      // why the first is refused is told, whatever is wrong with the others
      return orElse(() => authorizeDraftOf(context, { service, target, events: others }), () => {
        throw refused;
      });
    },
  );
}

/** Checks that drafts may fail: what they find is kept. */
function checkInput(req: ServiceRequest, service: DraftService): MaybePromise<void> {
  if (draftSettings(service.host.env).messages) keepErrors(req);
  return checkDraftInput(req, service, activeName(req.target)!);
}

/** What is static is checked first; what needs other rows only where that found nothing. */
async function prepareActivation(req: ServiceRequest, service: DraftService): Promise<void> {
  // who activates needs it, too: no handler has sent this one
  if (req.parent) {
    await authorizeRequest(asked(req.parent, { event: req.event, target: req.target!, data: {} }), service);
  }
  await authorizeRequest(req, service);
  const whole = copyRow(req.data as Row);
  try {
    await validateInput(req, service);
  } catch (error) {
    const details: readonly ErrorProperties[] = isServiceError(error) ? error.details ?? [] : [];
    throwViolations(details.filter(({ code }) => code !== "ASSERT_TARGET"));
    throw error;
  }
  restore(req.data as Row, whole);
}

async function prepareNew(req: ServiceRequest, service: DraftService): Promise<void> {
  const drafts = req.target!;
  const data = req.data as Row;
  for (const name of DRAFT_ONLY) delete data[name];
  const create = asked(req, { event: "CREATE", target: drafts, data });
  await validateInput(create, service);
  await checkInput(req, service);
  fillKeys(drafts, data);
}

/** Generates the keys of a new row and its parts. */
function fillKeys(entity: LinkedEntity, row: Row): void {
  for (const key of entity.$flatKeys) {
    if (isGeneratedKey(key)) row[key.name] ??= crypto.randomUUID();
  }
  for (const part of entity.compositions) {
    const value = row[part.name];
    for (const child of Array.isArray(value) ? value : [value]) {
      if (part.$target && typeof child === "object" && child !== null) fillKeys(part.$target, child as Row);
    }
  }
}

function prepareEdit(req: ServiceRequest, service: DraftService): MaybePromise<void> {
  const update = new ServiceRequest({
    ...inPlaceOf(req),
    event: "UPDATE",
    target: req.target,
    data: {},
    subject: req.subject,
    query: { UPDATE: { entity: req.subject, data: {} } },
    params: req.params,
  });
  return authorizeRequest(update, service);
}

interface Asked {
  readonly event: string;
  readonly target: LinkedEntity;
  readonly data: Row;
}

/** Whose request it is, and whether from outside: what is asked about a request comes from where this does, not from a handler. */
function inPlaceOf(request: EventContext): { readonly context: EventContext; readonly user: User } {
  return { context: request.parent ?? request, user: request.user };
}

/** A request that is only asked about, in place of another one. */
function asked(request: EventContext, { event, target, data }: Asked): ServiceRequest {
  const query = QUESTIONS.get(target) ?? questionAbout(target);
  return new ServiceRequest({ ...inPlaceOf(request), event, target, data, query, queryParams: {} });
}

/** What is asked about all rows of an entity, whatever the event, as template. */
const QUESTIONS: WeakMap<LinkedEntity, SelectQuery> = new WeakMap();

function questionAbout(entity: LinkedEntity): SelectQuery {
  const question: SelectQuery = deepFreeze({ SELECT: { from: { ref: [entity.name] } } });
  QUESTIONS.set(entity, question);
  return question;
}

/** The draft entity of an entity with drafts. */
export function draftEntityOf(service: DraftService, entity: LinkedEntity): LinkedEntity {
  return service.model.entity(draftsOf(entity.name))!; // entities with drafts have one
}
