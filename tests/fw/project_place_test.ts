/** Where a project is, and what its configuration is before it starts. */

import assert from "node:assert/strict";
import { toEnvironment } from "../../src/config/environment.ts";
import { moveTo, projectPlace } from "../../src/fw/project_place.ts";

Deno.test("a program begins without folder, configuration, plugins and command", () => {
  assert.deepEqual({ ...projectPlace }, {
    ...{
      root: undefined,
      environment: undefined,
      isAssigned: false,
      readEnvironment: undefined,
      plugins: {},
    },
    cli: { command: "", argv: [], options: {} },
  });
});

Deno.test("another folder has another configuration, unless one was assigned", () => {
  const environment = toEnvironment({ name: "one" });
  const cases: readonly [string | undefined, string | undefined, boolean, boolean][] = [
    ["/a", "/a", false, true],
    ["/a", "/b", false, false],
    ["/a", undefined, false, false],
    [undefined, "/a", false, false],
    ["/a", "/a", true, true],
    ["/a", "/b", true, true],
    [undefined, undefined, false, true],
  ];
  try {
    for (const [from, to, isAssigned, isKept] of cases) {
      Object.assign(projectPlace, { root: from, environment, isAssigned });
      moveTo(to);
      const { root, environment: found } = projectPlace;
      assert.deepEqual([root, found], [to, isKept ? environment : undefined], `${from} ${to} ${isAssigned}`);
    }
  } finally {
    Object.assign(projectPlace, { root: undefined, environment: undefined, isAssigned: false });
  }
});
