/**
 * The messages that drafts keep: what checks and handlers found wrong, until it is repaired.
 *
 * @module
 */

import type { RefExpression, Row, SelectQuery } from "../../cqn/cqn.ts";
import { copyRow, isRow } from "../../cqn/entries_of.ts";
import { stepName } from "../../cqn/steps.ts";
import { type ErrorArguments, errorProperties } from "../../errors/error_arguments.ts";
import { normalizeError } from "../../errors/normalize_error.ts";
import { type ErrorProperties, isServiceError, ServiceError } from "../../errors/service_error.ts";
import { DRAFT_ADMINISTRATIVE_DATA } from "../../model/drafts/draft_names.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { namedKey } from "../../model/values/key_text.ts";
import { RecordedError } from "../requests/service_event.ts";
import { ServiceRequest } from "../requests/service_request.ts";
import { violationsOfElements } from "../rules/assert_constraints.ts";
import { knownChild } from "../validation/unknown_rows.ts";
import { validateInput } from "../validation/validate_input.ts";
import { activeName, BY_UUID, databaseOf, isRoot, keyWhere } from "./administration.ts";
import type { DraftService } from "./draft_settings.ts";
import { deepFreeze } from "../../util/deep_freeze.ts";
import { andThen, type MaybePromise, orElse } from "../../util/maybe_promise.ts";
import { keysIn, wholeOfRow, wholesOf } from "./draft_wholes.ts";

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
export function checkDraftInput(
  req: ServiceRequest,
  service: DraftService,
  activeName: string,
): MaybePromise<void> {
  const target = service.model.entity(activeName)!;
  const data = withKeysOfWholes(target, copyRow(req.data as Row));
  const query = { UPDATE: { entity: target.name, data } };
  const check = new ServiceRequest({ context: req, event: "UPDATE", target, data, query });
  return andThen(violationsOf(() => validateInput(check, service)), (found) => {
    FOUND.get(req)?.push(...found.filter(({ code }) => !LATER.has(String(code))));
  });
}

/** Parts with the keys of their wholes: those are part of their paths. */
function withKeysOfWholes(entity: LinkedEntity, row: Row): Row {
  const keyed: Row = { ...row };
  for (const composition of entity.compositions) {
    const { name, $target: part } = composition;
    if (!part || !composition.is2many || !Array.isArray(row[name])) continue;
    keyed[name] = row[name].map((child) =>
      isRow(child) ? withKeysOfWholes(part, knownChild(composition, child, row)) : child
    );
  }
  return keyed;
}

/**
 * Checks the constraints of what was written of a draft, behind the write, and keeps what is wrong.
 *
 * @param req the request
 * @param service the service
 * @param draft the row, and what was written of it
 */
export function checkConstraints(
  req: ServiceRequest,
  service: DraftService,
  draft: { readonly from: RefExpression; readonly written: Row },
): MaybePromise<void> {
  const { db } = service.host;
  const found = FOUND.get(req);
  if (!db || !found) return;
  const entity = service.model.entity(activeName(req.target)!)!;
  return andThen(violationsOfElements(db, { entity, ...draft }), (violations) => {
    found.push(...violations);
  });
}

const NONE: readonly ErrorProperties[] = [];

function violationsOf(run: () => MaybePromise<void>): MaybePromise<readonly ErrorProperties[]> {
  return orElse(() => andThen(run(), () => NONE), (error) => {
    if (!isServiceError(error)) throw error;
    return error.details ?? [error as unknown as ErrorProperties];
  });
}

/** The path of a row of a draft, as targets of messages have it. */
export function draftPath(
  req: Pick<ServiceRequest, "subject">,
  keys: Row,
  service: DraftService,
): string {
  const steps = req.subject.ref.map(stepName);
  let entity: LinkedEntity | undefined;
  const path = req.subject.ref.map((step, index) => {
    const name = index === 0 ? setName(steps[0]!, service) : steps[index]!;
    entity = index === 0 ? service.model.entity(steps[0]!) : entity?.elements[name]?.$target;
    const found = keysIn(typeof step === "object" ? step.where : undefined);
    const isLast = index === req.subject.ref.length - 1;
    const own = Object.keys(found).length > 0 ? found : index === 0 || isLast ? keys : {};
    // a property to one has no key
    return name + (Object.keys(own).length > 0 ? draftKey(entity, own) : "");
  });
  return `/${path.join("/")}`;
}

/**
 * The key of a row of a draft, as URLs have it.
 *
 * @param entity the entity of the row
 * @param keys its keys, without that of drafts
 */
export function draftKey(entity: LinkedEntity | undefined, keys: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(keys).map(([name, value]) => namedKey(name, value, entity?.$flat.get(name)));
  return `(${pairs.join(",")},IsActiveEntity=false)`;
}

/**
 * The path of a row of a draft from its root, where it was addressed by the set of the part.
 *
 * @param req the request
 * @param service the service
 */
