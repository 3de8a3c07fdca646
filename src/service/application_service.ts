/**
 * Services that an application provides: authorization, input checks and generic handlers around its own handlers.
 *
 * @module
 */

import { EventContext } from "../context/event_context.ts";
import type { User } from "../context/user.ts";
import type { LinkedModel } from "../model/linked.ts";
import type { Query, Row, Xo } from "../cqn/cqn.ts";
import type { EntityName, Input } from "../cqn/checked_names.ts";
import { authorizeRequest } from "./authorization/authorize_request.ts";
import { assertDeletableParts } from "./authorization/deleted_parts.ts";
import { movedParts } from "./authorization/moved_parts.ts";
import { assertWrittenRows, rowsBefore, type WrittenRows } from "./authorization/hidden_rows.ts";
import { assertWrittenParts, type PartsBefore, partsBefore } from "./authorization/written_parts.ts";
import {
  createRows,
  deleteRows,
  type GenericHandler,
  readRows,
  updateRows,
  upsertRows,
} from "./generic/generic_handlers.ts";
import {
  discardDraft,
  type DraftEntity,
  editActive,
  newDraft,
  saveDraft,
  type UntypedDraftEntity,
} from "./drafts/draft_calls.ts";
import { handleDraft } from "./drafts/draft_events.ts";
import { isDraftRequest, prepareDraft } from "./drafts/draft_requests.ts";
import type { ServiceHost } from "./host.ts";
import { assertConstraints, rowsToCheck } from "./rules/assert_constraints.ts";
import { isTransition, registerFlows } from "./rules/flows.ts";
import { Service, type ServiceOptions } from "./service.ts";
import { isPlainStatement, isSelfContained } from "./routes/route.ts";
import type { ServiceEvent } from "./requests/service_event.ts";
import { ServiceRequest } from "./requests/service_request.ts";
import { unhandled } from "./handlers/phases.ts";
import { andThen, type MaybePromise } from "../util/maybe_promise.ts";
import { isPlainObject } from "../util/is_plain_object.ts";
import { fillManaged, fillParameters } from "./validation/fill_managed.ts";
import { validateComplete } from "./validation/validate_complete.ts";
import { validateInput } from "./validation/validate_input.ts";
import { validSlice } from "../model/valid_slice.ts";
import { addressedKeys } from "./requests/addressed_keys.ts";

/** What an application service is made from. */
export interface ApplicationServiceOptions extends ServiceOptions {
  /** The runtime. */
  readonly host: ServiceHost;
}

/** Names of the static members that handle events. */
const GENERIC = {
  CREATE: "handle_create",
  READ: "handle_read",
  UPDATE: "handle_update",
  UPSERT: "handle_upsert",
  DELETE: "handle_delete",
} as const;

/** A service of the application. Subclasses register handlers in `init()` and return `super.init()`. */
export class ApplicationService extends Service {
  /** The runtime. */
  declare readonly host: ServiceHost;
  /** True: it is a service of the application. */
  override readonly isAppService: boolean = true;

  /** The same as `operations`. */
  get actions(): this["operations"] {
    return this.operations;
  }
  /** Handles CREATE; subclasses may override it, like the others. */
  static readonly handle_create: GenericHandler = createRows;
  /** Handles READ. */
  static readonly handle_read: GenericHandler = readRows;
  /** Handles UPDATE. */
  static readonly handle_update: GenericHandler = updateRows;
  /** Handles UPSERT. */
  static readonly handle_upsert: GenericHandler = upsertRows;
  /** Handles DELETE. */
  static readonly handle_delete: GenericHandler = deleteRows;
  /** What subclasses add to authorization, which every request passes; so are the next ones for their parts. */
  static handle_authorization(this: unknown): void {}
  /** Versions of rows. */
  static handle_etags(this: unknown): void {}
  /** Checks of input. */
  static handle_validations(this: unknown): void {}
  /** Rows with a period. */
  static handle_temporal_data(this: unknown): void {}
  /** Texts in several languages. */
  static handle_localized_data(this: unknown): void {}
  /** Who changed what when. */
  static handle_managed_data(this: unknown): void {}
  /** Pages. */
  static handle_paging(this: unknown): void {}
  /** Drafts. */
  static handle_fiori(this: unknown): void {}
  /** What is done with rows. */
  static handle_crud(this: unknown): void {}
  /** Whether `init()` of this class was reached, which adds the generic handlers. */
  isInitialized = false;

