/** Which published key verifies a token (RFC 7517, auth 5). */

import assert from "node:assert/strict";
import { exportJWK, exportSPKI, generateKeyPair, type JWK } from "jose";
import { KeySets } from "../../../src/auth/tokens/key_sets.ts";
import { TokenRefused } from "../../../src/auth/tokens/token.ts";
import type { TokenHeader } from "../../../src/auth/tokens/token.ts";

const [ec, rsa] = await Promise.all([generateKeyPair("ES256"), generateKeyPair("RS256")]);
const EC = { ...await exportJWK(ec.publicKey), kid: "k" };
const RSA = { ...await exportJWK(rsa.publicKey), kid: "k" };
const SOURCE = { url: "https://id.test/keys", headers: {}, cacheKey: "keys" };

/** The sets of a source that serves one. */
function serving(answer: () => Response, clock = () => 1_000_000): KeySets {
  return new KeySets({
    fetch: () => Promise.resolve(answer()),
    clock,
    limits: { keySets: 10, keySetBytes: 100_000, keySetMs: 1000, keySetRequests: 10 },
    warn: () => {},
  });
}

const of = (...keys: readonly unknown[]) => serving(() => Response.json({ keys }));
const header = (alg: string, kid = "k") => ({ alg, kid }) as TokenHeader;

Deno.test("a key verifies tokens of its type, as far as its members allow it", async () => {
  const cases: readonly (readonly [jwk: JWK, algorithm: string])[] = [
    [EC, "ES256"],
    [{ ...EC, alg: "ES256", use: "sig", key_ops: ["verify"] }, "ES256"],
    [RSA, "RS256"],
    [RSA, "PS512"],
    [{ ...RSA, alg: "RS256" }, "RS256"],
  ];
  for (const [jwk, algorithm] of cases) {
    const sets = of(jwk);
    const { key, version, failure } = await sets.key(SOURCE, header(algorithm));
    assert.deepEqual([key.type, sets.version(SOURCE), failure], ["public", version, undefined]);
    assert.equal((await sets.key(SOURCE, header(algorithm))).key, key);
  }
  const others: readonly (readonly [jwk: JWK, algorithm: string])[] = [
    [EC, "ES384"],
    [EC, "RS256"],
    [RSA, "ES256"],
    [{ ...RSA, alg: "RS384" }, "RS256"],
    [{ ...EC, use: "enc" }, "ES256"],
    [{ ...EC, key_ops: ["sign"] }, "ES256"],
    [{ ...EC, key_ops: "verify" as never }, "ES256"],
    [{ ...EC, crv: "toString" }, "ES256"],
  ];
  for (const [jwk, algorithm] of others) {
    const refused = { message: "the key is not made for the algorithm of the token" };
    await assert.rejects(of(jwk).key(SOURCE, header(algorithm)), refused, JSON.stringify(jwk));
  }
});

Deno.test("a token names one key by its id, else it is refused", async () => {
  const unknown = { message: "no key has the id that the token names" };
  for (
    const keys of [[], [{ ...EC, kid: "other" }], [{ ...EC, kid: 1 }], [{ kty: "oct", k: "AA", kid: "k" }], [
      1,
    ]]
  ) {
    await assert.rejects(of(...keys).key(SOURCE, header("ES256")), unknown);
  }
  const several = { message: "several keys have the id that the token names" };
  await assert.rejects(of(EC, EC).key(SOURCE, header("ES256")), several);
  await assert.rejects(of({ ...EC, x: undefined }).key(SOURCE, header("ES256")), {
    message: "the key cannot be used",
  });
  assert.ok((await of(EC, { ...RSA, kid: "other" }).key(SOURCE, header("RS256", "other"))).key);
});

Deno.test("a key that the set did not have is looked for in a newer one, which may not have it either", async () => {
  let now = 1_000_000;
  let keys: readonly JWK[] = [{ ...EC, kid: "old" }];
  const sets = serving(() => Response.json({ keys }), () => now);
  const unknown = { message: "no key has the id that the token names" };
  for (let times = 0; times < 2; times++) {
    await assert.rejects(sets.key(SOURCE, header("ES256")), unknown);
    now += 30_000;
  }
  keys = [EC];
  assert.equal((await sets.key(SOURCE, header("ES256"))).key.type, "public");
});

Deno.test("where no set can be read, the fallback of the source verifies, and says why there is none", async () => {
  const away = serving(() => new Response("", { status: 500 }));
  await assert.rejects(away.key(SOURCE, header("RS256")), { status: 503 });
  const pem = await exportSPKI(rsa.publicKey);
  const found = await away.key({ ...SOURCE, fallback: pem }, header("RS256"));
  assert.deepEqual([found.key.type, found.version, found.failure instanceof Error], ["public", -1, true]);
  const again = await away.key({ ...SOURCE, fallback: pem }, header("RS256"));
  assert.deepEqual([again.key, again.version], [found.key, -1]);
  const other = await away.key({ ...SOURCE, fallback: pem.replaceAll("\n", "\\n") }, header("RS256"));
  assert.equal(other.version, -2);
  const known = of(EC);
  await assert.rejects(known.key({ ...SOURCE, fallback: pem }, header("ES256", "other")), TokenRefused);
});
