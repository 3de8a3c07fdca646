/**
 * Batches: requests in order, change sets as one transaction (OData Protocol 11.7).
 *
 * @module
 */

import { EventContext } from "../../context/event_context.ts";
import { runBriefly } from "../../context/store.ts";
import { readableError } from "../../errors/normalize_error.ts";
import { isServiceError, ServiceError } from "../../errors/service_error.ts";
import { runRequest } from "../../service/requests/run_request.ts";
import { andThen, inTurn, type MaybePromise, orElse } from "../../util/maybe_promise.ts";
import { readableTarget } from "../../util/http_text.ts";
import type { Answer, Exchange } from "../exchange.ts";
import { errorAnswer } from "../error_answer.ts";
import { isTaken } from "../resources/upsert.ts";
import { AnswerBudget } from "./answer_budget.ts";
import type { BatchPart } from "./batch_part.ts";
import { BatchResults } from "./batch_results.ts";
import { isMet, resolvePart } from "./resolve_part.ts";
import { PartExchanges } from "./part_exchanges.ts";
import type { PartAnswer } from "./write_batch.ts";

/** Answers one request; never throws. `failed` is what went wrong, if something did. */
export type PartHandler = (exchange: Exchange) => MaybePromise<Answer>;

/** What is known of a batch while it runs. */
interface BatchState {
  readonly outer: Exchange;
  readonly parts: readonly BatchPart[];
  readonly options: BatchOptions;
  readonly answers: PartAnswer[];
  /** Ids of requests and groups that failed or did not run. */
  readonly failed: Set<string>;
  /** What later requests may refer to. */
  readonly results: BatchResults;
  readonly exchanges: PartExchanges;
  readonly budget: AnswerBudget;
}

/** How a batch runs. */
export interface BatchOptions {
  /** Go on after a request that failed. */
  readonly continueOnError: boolean;
  /** A failed change set is answered by one part. */
  readonly joinFailedGroups: boolean;
  /** Handles one request. Throws what went wrong. */
  readonly handle: PartHandler;
}

/**
 * Runs the parts of a batch.
 *
 * @param outer the request that holds the batch
 * @param parts the parts, checked
 * @param options how to go on after errors
 */
export function runBatch(
  outer: Exchange,
  parts: readonly BatchPart[],
  options: BatchOptions,
): MaybePromise<readonly PartAnswer[]> {
  const { limits } = outer.scope.host;
  const results = new BatchResults(limits.jsonDepth);
  const state: BatchState = {
    outer,
    parts,
    options,
    answers: [],
    failed: new Set(),
    results,
    exchanges: new PartExchanges(outer, results),
    budget: new AnswerBudget(limits.batchAnswerBytes),
  };
  return andThen(runFrom(state, 0), () => state.answers);
}

/** Runs the parts from a place on; waits only for those that do. */
function runFrom(state: BatchState, start: number): MaybePromise<void> {
  const { parts, options: { continueOnError, joinFailedGroups } } = state;
  for (let at = start; at < parts.length && (continueOnError || state.failed.size === 0);) {
    const members = membersOfGroup(parts, at);
    const pending = members === undefined
      ? runSingle(state, parts[at]!)
      : runGroup(state, members, joinFailedGroups);
    at += members?.length ?? 1;
    if (pending instanceof Promise) return runBehind(state, pending, at);
  }
}

async function runBehind(state: BatchState, pending: Promise<void>, next: number): Promise<void> {
  await pending;
  await runFrom(state, next);
}

/** The requests of the change set that begins at a place; undefined for a single request. */
function membersOfGroup(parts: readonly BatchPart[], start: number): BatchPart[] | undefined {
  const { group } = parts[start]!;
  if (group === undefined) return undefined;
  let end = start;
  while (parts[end]?.group === group) end++;
  return parts.slice(start, end);
}

