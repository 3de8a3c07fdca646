/**
 * Random requests: nearly right, wrong, and hostile URLs, headers and payloads.
 *
 * @module
 */

import fc from "fast-check";
import { randomBodies, soundBodies } from "./random_bodies.ts";
import { randomUrls, soundUrls } from "./random_urls.ts";
import { mostly } from "./random_values.ts";
import type { SetNames, Vocabulary } from "./vocabulary.ts";

/** A request as plain data, so that a failing one can be printed. */
export interface RandomRequest {
  readonly method: string;
  /** Path and query, as written. */
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: string;
}

const header = fc.oneof(
  fc.tuple(
    fc.constant("accept"),
    fc.constantFrom(
      "application/json",
      "application/xml",
      "text/html",
      "*/*",
      "multipart/mixed",
      "application/json;odata.metadata=full",
      "application/json;IEEE754Compatible=true",
      "x",
      ";;;",
      "",
    ),
  ),
  fc.tuple(
    fc.constant("accept-language"),
    fc.constantFrom("de", "fr;q=2", "*", ";;", "x-y-z-1-2-3", "en;q=0.5,de;q=abc"),
  ),
  fc.tuple(fc.constantFrom("if-match", "if-none-match"), fc.constantFrom("*", '"x"', 'W/"x"', "x", '"')),
  fc.tuple(
    fc.constantFrom("odata-version", "odata-maxversion"),
    fc.constantFrom("4.0", "4.01", "3.0", "9", "x", ""),
  ),
  fc.tuple(
    fc.constant("prefer"),
    fc.constantFrom(
      "return=minimal",
      "return=representation",
      "maxpagesize=1",
      "maxpagesize=-1",
      "respond-async",
      "continue-on-error",
      "handling=strict",
      ";;=",
      "odata.track-changes",
    ),
  ),
  fc.tuple(fc.constant("x-correlation-id"), fc.constantFrom("a", "<b>", "x".repeat(500), "é", "a b")),
  fc.tuple(
    fc.constantFrom("x-http-method-override", "x-http-method"),
    fc.constantFrom("DELETE", "PATCH", "X"),
  ),
  fc.tuple(fc.constant("content-encoding"), fc.constantFrom("gzip", "br", "x")),
  fc.tuple(fc.constant("range"), fc.constantFrom("bytes=0-1", "bytes=9-1", "x")),
  fc.tuple(
    fc.constantFrom("x-mine", "origin", "referer", "cookie", "host", "x-forwarded-for"),
    fc.string({ maxLength: 20 }),
  ),
);

/** Users that may do much, users that may do little, and credentials that are none. */
const login = mostly<string | undefined>(
  fc.constantFrom(...["alice:", "privileged:", "manager:secret"].map((user) => `Basic ${btoa(user)}`)),
  fc.constantFrom(
    ...["bob:", "viewer:secret", "viewer:wrong", "nobody", ":"].map((user) => `Basic ${btoa(user)}`),
    undefined,
    "Basic",
    "Basic %%%",
    "Bearer x.y.z",
    "Digest a",
    `Basic ${"A".repeat(500)}`,
  ),
);

/** A JSON or multipart batch whose parts are random requests. */
function batches(vocabulary: Vocabulary, single: fc.Arbitrary<RandomRequest>): fc.Arbitrary<RandomRequest> {
  const part = fc.tuple(
    single,
    fc.constantFrom("g", "h", undefined),
    fc.constantFrom("1", "2", "x", "", undefined),
  );
  return fc.tuple(fc.array(part, { maxLength: 4 }), fc.boolean(), login).map(
    ([parts, isJson, credentials]) => {
      const boundary = "b";
      const relative = (url: string) =>
        url.startsWith(`${vocabulary.root}/`) ? url.slice(vocabulary.root.length + 1) : url;
      const body = isJson
        ? JSON.stringify({
          requests: parts.map(([{ method, url, headers, body }, atomicityGroup, id], at) => ({
            id: id ?? `${at}`,
            method,
            url: relative(url),
            headers: Object.fromEntries(headers.filter(([name]) => name !== "authorization")),
            body: parsed(body),
            atomicityGroup,
            ...(at > 0 && id === "x" ? { dependsOn: ["0", "nope"] } : {}),
          })),
        })
        : [
          ...parts.map(([{ method, url, body }]) =>
            [
              `--${boundary}`,
              "Content-Type: application/http",
              "Content-Transfer-Encoding: binary",
              "",
              `${method} ${relative(url)} HTTP/1.1`,
              "Content-Type: application/json",
              "",
              body ?? "",
              "",
            ].join("\r\n")
          ),
          `--${boundary}--`,
        ].join("\r\n");
      return {
        method: "POST",
        url: `${vocabulary.root}/$batch`,
        headers: [
          ["content-type", isJson ? "application/json" : `multipart/mixed;boundary=${boundary}`],
          ...(credentials === undefined ? [] : [["authorization", credentials] as const]),
        ],
        body,
      };
    },
  );
}

