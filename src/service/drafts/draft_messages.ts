/**
 * The messages that drafts keep: what checks and handlers found wrong, until it is repaired.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import { type ErrorArguments, errorProperties } from "../../errors/error_arguments.ts";
import { normalizeError } from "../../errors/normalize_error.ts";
import { type ErrorProperties, isServiceError, ServiceError } from "../../errors/service_error.ts";
import { DRAFT_ADMINISTRATIVE_DATA } from "../../model/drafts/with_drafts.ts";
import { RecordedError } from "../requests/service_event.ts";
import { ServiceRequest } from "../requests/service_request.ts";
import { validateInput } from "../validation/validate_input.ts";
import type { DraftService } from "./draft_settings.ts";

/** A message as drafts keep it. */
export interface DraftMessage {
  readonly code: string;
  readonly message: string;
  /** Path of the element, from the root of the service. */
  readonly target?: string;
  readonly numericSeverity: number;
}

/** What requests found so far. */
const FOUND: WeakMap<ServiceRequest, ErrorProperties[]> = new WeakMap();

/**
 * Errors that handlers record are kept with the draft and do not end the request.
 *
 * @param req a request that writes a draft
 */
export function keepErrors(req: ServiceRequest): void {
  const found: ErrorProperties[] = [];
  FOUND.set(req, found);
  req.error = (...given: ErrorArguments): RecordedError => {
    const recorded = new RecordedError(errorProperties(given));
    found.push(recorded.properties);
    return recorded;
  };
}

/** Codes that drafts do not care for: what is missing may still come. */
const LATER: ReadonlySet<string> = new Set(["ASSERT_MANDATORY", "ASSERT_NOT_NULL", "ASSERT_DATA_TYPE"]);

/**
 * Checks what was sent like input of the active instance, and keeps what is wrong.
 *
 * @param req a request that writes a draft
 * @param service the service
 * @param activeName the entity of the active instance
 */
export async function checkDraftInput(
  req: ServiceRequest,
  service: DraftService,
  activeName: string,
): Promise<void> {
  const target = service.model.entity(activeName)!;
  const data = structuredClone(req.data) as Row;
  const query = { UPDATE: { entity: target.name, data } };
  const check = new ServiceRequest({ context: req, event: "UPDATE", target, data, query });
  const found = await violationsOf(() => validateInput(check, service));
  FOUND.get(req)?.push(...found.filter(({ code }) => !LATER.has(String(code))));
}

async function violationsOf(run: () => unknown): Promise<readonly ErrorProperties[]> {
  try {
    await run();
    return [];
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return error.details ?? [error as unknown as ErrorProperties];
  }
}

/** The path of a row of a draft, as targets of messages have it. */
export function draftPath(
  req: Pick<ServiceRequest, "subject">,
  keys: Row,
  service: DraftService,
): string {
  const steps = req.subject.ref.map((step) => typeof step === "string" ? step : step.id);
  const root = steps[0]!.replace(/\.drafts$/, "").slice((service.definition?.name.length ?? -1) + 1);
  const path = req.subject.ref.map((step, index) => {
    const name = index === 0 ? root.replaceAll(".", "_") : steps[index]!;
    const where = typeof step === "object" ? step.where ?? [] : [];
    const pairs: string[] = [];
    where.forEach((item, at) => {
      const value = where[at + 2];
      if (where[at + 1] !== "=" || typeof item !== "object" || !("ref" in item)) return;
      if (typeof value === "object" && "val" in value) pairs.push(`${item.ref[0]}=${value.val}`);
    });
    const own = pairs.length > 0 ? pairs : Object.entries(keys).map(([key, value]) => `${key}=${value}`);
    return `${name}(${own.join(",")},IsActiveEntity=false)`;
  });
  return `/${path.join("/")}`;
}

/** A target inside a row: keys of drafts tell that they are. */
export function draftTarget(target: string): string {
  return target.replaceAll(/\(([^()]*)\)/g, (whole, keys: string) => {
    return keys.includes("IsActiveEntity") ? whole : `(${keys},IsActiveEntity=false)`;
  });
}

/**
 * Keeps what a request found, in place of what is said of the elements it wrote.
 *
 * @param req the request
 * @param service the service
 * @param draft the draft, the path of the row, and what was written of it
 */
export async function keepFound(
  req: ServiceRequest,
  service: DraftService,
  { uuid, path, written }: { readonly uuid: string; readonly path: string; readonly written: Row },
): Promise<void> {
  const found = FOUND.get(req);
  if (found === undefined) return;
  // a row has several paths; its key is the same in all
  const row = path.slice(path.lastIndexOf("("));
  const repaired = Object.keys(written).map((name) => `${row}/${name}`);
  const isRepaired = ({ target = "" }: DraftMessage) =>
    repaired.some((one) => target.endsWith(one) || target.includes(`${one}(`));
  await changeMessages(service, uuid, (kept) => [
    ...found.map((error) => draftMessage(error, { path, req, service })),
    ...kept.filter((message) => !isRepaired(message)),
  ]);
}

interface MessagePlace {
  readonly path: string;
  readonly req: Pick<ServiceRequest, "locale">;
  readonly service: DraftService;
}

/** An error as message of a draft. */
export function draftMessage(error: ErrorProperties, { path, req, service }: MessagePlace): DraftMessage {
  const { code, message, target } = normalizeError(new ServiceError(error), {
    texts: service.host.texts,
    locale: req.locale,
  });
  const inside = target?.replace(/^in\//, "");
  return {
    code,
    message,
    ...(inside !== undefined &&
      { target: inside.startsWith("/") ? inside : `${path}/${draftTarget(inside)}` }),
    numericSeverity: 4,
  };
}

/**
 * Changes the messages of a draft.
 *
 * @param service the service
 * @param uuid the draft
 * @param change gives the new ones
 */
export async function changeMessages(
  service: DraftService,
  uuid: string,
  change: (kept: readonly DraftMessage[]) => readonly DraftMessage[],
): Promise<void> {
  const db = service.host.db!; // drafts are in the database
  const where = [{ ref: ["DraftUUID"] }, "=", { val: uuid }];
  const from = { ref: [DRAFT_ADMINISTRATIVE_DATA] };
  const row = await db.run({ SELECT: { from, columns: [{ ref: ["DraftMessages"] }], where, one: true } }) as
    | Row
    | null;
  const kept = (row?.DraftMessages ?? []) as readonly DraftMessage[];
  const messages = change(kept);
  if (kept.length === 0 && messages.length === 0) return;
  await db.run({
    UPDATE: { entity: DRAFT_ADMINISTRATIVE_DATA, data: { DraftMessages: [...messages] }, where },
  });
}