/** Waits only for a request that does. */
function runSingle(state: BatchState, part: BatchPart): MaybePromise<void> {
  let exchange = state.exchanges.create(part, state.outer.context);
  let answer: MaybePromise<Answer>;
  try {
    assertDependencies(state, part);
    state.budget.assertRoom();
    const resolved = resolvePart(state, part);
    if (resolved !== part) exchange = state.exchanges.create(resolved, state.outer.context);
    answer = andThen(handleBriefly(state, exchange), (given) => state.budget.take(given, part.method));
  } catch (error) {
    answer = failedAnswer(state, part, { exchange, error });
  }
  return answer instanceof Promise
    ? recordLater(state, part, { exchange, answer })
    : record(state, part, { exchange, answer });
}

function handleBriefly({ options }: BatchState, exchange: Exchange): MaybePromise<Answer> {
  return runBriefly(exchange.context, () => options.handle(exchange));
}

/** What fills an answer alone fills that of a batch. */
const TOO_LARGE = "ANSWER_TOO_LARGE";

/** A request that failed, and what it failed by. */
interface Failure {
  readonly exchange: Exchange;
  readonly error: unknown;
}

function failedAnswer(state: BatchState, part: BatchPart, { exchange, error }: Failure): Answer {
  if (isServiceError(error) && error.code === TOO_LARGE) state.budget.fill();
  return runBriefly(exchange.context, () => errorAnswer(exchange, error, contentId(state, part)));
}

/** What a request led to. */
interface Outcome<A = Answer> {
  readonly exchange: Exchange;
  readonly answer: A;
}

async function recordLater(
  state: BatchState,
  part: BatchPart,
  { exchange, answer: pending }: Outcome<Promise<Answer>>,
): Promise<void> {
  const answer = await pending.catch((error) => failedAnswer(state, part, { exchange, error }));
  record(state, part, { exchange, answer });
}

function record(state: BatchState, part: BatchPart, { exchange, answer }: Outcome): void {
  if (answer.status >= 400) state.failed.add(part.id);
  state.results.add(part.id, answer, exchange.rawUrl);
  state.answers.push({ id: part.id, named: part.named, group: part.group, answer });
  logPart(state, part, answer);
}

/** One line for each request, as requests outside of batches have one. */
function logPart({ outer }: BatchState, { method, url }: BatchPart, { status }: Answer): void {
  const log = outer.scope.host.log("odata");
  if (log._info) {
    runBriefly(outer.context, () => log.info(`> ${method} ${readableTarget(url)} ${status}`));
  }
}

/** Errors of change sets name the request they belong to, and those of all multipart parts with an id. */
function contentId(state: BatchState, part: BatchPart): string | undefined {
  if (!part.named) return undefined;
  const isMultipart = () => /^multipart\//i.test(state.outer.request.headers.get("content-type") ?? "");
  return part.group !== undefined || isMultipart() ? part.id : undefined;
}

function assertDependencies(state: BatchState, part: BatchPart): void {
  const { failed, results, outer } = state;
  const isRunnable = part.condition === undefined
    ? failed.size === 0 || !dependsOnAny(part, failed)
    : isMet(part.condition, results, outer.scope.host.limits) && !refersToAny(part, failed);
  if (!isRunnable) throw new ServiceError({ status: 424 });
}

function dependsOnAny(part: BatchPart, ids: ReadonlySet<string>): boolean {
  return part.dependsOn.some((id) => ids.has(id)) || refersToAny(part, ids);
}