function parsed(body: string | undefined): unknown {
  try {
    return body === undefined ? undefined : JSON.parse(body);
  } catch {
    return body;
  }
}

/** Random requests to the services of an application. */
export function randomRequests(vocabularies: readonly Vocabulary[]): fc.Arbitrary<RandomRequest> {
  return fc.constantFrom(...vocabularies).chain((vocabulary) => {
    const single = fc.constantFrom(...vocabulary.sets).chain((set) =>
      fc.oneof(singles(vocabulary, set), soundRequests(vocabulary, set))
    );
    return fc.oneof({ weight: 9, arbitrary: single }, { weight: 1, arbitrary: batches(vocabulary, single) });
  });
}

const METHODS = ["GET", "GET", "GET", "POST", "POST", "PATCH", "PATCH", "PUT", "DELETE", "HEAD", "OPTIONS"];
const CONTENT_TYPES = ["text/plain", "application/octet-stream", "multipart/mixed", "x", undefined];

function singles(vocabulary: Vocabulary, set: SetNames): fc.Arbitrary<RandomRequest> {
  return fc.record({
    method: fc.constantFrom(...METHODS),
    url: randomUrls(vocabulary, set),
    headers: mostly<readonly (readonly [string, string])[]>(
      fc.constant([]),
      fc.array(header, { minLength: 1, maxLength: 3 }),
    ),
    contentType: mostly<string | undefined>(
      fc.constant("application/json"),
      fc.constantFrom(...CONTENT_TYPES),
    ),
    credentials: login,
    body: randomBodies(vocabulary, set),
  }).map(({ method, url, headers, contentType, credentials, body }) => ({
    method,
    url,
    headers: [
      ...headers,
      ...(contentType === undefined ? [] : [["content-type", contentType] as const]),
      ...(credentials === undefined ? [] : [["authorization", credentials] as const]),
    ],
    ...(["GET", "HEAD", "OPTIONS"].includes(method) ? {} : { body }),
  }));
}

/** Requests that get as far as the database, and may change it. */
function soundRequests(vocabulary: Vocabulary, set: SetNames): fc.Arbitrary<RandomRequest> {
  const urls = soundUrls(vocabulary, set);
  const user = fc.constantFrom(
    ...["privileged:", "alice:", "manager:secret"].map((one) => `Basic ${btoa(one)}`),
  );
  const credentials = user.map((value) => ["authorization", value] as const);
  const body = soundBodies(set);
  const write = (method: string, url: fc.Arbitrary<string>) =>
    fc.record({
      method: fc.constant(method),
      url,
      headers: credentials.map((login) => [["content-type", "application/json"] as const, login]),
      body,
    });
  const read = (url: fc.Arbitrary<string>) =>
    fc.record({ method: fc.constant("GET"), url, headers: credentials.map((login) => [login]) });
  return fc.oneof(
    read(fc.tuple(urls.set, urls.options).map((parts) => parts.join(""))),
    read(fc.tuple(urls.entity, urls.options).map((parts) => parts.join(""))),
    { weight: 2, arbitrary: write("POST", urls.set) },
    write("PATCH", urls.entity),
    write("PUT", urls.entity),
    write("DELETE", urls.entity),
  );
}
