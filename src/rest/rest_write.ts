/**
 * Writing by REST: answers echo the input with keys and parent links.
 *
 * @module
 */

import type { Row } from "../cqn/cqn.ts";
import { ServiceError } from "../errors/service_error.ts";
import type { LinkedElement, LinkedEntity } from "../model/linked.ts";
import { type Answer, type Exchange, inTransaction, rawPathOf } from "../odata/exchange.ts";
import { etagElement, tagOf } from "../odata/headers/etag.ts";
import { entitySetName } from "../odata/names.ts";
import type { EntityPlan, PropertyPlan } from "../odata/plan/plan.ts";
import { parentSteps } from "../odata/payload/context_url.ts";
import type { JsonValue } from "../odata/payload/parse_json.ts";
import { checked } from "../odata/payload/body_input.ts";
import { readJsonBody } from "../odata/payload/request_body.ts";
import { readEntity } from "../odata/payload/read_row.ts";
import { isJsonObject } from "../odata/payload/reading.ts";
import { writeEntity } from "../odata/payload/write_row.ts";
import { writeRawValue } from "../odata/payload/write_value.ts";
import { dispatchCreate } from "../odata/resources/create.ts";
import {
  dispatchWrite,
  isStored,
  replacementDefaults,
  type WriteOutcome,
} from "../odata/resources/handler_row.ts";
import { childLinks, parentLinks } from "../odata/resources/link_rows.ts";
import { readBackByKeys, runReadBack } from "../odata/resources/read_back.ts";
import { orPreconditionFailed, tagCondition } from "../odata/resources/row_version.ts";
import { withoutKeys } from "../odata/resources/update.ts";
import {
  assertMissing,
  createdIfMissing,
  createdOnce,
  exists,
  mayCreate,
} from "../odata/resources/upsert.ts";
import { assertRoles } from "../service/authorization/restricted_read.ts";
import { encodeUriText } from "../util/http_text.ts";
import { jsonAnswer, restAnswer } from "./rest_answer.ts";
import { REST_ROWS } from "./rest_read.ts";
import { keysOf, storedKeys } from "../model/keys.ts";

/** Answers POST to a collection: one row, or all rows of an array or none. */
export async function postRows(exchange: Exchange, plan: EntityPlan): Promise<Answer> {
  const body = await readJsonBody(exchange);
  const { target } = plan;
  const given = Array.isArray(body) ? body : [body];
  const rows = checked(
    exchange,
    (options) => given.map((row) => readEntity(assertObject(row), target, options)),
  );
  const echoed = await inTransaction(exchange, async () => {
    const links = plan.navigation ? await parentLinks(exchange, plan.navigation) : {};
    const results: Written[] = [];
    for (const row of rows) results.push(await create(exchange, plan, { ...row, ...links }));
    return results;
  });
  if (Array.isArray(body)) {
    return jsonAnswer(exchange, writeRows(echoed.map(({ row }) => row), target), { status: 201 });
  }
  return createdAnswer(exchange, target, echoed[0]!);
}

function assertObject(row: JsonValue): JsonValue {
  if (isJsonObject(row)) return row;
  throw new ServiceError({
    status: 400,
    message: "The request body must be a JSON object or an array of them",
  });
}

function writeRows(rows: readonly Row[], target: LinkedEntity): string {
  return `[${rows.map((row) => writeEntity(row, target, { format: REST_ROWS })).join(",")}]`;
}

function createdAnswer(exchange: Exchange, target: LinkedEntity, { row, etag }: Written): Answer {
  const location = locationOf(target, row);
  const headers = { location: location && parentSteps(rawPathOf(exchange)) + location, etag };
  const status = exchange.http?.res.statusCode ?? 201;
  const applied = exchange.preferences.return ? ["return"] : [];
  if (exchange.preferences.return === "minimal") {
    return restAnswer(exchange, { status: 204, headers, applied });
  }
  return jsonAnswer(exchange, writeEntity(row, target, { format: REST_ROWS }), { status, headers, applied });
}

/** `Stock/ROM/1/2024-06-06`; undefined when a key is missing. */
function locationOf(entity: LinkedEntity, row: Row): string | undefined {
  const keys = keysOf(entity, row);
  if (!keys) return undefined;
  const segments = storedKeys(entity).map((key) =>
    encodeUriText(writeRawValue(keys[key.name], key.element.$type))
  );
  return [entitySetName(entity), ...segments].join("/");
}

/** What is shown of a written row, and its tag. */
interface Written {
  readonly row: Row;
  readonly etag: string | undefined;
}

/** Creates a row; what is echoed is the input with what handlers and the database added to it as keys and links. */
async function create(exchange: Exchange, plan: EntityPlan, data: Row): Promise<Written> {
  const sent = new Set(Object.keys(data));
  const outcome = await dispatchCreate(exchange, plan, data);
  return shownOf(exchange, plan, { data, sent, outcome });
}

/** What an answer shows of a row; a version is read back, as it may be one that the database gives. */
async function shownOf(
  exchange: Exchange,
  plan: EntityPlan,
  { data, sent, outcome }: {
    readonly data: Row;
    readonly sent: ReadonlySet<string>;
    readonly outcome: WriteOutcome;
  },
): Promise<Written> {
  const { target } = plan;
  const { row, given, isHandled } = outcome;
  const written = { ...data, ...row };
  const isOwn = given !== undefined && isHandled && !isStored(exchange, target);
  const isWhole = exchange.preferences.return === "representation";
  const keys = !isOwn && (isWhole || etagElement(target)) ? keysOf(target, written) : undefined;
  const stored = keys && await runReadBack(exchange, plan, readBackByKeys(target, keys));
  const isEchoed = given === undefined || (row === data && !isHandled);
  const shown = isEchoed ? { ...echo(written, target, sent), ...given } : written;
  return {
    row: isWhole && stored ? { ...stored, ...given } : shown,
    etag: tagOf(target, isOwn ? shown : stored),
  };
}