/** Whether the URL of a part begins with the id of another one. */
function refersToAny({ url }: BatchPart, ids: ReadonlySet<string>): boolean {
  const reference = /^\/?\$([^/?(]+)/.exec(url)?.[1];
  return reference !== undefined && ids.has(reference);
}

/** What happened to the members of a group before it was decided. */
interface Member {
  readonly part: BatchPart;
  readonly exchange: Exchange;
  readonly answer?: Answer;
  readonly error?: unknown;
}

/** Whatever was thrown, also `undefined`. */
function hasFailed(member: Member): boolean {
  return "error" in member;
}

function runGroup(state: BatchState, parts: readonly BatchPart[], joined: boolean): MaybePromise<void> {
  return andThen(attemptGroup(state, parts), (first) =>
    andThen(
      isOvertaken(first, parts) ? attemptGroup(state, parts) : first,
      (attempt) => endGroup(state, parts, { ...attempt, joined }),
    ));
}

function endGroup(state: BatchState, parts: readonly BatchPart[], attempt: GroupFailure): void {
  const { members, culprit, commitError } = attempt;
  const group = parts[0]!.group!;
  if (commitError === undefined && culprit === undefined) {
    for (const { part, exchange, answer } of members) record(state, part, { exchange, answer: answer! });
    return state.results.succeed(group);
  }
  state.failed.add(group);
  state.results.fail(group);
  failGroup(state, parts, attempt);
}

/** What became of a group, which is committed or rolled back. */
interface GroupOutcome {
  readonly members: readonly Member[];
  /** The member that failed. */
  readonly culprit: Member | undefined;
  readonly commitError: unknown;
}

/** The outcome of a group that failed, and how it is answered. */
interface GroupFailure extends GroupOutcome {
  /** By one part. */
  readonly joined: boolean;
}

/** Waits only for members that do. */
function attemptGroup(state: BatchState, parts: readonly BatchPart[]): MaybePromise<GroupOutcome> {
  const { outer } = state;
  const context = new EventContext({}, outer.context);
  const members: Member[] = [];
  const run = () => inTurn(parts, (part) => runMember(state, part, { context, members }));
  // an object around what was thrown: to look whether it is a promise may throw, too
  const ended = (thrown?: unknown) => ({ members, culprit: members.find(hasFailed), commitError: thrown });
  return orElse(
    () => andThen(runRequest(outer.scope.host, context, run), () => ended()),
    (thrown) =>
      ended(members.some(hasFailed) ? undefined : readableError(thrown) ?? new Error("The commit failed")),
  );
}

/** Whether another request created a row that this group was to create or change: it changes the row when it runs again. */
function isOvertaken({ culprit, commitError }: GroupOutcome, parts: readonly BatchPart[]): boolean {
  return isTaken(commitError ?? culprit?.error) &&
    (culprit ? [culprit.part] : parts).some(({ method }) => method === "PUT" || method === "PATCH");
}

function runMember(
  state: BatchState,
  part: BatchPart,
  { context, members }: { readonly context: EventContext; readonly members: Member[] },
): MaybePromise<void> {
  let exchange = state.exchanges.create(part, context, true);
  const run = () => {
    assertDependencies(state, part);
    const resolved = resolvePart(state, part);
    if (resolved !== part) exchange = state.exchanges.create(resolved, context, true);
    if (members.length === 0) state.budget.assertRoom();
    return andThen(state.options.handle(exchange), (given) => {
      const answer = state.budget.take(given, part.method);
      members.push({ part, exchange, answer });
      state.results.add(part.id, answer, exchange.rawUrl);
    });
  };
  return orElse<void>(run, (error) => {
    members.push({ part, exchange, error: readableError(error) });
    throw new Error("A member of the group failed", { cause: error });
  });
}

/** No part reports success: the one that failed its error, the others 424; a failed commit is reported by all. */
function failGroup(
  state: BatchState,
  parts: readonly BatchPart[],
  failure: GroupFailure,
): void {
  const { members, culprit, commitError, joined } = failure;
  for (const part of parts) {
    state.results.fail(part.id);
    state.failed.add(part.id);
    const member = members.find((candidate) => candidate.part === part);
    if (joined && part !== (culprit?.part ?? parts[0])) continue;
    const exchange = member?.exchange ?? state.exchanges.create(part, state.outer.context);
    const error = commitError ??
      (member && member === culprit ? member.error : new ServiceError({ status: 424 }));
    const answer = errorAnswer(exchange, error, contentId(state, part));
    // a veto at the commit: where the entity would have been
    const location = commitError === undefined ? null : member?.answer?.headers.get("location") ?? null;
    if (location !== null) answer.headers.set("Location", location);
    state.answers.push({ id: part.id, named: part.named, group: joined ? undefined : part.group, answer });
    logPart(state, part, answer);
  }
}
