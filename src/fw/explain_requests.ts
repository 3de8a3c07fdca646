/**
 * Why a request is answered as it is: `Prefer: fw.explain` for those with a role, and an endpoint that explains CQL.
 *
 * @module
 */

import { EventContext } from "../context/event_context.ts";
import { currentContext } from "../context/store.ts";
import { parseCqlQuery } from "../cqn/parse_cql.ts";
import { printExpression, printQuery } from "../cqn/print_query.ts";
import { queryTarget } from "../cqn/is_query.ts";
import type { Query } from "../cqn/cqn.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { ServiceError } from "../errors/service_error.ts";
import { mountFinder } from "../http/mounts.ts";
import type { WebHandler } from "../http/pipeline.ts";
import { parsePrefer } from "../odata/headers/prefer.ts";
import type { Service } from "../service/service.ts";
import { readableTarget } from "../util/http_text.ts";
import type { ProtocolAdapter, UrlExplanation } from "../service/wire/protocol_adapter.ts";
import type { ExplainedRequest, Explanations } from "./explanations.ts";
import { managementPath, managementRoles, type ManagementSettings } from "./management.ts";
import type { RuntimeParts } from "./runtime_parts.ts";
import { ContextNotes } from "./context_notes.ts";

const KEY = "fw.server.explain";
const DEFAULT_PATH = "/explain";
const PREFERENCE = "fw.explain";

/** What explains requests. */
export interface Explaining {
  /** Roles of those who may see explanations; one of them is enough. */
  readonly roles: readonly string[];
  readonly path: string;
  readonly explanations: Explanations;
}

/**
 * What explains the requests of a runtime, where the configuration names roles for it.
 *
 * @param env `fw.server.explain`
 * @throws ConfigurationError for a path that is none, or roles that everybody has
 */
export function explainingOf({ env }: Pick<RuntimeParts, "env">): Explaining | undefined {
  const { explain } = (env.server ?? {}) as { readonly explain?: ManagementSettings };
  if (explain === undefined) return undefined;
  return {
    roles: managementRoles(KEY, explain, "see queries, their restrictions and values"),
    path: managementPath(KEY, explain, DEFAULT_PATH),
    explanations: new ContextNotes(),
  };
}

/** Whether a request wants to be explained. */
export function wantsExplanation(request: Pick<Request, "method" | "headers">): boolean {
  return request.method === "GET" && parsePrefer(request.headers.get("prefer")).written.has(PREFERENCE);
}

/**
 * A web handler that answers GET requests with `Prefer: fw.explain` by what they mean and ask of the database; those of
 * users without the role as ever, as an unknown preference does not matter (RFC 7240, 2).
 *
 * @param handler answers
 * @param explaining roles, and what is noted of requests: begins with their contexts
 * @param mounts adapters by path
 */
export function explainingHandler(
  handler: WebHandler,
  { roles, explanations }: Explaining,
  mounts: ReadonlyMap<string, ProtocolAdapter>,
): WebHandler {
  const findMount = mountFinder(mounts);
  return async (request, info) => {
    if (!wantsExplanation(request)) return await handler(request, info);
    const { pathname, search } = new URL(request.url);
    const { adapter, rest = "" } = findMount(pathname) ?? {};
    const path = rest + search;
    const isPlanned = adapter?.isPlanned?.(new EventContext(), path);
    const answering = handler(request, info);
    const context = explanations.takeLatest();
    const response = await answering;
    const queries = context && explanations.of(context)?.queries;
    const isExplained = response.headers.get("preference-applied") === PREFERENCE;
    if (isExplained || !queries || !roles.some((role) => context.user.is(role))) return response;
    // a mistake in the URL is told as ever; what failed while it was read is what somebody wants to understand
    if (!response.ok && queries.length === 0) return response;
    const failed = response.ok ? undefined : (await response.json()).error;
    if (response.ok) await response.body?.cancel();
    const url = adapter?.explain?.(context, path);
    return explanation({
      request: readableTarget(pathname + search),
      isPlanned,
      ...failed && { failed },
      ...url && urlText(url),
      queries,
    }, response);
  };
}

/** An explanation in place of an answer. */
function explanation(content: object, { headers, status }: Response): Response {
  const kept = KEPT_HEADERS.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  return jsonResponse(content, { status, headers: [...kept, ["preference-applied", PREFERENCE]] });
}

function jsonResponse(content: object, { status, headers }: AnswerHead): Response {
  const text = JSON.stringify(
    content,
    (_key, member) => typeof member === "bigint" ? member.toString() : member,
    2,
  );
  const all = [...headers, ["content-type", "application/json"]] as [string, string][];
  return new Response(text, { status, headers: all });
}

interface AnswerHead {
  readonly status?: number;
  readonly headers: readonly (readonly string[])[];
}

/** Headers that say nothing of the rows. */
const KEPT_HEADERS = ["x-correlation-id", "cache-control", "x-content-type-options", "server-timing"];

/**
 * Adds the endpoint that explains CQL, for those who have one of the roles.
 *
 * @param runtime the runtime
 * @param explaining roles, path, and what is noted of requests
 */
export function addExplainRoute(runtime: RuntimeParts, { roles, path, explanations }: Explaining): void {
  runtime.app.get(path, async ({ req }) => {
    const context = currentContext()!;
    if (!roles.some((role) => context.user.is(role))) {
      throw new ServiceError({ status: 403, cause: new Error(`Explanations need: ${roles.join(", ")}`) });
    }
    const query = readQuery(req.query("query"));
    const explained: ExplainedRequest = { queries: [], runs: false };
    explanations.begin(context, explained);
    await serviceOf(runtime, query).run(query);
    const { queries } = explained;
    const headers = [["preference-applied", PREFERENCE]];
    return jsonResponse({ request: printQuery(query), queries }, { headers });
  });
}

function readQuery(text: string | undefined): Query {
  if (!text) throw new ServiceError({ status: 400, message: 'Expected CQL as "query"' });
  try {
    return parseCqlQuery(text);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new ServiceError({ status: 400, message: error.message, cause: error });
  }
}

/** Entities of services are read through them, with the restrictions of the user; others in the database. */
function serviceOf({ model, services, db }: RuntimeParts, query: Query): Service {
  const first = queryTarget(query)?.ref[0];
  const name = typeof first === "string" ? first : String((first as { readonly id?: string })?.id);
  const entity = model.entity(name);
  const service = entity?.$service ? services[entity.$service.name] : db;
  if (entity !== undefined && service !== undefined) return service;
  throw new ServiceError({ status: 400, message: `There is no entity "${name}"` });
}

function urlText({ tree, query, params, permitted, access }: UrlExplanation): object {
  return {
    ...{ tree, query, params },
    ...query && { cql: printQuery(query) },
    restrictions: {
      ...access !== undefined &&
        { access: typeof access === "string" ? access : printExpression({ xpr: access }) },
      ...permitted && permitted !== query && { permitted: printQuery(permitted) },
    },
  };
}
