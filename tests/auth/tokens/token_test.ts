import assert from "node:assert/strict";
import fc from "fast-check";
import { bearerToken } from "../../../src/auth/tokens/token_strategy.ts";
import { assertClaimTypes, assertTime } from "../../../src/auth/tokens/claim_checks.ts";
import { parseToken, TokenRefused } from "../../../src/auth/tokens/token.ts";
import { propertyRuns } from "../../property_runs.ts";

/** Runs the checks that come before the key. */
function check(text: string): void {
  const { claims } = parseToken(text);
  assertClaimTypes(claims);
  assertTime(claims, Date.now());
}

function toBase64url(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Any JSON value as a part of a token. */
const part = fc.oneof(
  fc.json().map(toBase64url),
  fc.dictionary(
    fc.constantFrom("alg", "kid", "typ", "crit", "sub", "exp", "nbf", "aud", "scope", "azp", "__proto__"),
    fc.oneof(fc.jsonValue(), fc.constantFrom("RS256", "ES256", "JWT", 9e15)),
  ).map((members) => toBase64url(JSON.stringify(members))),
  fc.string().map(toBase64url),
  fc.string(),
);
const HEADER = toBase64url('{"alg":"RS256","kid":"k"}');

Deno.test("whatever comes as a token is refused as one, or read: nothing else happens", () => {
  const texts = fc.oneof(
    fc.string(),
    fc.array(part, { maxLength: 6 }).map((parts) => parts.join(".")),
    fc.tuple(part, part).map(([claims, signature]) => `${HEADER}.${claims}.${signature}`),
  );
  fc.assert(
    fc.property(texts, (text) => {
      try {
        check(text);
      } catch (error) {
        assert.ok(error instanceof TokenRefused, String(error));
        // reasons go to the log: they say nothing that the token says
        assert.ok(text.length < 20 || !error.message.includes(text));
      }
    }),
    propertyRuns(2000, 5),
  );
});

Deno.test("objects of claims have no prototype and cannot be changed, on every level", () => {
  const { claims } = parseToken(`${HEADER}.${toBase64url('{"a":{"__proto__":{"b":1},"c":[{"d":1}]}}')}.AAAA`);
  const walk = (value: unknown) => {
    if (typeof value !== "object" || value === null) return;
    assert.ok(Object.isFrozen(value));
    assert.ok(Array.isArray(value) || Object.getPrototypeOf(value) === null);
    Object.values(value).forEach(walk);
  };
  walk(claims);
  assert.deepEqual(Object.keys(claims.a as object), ["__proto__", "c"]);
});

Deno.test("parts are UTF-8 in base64url without padding, also that of the signature", () => {
  const claims = toBase64url('{"sub":"é"}');
  assert.equal(parseToken(`${HEADER}.${claims}.AAAA`).claims.sub, "é");
  const latin1 = btoa('{"sub":"\xe9"}').replaceAll("=", "");
  for (const text of [`${HEADER}.${latin1}.AAAA`, `${HEADER}.${claims}.AA==`, `${HEADER}.${claims}.AB`]) {
    assert.throws(() => parseToken(text), TokenRefused);
  }
  assert.throws(() => parseToken(`${HEADER}=.${claims}.AAAA`), TokenRefused);
});

Deno.test("claims may be nested 16 levels deep", () => {
  const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
  parseToken(`${HEADER}.${toBase64url(nested(16))}.AAAA`);
  assert.throws(() => parseToken(`${HEADER}.${toBase64url(nested(17))}.AAAA`), TokenRefused);
});

Deno.test("times are numbers that end: 1e999 would be for ever", () => {
  const text = (claims: string) => `${HEADER}.${toBase64url(`{"sub":"a",${claims}}`)}.AAAA`;
  assertClaimTypes(parseToken(text('"exp":1e10,"nbf":1')).claims);
  for (const claims of ['"exp":1e999', '"exp":9,"nbf":-1e999', '"exp":9,"iat":-1e999']) {
    assert.throws(() => assertClaimTypes(parseToken(text(claims)).claims), TokenRefused, claims);
  }
});

Deno.test("the tolerance of 60 s is exact", () => {
  const now = 1_700_000_000;
  assertTime({ exp: now - 59 }, now * 1000);
  assert.throws(() => assertTime({ exp: now - 60 }, now * 1000), /expired/);
  assertTime({ exp: now + 1, nbf: now + 60 }, now * 1000);
  assert.throws(() => assertTime({ exp: now + 1, nbf: now + 61 }, now * 1000), /not valid yet/);
  assertTime({ exp: now + 1, nbf: now, iat: now + 100 }, now * 1000);
  assert.throws(() => assertTime({ exp: now + 1, iat: now + 61 }, now * 1000), /not valid yet/);
});

Deno.test("the scheme is found in any case, and is a word of its own", () => {
  assert.deepEqual(bearerToken("BeArEr a.b.c", 100), { text: "a.b.c" });
  assert.equal(bearerToken("Bearers a.b.c", 100), "foreign");
  assert.equal(bearerToken("", 100), "foreign");
  assert.equal(bearerToken(null, 100), undefined);
});
