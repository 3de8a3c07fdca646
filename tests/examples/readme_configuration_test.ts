/** The configurations that the manual shows. */

import assert from "node:assert/strict";
import { createEnvironment, type Environment } from "../../src/config/environment.ts";
import { isPlainObject } from "../../src/util/is_plain_object.ts";
import { snippets } from "./manual.ts";

/** What stands below `fw` in the blocks of JSON. */
const SHOWN: readonly Record<string, unknown>[] = snippets("json")
  .map(({ text }) => JSON.parse(text).fw)
  .filter(isPlainObject);

function environments(profile: string): readonly Environment[] {
  return SHOWN.map((value) => createEnvironment([{ name: "manual", value }], [profile]));
}

Deno.test("configurations in the manual have known keys and values, in development and in production", () => {
  assert.ok(SHOWN.length >= 6, `${SHOWN.length}`);
  for (const profile of ["development", "production"]) environments(profile);
});

Deno.test("mock users in the manual stand in a profile: production has neither them nor their kind", () => {
  // a start in development adds the users that everybody has
  const users = (profile: string) =>
    environments(profile).filter((_env, index) => JSON.stringify(SHOWN[index]).includes('"users"'))
      .map(({ requires }) => requires.auth).filter((auth) => auth?.users !== undefined);
  assert.deepEqual(users("development").map((auth) => auth?.kind), ["mocked"]);
  assert.deepEqual(users("production"), []);
  assert.ok(environments("production").every(({ requires }) => requires.auth?.kind !== "mocked"));
});
