/**
 * Where changes are tried one after the other: a host of tests that is replaced when a change spoiled it.
 *
 * @module
 */

import type { Box } from "./box.ts";
import { TestHost } from "./test_host.ts";

/** Modules that were loaded anew are never freed, so a host ends at some size. */
const MOST_MEMORY_BYTES = 2_000_000_000;

/** How long a file may take that took `ms` without a change. */
export function timeoutMsOf(ms: number): number {
  return 12_000 + 4 * ms;
}

/** A place for one host at a time. */
export class Lane {
  /** The copy of the tree. */
  readonly box: Box;
  readonly #switches: number;
  #host: TestHost | undefined;
  #aside: Lane | undefined;

  constructor(box: Box, switches: number) {
    this.box = box;
    this.#switches = switches;
  }

  /** A place beside it for a host that has a change on from its start, so that this one stays. */
  get aside(): Lane {
    return this.#aside ??= new Lane(this.box, this.#switches);
  }

  /** The host, a new one where there is none or where it has grown. */
  async open(): Promise<TestHost> {
    if (this.#host && this.#host.memoryBytes > MOST_MEMORY_BYTES) this.renew();
    return this.#host ??= await TestHost.start(this.box, this.#switches);
  }

  /** Ends the host, and one beside it; the next one starts when it is asked for. */
  renew(): void {
    this.#aside?.renew();
    this.#host?.[Symbol.dispose]();
    this.#host = undefined;
  }
}
