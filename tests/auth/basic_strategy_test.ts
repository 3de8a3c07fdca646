import assert from "node:assert/strict";
import { createBasicStrategy, parseBasicCredentials } from "../../src/auth/basic_strategy.ts";
import { createStrategy } from "../../src/auth/create_strategy.ts";
import { admitsOthers, mockUsers, shownUsers } from "../../src/auth/mock_users.ts";
import { EventContext } from "../../src/context/event_context.ts";
import { ConfigurationError } from "../../src/errors/configuration_error.ts";

interface Setting {
  readonly production?: boolean;
  readonly security?: unknown;
  readonly multitenancy?: boolean;
  readonly trace?: (record: unknown) => void;
}

function strategyFor(
  auth: object,
  { production = false, multitenancy = true, security, trace }: Setting = {},
) {
  const env = { security, requires: { auth, multitenancy } };
  return createStrategy({ env, production, trace, warn: () => {} });
}

async function login(auth: object, credentials: string, setting?: Setting) {
  const strategy = await strategyFor({ kind: "mocked", ...auth }, setting);
  const headers = { authorization: `Basic ${btoa(credentials)}` };
  return await strategy.authenticate(new Request("http://x/", { headers }), new EventContext());
}

async function userOf(auth: object, credentials: string, setting?: Setting) {
  const result = await login(auth, credentials, setting);
  assert.ok("user" in result, JSON.stringify(result));
  return result.user;
}

Deno.test("createStrategy() admits mock users by HTTP Basic, anonymous without credentials", async () => {
  const strategy = await strategyFor({ kind: "mocked" });
  const result = await strategy.authenticate(new Request("http://x/"), new EventContext());
  assert.deepEqual(result, { anonymous: true });
  assert.equal((await userOf({}, "alice:")).is("admin"), true);
  assert.match(strategy.challenge!, /^Basic /);
});

Deno.test("mock users have id, tenant as attribute, roles and attributes [2.5.r3a] [2.5.roles] [2.5.attr] [2.5.tenant]", async () => {
  const users = { zoe: { tenant: "t9", roles: ["Viewer", "system-user"], attr: { level: [3] } } };
  const user = await userOf({ users }, "zoe:");
  assert.equal(user.id, "mock/zoe");
  assert.deepEqual(user.roles, ["Viewer", "system-user"]);
  assert.deepEqual({ ...user.attr }, { level: [3], tenant: "t9" });
  assert.equal(user.tenant, "t9");
  assert.equal((await userOf({ users, id_prefix: "" }, "zoe:")).id, "zoe");
  assert.equal((await userOf({ users }, "zoe:", { multitenancy: false })).tenant, undefined);
});

Deno.test("mock users may be configured below fw.security.mock too, member by member [2.5.r2]", async () => {
  const security = { mock: { users: { alice: { attributes: { area: ["A"] } }, ann: { roles: ["X"] } } } };
  const alice = await userOf({ users: { alice: { roles: ["boss"] } } }, "alice:", { security });
  assert.deepEqual([alice.roles, alice.attr.area, alice.tenant], [["boss"], ["A"], "t1"]);
  assert.equal((await userOf({}, "ann:", { security })).is("X"), true);
  assert.equal((await userOf({}, "privileged:", { security })).is("anything"), true);
  assert.deepEqual((await userOf({}, "authenticated:", { security })).roles, []);
});

Deno.test("fw.security.mock.defaultUsers: false removes the predefined users [2.5.r1]", async () => {
  const security = { mock: { defaultUsers: false } };
  assert.equal(mockUsers({}).has("alice"), true);
  assert.equal(mockUsers({ security }).has("alice"), false);
  assert.equal(admitsOthers({ security }), false);
  assert.ok("refused" in await login({}, "alice:", { security }));
});

Deno.test("passwords of mock users must be equal where configured, even empty ones [2.5.password]", async () => {
  const users = { a: { password: "s:c:p" }, b: { password: "" }, c: {} };
  for (const right of ["a:s:c:p", "b:", "c:whatever"]) await userOf({ users }, right);
  for (const wrong of ["a:", "a:s", "b:x"]) assert.ok("refused" in await login({ users }, wrong), wrong);
});

Deno.test("mock users have their own features, else those of their tenant [2.5.features] [2.5.tenants]", async () => {
  const tenants = [{ name: "t0", features: ["other"] }, { name: "t1", features: ["isbn"] }];
  assert.deepEqual([...(await userOf({ tenants }, "alice:")).features], ["isbn"]);
  assert.deepEqual([...(await userOf({ tenants }, "dave:")).features], []);
  assert.equal((await userOf({ tenants }, "me:")).has("anything"), true);
  assert.deepEqual([...(await userOf({ tenants: { t1: { features: ["x"] } } }, "bob:")).features], ["x"]);
});

