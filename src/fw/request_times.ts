/**
 * How long the parts of a request took, told to its caller: `Server-Timing` (W3C Server Timing).
 *
 * @module
 */

import { type AuthenticationStrategy, decoratedStrategy } from "../auth/strategy.ts";
import type { EventContext } from "../context/event_context.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import type { WebHandler } from "../http/pipeline.ts";
import { timed } from "../telemetry/telemetry.ts";
import { managementRoles, type ManagementSettings } from "./management.ts";
import type { RuntimeParts } from "./runtime_parts.ts";
import { ContextNotes } from "./context_notes.ts";
import { counted } from "../util/counted.ts";

const KEY = "fw.server.timing";

/** What is added up for a request. */
interface Times {
  authenticationMs: number;
  statementMs: number;
  statements: number;
}

/** The times of requests under way, of each together with what it calls. */
export class RequestTimes {
  /** Those who may see them; undefined: everybody. */
  readonly roles: readonly string[] | undefined;
  readonly #notes: ContextNotes<Times> = new ContextNotes();

  /** @param roles of those who may see them; undefined: everybody may */
  constructor(roles: readonly string[] | undefined) {
    this.roles = roles;
  }

  /** Begins a request. */
  begin(context: EventContext): void {
    this.#notes.begin(context, { authenticationMs: 0, statementMs: 0, statements: 0 });
  }

  /** The context of the request that began last, once. */
  takeLatest(): EventContext | undefined {
    return this.#notes.takeLatest();
  }

  /** Adds a statement. */
  addStatement(context: EventContext | undefined, ms: number): void {
    const times = this.#notes.of(context);
    if (times === undefined) return;
    times.statements++;
    times.statementMs += ms;
  }

  /** Adds what finding out who is calling took. */
  addAuthentication(context: EventContext, ms: number): void {
    const times = this.#notes.of(context);
    if (times !== undefined) times.authenticationMs += ms;
  }

  /** The value of the header, where the user may see it. */
  headerOf(context: EventContext, totalMs: number): string | undefined {
    const times = this.#notes.of(context);
    if (times === undefined) return undefined;
    if (this.roles !== undefined && !this.roles.some((role) => context.user.is(role))) return undefined;
    const { authenticationMs, statementMs, statements } = times;
    const db = `db;dur=${statementMs.toFixed(1)};desc="${counted(statements, "statement")}"`;
    return `total;dur=${totalMs.toFixed(1)}, auth;dur=${authenticationMs.toFixed(1)}, ${db}`;
  }
}

/**
 * The times of a runtime, where the configuration asks for them.
 *
 * @param runtime `fw.server.timing`: `true` in development, or with `requires` the roles of those who may see them
 * @throws ConfigurationError for everybody in production, and for roles that everybody has
 */
export function requestTimes(
  { env, production }: Pick<RuntimeParts, "env" | "production">,
): RequestTimes | undefined {
  const { timing } = (env.server ?? {}) as { readonly timing?: boolean | ManagementSettings };
  if (timing === undefined || timing === false) return undefined;
  if (typeof timing === "object") {
    return new RequestTimes(managementRoles(KEY, timing, "see how long requests take"));
  }
  if (!production) return new RequestTimes(undefined);
  throw new ConfigurationError(
    `"${KEY}" is true, which tells everybody how long requests take: in production name roles, like ` +
      '{ "requires": "operator" }',
  );
}

/** A strategy whose decisions are timed. */
export function timedStrategy(strategy: AuthenticationStrategy, times: RequestTimes): AuthenticationStrategy {
  return decoratedStrategy(strategy, (request, context, client) =>
    timed(
      () => strategy.authenticate(request, context, client),
      (seconds) => times.addAuthentication(context, seconds * 1000),
    ));
}

/**
 * A web handler whose answers tell how long their parts took: up to their headers.
 *
 * @param handler answers
 * @param times begins with the context of each request
 */
export function timedHandler(handler: WebHandler, times: RequestTimes): WebHandler {
  return async (request, info) => {
    const start = performance.now();
    const answering = handler(request, info);
    const context = times.takeLatest();
    const response = await answering;
    const value = context && times.headerOf(context, performance.now() - start);
    if (value === undefined) return response;
    const headers = new Headers(response.headers);
    headers.append("server-timing", value);
    return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
  };
}
