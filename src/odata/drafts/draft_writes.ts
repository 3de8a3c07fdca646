import type { Row } from "../../cqn/cqn.ts";
import { stepName } from "../../cqn/steps.ts";
import { givenMessage, isServiceError, ServiceError, unsupported } from "../../errors/service_error.ts";
import { draftsOf } from "../../model/drafts/draft_names.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { missingPermission } from "../../service/authorization/refusals.ts";
import type { ApplicationService } from "../../service/application_service.ts";
import { onlyViaRoot } from "../../service/drafts/draft_wholes.ts";
import {
  assertOwn,
  type HeldDraft,
  heldDraftOf,
  isRoot,
  keepHeld,
} from "../../service/drafts/administration.ts";
import { dispatchTo } from "../../service/service.ts";
import { andThen, type MaybePromise, orElse } from "../../util/maybe_promise.ts";
import {
  type Answer,
  createRequest,
  dispatch,
  type DispatchProperties,
  type DraftAnswers,
  entityPlan,
  type Exchange,
  finishAnswer,
  inTransaction,
  rawPathOf,
} from "../exchange.ts";
import { parentSteps } from "../payload/context_url.ts";
import { canonicalUrl } from "../payload/key_predicate.ts";
import { readEntityBody } from "../payload/request_body.ts";
import type { EntityPlan } from "../plan/plan.ts";
import { assertVersion } from "../resources/row_version.ts";
import { assertOneTree, assertOwnPath, keysOfRow, linksToWhole } from "./addressed_row.ts";
import { isNode, type RowKind } from "./row_kinds.ts";
import type { DraftScope, InRows } from "./draft_rows.ts";
import { flagOf, readChanges, rowOf, withoutDraftMembers } from "./draft_bodies.ts";

/** What a write needs. */
export interface Writing<P extends EntityPlan = EntityPlan> {
  readonly exchange: Exchange;
  /** What the URL means to clients. */
  readonly plan: P;
  readonly scope: DraftScope;
  readonly answer: Parameters<DraftAnswers>[2];
}

/** A write on rows of a kind. */
export interface RowWriting<P extends EntityPlan = EntityPlan> extends Writing<P> {
  readonly kind: RowKind;
  /** What the URL means in rows. */
  readonly rows: P & InRows;
}

/**
 * Answers a request that writes rows of an entity with drafts, or of one behind them.
 *
 * @param writing the request
 */
export function writeRows(writing: Writing): MaybePromise<Answer> {
  const { exchange, plan, scope, answer } = writing;
  assertOwnPath(plan);
  assertOneTree(plan);
  const kind = scope.kindOf(plan) ?? "active";
  const rows = scope.rowPlan(plan, kind);
  const row: RowWriting = { ...writing, kind, rows };
  if (!isNode(plan.target)) {
    return inTransaction(exchange, async () => {
      if (kind === "draft") await assertWritable(row);
      return await answer({ ...exchange, grouped: true }, { ...rows, target: rows.rows.target });
    });
  }
  if (plan.kind === "entitySet" && exchange.method === "POST") {
    return inTransaction(exchange, () => createRow(row));
  }
  if (plan.kind === "entity" && exchange.method === "DELETE") {
    return inTransaction(exchange, () => deleteRow(row));
  }
  if (plan.kind === "entity") return inTransaction(exchange, () => changeRow(row));
  if (plan.addressed.params.length === 0) throw several();
  return inTransaction(exchange, async () => {
    await assertWritable(row);
    return await answer({ ...exchange, grouped: true }, { ...rows, target: rows.rows.target });
  });
}

/** Each of several instances may have a draft that keeps others out. */
function several(): ServiceError {
  const message = "Changes of several instances at once, of entities with drafts";
  return unsupported(message);
}

/** The service of an exchange: only application services have entities. */
export function serviceOf({ scope }: Exchange): ApplicationService {
  return scope.service as ApplicationService;
}

/** The draft of the root that a path starts with. */
export function rootDraft({ exchange, plan }: Writing): MaybePromise<HeldDraft | undefined> {
  const [first] = plan.from.ref;
  const [keys] = plan.addressed.params;
  if (!keys) return undefined;
  const { IsActiveEntity: _kind, ...own } = keys;
  const name = draftsOf(stepName(first!));
  return heldDraftOf(serviceOf(exchange), name, own);
}

/**
 * A draft must be the caller's; an active instance must have none.
 *
 * @param row the write
 * @returns the draft that is written
 */
export function assertWritable(row: RowWriting): MaybePromise<HeldDraft | undefined> {
  return andThen(rootDraft(row), (held) => mayWrite(row, held));
}

