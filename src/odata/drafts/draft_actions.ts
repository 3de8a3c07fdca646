/**
 * Bound operations of entities with drafts, and the actions of the draft protocol.
 *
 * @module
 */

import { withoutDraftMembers } from "./draft_bodies.ts";
import type { Row, Xo } from "../../cqn/cqn.ts";
import {
  type ErrorProperties,
  givenMessage,
  isServiceError,
  ServiceError,
  unsupported,
} from "../../errors/service_error.ts";
import { DRAFT_MEMBERS, draftsOf } from "../../model/drafts/draft_names.ts";
import { authorizeRequest } from "../../service/authorization/authorize_request.ts";
import { activationOf, hasMade, sliceOf } from "../../service/drafts/activate_draft.ts";
import { changeMessages, draftMessage, draftTarget } from "../../service/drafts/draft_messages.ts";
import { assertOwn, keepHeld, keyWhere } from "../../service/drafts/administration.ts";
import { ServiceRequest } from "../../service/requests/service_request.ts";
import { dispatchTo } from "../../service/service.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import { type Answer, createRequest, dispatch, inTransaction } from "../exchange.ts";
import { readJsonObject } from "../payload/request_body.ts";
import type { BoundPlan } from "../plan/plan.ts";
import { assertVersion } from "../resources/row_version.ts";
import { assertOneTree, keysOfRow } from "./addressed_row.ts";
import {
  assertWritable,
  keysOf,
  readBack,
  rootDraft,
  type RowWriting,
  serviceOf,
  type Writing,
} from "./draft_writes.ts";
import type { InRows } from "./draft_rows.ts";
import { possibleKinds, type RowKind } from "./row_kinds.ts";

/** Names of the actions of the draft protocol. */
const DRAFT_ACTIONS: ReadonlySet<string> = new Set([
  "draftNew",
  "draftEdit",
  "draftActivate",
  "draftPrepare",
]);

/**
 * Answers the call of a bound operation.
 *
 * @param writing the request
 */
export function callBound(writing: Writing<BoundPlan>): MaybePromise<Answer> {
  const { exchange, plan, scope, answer } = writing;
  const name = plan.operation.definition.name;
  const kind = (plan.operation.binding === "each" ? kindOfMembers(plan) : undefined) ?? scope.kindOf(plan) ??
    "active";
  if (kind === "draft") assertOneTree(plan);
  const rows = scope.rowPlan(plan, kind);
  const row: RowWriting<BoundPlan> = { ...writing, kind, rows };
  if (!DRAFT_ACTIONS.has(name)) {
    return inTransaction(exchange, async () => {
      if (kind === "draft") await assertCallable(row);
      return await answer({ ...exchange, grouped: true }, ofRuntime(rows));
    });
  }
  return inTransaction(exchange, async () => {
    const given = await readJsonObject(exchange) as Row;
    assertKind(name, kind);
    switch (name) {
      case "draftEdit":
        return await edit(row, given);
      case "draftActivate":
        return await activate(row);
      case "draftNew":
        return await createByAction(row, given);
      default:
        return await prepare(row, given);
    }
  });
}

/** Keeps what is wrong with a draft that could not be activated, beyond the transaction of the request. */
async function keepFailed(
  { exchange, plan, scope }: RowWriting,
  { error, uuid }: { readonly error: ServiceError; readonly uuid: string },
): Promise<void> {
  if (!scope.settings.messages) return;
  const service = serviceOf(exchange);
  const path = `/${plan.addressed.url.replace(/\/[^/(]*$/, "")}`;
  const req = { locale: exchange.context.locale };
  const errors = error.details ?? [error as unknown as ErrorProperties];
  const messages = errors.map((one) => draftMessage(one, { path, req, service }));
  await service.host.db!.tx(() => changeMessages(service, uuid, () => messages));
}

/** Targets of the framework's own checks start at the binding parameter of the action. */
function inBinding(error: ServiceError): ServiceError {
  const targeted = (one: ErrorProperties): ErrorProperties =>
    /^ASSERT_/.test(String(one.code)) && one.target !== undefined
      ? { ...one, target: `in/${draftTarget(one.target)}` }
      : one;
  const { details } = error;
  if (details) {
    return new ServiceError({ ...error, target: "in", details: details.map(targeted) });
  }
  const { status, code, target, args } = error;
  return new ServiceError(
    targeted({ status, code, message: givenMessage(error) || undefined, target, args }),
  );
}

/** Who calls an operation of a draft needs what the active instance asks for; then the draft must be the caller's. */
async function assertCallable(row: RowWriting<BoundPlan>): Promise<void> {
  const { exchange, plan, scope } = row;
  const service = serviceOf(exchange);
  const target = scope.model.entity(plan.target.name)!;
  const operation = target.actions[plan.operation.definition.name];
  const query = { SELECT: { from: { ref: [target.name] } } };
  const { context } = exchange;
  const asked = new ServiceRequest({ context, event: operation.name, operation, target, query });
  await authorizeRequest(asked, service);
  await assertWritable(row);
}

