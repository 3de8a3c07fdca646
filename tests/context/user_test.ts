/** Users: roles, pseudo-roles, attributes and feature toggles (auth 4). */

import assert from "node:assert/strict";
import { User } from "../../src/context/user.ts";

Deno.test("a user is made from an id, from members, or from nothing", () => {
  const bare = new User();
  assert.deepEqual([bare.id, bare.tenant, bare.roles, [...bare.features], bare.authInfo], [
    ...["anonymous", undefined, [], [], undefined],
  ]);
  assert.equal(String(new User("ann")), "ann");
  const authInfo = { sub: "x" };
  const user = new User({ id: "ann", tenant: "t1", attr: { a: 1 }, authInfo });
  assert.deepEqual([user.id, user.tenant, user.attr.a, user.authInfo, user.tokenInfo], [
    "ann",
    "t1",
    1,
    authInfo,
    authInfo,
  ]);
  assert.equal(user.attr.toString, undefined);
});

Deno.test("roles and feature toggles are lists, one name, or names of what is on", () => {
  const forms = [["a", "b"], { a: true, b: 1, c: false, d: undefined }];
  for (const names of forms) {
    const user = new User({ roles: names, features: names });
    assert.deepEqual([user.roles, [...user.features]], [["a", "b"], ["a", "b"]]);
  }
  const all = new User({ features: "*" });
  assert.deepEqual([all.has("x"), new User({ features: ["x"] }).has("x"), new User().has("x")], [
    true,
    true,
    false,
  ]);
  assert.equal(new User({ features: ["y"] }).has("x"), false);
});

Deno.test("pseudo-roles say who has logged in, and whether somebody or a client has", () => {
  const roles = ["any", "authenticated-user", "identified-user", "system-user", "internal-user", "a"];
  const users: readonly (readonly [user: User, held: readonly string[]])[] = [
    [new User("ann"), ["any", "authenticated-user", "identified-user"]],
    [new User({ roles: ["a"] }), ["any", "authenticated-user", "identified-user", "a"]],
    [new User({ roles: ["system-user"] }), ["any", "authenticated-user", "system-user"]],
    [new User({ roles: ["internal-user"] }), ["any", "authenticated-user", "internal-user"]],
    [
      new User({ roles: ["system-user", "identified-user"] }),
      ["any", "authenticated-user", "identified-user", "system-user"],
    ],
    [new User.Anonymous(), ["any"]],
    [User.anonymous, ["any"]],
    [User.privileged, roles],
  ];
  for (const [user, held] of users) assert.deepEqual(roles.filter((role) => user.is(role)), held);
});

Deno.test("the privileged user has a name, all toggles, and what it is given", () => {
  const { privileged } = User;
  assert.deepEqual([privileged.id, privileged.has("x")], ["privileged", true]);
  assert.equal(new User.Privileged("job").id, "job");
  const given = new User.Privileged({ id: "job", tenant: "t1", features: [] });
  assert.deepEqual([given.id, given.tenant, given.has("x"), given.is("x")], ["job", "t1", false, true]);
});

Deno.test("the default user may be replaced, by a user or a class of users", () => {
  const before = User.default;
  try {
    assert.equal(before, User.anonymous);
    const ann = new User("ann");
    User.default = ann;
    assert.equal(User.default, ann);
    User.default = User.Privileged as never;
    assert.ok(User.default instanceof User.Privileged);
  } finally {
    User.default = before;
  }
});
