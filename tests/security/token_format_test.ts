import assert from "node:assert/strict";
import { withTokens } from "./token_app.ts";
import { assertRefused, decode, encode } from "./token_parts.ts";

Deno.test("a header of 60 000 characters is refused (jwt-format-002)", () =>
  withTokens({}, async (app) => {
    await assertRefused(
      app,
      await app.identity.token({ user: "alice", claims: { pad: "x".repeat(44_000) } }),
    );
    await assertRefused(app, "x".repeat(60_000));
    assert.equal(app.identity.requests.length, 0);
  }));

Deno.test("a header up to the limit is read, one character more is refused", async () => {
  await withTokens({}, async ({ identity, status }) => {
    const token = await identity.token({ user: "alice" });
    const tokenLength = "Bearer ".length + token.length;
    await withTokens({ identity, limits: { tokenLength } }, async (app) => {
      assert.equal(await app.status(token), 200);
    });
    await withTokens({ identity, limits: { tokenLength: tokenLength - 1 } }, async (app) => {
      assert.equal(await app.status(token), 401);
    });
    assert.equal(await status(token), 200);
  });
});

Deno.test("of a duplicate claim the last one counts everywhere (jwt-format-003)", () =>
  withTokens({}, async ({ identity, user }) => {
    const claims = decode((await identity.token({ user: "alice" })).split(".")[1]!);
    const payload = JSON.stringify(claims).replace(
      '"user_name":"alice"',
      '"user_name":"u","user_name":"root"',
    );
    const found = await user(await identity.sign({ alg: "RS256", kid: await identity.keyId() }, payload));
    assert.equal(found.id, "root");
    assert.equal((found.authInfo as Record<string, unknown>).user_name, "root");
  }));

Deno.test("a payload that is no JSON object in UTF-8 is refused (jwt-format-005)", () =>
  withTokens({}, async (app) => {
    const header = { alg: "RS256", kid: await app.identity.keyId() };
    for (const payload of ["no json", "", "[]", "null", '"x"', "\ufeff{}", `{"a":${"[".repeat(50)}`]) {
      await assertRefused(app, await app.identity.sign(header, payload));
    }
    const deep = `{"a":${"[".repeat(3000)}${"]".repeat(3000)}}`;
    await assertRefused(app, await app.identity.sign(header, deep));
    await assertRefused(app, `${encode(header)}.${encode('{"sub":"\xff"}')}.AAAA`);
    assert.equal(app.identity.requests.length, 0);
  }));

Deno.test("a claim __proto__ changes no prototype and gives no role (jwt-format-007)", () =>
  withTokens({}, async ({ identity, status, user }) => {
    const claims = decode((await identity.token({ user: "alice" })).split(".")[1]!);
    const payload = JSON.stringify(claims).replace("{", '{"__proto__":{"roles":["admin"],"scope":"admin"},');
    const token = await identity.sign({ alg: "RS256", kid: await identity.keyId() }, payload);
    assert.equal(await status(token, "admins"), 403);
    const { roles, authInfo } = await user(token);
    assert.ok(!roles.includes("admin"));
    assert.equal(Object.getPrototypeOf(authInfo), null);
    assert.equal(({} as { roles?: unknown }).roles, undefined);
  }));

Deno.test("attribute maps have no prototype (jwt-format-008)", () =>
  withTokens({}, async ({ identity, user }) => {
    const { attr } = await user(await identity.token({ user: "alice", attributes: { constructor: "c" } }));
    assert.deepEqual(attr.constructor, ["c"]);
    assert.equal(attr.toString, undefined);
    assert.equal(attr.hasOwnProperty, undefined);
  }));

Deno.test("padding is refused (jwt-format-010)", () =>
  withTokens({}, async (app) => {
    const parts = (await app.identity.token({ user: "alice" })).split(".");
    for (const index of [0, 1, 2]) {
      await assertRefused(app, parts.map((part, at) => at === index ? `${part}=` : part).join("."));
    }
  }));

Deno.test("another number of parts, empty parts and other characters are refused (jwt-format-012)", () =>
  withTokens({}, async (app) => {
    const token = await app.identity.token({ user: "alice" });
    const [header, payload, signature] = token.split(".");
    const others = [
      `${token}.d`,
      `${header}.${payload}`,
      `${header}.${payload}.`,
      `.${payload}.${signature}`,
      `${header}..${signature}`,
      `${header}.${payload}.${signature}+/`,
      `${header}.${payload}. ${signature}`,
      `${token}, ${token}`,
      `${token},`,
      "",
    ];
    for (const other of others) await assertRefused(app, other);
    assert.equal(await app.status({ authorization: "Bearer" }), 401);
  }));

Deno.test("another text for the bytes of a good signature is refused (jwt-format-013)", () =>
  withTokens({}, async (app) => {
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const token = await app.identity.token({ user: "alice" });
    assert.equal(await app.status(token), 200);
    // 256 bytes leave four unused bits in the last character
    const next = alphabet[alphabet.indexOf(token.at(-1)!) + 1]!;
    const other = token.slice(0, -1) + next;
    assert.equal(atobUrl(other.split(".")[2]!), atobUrl(token.split(".")[2]!));
    await assertRefused(app, other);
  }));

function atobUrl(part: string): string {
  return atob(part.replaceAll("-", "+").replaceAll("_", "/"));
}
