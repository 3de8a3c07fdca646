/**
 * What later requests of a batch may refer to: URLs, versions and values of the answers before them (OData Protocol
 * 11.7.4 to 11.7.6).
 *
 * @module
 */

import type { Limits } from "../../config/limits.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { Answer, EntityUrls } from "../exchange.ts";
import { ExactNumber, type JsonValue, parseJson } from "../payload/parse_json.ts";
import { isJsonObject } from "../payload/reading.ts";
import { stringify } from "../payload/write_value.ts";
import { checkLength } from "../url/parse_url.ts";

/** What is known of a request that has an answer. */
interface PartResult {
  readonly succeeded: boolean;
  readonly answer?: Answer;
  readonly rawUrl?: string;
  /** Its JSON, parsed when it is asked for. */
  value?: JsonValue;
  /** Texts of values in it, by the paths that lead to them. */
  texts?: Map<string, string>;
}

/** JSON of an answer. */
function textOf({ headers, body }: Answer): string | undefined {
  const isJson = headers.get("content-type")?.startsWith("application/json") === true;
  return isJson && typeof body === "string" ? body : undefined;
}

/** Literals of expressions, which win over requests of the same name. */
const PREDEFINED: ReadonlySet<string> = new Set(["it", "root", "this", "these"]);
/** Text in quotes, or a reference: its id and the path behind it. */
const REFERENCES =
  /(?:'|%27)(?:[^'%]|%(?!27))*(?:'|%27)|(?:(?<=%[\dA-Fa-f]{2})|(?<![\w/$%@]))(?:\$|%24)([A-Za-z0-9\-._~]+)((?:\/[\w@.$]+)*)(?![\w=(:/])/g;

/** A text of a body that is a reference and nothing else. */
const BODY_REFERENCE = /^\$([A-Za-z0-9\-._~]+)((?:\/[\w@.$]+)*)$/;

/** The answers of a batch so far. */
export class BatchResults implements EntityUrls {
  readonly #results: Map<string, PartResult> = new Map();
  readonly #maxDepth: number;

  /** @param maxDepth nesting of JSON allowed */
  constructor(maxDepth: number) {
    this.#maxDepth = maxDepth;
  }

  /**
   * Keeps what a request has led to.
   *
   * @param id its id
   * @param answer its answer
   * @param rawUrl its URL below the service root
   */
  add(id: string, answer: Answer, rawUrl: string): void {
    this.#results.set(id, { succeeded: answer.status < 400, answer, rawUrl, value: undefined });
  }

  /**
   * The URL that `$<id>` stands for.
   *
   * @param id id of a request
   * @returns undefined where it is not known, or failed
   */
  get(id: string): string | undefined {
    const { succeeded, answer, rawUrl } = this.#results.get(id) ?? {};
    return succeeded ? answer?.entityUrl ?? rawUrl?.split("?", 1)[0] : undefined;
  }

  /** Whether a value of a body is an entity as an earlier request was answered. */
  isAnswer(value: JsonValue): boolean {
    const text = stringify(value);
    return [...this.#results].some(([id, { succeeded, answer }]) =>
      succeeded && answer?.entityUrl !== undefined && stringify(this.#referred(id, "")) === text
    );
  }

  /** A request that failed, or whose work was undone. */
  fail(id: string): void {
    this.#results.set(id, { succeeded: false });
  }

  /** A group that was committed. */
  succeed(group: string): void {
    this.#results.set(group, { succeeded: true });
  }

  /** Whether a request succeeded; undefined for one that is not known yet. */
  succeeded(id: string): boolean | undefined {
    return this.#results.get(id)?.succeeded;
  }

  /**
   * The value of a reference.
   *
   * @param id id of a request
   * @param path names behind it: `$succeeded`, or members of its answer, each behind a slash
   */
  value(id: string, path: string): JsonValue {
    const result = this.#results.get(id);
    const names = path.split("/").slice(1);
    if (names.length === 1 && names[0] === "$succeeded") return result?.succeeded === true;
    const text = result?.answer && textOf(result.answer);
    if (text === undefined) return null;
    let value: JsonValue = result!.value ??= parseJson(text, this.#maxDepth);
    for (const name of names) {
      const rows = isJsonObject(value) ? value.value : value;
      if (name === "$count" && Array.isArray(rows)) value = rows.length;
      else value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] ?? null : null;
    }
    return value;
  }

  /**
   * A header with versions: `$<id>` is the version that the answer told.
   *
   * @param header value of `If-Match` or `If-None-Match`
   * @throws ServiceError 424 when the request failed, 400 when its answer has no version
   */
  tag(header: string): string {
    const id = /^\s*\$([A-Za-z0-9\-._~]+)\s*$/.exec(header)?.[1];
    const result = id === undefined ? undefined : this.#results.get(id);
    if (!result) return header;
    if (!result.succeeded) throw new ServiceError({ status: 424 });
    const etag = result.answer?.headers.get("etag");
    if (typeof etag === "string") return etag;
    throw new ServiceError({ status: 400, message: `The answer to request "${id}" has no ETag` });
  }

  /**
   * The query of a URL with values in place of references.
   *
   * @param url a URL; its path stays as it is
   * @param limits `urlLength`
   * @throws ServiceError 424 when a request that is referred to failed, 414 when the URL is too long or values make it so
   */
  query(url: string, limits: Limits): string {
    const at = url.indexOf("?");
    if (at < 0 || !/\$|%24/.test(url.slice(at))) return url;
    let { length } = url;
    checkLength(length, limits);
    return url.slice(0, at) + url.slice(at).replace(REFERENCES, (text, id?: string, path = "") => {
      const result = id === undefined || PREDEFINED.has(id) ? undefined : this.#results.get(id);
      if (!result) return text;
      if (!result.succeeded) throw new ServiceError({ status: 424 });
      const value = this.value(id!, path);
      length -= text.length;
      // what is too long already is not written down first
      if (typeof value === "string" || Array.isArray(value)) checkLength(length + value.length, limits);
      const literal = literalOf(value);
      length += literal.length;
      checkLength(length, limits);
      return literal;
    });
  }

  /**
   * The JSON of a body with values in place of texts that are references. Links (`author@odata.bind`) keep theirs, which
   * stands for a URL.
   *
   * @param text the body
   * @param ids the requests that it may refer to
   * @param maxBytes bound of the result
   * @throws ServiceError 424 when a request that is referred to failed, 413 when values make the body too long
   */
  body(text: string, ids: ReadonlySet<string>, maxBytes: number): string {
    if (!text.includes('"$')) return text;
    let body: JsonValue;
    try {
      body = parseJson(text, this.#maxDepth);
    } catch {
      return text; // whoever reads it tells what is wrong
    }
    let refers = false;
    let left = maxBytes - text.length;
    const resolved = (value: JsonValue): JsonValue => {
      if (Array.isArray(value)) return value.map(resolved);
      if (isJsonObject(value)) {
        const members = Object.entries(value).map(([name, member]) =>
          [name, name.includes("@") && typeof member === "string" ? member : resolved(member)] as const
        );
        return Object.fromEntries(members);
      }
      if (typeof value !== "string") return value;
      const [, id, path = ""] = BODY_REFERENCE.exec(value) ?? [];
      if (id === undefined || !ids.has(id) || !this.#results.has(id)) return value;
      refers = true;
      const known = this.#referredText(id, path);
      left += `"${value}"`.length - known.length;
      if (left < 0) throw new ServiceError({ status: 413, message: `The body exceeds ${maxBytes} bytes` });
      return new ExactNumber(known); // written as it is
    };
    const result = resolved(body);
    return refers ? stringify(result) : text;
  }

  /** The JSON of a value, which many requests may refer to. */
  #referredText(id: string, path: string): string {
    const result = this.#results.get(id)!; // the caller has looked
    const texts = result.texts ??= new Map<string, string>();
    let text = texts.get(path);
    if (text === undefined) texts.set(path, text = stringify(this.#referred(id, path)));
    return text;
  }

  /** A value of an answer, without what only describes it. */
  #referred(id: string, path: string): JsonValue {
    if (!this.#results.get(id)!.succeeded) throw new ServiceError({ status: 424 });
    const value = this.value(id, path);
    if (!isJsonObject(value)) return value;
    const members = Object.entries(value).filter(([name]) => !name.includes("@"));
    return path === "" && members.length === 1 && members[0]![0] === "value"
      ? members[0]![1]
      : Object.fromEntries(members);
  }

  /**
   * Replaces the references in an expression.
   *
   * @param text the expression
   * @param replace gives what stands for a reference, of the same length
   */
  replace(text: string, replace: (reference: string, id: string, path: string) => string): string {
    return text.replace(
      REFERENCES,
      (found, id?: string, path = "") =>
        id === undefined || PREDEFINED.has(id) ? found : replace(found, id, path),
    );
  }
}

/** A value as literal of a URL. */
function literalOf(value: JsonValue): string {
  if (typeof value === "string") return encodeURIComponent(`'${value.replaceAll("'", "''")}'`);
  if (value instanceof ExactNumber) return value.text;
  return encodeURIComponent(stringify(value));
}