  /**
   * Creates a service of the application.
   *
   * @param given name, runtime and definition; of services made by hand the name, in the current runtime
   * @param model of a service made by hand: its own model
   * @param settings of a service made by hand: its configuration
   */
  constructor(
    given?: ApplicationServiceOptions | string,
    model?: LinkedModel,
    settings?: ApplicationServiceOptions["options"],
  ) {
    super(given, model, settings);
  }

  /** Whether anything that happens to a request may ask for the current context later. */
  override needsContext(req: ServiceEvent): boolean {
    return !(req instanceof ServiceRequest) || this.host.db?.needsNoContext(req) !== true ||
      isDraftRequest(req) || !isSelfContained(req, this);
  }

  /** Whether the class overrides none of the steps of an event about rows. */
  isGeneric(event: string): boolean {
    const steps = ApplicationService.prototype;
    const name = genericName(event);
    return this.isInitialized && name !== undefined &&
      (this.constructor as typeof ApplicationService)[name] === ApplicationService[name] &&
      this.prepare === steps.prepare && this.complete === steps.complete &&
      this.handleGeneric === steps.handleGeneric && this.dispatch === steps.dispatch &&
      this.handle === steps.handle && this.runPhases === steps.runPhases && this.failed === steps.failed;
  }

  /** Adds the generic handlers, which come after all others. */
  override init(): void | Promise<void> {
    if (!this.isInitialized) {
      registerFlows(this);
      registerGenerics(this);
    }
    this.isInitialized = true;
  }

  /**
   * Decides what the user may do (the statement of the request gets the conditions that follow), checks the input, and
   * fills in new rows, so that `before` handlers see generated keys and defaults.
   */
  override prepare(req: ServiceEvent): MaybePromise<void> {
    if (!(req instanceof ServiceRequest)) return;
    if (isDraftRequest(req)) return prepareDraft(req, this);
    const authorized = authorizeRequest(req, this, { isPlainStatement: isPlainStatement(req, this) });
    return andThen(authorized, () => checkInput(this, req));
  }

  /** Checks keys and elements that must not be null, which `before` handlers may have supplied. */
  override complete(req: ServiceEvent): void {
    if (!(req instanceof ServiceRequest)) return;
    if (req.filledFor !== undefined && req.filledFor !== req.user) fillAgain(this, req, req.filledFor);
    validateComplete(req);
  }

  /** Makes a new draft: the event NEW; gives its keys. */
  new<T extends object>(entity: EntityName<T>, data?: Input<T>): Promise<Partial<T>>;
  /** The same by a name. */
  new(entity: UntypedDraftEntity, data?: Row): Promise<Row>;
  new(entity: DraftEntity, data: Row = {}): Promise<Row> {
    return newDraft(this, entity, data);
  }

  /** Makes a draft of an active instance: the event EDIT; gives the draft. */
  edit<T extends object>(entity: EntityName<T>, keys: Input<T>): Promise<T>;
  /** The same by a name. */
  edit(entity: UntypedDraftEntity, keys: Row): Promise<Row>;
  edit(entity: DraftEntity, keys: Row): Promise<Row> {
    return editActive(this, entity, keys);
  }

  /** Activates a draft: the event CREATE or UPDATE of the active instance; gives its keys. */
  save(entity: DraftEntity, keys: Row): Promise<Row> {
    return saveDraft(this, entity, keys);
  }