function mayWrite(row: RowWriting, held: HeldDraft | undefined): HeldDraft | undefined {
  const { exchange, kind, plan, scope } = row;
  if (kind === "draft") {
    if (!held) throw new ServiceError({ status: 404 });
    assertOwn(held, exchange.context.user.id);
    return held;
  }
  if (held && exchange.method === "DELETE" && plan.addressed.params.length === 1) {
    if (held.isLocked) assertOwn(held, exchange.context.user.id);
    throw new ServiceError({ status: 403, code: "DRAFT_ACTIVE_DELETE_FORBIDDEN_DRAFT_EXISTS" });
  }
  if (held && plan.kind !== "operation" && isOfRoot(row)) {
    throw new ServiceError({ status: 409, code: "DRAFT_ALREADY_EXISTS" });
  }
  const isWhole = exchange.method === "DELETE" && plan.addressed.params.length === 1;
  if (!scope.settings.bypass && !isWhole && plan.kind !== "operation") throw bypassed();
}

/** Sends a write; the draft that its check finds is kept for the handler. */
function sendWrite(
  { exchange }: RowWriting,
  properties: DispatchProperties,
  check?: () => MaybePromise<HeldDraft | undefined>,
): MaybePromise<unknown> {
  const req = createRequest(exchange, {
    ...properties,
    precondition: check && (() =>
      andThen(check(), (held) => {
        if (held) keepHeld(req, held);
      })),
  });
  return dispatchTo(serviceOf(exchange), req);
}

/** The refusal where active instances are changed by drafts only. */
export function bypassed(): ServiceError {
  return new ServiceError({
    status: 501,
    message: 'Active instances are changed by their drafts only ("fw.fiori.bypass_draft" is false)',
  });
}

/** Whether a path starts with a root; parts that are addressed by their own set are no matter of a lock. */
function isOfRoot({ plan, scope }: RowWriting): boolean {
  const [first] = plan.from.ref;
  const entity = scope.model.entity(stepName(first!));
  return entity !== undefined && isRoot(entity);
}

async function createRow(row: RowWriting): Promise<Answer> {
  const { exchange, plan, kind, rows, scope } = row;
  const target = rows.rows.target;
  const body = rowOf(await readEntityBody(exchange, plan.target));
  const isPart = plan.navigation !== undefined;
  if (!isPart && !isOfRoot(row)) throw onlyViaRoot();
  const given = flagOf(body.IsActiveEntity);
  const isActive = isPart ? kind === "active" : given ?? scope.settings.newAction;
  const data = withoutDraftMembers(plan.target, body);
  const sent = isActive ? structuredClone(data) : undefined;
  const drafts = scope.model.entity(draftsOf(plan.target.name))!;
  const entity = isActive ? scope.model.entity(plan.target.name)! : drafts;
  if (isPart) Object.assign(data, await linksToWhole(row));
  const subject = isPart && { ref: [...rows.navigation!.subject.ref, plan.navigation!.element.name] };
  const write = {
    event: isActive ? "CREATE" : "NEW",
    target: entity,
    data,
    query: { INSERT: { into: entity.name, entries: [data] } },
    path: isPart ? rows.rows.path : entity.name,
    params: rows.addressed.params,
    ...(subject && { subject }),
  };
  await sendWrite(row, write, isPart ? () => assertWritable(row) : undefined);
  const keys = keysOf(target, data);
  if (!isActive) return await readBack(row, { keys, kind: "draft", status: 201 });
  const hides = given ? ["HasActiveEntity", "HasDraftEntity"] : [];
  return await readBack(row, { keys, kind: "active", status: 201, hides, sent });
}

function changeRow(row: RowWriting): MaybePromise<Answer> {
  const { plan, kind, rows } = row;
  return andThen(readChanges(row), (body) => {
    const data = withoutDraftMembers(plan.target, rowOf(body));
    for (const { name } of rows.rows.target.$flatKeys) delete data[name];
    if (kind === "active" && plan.from.ref.length === 1 && !isOfRoot(row)) throw onlyViaRoot();
    return andThen(keysOfRow(row), (keys) =>
      andThen(
        plan.navigation && linksToWhole(row),
        (links) => changeData(row, { data: Object.assign(data, links, keys), keys }),
      ));
  });
}

/** Sends a change with the keys of its row, and reads the row. */
function changeData(
  row: RowWriting,
  { data, keys }: { readonly data: Row; readonly keys: Row },
): MaybePromise<Answer> {
  const { kind, rows } = row;
  const { target } = rows.rows;
  const subject = rows.addressed.subject;
  const write = {
    event: "UPDATE",
    target,
    data,
    query: { UPDATE: { entity: rows.rows.place, data } },
    queryParams: rows.queryParams,
    path: rows.rows.path,
    params: rows.addressed.params,
    subject,
  };
  return andThen(sendWrite(row, write, () => assertRow(row)), () => {
    const read = isOwnUrl(row, keys) ? rows : undefined;
    return readBack(row, { keys, kind, status: 200, read });
  });
}

