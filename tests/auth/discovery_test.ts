import assert from "node:assert/strict";
import { DEFAULT_LIMITS } from "../../src/config/limits.ts";
import { Discovery } from "../../src/auth/tokens/discovery.ts";

const ISSUER = "https://accounts.example.com";

Deno.test("a configuration of another issuer is asked for again after a pause", async () => {
  let now = 0;
  let issuer = "https://elsewhere.example.com";
  const asked: string[] = [];
  const discovery = new Discovery({
    fetch: ({ url }) => {
      asked.push(url);
      return Promise.resolve(Response.json({ issuer, jwks_uri: `${ISSUER}/keys` }));
    },
    clock: () => now,
    limits: DEFAULT_LIMITS,
    warn: () => {},
  });
  const wrong = { name: "TokenRefused", message: "the configuration is that of another issuer" };
  await assert.rejects(discovery.keysUrl(ISSUER), wrong);
  issuer = ISSUER;
  await assert.rejects(discovery.keysUrl(ISSUER), wrong);
  assert.equal(asked.length, 1);
  now += 31_000;
  assert.equal(await discovery.keysUrl(ISSUER), `${ISSUER}/keys`);
  assert.equal(await discovery.keysUrl(ISSUER), `${ISSUER}/keys`);
  assert.deepEqual(asked, Array(2).fill(`${ISSUER}/.well-known/openid-configuration`));
});
