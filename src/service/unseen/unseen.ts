/**
 * Requests that nobody would see.
 *
 * @module
 */

import { type ApplicationService, isPlain } from "../application_service.ts";
import { Service } from "../service.ts";

const PHASES = ["before", "on", "after", "error"] as const;

/** What was concluded from the handlers of a service. */
interface Conclusion {
  readonly service: ApplicationService;
  /** How many handlers there were. */
  readonly added: number;
  readonly holds: boolean;
}

/** Conclusions from the handlers and the class of a service, for as long as no handler is added. */
export class Conclusions<T> {
  readonly #conclude: (service: ApplicationService, subject: T) => boolean;
  readonly #known: WeakMap<object, Conclusion> = new WeakMap();

  /** @param conclude finds out */
  constructor(conclude: (service: ApplicationService, subject: T) => boolean) {
    this.#conclude = conclude;
  }

  /**
   * Concludes, or tells what was concluded before.
   *
   * @param service the service
   * @param key the same for equal subjects, which are mostly of one service
   * @param subject what the conclusion is about
   */
  of(service: ApplicationService, key: object, subject: T): boolean {
    const { added } = service.handlers;
    let conclusion = this.#known.get(key);
    if (conclusion?.added !== added || conclusion.service !== service) {
      const holds = this.#conclude(service, subject);
      this.#known.set(key, conclusion = { service, added, holds });
    }
    return conclusion.holds;
  }
}

/** What a request is about. */
export interface UnseenSubject {
  readonly event: "CREATE" | "READ" | "UPDATE";
  /** Name of the entity. */
  readonly entity: string;
  /** Canonical path with navigation. */
  readonly path: string;
}

/**
 * Whether nobody but the framework has a part in a request: no handler of the service is registered for it, not even for
 * errors, and the class of the service overrides none of the steps.
 *
 * @param service the service
 * @param subject what the request is about
 */
export function isUnseen(service: ApplicationService, subject: UnseenSubject): boolean {
  const { dispatch, handle, failed } = Service.prototype;
  return service.isInitialized && isPlain(service, subject.event) &&
    service.dispatch === dispatch && service.handle === handle && service.failed === failed &&
    PHASES.every((phase) => service.handlers.for(phase, subject).length === 0);
}