/** Of what the database wrote, what was sent and the keys. */
function echo(row: Row, target: LinkedEntity, sent: ReadonlySet<string>): Row {
  const keys = new Set(target.$flatKeys.map((key) => key.name));
  const shown: Row = {};
  for (const [name, value] of Object.entries(row)) {
    if (!sent.has(name) && !keys.has(name)) continue;
    const association = Object.hasOwn(target.elements, name) ? target.elements[name] : undefined;
    shown[name] = association?.isComposition && association.$target
      ? echoChildren(value, association, row)
      : value;
  }
  return shown;
}

/** Children with their links to the parent, without what the server sets. */
function echoChildren(value: unknown, composition: LinkedElement, parent: Row): unknown {
  const target = composition.$target!; // checked by the caller
  const links = Object.fromEntries(
    childLinks(composition).map(({ source, target }) => [target, parent[source]]),
  );
  const managed = new Set(
    [...target.$flat.values()].filter((flat) => flat.annotated["@cds.on.insert"]).map((flat) => flat.name),
  );
  const reduce = (row: unknown) =>
    row && typeof row === "object"
      ? { ...Object.fromEntries(Object.entries(row).filter(([name]) => !managed.has(name))), ...links }
      : row;
  return Array.isArray(value) ? value.map(reduce) : reduce(value);
}

/** Answers PUT and PATCH of an entity. */
export async function writeRow(exchange: Exchange, plan: EntityPlan): Promise<Answer> {
  const { target } = plan;
  const body = assertObject(await readJsonBody(exchange));
  const readBody = () =>
    withoutKeys(target, checked(exchange, (options) => readEntity(body, target, options)));
  let data: Row | undefined = readBody();
  const outcome = await createdOnce(exchange, plan, () => {
    const row = data ?? readBody();
    data = undefined;
    return updateOrCreate(exchange, plan, row);
  });
  if (outcome.created) return createdAnswer(exchange, target, outcome);
  const applied = exchange.preferences.return ? ["return"] : [];
  const headers = { etag: outcome.etag };
  if (exchange.preferences.return === "minimal") {
    return restAnswer(exchange, { status: 204, headers, applied });
  }
  return jsonAnswer(exchange, writeEntity(outcome.row, target, { format: REST_ROWS }), { headers, applied });
}

async function updateOrCreate(
  exchange: Exchange,
  plan: EntityPlan,
  data: Row,
): Promise<Written & { readonly created: boolean }> {
  const { settings } = exchange.scope;
  const { target } = plan;
  const keys = { ...plan.addressed.params.at(-1) };
  if (mayCreate(exchange, plan) && !await exists(exchange, plan)) {
    // What may be an update or a creation needs the roles of both.
    assertRoles({ UPDATE: { entity: plan.addressed.subject, data: {} } }, exchange.context, exchange.scope);
    const links = plan.navigation ? await parentLinks(exchange, plan.navigation) : {};
    return { ...await create(exchange, plan, { ...data, ...keys, ...links }), created: true };
  }
  const replaced = exchange.method === "PUT" && settings.putAsReplace
    ? { ...replacementDefaults(target), ...data }
    : data;
  return await createdIfMissing<Written & { readonly created: boolean }>(exchange, plan, {
    update: async () => ({ ...await update(exchange, plan, { ...replaced, ...keys }), created: false }),
    create: async () => ({ ...await create(exchange, plan, { ...data, ...keys }), created: true }),
  });
}

async function update(exchange: Exchange, plan: EntityPlan, data: Row): Promise<Written> {
  const { target } = plan;
  const sent = new Set(Object.keys(data));
  // the precondition refuses a row that must not be there, whatever its version
  const where = exchange.preconditions.ifNoneMatch === "*" ? undefined : tagCondition(exchange, target);
  const outcome = await orPreconditionFailed(exchange, () =>
    dispatchWrite(exchange, {
      event: "UPDATE",
      data,
      query: { UPDATE: { entity: plan.addressed.subject, data, ...(where ? { where } : {}) } },
      target,
      path: plan.path,
      params: plan.addressed.params,
      subject: plan.addressed.subject,
      method: exchange.method,
      precondition: () => assertMissing(exchange),
    }));
  return shownOf(exchange, plan, { data, sent, outcome });
}

/** Answers PUT and PATCH of a property: `{"name": "x"}`. */
export async function writePropertyMember(exchange: Exchange, plan: PropertyPlan): Promise<Answer> {
  const { target } = plan;
  const { name } = plan.property;
  const body = assertObject(await readJsonBody(exchange));
  const data = checked(exchange, (options) => readEntity(body, target, options));
  const value = exchange.method === "DELETE" ? null : data[name];
  if (value === undefined) {
    throw new ServiceError({ status: 400, message: `The request body must have a member "${name}"` });
  }
  const keys = { ...plan.addressed.params.at(-1) };
  const { row, etag } = await inTransaction(
    exchange,
    () => update(exchange, plan, { [name]: value, ...keys }),
  );
  if (exchange.method === "DELETE") return restAnswer(exchange, { status: 204, headers: { etag } });
  return jsonAnswer(exchange, writeEntity(row, target, { format: REST_ROWS }), { headers: { etag } });
}