  /** Discards a draft: the event CANCEL. */
  discard(entity: DraftEntity, keys: Row): Promise<unknown> {
    return discardDraft(this, entity, keys);
  }

  /** The generic handler of the event, if the request is about an entity. */
  override handleGeneric(req: ServiceRequest): unknown {
    if (isDraftRequest(req)) return handleDraft(req, this, (isSeen) => handleRows(this, req, isSeen));
    return handleRows(this, req);
  }
}

/** Calls what classes add as `static handle_…`, where it is none of the steps above. */
function registerGenerics(service: ApplicationService): void {
  const known = new Set<string>(Object.values(GENERIC));
  const found = new Map<string, unknown>();
  for (
    let at: object = service.constructor;
    at instanceof Function && at !== Service;
    at = Object.getPrototypeOf(at)
  ) {
    for (const name of Object.getOwnPropertyNames(at)) {
      const member = (at as unknown as Readonly<Record<string, unknown>>)[name];
      if (name.startsWith("handle_") && !known.has(name) && !found.has(name)) found.set(name, member);
    }
  }
  for (const register of found.values()) {
    if (typeof register === "function") register.call(service, service);
  }
}

/** Handles a request about rows without drafts. */
function handleRows(service: ApplicationService, req: ServiceRequest, isSeen = false): unknown {
  const name = req.operation === undefined ? genericName(req.event) : undefined;
  const isAboutRows = (req.statement ?? req.target) !== undefined;
  // operations have no generic handler: one that calls next() has handled them itself
  if (isTransition(req) || (req.operation && isHandled(service, req))) return undefined;
  if (!service.isInitialized) throw unhandled(service, req, `: ${notInitialized(service)}`);
  if (name === undefined || !isAboutRows || isSkipped(req)) throw unhandled(service, req);
  if (!service.host.db) throw unhandled(service, req, ', and "fw.requires.db" names no database');
  const generic = (service.constructor as typeof ApplicationService)[name];
  const isOwn = generic !== ApplicationService[name];
  const scope = { db: service.host.db, isObserved: isOwn || isSeen || isObserved(service, req) };
  limitToSlice(req);
  if (req.event === "DELETE") {
    return andThen(assertDeletableParts(req, service), () => generic(req, scope));
  }
  if (!WRITES.has(req.event)) return generic(req, scope);
  return andThen(writeRows(service, req, () => generic(req, scope)), (result) => {
    // what handlers change of it is theirs
    if (result === req.data && isPlainObject(result)) {
      req.written = scope.isObserved ? { ...result } : result;
    }
    return result;
  });
}

/**
 * What is wrong with a service that has no generic handlers.
 *
 * @param service the service
 */
export function notInitialized({ constructor }: ApplicationService): string {
  return `init() of class ${
    constructor.name || "without name"
  } has not called super.init(), which adds the generic ` +
    "handlers; it ends with: return super.init()";
}

function genericName(event: string): typeof GENERIC[keyof typeof GENERIC] | undefined {
  return Object.hasOwn(GENERIC, event) ? GENERIC[event as keyof typeof GENERIC] : undefined;
}

/** Checks the input, and fills in new rows. */
function checkInput(service: ApplicationService, req: ServiceRequest): MaybePromise<void> {
  return andThen(validateInput(req, service), () => fillNew(service, req));
}

function fillNew({ model }: ApplicationService, req: ServiceRequest): void {
  if (req.operation && isPlainObject(req.data)) fillParameters(req.operation.params, req.data, req);
  const isNew = req.event === "CREATE" && req.operation === undefined;
  if (!isNew || !req.statement) return;
  fillManaged(req.statement.query, { model, context: req });
  req.filledFor = req.user;
}

/** A `before` handler has set another user, whose name new rows get. */
function fillAgain({ model }: ApplicationService, req: ServiceRequest, user: User): void {
  fillManaged(req.statement!.query, { model, context: req, before: new EventContext({ user }, req) });
}

