/** Which configuration of Deno processes for a project take. */

import assert from "node:assert/strict";
import {
  configurationFile,
  configurationOptions,
  projectConfiguration,
} from "../../src/cli/project_configuration.ts";
import { REPOSITORY, withProject } from "../deno/project.ts";

const TARGET = "jsr:@fw/runtime@^0.1.0";
const json = (value: unknown) => JSON.stringify(value);
const OWN = { imports: { "@fw/runtime": TARGET } };

Deno.test("a project has a configuration where its imports name this package", async () => {
  const found = async (files: Readonly<Record<string, string>>) => {
    let result: unknown;
    await withProject(files, (folder) => {
      const one = projectConfiguration(folder);
      result = one && [one.file.slice(folder.length), one.target, ...one.links];
      return Promise.resolve();
    });
    return result;
  };
  assert.deepEqual(await found({ "deno.json": json(OWN) }), ["/deno.json", TARGET]);
  assert.deepEqual(await found({ "deno.jsonc": `// mine\n${json({ ...OWN, links: ["../a", 1] })}` }), [
    ...["/deno.jsonc", TARGET, "../a", "1"],
  ]);
  assert.deepEqual(await found({ "deno.json": "{}", "deno.jsonc": json(OWN) }), ["/deno.jsonc", TARGET]);
  assert.deepEqual(await found({ "deno.json": "{", "deno.jsonc": json(OWN) }), ["/deno.jsonc", TARGET]);
  for (
    const wrong of [
      "[]",
      "1",
      "{",
      json({ imports: [TARGET] }),
      json({ imports: { "@fw/runtime": 1 } }),
      json({ links: [] }),
    ]
  ) {
    assert.equal(await found({ "deno.json": wrong }), undefined, wrong);
  }
  assert.equal(await found({}), undefined);
});

Deno.test("processes for a project take its own configuration where that is linked to this clone, else that of the clone", async () => {
  const clone = `${REPOSITORY.replace(/\/$/, "")}/deno.json`;
  for (
    const [config, isOwn] of [
      [{}, false],
      [OWN, false],
      [{ ...OWN, links: ["nowhere", "/"] }, false],
      [{ links: [REPOSITORY] }, false],
      [{ ...OWN, links: ["nowhere", REPOSITORY] }, true],
    ] as const
  ) {
    await withProject({ "deno.json": json(config) }, (folder) => {
      const expected = isOwn ? `${folder}/deno.json` : clone;
      assert.deepEqual([configurationFile(folder), configurationOptions(folder)], [expected, [
        `--config=${expected}`,
      ]]);
      return Promise.resolve();
    });
  }
});