export async function pathFromRoot(req: ServiceRequest, service: DraftService): Promise<string> {
  const path = draftPath(req, {}, service);
  const { ref } = req.subject;
  if (ref.length > 1 || !req.target) return path;
  const { name: own } = req.target;
  let steps = path.slice(path.indexOf("("));
  let row: RefExpression = { ref };
  for (let part: LinkedEntity | undefined = service.model.entity(own); part;) {
    const above = await wholeOfRow(service, part, row);
    if (!above) return path;
    const { whole, composition, keys } = above;
    // the key of what is behind a property to one is no part of the path
    if (!composition.is2many) steps = steps.slice(keysOf(steps)[0]![0].length);
    steps = `${draftKey(whole, keys)}/${composition.name}${steps}`;
    row = { ref: [{ id: whole.name, where: keyWhere(keys) }] };
    const isTop = isRoot(service.model.entity(activeName(whole)!)!);
    if (isTop) return `/${setName(whole.name, service)}${steps}`;
    part = whole;
  }
  return path;
}

/** The name of the entity set of a draft entity. */
function setName(name: string, service: DraftService): string {
  const local = name.replace(/\.drafts$/, "").slice((service.definition?.name.length ?? -1) + 1);
  return local.replaceAll(".", "_");
}

/**
 * What the paths of a row of a draft end with: its key, behind the set or a composition that leads to its entity. Rows of other
 * entities may have the same key.
 *
 * @param service the service
 * @param drafts the draft entity of the row
 * @param key the key, as URLs have it
 */
export function pathEnds(service: DraftService, drafts: LinkedEntity, key: string): readonly string[] {
  const compositions = wholesOf(service, drafts).map(({ composition }) => composition.name);
  return [setName(drafts.name, service), ...compositions].map((name) => `/${name}${key}`);
}

/** The same of the row that a request is about; a property to one, which has no key, ends with its own path only. */
export function pathEndsOf(req: ServiceRequest, service: DraftService, path: string): readonly string[] {
  const { 0: key, index } = keysOf(path).at(-1)!;
  return path.endsWith(key)
    ? pathEnds(service, req.target!, key)
    : [path.slice(path.lastIndexOf("/", index))];
}

/** The keys in a path, with their parentheses; texts in them may have such, too. */
const KEY = /\((?:'(?:[^']|'')*'|[^'()])*\)/g;

function keysOf(path: string): readonly RegExpExecArray[] {
  return [...path.matchAll(KEY)];
}

/** A target inside a row: keys of drafts tell that they are. */
export function draftTarget(target: string): string {
  return target.replaceAll(
    KEY,
    (keys) => keys.includes("IsActiveEntity=") ? keys : `${keys.slice(0, -1)},IsActiveEntity=false)`,
  );
}

/**
 * Keeps what a request found, in place of what is said of the elements it wrote.
 *
 * @param req the request
 * @param service the service
 * @param draft the draft, what gives the path of the row, and what was written of it
 */
export function keepFound(
  req: ServiceRequest,
  service: DraftService,
  draft: FoundIn,
): MaybePromise<void> {
  const found = FOUND.get(req);
  if (found === undefined) return;
  return andThen(keptMessages(service, draft.uuid), (kept) => {
    if (found.length + kept.length > 0) return replaceMessages(req, service, { ...draft, found, kept });
  });
}

/** The draft that was written, what gives the path of its row, and what was written of it. */
interface FoundIn {
  readonly uuid: string;
  readonly path: () => MaybePromise<string>;
  readonly written: Row;
}

async function replaceMessages(
  req: ServiceRequest,
  service: DraftService,
  { found, kept, ...draft }: FoundIn & {
    readonly found: readonly ErrorProperties[];
    readonly kept: readonly DraftMessage[];
  },
): Promise<void> {
  const path = await draft.path();
  const repaired = pathEndsOf(req, service, path).flatMap((row) =>
    Object.keys(draft.written).map((name) => `${row}/${name}`)
  );
  const isRepaired = ({ target = "" }: DraftMessage) =>
    repaired.some((one) => target.endsWith(one) || target.includes(`${one}(`));
  await writeMessages(service, draft.uuid, [
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
  const kept = await keptMessages(service, uuid);
  const messages = change(kept);
  if (kept.length + messages.length > 0) await writeMessages(service, uuid, messages);
}

/** Reads the messages of a draft. */
const KEPT: SelectQuery = deepFreeze({
  SELECT: {
    from: { ref: [DRAFT_ADMINISTRATIVE_DATA] },
    columns: [{ ref: ["DraftMessages"] }],
    where: BY_UUID,
    one: true,
  },
});

function keptMessages(service: DraftService, uuid: string): MaybePromise<readonly DraftMessage[]> {
  const found = databaseOf(service).perform({ query: KEPT, params: { uuid } });
  return andThen(found, (row) => ((row as Row | null)?.DraftMessages ?? []) as readonly DraftMessage[]);
}

async function writeMessages(
  service: DraftService,
  uuid: string,
  messages: readonly DraftMessage[],
): Promise<void> {
  const data = { DraftMessages: [...messages] };
  const query = { UPDATE: { entity: DRAFT_ADMINISTRATIVE_DATA, data, where: BY_UUID } };
  await databaseOf(service).perform({ query, params: { uuid } });
}
