/** The configurations that the README shows. */

import assert from "node:assert/strict";
import { createEnvironment, type Environment } from "../../src/config/environment.ts";
import { isPlainObject } from "../../src/util/is_plain_object.ts";

const TEXT = await Deno.readTextFile(new URL("../../README.md", import.meta.url));

/** What stands below `fw` in the blocks of JSON. */
const SHOWN: readonly Record<string, unknown>[] = [...TEXT.matchAll(/^```json\n([\s\S]*?)\n```$/gm)]
  .map(([, json]) => JSON.parse(json!).fw)
  .filter(isPlainObject);

function environments(profile: string): readonly Environment[] {
  return SHOWN.map((value) => createEnvironment([{ name: "README.md", value }], [profile]));
}

Deno.test("configurations in the README have known keys and values, in development and in production", () => {
  assert.ok(SHOWN.length >= 6, `${SHOWN.length}`);
  for (const profile of ["development", "production"]) environments(profile);
});

Deno.test("mock users in the README stand in a profile: production has neither them nor their kind", () => {
  // a start in development adds the users that everybody has
  const users = (profile: string) =>
    environments(profile).filter((_env, index) => JSON.stringify(SHOWN[index]).includes('"users"'))
      .map(({ requires }) => requires.auth).filter((auth) => auth?.users !== undefined);
  assert.deepEqual(users("development").map((auth) => auth?.kind), ["mocked"]);
  assert.deepEqual(users("production"), []);
  assert.ok(environments("production").every(({ requires }) => requires.auth?.kind !== "mocked"));
});