Deno.test("mock users: other names are admitted until * is false; names of object members are no users", async () => {
  await userOf({}, "stranger:");
  for (const name of ["stranger", "__proto__", "toString", "hasOwnProperty"]) {
    assert.ok("refused" in await login({ users: { "*": false } }, `${name}:x`), name);
  }
});

Deno.test("what is configured for * holds for all other names (auth 3)", async () => {
  const users = { "*": { tenant: "t3", roles: ["guest"], attr: { area: ["A"] }, password: "x" } };
  const { id, tenant, roles, attr } = await userOf({ users }, "stranger:x");
  assert.deepEqual([id, tenant, roles, attr.area], ["mock/stranger", "t3", ["guest"], ["A"]]);
  assert.ok("refused" in await login({ users }, "stranger:y"));
  assert.deepEqual((await userOf({ users }, "alice:")).roles, ["admin"]);
  assert.ok("refused" in await login({ kind: "basic", users }, "*:x"));
  const security = { mock: { users: { "*": { tenant: "t4" } } } };
  assert.equal((await userOf({}, "stranger:", { security })).tenant, "t4");
});

Deno.test("a mock user that passes every check may have tenant and attributes (auth 3) [5.2.11]", async () => {
  const users = { privileged: { tenant: "t1", attr: { area: ["A"] } } };
  const user = await userOf({ users }, "privileged:");
  assert.deepEqual([user.is("anything"), user.tenant, user.attr.area], [true, "t1", ["A"]]);
});

Deno.test("a mock user that passes every check has all features, unless some are named (auth 3)", async () => {
  const users = { some: { privileged: true, features: ["isbn"] } };
  assert.equal((await userOf({ users }, "privileged:")).has("anything"), true);
  assert.deepEqual([...(await userOf({ users }, "some:")).features], ["isbn"]);
});

Deno.test("a role that a mock user is configured not to have is none (auth 3)", async () => {
  const users = { zoe: { roles: { viewer: true, admin: false } } };
  assert.deepEqual((await userOf({ users }, "zoe:")).roles, ["viewer"]);
});

Deno.test("user tracing records the resolved user", async () => {
  const records: unknown[] = [];
  await userOf({}, "carol:", { trace: (record) => records.push(record) });
  assert.equal((records[0] as { id: string; name: string }).id, "mock/carol");
});

Deno.test("basic knows configured users only", async () => {
  const auth = { kind: "basic", users: { ann: { password: "x" } } };
  await userOf(auth, "ann:x");
  for (const other of ["alice:", "stranger:"]) assert.ok("refused" in await login(auth, other), other);
});

Deno.test("basic knows no users of fw.security.mock.users: they belong to mock authentication (auth 1)", async () => {
  const security = { mock: { users: { ann: { roles: ["boss"] }, bob: { password: "old" } } } };
  const auth = { kind: "basic", users: { bob: { password: "new" } } };
  for (const production of [false, true]) {
    assert.ok("refused" in await login(auth, "ann:anything", { security, production }));
    assert.ok("refused" in await login(auth, "bob:old", { security, production }));
    assert.equal((await userOf(auth, "bob:new", { security, production })).id, "mock/bob");
  }
});

Deno.test("users of kind basic need a password in production, or it does not start", async () => {
  const error = (users: object) =>
    strategyFor({ kind: "basic", users }, { production: true }).then(() => undefined, (thrown) => thrown);
  for (const open of [{}, { roles: ["x"] }, true]) {
    const thrown = await error({ ann: open, bob: { password: "x" } });
    assert.ok(thrown instanceof ConfigurationError, JSON.stringify(open));
    assert.match(thrown.message, /"fw\.requires\.auth\.users" has users without password: ann;/);
  }
  assert.equal(await error({ ann: { password: "x" }, bob: false, "*": {} }), undefined);
  await strategyFor({ kind: "basic", users: { ann: {} } });
});

Deno.test("an empty password of kind basic counts in production, with a warning at the start", async () => {
  const warnings: string[] = [];
  const env = {
    requires: { auth: { kind: "basic", users: { ann: { password: "" }, bob: { password: "x" } } } },
  };
  await createStrategy({ env, production: true, warn: (text) => void warnings.push(text) });
  assert.deepEqual(warnings, ["Users with an empty password log in in production by their names: ann"]);
  await createStrategy({ env, production: false, warn: (text) => void warnings.push(text) });
  assert.equal(warnings.length, 1);
});

