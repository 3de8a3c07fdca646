/** Answers to errors that no protocol has rendered. */

import assert from "node:assert/strict";
import { ServiceError } from "../../src/errors/service_error.ts";
import { BUSY, errorResponse, type ErrorResponseOptions } from "../../src/http/error_response.ts";
import { TextBundles } from "../../src/i18n/text_bundles.ts";
import type { ServiceHost } from "../../src/service/host.ts";

async function answered(error: unknown, options?: ErrorResponseOptions) {
  const logged: unknown[] = [];
  const log = Object.assign(() => log, {
    error: (one: unknown) => logged.push(one),
    debug: () => {},
    info: () => {},
    warn: () => {},
  });
  const texts = new TextBundles({
    project: new Map([["de", new Map([["NO", "Nein"]])], ["", new Map([["NO", "No"]])]]),
  });
  const host = { texts: texts.lookup(), log } as unknown as ServiceHost;
  const answer = errorResponse(error, host, options);
  const { status, headers } = answer;
  const names = ["www-authenticate", "allow", "retry-after"];
  const set = names.flatMap((name) => headers.has(name) ? [`${name}: ${headers.get(name)}`] : []);
  return {
    ...{ status, set, logged: logged.length, language: headers.get("content-language") },
    ...{ type: headers.get("content-type"), body: (await answer.json()).error },
  };
}

Deno.test("an error is JSON with code and message, in the language of the caller", async () => {
  const { status, type, body, language } = await answered(
    new ServiceError({ status: 409, code: "NO" }),
    {
      context: { locale: "de" } as ErrorResponseOptions["context"],
    },
  );
  assert.deepEqual([status, type, language, body], [409, "application/json", "de", {
    code: "NO",
    message: "Nein",
  }]);
  const other = await answered(new ServiceError({ status: 409, code: "NO" }));
  assert.deepEqual([other.language, other.body.message], ["en", "No"]);
});

Deno.test("errors of the server are logged, but those that many get; others are not", async () => {
  const cases: readonly [unknown, number, number][] = [
    [new Error("secret"), 500, 1],
    [new ServiceError({ status: 500 }), 500, 1],
    [new ServiceError({ status: 503 }), 503, 1],
    [new ServiceError({ status: 499 }), 499, 0],
    [BUSY, 503, 0],
    ["text", 500, 1],
  ];
  for (const [error, expected, times] of cases) {
    const { status, logged, body } = await answered(error);
    assert.deepEqual([status, logged], [expected, times], String(error));
    assert.doesNotMatch(JSON.stringify(body), /secret/);
  }
});

Deno.test("a 401 has a challenge, a 405 the methods that are allowed, a 503 when to come again (RFC 9110, 10.2, 11.6.1)", async () => {
  const of = async (members: object, options?: ErrorResponseOptions) =>
    (await answered(Object.assign(new ServiceError({ status: 400 }), members), options)).set;
  assert.deepEqual(await of({ status: 401 }), ["www-authenticate: Bearer"]);
  assert.deepEqual(await of({ status: 401 }, { challenge: "Basic" }), ["www-authenticate: Basic"]);
  assert.deepEqual(await of({ status: 401, challenge: "Own" }, { challenge: "Basic" }), [
    "www-authenticate: Own",
  ]);
  assert.deepEqual(await of({ status: 403, challenge: "Own" }), []);
  assert.deepEqual(await of({ status: 405, allow: "GET, HEAD" }), ["allow: GET, HEAD"]);
  assert.deepEqual(await of({ status: 405, allow: 5 }), []);
  assert.deepEqual(await of({ status: 503 }), ["retry-after: 10"]);
  assert.deepEqual(await of({ status: 503, retryAfter: 3 }), ["retry-after: 3"]);
  assert.deepEqual(await of({ status: 502, retryAfter: 3 }), []);
  assert.deepEqual((await answered(BUSY)).set, ["retry-after: 1"]);
});
