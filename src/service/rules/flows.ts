/**
 * Flows at run time: handlers of the actions that take rows from one status to another.
 *
 * @module
 */

import type { Query, RefExpression, RefStep, Row } from "../../cqn/cqn.ts";
import { ServiceError } from "../../errors/service_error.ts";
import { draftsOf } from "../../model/drafts/draft_names.ts";
import { type Flow, flowOf, type FlowStatus, type Transition, TRANSITIONS } from "../../model/flows/flow.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { validSlice } from "../../model/valid_slice.ts";
import type { DatabaseService } from "../database_service.ts";
import type { ServiceHost } from "../host.ts";
import type { ServiceRequest } from "../requests/service_request.ts";
import type { Service } from "../service.ts";

/** A service whose entities may have flows. */
type FlowOwner = Service & { readonly host: ServiceHost };

/**
 * Registers the handlers of all flows of a service: those that check the status come before the handlers of the application,
 * those that set it behind them.
 *
 * @param service the service
 */
export function registerFlows(service: FlowOwner): void {
  for (const entity of service.entities) {
    const flow = isDraft(entity) ? undefined : flowOf(entity);
    if (!flow) continue;
    for (const transition of flow.transitions.values()) {
      registerTransition(service, { entity, flow, transition });
    }
  }
}

/** Drafts are no rows that flow: their actions need handlers of their own. */
function isDraft({ name }: LinkedEntity): boolean {
  return name.endsWith(draftsOf(""));
}

/** Whether an action needs no handler: all it does is to set the status. */
export function isTransition({ operation, target }: ServiceRequest): boolean {
  const flow = operation?.$entity && target && operation.$entity === target && !isDraft(target)
    ? flowOf(target)
    : undefined;
  return flow?.transitions.get(operation!.name)?.to !== undefined;
}

interface Moved {
  readonly entity: LinkedEntity;
  readonly flow: Flow;
  readonly transition: Transition;
}

function registerTransition(service: FlowOwner, moved: Moved): void {
  const { action, to } = moved.transition;
  const statuses: WeakMap<ServiceRequest, unknown> = new WeakMap();
  service.prepend(() =>
    service.before(action.name, moved.entity, async (req: ServiceRequest) => {
      const { db } = service.host;
      if (db) statuses.set(req, await checkedStatus(req, db, moved));
    })
  );
  if (to === undefined) return;
  service.after(action.name, moved.entity, async (_result: unknown, req: ServiceRequest) => {
    const { db } = service.host;
    if (db) await move(req, db, { ...moved, before: statuses.get(req) });
  });
}

/** The status of the row, which is locked until the status is set; refuses one that the action does not start from. */
async function checkedStatus(
  req: ServiceRequest,
  db: DatabaseService,
  { flow: { status }, transition: { action, from, to } }: Moved,
): Promise<unknown> {
  const query: Query = {
    SELECT: {
      one: true,
      from: req.subject,
      columns: [{ ref: [status.name], as: "status" }],
      ...(to === undefined ? {} : { forUpdate: true }),
    },
  };
  const row = await db.run(query) as { readonly status: unknown } | null | undefined;
  if (!row) throw new ServiceError({ status: 404 });
  if (from && !from.some(({ value }) => value === row.status)) {
    throw new ServiceError({
      status: 409,
      code: `INVALID_FLOW_TRANSITION_${from.length > 1 ? "MULTI" : "SINGLE"}`,
      args: [action.name, status.name, JSON.stringify(from.map(({ name }) => name))],
    });
  }
  return row.status;
}

interface Moving extends Moved {
  /** The status that the row had. */
  readonly before: unknown;
}

async function move(req: ServiceRequest, db: DatabaseService, moving: Moving): Promise<void> {
  const { entity, flow: { status }, transition: { to } } = moving;
  const history = entity.elements[TRANSITIONS] ? await historyOf(req, db) : undefined;
  const next = to === "previous" ? previousOf(history ?? [], moving) : (to as FlowStatus).value;
  const slice = validSlice(entity);
  const data = { [status.name]: next } as Row;
  await db.run({ UPDATE: { entity: req.subject, data, ...(slice.length > 0 ? { where: slice } : {}) } });
  if (history) await note(req, db, { history, before: moving.before, next });
}

interface Entry {
  readonly timestamp: string;
  readonly status: string | null;
}

function pathOfHistory({ ref }: RefExpression): RefExpression & { readonly ref: readonly RefStep[] } {
  return { ref: [...ref, TRANSITIONS] };
}

/** The last two entries, the latest first. */
async function historyOf({ subject }: ServiceRequest, db: DatabaseService): Promise<readonly Entry[]> {
  const rows: unknown = await db.run({
    SELECT: {
      from: pathOfHistory(subject),
      columns: [{ ref: ["timestamp"] }, { ref: ["status"] }],
      orderBy: [{ ref: ["timestamp"], sort: "desc" }],
      limit: { rows: { val: 2 } },
    },
  });
  return rows as readonly Entry[]; // as the columns say
}

/** The status before the last transition. Where others have set it since, that is the last one noted. */
function previousOf(history: readonly Entry[], { before, flow, transition }: Moving): unknown {
  const [last, earlier] = history;
  const found = last && last.status === text(before) ? earlier : last;
  if (found) return found.status;
  throw new ServiceError({
    status: 409,
    code: "FLOW_WITHOUT_PREVIOUS",
    args: [transition.action.name, flow.status.name],
  });
}

interface Noted {
  readonly history: readonly Entry[];
  readonly before: unknown;
  readonly next: unknown;
}

/** Notes the new status, and in front of it the one that the row had unless that is the last one noted. */
async function note(
  req: ServiceRequest,
  db: DatabaseService,
  { history, before, next }: Noted,
): Promise<void> {
  const [last] = history;
  const statuses = last && last.status === text(before) ? [next] : [before, next];
  const after = last ? Date.parse(last.timestamp) + 1 : 0;
  // one transaction has one time, and may have several transitions
  const time = Math.max(req.timestamp.getTime(), after);
  const entries = statuses.map((status, index): Row => ({
    timestamp: new Date(time + index).toISOString(),
    status: text(status),
  }));
  await db.run({ INSERT: { into: pathOfHistory(req.subject), entries } });
}

function text(status: unknown): string | null {
  return (status ?? null) === null ? null : String(status);
}
