import assert from "node:assert/strict";
import { DEFAULT_LIMITS } from "../../src/config/limits.ts";
import { Discovery } from "../../src/auth/tokens/documents.ts";

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

Deno.test("keys come from a URL by https only, by http on this machine for an issuer there", async () => {
  const reasons: string[] = [];
  const keysOf = (issuer: string, jwks_uri: unknown) =>
    new Discovery({
      fetch: () => Promise.resolve(Response.json({ issuer, jwks_uri })),
      clock: () => 0,
      limits: DEFAULT_LIMITS,
      warn: (...told: unknown[]) => void reasons.push(told.map(String).join(" ")),
    }).keysUrl(issuer);
  const refused = [undefined, 7, "", "keys", "http://accounts.example.com/keys", "http://localhost:1/keys"];
  for (const jwks_uri of refused) await assert.rejects(keysOf(ISSUER, jwks_uri), `${jwks_uri}`);
  assert.equal(reasons.length, refused.length);
  for (const reason of reasons) assert.match(reason, /no https URL as "jwks_uri"/);
  assert.equal(await keysOf("http://localhost:1", "http://localhost:1/keys"), "http://localhost:1/keys");
});

Deno.test("it is said once for each configuration whose it is, as long as no more than a hundred issuers are wrong", async () => {
  const told: string[] = [];
  const discovery = new Discovery({
    fetch: () => Promise.resolve(Response.json({ issuer: ISSUER, jwks_uri: `${ISSUER}/keys` })),
    clock: () => 0,
    limits: { ...DEFAULT_LIMITS },
    warn: (text: string) => void told.push(text),
  });
  const ask = (number: number) =>
    assert.rejects(discovery.keysUrl(`https://i${number}.example.com`), { name: "TokenRefused" });
  for (let number = 1; number <= 100; number++) await ask(number);
  await ask(100);
  await ask(1);
  assert.equal(told.length, 100);
  await ask(101);
  await ask(101);
  assert.equal(told.length, 101);
  await ask(1);
  assert.deepEqual(told.slice(100).map((text) => /"(.*?)"/.exec(text)?.[1]), [
    "https://i101.example.com",
    "https://i1.example.com",
  ]);
});

Deno.test("the configuration of an issuer whose token was accepted is dropped last", async () => {
  const asked: string[] = [];
  const discovery = new Discovery({
    fetch: ({ url }) => {
      const { origin } = new URL(url);
      asked.push(origin);
      return Promise.resolve(Response.json({ issuer: origin, jwks_uri: `${origin}/keys` }));
    },
    clock: () => 0,
    limits: { ...DEFAULT_LIMITS, keySets: 2, keySetRequests: 10 },
    warn: () => {},
  });
  const [a, b, c] = ["a", "b", "c"].map((name) => `https://${name}.example.com`);
  await discovery.keysUrl(a!);
  discovery.trust(a!);
  await discovery.keysUrl(b!);
  discovery.trust("https://unknown.example.com");
  await assert.rejects(discovery.keysUrl(c!), { status: 503 });
  await discovery.keysUrl(a!);
  assert.deepEqual(asked, [a, b]);
});
