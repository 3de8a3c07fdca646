/** What `fw env` prints. */

import assert from "node:assert/strict";
import { withProject } from "../deno/project.ts";
import { runCommand } from "./run_command.ts";

Deno.test("fw env prints the configuration in effect, with the kinds that count where none is named, and no secrets", () => {
  const requires = { db: true, messaging: true, auth: { kind: "mocked", credentials: { password: "open" } } };
  return withProject({ ".fwrc.json": JSON.stringify({ name: "shop", requires }) }, async (folder) => {
    const { code, output } = await runCommand("env", folder);
    assert.equal(code, 0, output);
    const { name, requires: { db, messaging, auth } } = JSON.parse(output);
    assert.deepEqual([name, db.kind, messaging.kind, auth.kind], [
      ...["shop", "sqlite", "file-based-messaging", "mocked"],
    ]);
    assert.ok(messaging.guarantees, "what its channel promises");
    assert.equal("guarantees" in db, false);
    assert.doesNotMatch(output, /"open"/);
    assert.equal(output, `${JSON.stringify(JSON.parse(output), null, 2)}\n`);
  });
});

Deno.test("fw env names mistakes, and folders that are none", () =>
  withProject({ ".fwrc.json": '{"requries":{}}', file: "" }, async (folder) => {
    const { code, output } = await runCommand("env", folder);
    assert.deepEqual([code, /"fw\.requries" is unknown/.test(output)], [1, true], output);
    await Deno.writeTextFile(`${folder}/.fwrc.json`, '{"[prodution]":{}}');
    const remark = await runCommand("env", folder);
    assert.deepEqual(
      [remark.code, /^Warning: .*\[production\]/.test(remark.output)],
      [0, true],
      remark.output,
    );
    assert.deepEqual(await runCommand("env", `${folder}/file`), {
      code: 1,
      output: `${folder}/file: Expected a folder\n`,
    });
    assert.deepEqual(await runCommand("env", `${folder}/none`), {
      code: 1,
      output: `${folder}/none: There is no such folder\n`,
    });
  }));
