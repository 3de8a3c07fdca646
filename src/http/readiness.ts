/**
 * What `/ready` says.
 *
 * @module
 */

/** State of a runtime and of its parts. */
export interface ReadinessState {
  /** `UP` if all parts are that something depends on. */
  readonly status: "UP" | "DOWN";
  /** Database, channels and outbox by name, and replicas, which nothing depends on. */
  readonly checks: Readonly<Record<string, "UP" | "DOWN">>;
}

/** Whether a runtime should get requests. */
export interface Readiness {
  /** From now on it is not ready: it is about to end. */
  drain(): void;
  /** Whether database, channels and outbox are there and it is not about to end. It never rejects. */
  state(): Promise<ReadinessState>;
}