const WRITES: ReadonlySet<string> = new Set(["CREATE", "UPDATE", "UPSERT"]);

/** Writes, and refuses rows that the user may not write, which undoes them. */
function writeRows(
  service: ApplicationService,
  req: ServiceRequest,
  write: () => MaybePromise<unknown>,
): MaybePromise<unknown> {
  return andThen(
    lookBefore(service, req),
    (before) =>
      andThen(
        writeConstrained(service, req, write),
        (result) => before ? andThen(assertWritten(service, req, before), () => result) : result,
      ),
  );
}

/** What has to be looked at after a write, and how it was before. */
interface Before {
  readonly rows: WrittenRows | undefined;
  readonly parts: PartsBefore | undefined;
  readonly refuseMoved: (() => MaybePromise<void>) | undefined;
}

function lookBefore(service: ApplicationService, req: ServiceRequest): MaybePromise<Before | undefined> {
  return andThen(
    rowsBefore(req, service),
    (rows) =>
      andThen(
        partsBefore(req, service),
        (parts) =>
          andThen(movedParts(req, service), (refuseMoved) =>
            rows || parts || refuseMoved ? { rows, parts, refuseMoved } : undefined),
      ),
  );
}

/** Writes, and checks the constraints of what was written. */
function writeConstrained(
  { host: { db } }: ApplicationService,
  req: ServiceRequest,
  write: () => MaybePromise<unknown>,
): MaybePromise<unknown> {
  const checked = db && rowsToCheck(req, db);
  if (!checked) return write();
  return checked.then(async (rows) => {
    const result = await write();
    await assertConstraints(req, db, rows);
    return result;
  });
}

function assertWritten(
  service: ApplicationService,
  req: ServiceRequest,
  { rows, parts, refuseMoved }: Before,
): MaybePromise<void> {
  // the statement has found its rows, whose path may lead elsewhere now
  req.refusal = undefined;
  return andThen(
    rows && assertWrittenRows(req, service, rows),
    () =>
      andThen(
        parts && assertWrittenParts(req, service, parts),
        () => refuseMoved?.(),
      ),
  );
}

/** Whether an `on` handler of the service runs. */
function isHandled(service: Service, req: ServiceRequest): boolean {
  return service.handlers.for("on", req).length > 0;
}

/** Whether a handler of the service sees the result. */
function isObserved(service: Service, req: ServiceRequest): boolean {
  const { on, after } = service.handlers.byPhase(req);
  return on.length > 0 || after.length > 0;
}

function isSkipped(req: ServiceRequest): boolean {
  return req.target?.["@cds.persistence.skip"] === true;
}

/**
 * Limits an UPDATE or DELETE that addresses a row of temporal data to the slice that is valid at the time of the request.
 *
 * @param req the request, whose statement gets the condition
 */
function limitToSlice(req: ServiceRequest): void {
  const { target, event } = req;
  if (!target || (event !== "UPDATE" && event !== "DELETE")) return;
  const slice = validSlice(target);
  if (slice.length === 0) return;
  const { query, params } = req.statement ?? { query: statementOf(req) };
  if (!req.isAddressed && addressedKeys(query, target) === undefined) return;
  req.statement = { query: withCondition(query, slice), params };
}

function statementOf({ event, subject, data }: ServiceRequest): Query {
  return event === "DELETE"
    ? { DELETE: { from: subject } }
    : { UPDATE: { entity: subject, data: data as Row } }; // checked before
}

function withCondition(query: Query, condition: readonly Xo[]): Query {
  if ("UPDATE" in query) return { UPDATE: { ...query.UPDATE, where: and(query.UPDATE.where, condition) } };
  if ("DELETE" in query) return { DELETE: { ...query.DELETE, where: and(query.DELETE.where, condition) } };
  return query;
}

function and(where: readonly Xo[] | undefined, condition: readonly Xo[]): readonly Xo[] {
  return where === undefined ? condition : [{ xpr: where }, "and", ...condition];
}
