/**
 * The log of SQL: each statement with its duration, rows, values and who asked for it, and warnings of slow ones. There is
 * nothing of it where neither is configured.
 *
 * @module
 */

import type { EventContext } from "../context/event_context.ts";
import { currentContext } from "../context/store.ts";
import type { StatementEnd, StatementWatch } from "../service/database.ts";
import { ServiceEvent } from "../service/requests/service_event.ts";
import { ServiceRequest } from "../service/requests/service_request.ts";
import { errorType } from "../telemetry/telemetry.ts";
import { applicationPlace } from "../util/caller_frames.ts";
import type { RequestTimes } from "./request_times.ts";
import type { RuntimeParts } from "./runtime_parts.ts";
import { counted } from "../util/counted.ts";

/** Component of the log. */
const COMPONENT = "sql";
/** Characters of a statement, and of a value, that a line has at most. */
const TEXT_LENGTH = 10_000;
const VALUE_LENGTH = 100;
/** Values that a line shows at most. */
const VALUES = 50;

interface LogSettings {
  readonly sanitize_values?: boolean;
  readonly slow_sql_ms?: number;
}

/**
 * Who is told of statements.
 *
 * @param runtime its log: level `debug` of the component `sql`; `fw.log.slow_sql_ms`, `fw.log.sanitize_values`
 * @param times where the time of statements is added up
 * @returns undefined where nobody is
 */
export function statementWatch(
  runtime: Pick<RuntimeParts, "env" | "log">,
  times: RequestTimes | undefined,
): StatementWatch | undefined {
  const { slow_sql_ms: slowMs = Infinity, sanitize_values: isMasked = true } =
    (runtime.env.log ?? {}) as LogSettings;
  const logger = runtime.log(COMPONENT);
  const isLogged = logger._debug;
  const tells = isLogged || (slowMs < Infinity && logger._warn);
  if (!tells && times === undefined) return undefined;
  return (sql, values, context = currentContext()) => {
    const place = isLogged ? applicationPlace() : undefined;
    const start = performance.now();
    return (end) => {
      const ms = performance.now() - start;
      times?.addStatement(context, ms);
      const isSlow = ms > slowMs;
      if (!isLogged && !isSlow) return;
      const text = [
        `${ms.toFixed(1)} ms, ${outcomeOf(end)}: ${cut(sql, TEXT_LENGTH)}`,
        ...values.length > 0 ? [shownValues(values, isMasked)] : [],
        ...askedBy(context, place),
      ].join(" ");
      if (isSlow) logger.warn(`slow statement: ${text}`);
      else logger.debug(text);
    };
  };
}

function outcomeOf({ rows, error }: StatementEnd): string {
  if (error !== undefined) return `failed with ${errorType(error)}`;
  if (rows === undefined) return "done";
  return counted(rows, "row");
}

/** Values may be anybody's: they are shown only where the configuration says so. */
function shownValues(values: readonly unknown[], isMasked: boolean): string {
  if (isMasked) return `[${counted(values.length, "value")}]`;
  const shown = values.slice(0, VALUES).map(shownValue);
  return `[${[...shown, ...values.length > VALUES ? [`… ${values.length - VALUES} more`] : []].join(", ")}]`;
}

function shownValue(value: unknown): string {
  if (value instanceof Uint8Array) return `<${value.byteLength} bytes>`;
  return cut(typeof value === "string" ? JSON.stringify(value) : String(value), VALUE_LENGTH);
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}

/** `(READ CatalogService.Books, /srv/shop.ts:7)`. */
function askedBy(context: EventContext | undefined, place: string | undefined): readonly string[] {
  const known = [eventOf(context), place].filter((one) => one !== undefined);
  return known.length === 0 ? [] : [`(${known.join(", ")})`];
}

/** The event that is handled; the request where nothing but its protocol is asked. Keys in its path are values. */
function eventOf(context: EventContext | undefined): string | undefined {
  for (let one = context; one !== undefined; one = one.parent) {
    if (!(one instanceof ServiceEvent)) continue;
    const entity = one instanceof ServiceRequest ? one.entity : undefined;
    return entity === undefined ? one.event : `${one.event} ${entity}`;
  }
  const request = context?.http?.req;
  return request && `${request.method} ${request.path.split("(", 1)[0]}`;
}
