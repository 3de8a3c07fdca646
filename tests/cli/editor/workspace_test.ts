/** What an editor has open, and what of it is looked at again. */

import assert from "node:assert/strict";
import { Workspace } from "../../../src/cli/editor/workspace.ts";

Deno.test("a source is read into tokens again when its text has changed, and only then", () => {
  const workspace = new Workspace("/nowhere");
  const path = "/nowhere/a.cds";
  assert.equal(workspace.source(path), undefined);
  workspace.change(path, "entity A {}");
  const first = workspace.source(path)!;
  assert.deepEqual(first.tokens.map(({ text }) => text), ["entity", "A", "{", "}"]);
  assert.equal(workspace.source(path), first);
  workspace.change(path, "entity A {}");
  assert.equal(workspace.source(path), first);
  workspace.change("/nowhere/b.cds", "entity B {}");
  assert.equal(workspace.source(path), first);
  workspace.change(path, "type B;");
  assert.deepEqual(workspace.source(path)!.tokens.map(({ text }) => text), ["type", "B", ";"]);
  workspace.change(path, undefined);
  assert.equal(workspace.source(path), undefined);
});