/**
 * The kind of the members that an operation is called on; undefined where the row that they are reached from decides.
 *
 * @throws ServiceError 501 where drafts may be among them
 */
function kindOfMembers({ from, queryParams }: BoundPlan): RowKind | undefined {
  const last = from.ref.at(-1);
  const where = typeof last === "object" ? last.where as readonly Xo[] | undefined : undefined;
  if (possibleKinds(where, queryParams).has("draft")) {
    throw unsupported("Calls on several instances at once, of entities with drafts");
  }
  return from.ref.length === 1 ? "active" : undefined;
}

/** The operation and its entity as the service knows them. */
function ofRuntime(plan: BoundPlan & InRows): BoundPlan {
  const { rows: { target, path }, operation } = plan;
  const definition = target.actions[operation.definition.name] ?? operation.definition;
  return { ...plan, target, path, operation: { ...operation, definition } };
}

function assertKind(name: string, kind: RowKind): void {
  const isWrong = name === "draftEdit" ? kind === "draft" : name !== "draftNew" && kind === "active";
  if (!isWrong) return;
  const message = kind === "draft"
    ? `Action "${name}" can only be called on the active entity`
    : `Action "${name}" can only be called on the draft entity`;
  throw new ServiceError({ status: 400, message });
}

async function edit(row: RowWriting, given: Row): Promise<Answer> {
  const { exchange, rows } = row;
  const { PreserveChanges } = given;
  const target = rows.rows.target;
  const keys = await keysOfRow(row);
  const subject = { ref: [{ id: target.name, where: keyWhere(keys) }] };
  await dispatch(exchange, {
    event: "EDIT",
    target,
    data: typeof PreserveChanges === "boolean" ? { PreserveChanges } : {},
    query: { SELECT: { from: subject, one: true } },
    params: rows.addressed.params,
    subject,
    precondition: () => assertVersion(exchange, target, subject),
  });
  return await readBack(row, { keys, kind: "draft", status: 201 });
}

async function activate(row: RowWriting): Promise<Answer> {
  const { exchange, plan, rows, scope } = row;
  const drafts = rows.rows.target;
  const keys = await keysOfRow(row);
  let uuid: string | undefined;
  const req = createRequest(exchange, {
    ...activationOf(drafts, keys),
    precondition: async () => {
      const held = await rootDraft(row);
      if (!held) throw new ServiceError({ status: 404, code: "DRAFT_NOT_EXISTING" });
      assertOwn(held, exchange.context.user.id);
      await assertVersion(exchange, drafts, rows.addressed.subject);
      keepHeld(req, held);
      uuid = held.uuid;
    },
  });
  try {
    const row = await dispatchTo(serviceOf(exchange), req) as Row;
    // the answer shows the slice that was written
    exchange.context.validity = sliceOf(scope.model.entity(plan.target.name)!, row) ??
      exchange.context.validity;
  } catch (error) {
    if (uuid === undefined || !isServiceError(error)) throw error;
    const failed = { error, uuid };
    req.on("failed", () => keepFailed(row, failed));
    throw inBinding(error);
  }
  const answer = await readBack(row, { keys, kind: "active", status: 201 });
  return hasMade(req) ? answer : { ...answer, status: answer.status === 201 ? 200 : answer.status };
}

/** Side effects are told apart by a qualifier; messages are those that were there before. */
async function prepare(row: RowWriting, { SideEffectsQualifier }: Row): Promise<Answer> {
  const { exchange, rows } = row;
  const { subject, params } = rows.addressed;
  await dispatch(exchange, {
    event: "draftPrepare",
    target: rows.rows.target,
    data: typeof SideEffectsQualifier === "string" ? { SideEffectsQualifier } : {},
    query: { SELECT: { from: subject, one: true } },
    params,
    subject,
    precondition: async () => void await assertWritable(row),
  });
  const virtual = [...rows.rows.target.$flat.values()].filter((flat) => flat.virtual).map(({ name }) => name);
  const hides = ["DraftMessages", ...virtual.filter((name) => !DRAFT_MEMBERS.has(name))];
  return await readBack(row, { keys: await keysOfRow(row), kind: "draft", status: 200, hides });
}

async function createByAction(row: RowWriting, given: Row): Promise<Answer> {
  const { exchange, plan, scope } = row;
  const target = scope.model.entity(draftsOf(plan.target.name))!;
  const data = withoutDraftMembers(plan.target, given);
  await dispatch(exchange, {
    event: "NEW",
    target,
    data,
    query: { INSERT: { into: target.name, entries: [data] } },
  });
  return await readBack(row, { keys: keysOf(target, data), kind: "draft", status: 201 });
}
