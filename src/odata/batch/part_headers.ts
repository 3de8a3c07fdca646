/**
 * The headers of a part of a batch (OData Protocol 11.7.5).
 *
 * @module
 */

import type { WireHeaders } from "../../service/wire/wire_request.ts";
import { type HeaderEntry, HeaderList } from "../header_list.ts";

/** Headers of the batch that do not count for its parts. */
const OUTER_ONLY =
  /^(?:content-.*|accept|prefer|if-.*|transfer-encoding|x-http-method-override|authorization)$/;

/** Headers that a part came with, and those of the batch that count for it, too. They are looked at when asked for. */
export class PartHeaders implements WireHeaders {
  readonly #own: WireHeaders;
  readonly #outer: WireHeaders;
  /** Name of the header with the certificate of a client: like a login, that of the batch counts. */
  readonly #certificate: string;
  /** What was asked for: parts that share headers ask for the same. */
  readonly #known: Map<string, string | null> = new Map();

  /**
   * @param own what the part came with
   * @param outer the headers of the batch
   * @param certificate name of the header with the certificate of a client, in lower case
   */
  constructor(own: WireHeaders, outer: WireHeaders, certificate: string) {
    this.#own = own;
    this.#outer = outer;
    this.#certificate = certificate;
  }

  /** The value of a header; null if there is none. */
  get(name: string): string | null {
    let value = this.#known.get(name);
    if (value === undefined) this.#known.set(name, value = this.#find(name.toLowerCase()));
    return value;
  }

  #find(name: string): string | null {
    const own = this.#isIgnored(name) ? null : this.#own.get(name);
    return own ?? (OUTER_ONLY.test(name) ? null : this.#outer.get(name));
  }

  #isIgnored(name: string): boolean {
    return name === "authorization" || name === this.#certificate;
  }

  /** Names in lower case and values. */
  [Symbol.iterator](): Iterator<HeaderEntry> {
    const list = new HeaderList();
    for (const [name, value] of this.#outer) if (!OUTER_ONLY.test(name)) list.set(name, value);
    for (const [name, value] of this.#own) if (!this.#isIgnored(name)) list.set(name, value);
    return list[Symbol.iterator]();
  }
}
