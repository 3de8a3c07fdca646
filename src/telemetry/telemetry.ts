/**
 * What is told to whoever watches a running application: spans of its work, and measurements. The parts of the framework do
 * not know who listens; without a listener nothing of this is loaded.
 *
 * @module
 */

/** What is known of a span or a measurement; never values of rows, and no secrets. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** Side of a piece of work, as OpenTelemetry has it. */
export type SpanKind = "internal" | "server" | "client" | "producer" | "consumer";

/** A piece of work under way. */
export interface Span {
  /** Adds what became known. */
  set(attributes: Attributes): void;
  /** Gives it a better name. */
  rename(name: string): void;
  /** Marks it as failed. */
  fail(errorType: string): void;
}

/** Nobody looks. */
export const NO_SPAN: Span = { set: () => {}, rename: () => {}, fail: () => {} };

/** How a span begins. */
export interface SpanOptions {
  /** Default: `internal`. */
  readonly kind?: SpanKind;
  /** What is known when it begins. */
  readonly attributes?: Attributes;
  /** Whether it is of interest only as a part of other work: without a span around it there is none. */
  readonly isPart?: boolean;
  /** Headers that may name the trace it belongs to (W3C Trace Context); default: the current span is its parent. */
  readonly parent?: (name: string) => string | undefined;
}

/** Times and sizes of which the distribution is kept, in seconds. */
export type HistogramName =
  | "http.server.request.duration"
  | "http.client.request.duration"
  | "db.client.operation.duration"
  | "messaging.client.operation.duration"
  | "messaging.process.duration";

/** States that are read when somebody asks. */
export type GaugeName =
  | "fw.outbox.messages"
  | "fw.outbox.oldest_age"
  | "fw.channel.messages"
  | "fw.channel.oldest_age"
  | "fw.dead_letters"
  | "fw.cache.entries"
  | "fw.replica.lag"
  | "fw.replica.used"
  | "db.client.connection.count"
  | "db.client.connection.max"
  | "db.client.connection.pending_requests";

/** A state with what it is the state of. */
export interface Observation {
  /** The number, in the unit of the instrument. */
  readonly value: number;
  /** What it is the state of. */
  readonly attributes?: Attributes;
}

/** Who listens. */
export interface Telemetry {
  /**
   * Does work within a span, which ends with it; a promise is waited for. What it throws marks the span as failed.
   *
   * @param name a name of few different ones: no ids, no values
   * @param options side, attributes, parent
   * @param work gets the span
   * @returns what the work returns
   */
  span<T>(name: string, options: SpanOptions, work: (span: Span) => T): T;
  /** Headers that take the current trace along (W3C Trace Context). */
  headers(): Readonly<Record<string, string>>;
  /** Adds a time in seconds. */
  record(name: HistogramName, seconds: number, attributes: Attributes): void;
  /** From now on a state is read by this function. */
  observe(name: GaugeName, read: () => Promise<readonly Observation[]>): void;
}

/** What an instrument is about; names, units and buckets are those of the semantic conventions of OpenTelemetry. */
export interface InstrumentInfo {
  readonly description: string;
  /** `s`, or empty for a number. */
  readonly unit: string;
  /** Upper bounds of the buckets. */
  readonly buckets: readonly number[];
  /** Names of the attributes of its values. */
  readonly attributes: readonly string[];
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const OPERATION_SECONDS = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

/** All instruments. */
export const HISTOGRAMS: Readonly<Record<HistogramName, InstrumentInfo>> = {
  "http.server.request.duration": {
    ...{ description: "Duration of requests", unit: "s", buckets: SECONDS },
    attributes: ["http.request.method", "http.route", "http.response.status_code", "url.scheme"],
  },
  "http.client.request.duration": {
    ...{ description: "Duration of requests to others", unit: "s", buckets: SECONDS },
    attributes: ["http.request.method", "server.address", "http.response.status_code", "error.type"],
  },
  "db.client.operation.duration": {
    ...{ description: "Duration of statements", unit: "s", buckets: OPERATION_SECONDS },
    attributes: ["db.system.name", "db.operation.name", "db.collection.name", "error.type"],
  },
  "messaging.client.operation.duration": {
    ...{ description: "Duration of publishing messages", unit: "s", buckets: SECONDS },
    attributes: [
      ...["messaging.system", "messaging.operation.name", "messaging.destination.name"],
      "error.type",
    ],
  },
  "messaging.process.duration": {
    ...{ description: "Duration of handling messages", unit: "s", buckets: SECONDS },
    attributes: [
      ...["messaging.system", "messaging.operation.name", "messaging.destination.name"],
      "error.type",
    ],
  },
};

/** All states. */
export const GAUGES: Readonly<Record<GaugeName, Omit<InstrumentInfo, "buckets">>> = {
  "fw.outbox.messages": { description: "Messages waiting in the outbox", unit: "", attributes: ["target"] },
  "fw.outbox.oldest_age": {
    ...{ description: "Age of the oldest message waiting in the outbox", unit: "s" },
    attributes: ["target"],
  },
  "fw.channel.messages": {
    description: "Messages waiting in a channel for this application",
    ...{ unit: "", attributes: ["target"] },
  },
  "fw.channel.oldest_age": {
    description: "Age of the oldest message waiting in a channel for this application",
    ...{ unit: "s", attributes: ["target"] },
  },
  "fw.dead_letters": {
    description: "Messages that were given up, in the outbox and in channels",
    ...{ unit: "", attributes: ["target"] },
  },
  "fw.cache.entries": { description: "Entries of caches", unit: "", attributes: ["cache"] },
  "fw.replica.lag": {
    description: "How far a replica of the database is behind at most",
    ...{ unit: "s", attributes: ["server.address"] },
  },
  "fw.replica.used": {
    description: "Whether a replica of the database is used: 1 or 0",
    ...{ unit: "", attributes: ["server.address"] },
  },
  "db.client.connection.count": {
    description: "Connections to the database that are open",
    ...{ unit: "", attributes: ["db.client.connection.state"] },
  },
  "db.client.connection.max": {
    description: "Connections to the database that may be open",
    ...{ unit: "", attributes: [] },
  },
  "db.client.connection.pending_requests": {
    description: "Transactions and statements that wait for a connection to the database",
    ...{ unit: "", attributes: [] },
  },
};

/** What an error is called where it is counted: its code, else its class; never its text. */
export function errorType(error: unknown): string {
  const { code, name } = (error ?? {}) as { readonly code?: unknown; readonly name?: unknown };
  if (typeof code === "string" && /^[\w.-]{1,64}$/.test(code)) return code;
  return typeof name === "string" && name !== "" ? name : "_OTHER";
}

/**
 * Does work and tells how long it took and whether it failed.
 *
 * @param work what is done; a promise is waited for
 * @param ended gets the seconds, and the error, if there was one
 */
export function timed<T>(
  work: () => T,
  ended: (seconds: number, error?: { readonly thrown: unknown }) => void,
): T {
  const start = performance.now();
  const tell = (error?: { readonly thrown: unknown }) => ended((performance.now() - start) / 1000, error);
  let result: T;
  try {
    result = work();
  } catch (thrown) {
    tell({ thrown });
    throw thrown;
  }
  if (!(result instanceof Promise)) {
    tell();
    return result;
  }
  return result.then((value) => {
    tell();
    return value;
  }, (thrown) => {
    tell({ thrown });
    throw thrown;
  }) as T;
}
