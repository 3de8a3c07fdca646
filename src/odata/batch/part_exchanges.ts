/**
 * Parts of a batch as requests of their own, and their headers (OData Protocol 11.7.5, JSON Format 19.2).
 *
 * @module
 */

import { certificateHeader } from "../../config/header_names.ts";
import { EventContext } from "../../context/event_context.ts";
import { createHttpContext } from "../../context/http_context.ts";
import { headersLocale, type LocaleOptions, urlLocale } from "../../i18n/request_locale.ts";
import { askedBy, type AskedByHeaders, createExchange, type EntityUrls, type Exchange } from "../exchange.ts";
import { type HeaderEntry, HeaderList } from "../header_list.ts";
import { relativeUrl } from "../payload/body_input.ts";
import type { WireHeaders, WireRequest } from "../../service/wire/wire_request.ts";
import { type BatchPart, JsonBody } from "./batch_part.ts";

/** The headers that count for a part, and what they say. Parts that came with the same headers share it. */
interface Heading {
  readonly headers: PartHeaders;
  readonly asked: AskedByHeaders;
  readonly locale: string | undefined;
}

/** Makes the exchanges of the parts of a batch. */
export class PartExchanges {
  readonly #outer: Exchange;
  /** Where entities of earlier parts are. */
  readonly #urls: EntityUrls;
  readonly #locales: LocaleOptions;
  readonly #known: Map<WireHeaders, Heading> = new Map();

  /**
   * @param outer the request that holds the batch
   * @param urls what `$<id>` stands for
   */
  constructor(outer: Exchange, urls: EntityUrls) {
    this.#outer = outer;
    this.#urls = urls;
    this.#locales = localeOptions(outer.scope.host.env);
  }

  /**
   * The exchange of a part, with a context of its own.
   *
   * @param part the part
   * @param parent the context of the batch, or of the change set
   * @param grouped whether it is in a change set
   */
  create(part: BatchPart, parent: EventContext, grouped: boolean = false): Exchange {
    const { scope } = this.#outer;
    const { headers, asked, locale: ofHeaders } = this.#headingOf(part.headers);
    const rawUrl = relativeUrl({ scope, references: this.#urls }, part.url);
    const locale = urlLocale(rawUrl, this.#locales) ?? ofHeaders;
    const request = new PartRequest(part, headers);
    return createExchange(scope, {
      request,
      asked,
      context: new EventContext({ locale, mayLag: part.method === "GET" }, parent),
      part: createHttpContext(() => {
        const { method, body } = request;
        return new Request(this.#urlOf(rawUrl), { method, body, headers: [...headers] });
      }),
      rawUrl,
      grouped,
      references: this.#urls,
    });
  }

  #headingOf(own: WireHeaders): Heading {
    let known = this.#known.get(own);
    if (known === undefined) {
      const { request, scope } = this.#outer;
      const headers = new PartHeaders(own, request.headers, certificateHeader(scope.host.env));
      // preferences and preconditions of the batch are its own
      const asked = own instanceof HeaderList && own.isEmpty
        ? { ...NOTHING_ASKED, version: this.#outer.version }
        : askedBy(headers);
      known = { headers, asked, locale: headersLocale(headers, this.#locales) };
      this.#known.set(own, known);
    }
    return known;
  }

  /** The URL that the part would have been sent to. */
  #urlOf(rawUrl: string): string {
    const { http, scope } = this.#outer;
    const origin = http ? new URL(http.req.url).origin : "http://localhost";
    return `${origin}${scope.root}/${rawUrl}`;
  }
}

/** A part as a request. */
class PartRequest implements WireRequest {
  readonly method: string;
  readonly headers: PartHeaders;
  readonly parsed: JsonBody | undefined;
  readonly #body: Exclude<BatchPart["body"], JsonBody>;

  constructor({ method, body: given }: BatchPart, headers: PartHeaders) {
    const body = method === "GET" ? undefined : given;
    this.method = method;
    this.headers = headers;
    if (body instanceof JsonBody) this.parsed = body;
    else this.#body = body;
  }

  /** The body of the part; JSON is written when somebody asks for it. */
  get body(): string | Uint8Array<ArrayBuffer> | null {
    return this.parsed?.text ?? this.#body ?? null;
  }
}

const NOTHING_ASKED: AskedByHeaders = askedBy(new HeaderList());

function localeOptions(env: Readonly<Record<string, unknown>>): LocaleOptions {
  const i18n = (env.i18n ?? {}) as { default_language?: string; preserved_locales?: readonly string[] };
  return {
    ...(i18n.default_language === undefined ? {} : { defaultLanguage: i18n.default_language }),
    ...(i18n.preserved_locales === undefined ? {} : { preserved: i18n.preserved_locales }),
  };
}

/** Headers of a batch that do not count for its parts. */
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
