/**
 * Parts of a batch as requests of their own (OData Protocol 11.7.5, JSON Format 19.2).
 *
 * @module
 */

import { certificateHeader } from "../../config/header_names.ts";
import { EventContext } from "../../context/event_context.ts";
import { createHttpContext } from "../../context/http_context.ts";
import { headersLocale, type LocaleOptions, urlLocale } from "../../i18n/request_locale.ts";
import { askedBy, type AskedByHeaders, createExchange, type EntityUrls, type Exchange } from "../exchange.ts";
import { HeaderList } from "../header_list.ts";
import { relativeUrl } from "../payload/request_body.ts";
import type { WireHeaders } from "../../service/wire/wire_request.ts";
import type { BatchPart } from "./batch_part.ts";
import { PartHeaders } from "./part_headers.ts";

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
   */
  create(part: BatchPart, parent: EventContext): Exchange {
    const { scope } = this.#outer;
    const { headers, asked, locale: ofHeaders } = this.#headingOf(part.headers);
    const rawUrl = relativeUrl({ scope, references: this.#urls }, part.url);
    const locale = urlLocale(rawUrl, this.#locales) ?? ofHeaders;
    const request = { method: part.method, headers, body: part.method === "GET" ? null : part.body ?? null };
    return createExchange(scope, {
      request,
      asked,
      context: new EventContext({ locale, mayLag: part.method === "GET" }, parent),
      part: createHttpContext(() => new Request(this.#urlOf(rawUrl), { ...request, headers: [...headers] })),
      rawUrl,
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

const NOTHING_ASKED: AskedByHeaders = askedBy(new HeaderList());

function localeOptions(env: Readonly<Record<string, unknown>>): LocaleOptions {
  const i18n = (env.i18n ?? {}) as { default_language?: string; preserved_locales?: readonly string[] };
  return {
    ...(i18n.default_language === undefined ? {} : { defaultLanguage: i18n.default_language }),
    ...(i18n.preserved_locales === undefined ? {} : { preserved: i18n.preserved_locales }),
  };
}
