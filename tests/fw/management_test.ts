import assert from "node:assert/strict";
import { managementPath, managementRoles } from "../../src/fw/management.ts";

Deno.test("roles of endpoints for operators are named, and none of them is everybody's", () => {
  const roles = (requires?: string | readonly string[]) => managementRoles("fw.x", { requires }, "look");
  assert.deepEqual([roles("a"), roles(["a", "b"])], [["a"], ["a", "b"]]);
  const message = '"fw.x.requires" must name the roles of those who may look';
  for (const none of [undefined, []]) {
    assert.throws(() => roles(none), { name: "ConfigurationError", message });
  }
  for (const open of ["any", "authenticated-user"]) {
    assert.throws(() => roles(["a", open]), {
      name: "ConfigurationError",
      message: `${message}, but is "${open}"`,
    });
  }
});

Deno.test("paths of endpoints for operators begin with a slash, and have no other characters than names", () => {
  const path = (given?: string) => managementPath("fw.x", { path: given }, "/default");
  assert.equal(path(), "/default");
  for (const right of ["/a", "/a/b", "/-/a.b_c~d"]) assert.equal(path(right), right);
  for (const wrong of ["", "a", "/", "/a/", "//a", "/a b", "/a?b", "/{a}"]) {
    assert.throws(() => path(wrong), {
      name: "ConfigurationError",
      message: `"fw.x.path" must be a path that begins with a slash, but is ${JSON.stringify(wrong)}`,
    });
  }
});