/** Whether the URL is the canonical one of the row, without options: then it is planned already what reads the row. */
function isOwnUrl({ exchange, plan, rows }: RowWriting, keys: Row): boolean {
  const [given = {}] = rows.addressed.params;
  return plan.from.ref.length === 1 && plan.cast === undefined && !exchange.rawUrl.includes("?") &&
    Object.keys(keys).every((name) => given[name] === keys[name]);
}

function assertRow(row: RowWriting): MaybePromise<HeldDraft | undefined> {
  const { exchange, rows } = row;
  return andThen(assertWritable(row), (held) => {
    const checked = assertVersion(exchange, rows.rows.target, rows.addressed.subject);
    return andThen(checked, () => held);
  });
}

/** What is not there is told when handlers of the discarding have run. */
async function assertDeletable(row: RowWriting): Promise<void> {
  if (row.kind === "active" || await rootDraft(row)) await assertRow(row);
}

async function deleteRow(row: RowWriting): Promise<Answer> {
  const { exchange, kind, plan, rows } = row;
  const target = rows.rows.target;
  const subject = rows.addressed.subject;
  await dispatch(exchange, {
    event: kind === "draft" ? "CANCEL" : "DELETE",
    target,
    ...(plan.navigation && { data: { ...await keysOfRow(row), ...await linksToWhole(row) } }),
    query: { DELETE: { from: subject } },
    path: rows.rows.path,
    params: rows.addressed.params,
    subject,
    precondition: () => assertDeletable(row),
  });
  return finishAnswer(exchange, { status: 204 });
}

export function keysOf(entity: LinkedEntity, data: Row): Row {
  const keys: Row = {};
  for (const { name } of entity.$flatKeys) {
    if (data[name] === undefined || data[name] === null) {
      throw new ServiceError({ status: 400, code: "ASSERT_MANDATORY", target: name });
    }
    keys[name] = data[name];
  }
  return keys;
}

interface Shown {
  readonly keys: Row;
  readonly kind: RowKind;
  readonly status: number;
  /** Members that are shown only where they are selected. */
  readonly hides?: readonly string[];
  /** The data that was sent: the answer shows its parts. */
  readonly sent?: Row;
  /** What reads the row; default: its canonical URL. */
  readonly read?: EntityPlan;
}

/** The answer with a row that was written. */
export function readBack(
  { exchange, plan, scope, answer }: Writing,
  { keys, kind, status, hides, sent, read }: Shown,
): MaybePromise<Answer> {
  const IsActiveEntity = kind === "active";
  const url = canonicalUrl(plan.target, { ...keys, IsActiveEntity })!; // it has all keys
  const location = parentSteps(rawPathOf(exchange)) + url;
  const isNew = status === 201;
  const withoutRow = (applied: readonly string[] = []) => {
    const headers = isNew ? { location, "odata-entityid": location } : {};
    return finishAnswer(exchange, { status: 204, headers, applied, entityUrl: url });
  };
  if (exchange.preferences.return === "minimal") return withoutRow(["return"]);
  const reading: Exchange = { ...exchange, method: "GET", grouped: true, preconditions: {}, streams: false };
  return orElse<Answer>(() => {
    const rows = read ??
      scope.rowPlan(entityPlan(exchange, url + optionsOf(exchange, plan, sent)), undefined, hides);
    return andThen(answer(reading, rows), (made) => {
      if (isNew) made.headers.set("location", location);
      return { ...made, status: made.status === 200 ? status : made.status, entityUrl: url };
    });
  }, (error) => {
    if (isHidden(error)) return withoutRow();
    throw error;
  });
}

/** The query options of the answer: those of the request, and what shows the parts that were sent. */
function optionsOf({ rawUrl }: Exchange, plan: EntityPlan, sent: Row | undefined): string {
  const at = rawUrl.indexOf("?");
  const options = at < 0 ? "" : rawUrl.slice(at);
  const parts = sent && !/[?&](\$|%24)(expand|select)=/i.test(options) ? expandOf(plan.target, [sent]) : "";
  return parts ? `${options ? `${options}&` : "?"}$expand=${parts}` : options;
}

/**
 * Whether an error says that the caller may not see a row. Who may write and not read gets no row, as without drafts; what
 * handlers of READ reject is told.
 */
function isHidden(error: unknown): boolean {
  if (!isServiceError(error)) return false;
  const status = Number(error.status);
  return missingPermission(error) !== undefined || NOT_SHOWN.has(status) ||
    (status === 404 && !givenMessage(error));
}

const NOT_SHOWN: ReadonlySet<number> = new Set([401, 405]);

/** The parts that were sent with rows, as $expand. */
function expandOf(entity: LinkedEntity, rows: readonly unknown[]): string {
  return [...entity.compositions].flatMap(({ name, $target }) => {
    const sent = rows.map((row) => (row as Row | null)?.[name]).filter((value) => value !== undefined);
    if (!$target || sent.length === 0) return [];
    const inner = expandOf($target, sent.flat());
    return [inner ? `${name}($expand=${inner})` : name];
  }).join(",");
}