Deno.test("* is the name of nobody: it logs in with no password (auth 3)", async () => {
  for (const users of [{}, { "*": { roles: ["boss"] } }, { "*": { password: "x" } }]) {
    for (const kind of ["mocked", "basic"]) {
      for (const production of [false, true]) {
        for (const credentials of ["*:", "*:x"]) {
          assert.ok("refused" in await login({ kind, users }, credentials, { production }), credentials);
        }
      }
    }
  }
});

Deno.test("a predefined user that is configured as false does not log in", async () => {
  const users = { alice: false, "*": false, bob: true };
  assert.ok("refused" in await login({ users }, "alice:"));
  assert.deepEqual((await userOf({ users }, "bob:")).roles, ["cds.ExtensionDeveloper"]);
});

Deno.test("a login with the right password is compared once, wrong ones each time, and no more are kept than the limit", () => {
  let compared = 0;
  const { authenticate } = createBasicStrategy({
    kind: "basic",
    production: true,
    env: { requires: { auth: { users: { ann: { password: "a" }, bob: { password: "b" } } } } },
    limits: { verifiedLogins: 1 },
    compare: (one, other) => {
      compared++;
      return one === other;
    },
  });
  const compares = (credentials: string) => {
    const before = compared;
    const headers = { authorization: `Basic ${btoa(credentials)}` };
    const result = authenticate(new Request("http://x/", { headers }), new EventContext());
    return ["user" in result, compared - before];
  };
  assert.deepEqual([compares("ann:a"), compares("ann:a"), compares("ann:a")], [[true, 1], [true, 0], [
    true,
    0,
  ]]);
  assert.deepEqual([compares("ann:x"), compares("ann:x")], [[false, 1], [false, 1]]);
  assert.deepEqual([compares("bob:b"), compares("ann:a")], [[true, 1], [true, 1]]);
});

Deno.test("each request of a login that is kept has a user of its own, which is traced", async () => {
  const records: unknown[] = [];
  const env = { requires: { auth: { users: { ann: { password: "a", attr: { area: "A" } } } } } };
  const { authenticate } = createBasicStrategy({
    ...{ kind: "basic", production: true, env },
    trace: (record) => records.push(record),
  });
  const login = async () => {
    const headers = { authorization: `Basic ${btoa("ann:a")}` };
    const result = await authenticate(new Request("http://x/", { headers }), new EventContext());
    assert.ok("user" in result);
    return result.user;
  };
  const [first, second] = [await login(), await login()];
  assert.notEqual(first, second);
  first.attr.area = "B";
  assert.equal(second.attr.area, "A");
  assert.equal((await login()).attr.area, "A");
  assert.equal(records.length, 3);
});

Deno.test("parseBasicCredentials() reads strictly", () => {
  const basic = (text: string) => parseBasicCredentials(`Basic ${btoa(text)}`);
  assert.deepEqual(basic("bob:s:c:p"), { name: "bob", password: "s:c:p" });
  assert.equal(parseBasicCredentials("Bearer x"), undefined);
  for (const text of ["alice", ":pw", "al\r\nice:x", "\xff\xfe:x"]) {
    assert.equal(basic(text), "malformed", text);
  }
  for (const value of ["Basic", "Basic ", "Basic ***", `Basic ${"A".repeat(5000)}`]) {
    assert.equal(parseBasicCredentials(value), "malformed");
  }
});

Deno.test("createStrategy() refuses production without kind, dummy there, tokens and unknown kinds", async () => {
  const cases: [object, boolean][] = [
    [{}, true],
    [{ kind: "dummy" }, true],
    [{ kind: "oidc" }, false],
    [{ kind: "oauth2" }, false],
    [{ kind: "jwt" }, false],
    [{ kind: "moked" }, false],
    [{ impl: "./missing.ts" }, false],
  ];
  for (const [auth, production] of cases) {
    await assert.rejects(strategyFor(auth, { production }), ConfigurationError);
  }
});

Deno.test("people are shown names and roles of mock users, and who needs a password, but not which", () => {
  const users = { zoe: { password: "secret", roles: ["admin"] }, yan: {}, "*": false };
  const shown = shownUsers({ requires: { auth: { kind: "mocked", users }, multitenancy: false } });
  const those = shown.filter(({ name }) => name in users);
  assert.deepEqual(those, [
    { name: "zoe", roles: ["admin"], hasPassword: true },
    { name: "yan", roles: [], hasPassword: false },
  ]);
});
