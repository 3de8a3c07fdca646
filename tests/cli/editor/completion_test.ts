/** What may stand at a place in a model. */

import assert from "node:assert/strict";
import { completionsAt } from "../../../src/cli/editor/completion.ts";
import { Workspace } from "../../../src/cli/editor/workspace.ts";
import { withProject } from "../../deno/project.ts";

const SCHEMA = "namespace shop; entity Books { key ID : Integer; title : String; } type Label : String;\n";

/** What is offered first, at the place of `|`. */
const CASES: readonly (readonly [first: string | undefined, sources: readonly string[]])[] = [
  [undefined, ["entity A { t : String default 'a|b'", "// a|", "/* a| */", "'|", "'a'; // |"]],
  ["@requires:", ["@|", "@res|", "@ |", "entity A { @|"]],
  ["Association to", ["entity A { a :|", "entity A { a : |", "entity A { a : Str|", "a : shop.Bo|"]],
  ["Books", ["Association to |", "Composition of |", "many |", "on |", "from sh|", "annotate |", "extend |"]],
  ["Books", ["a, |", "a,|"]],
  ["namespace", ["|", "ent|", "entity A { |", "'a' |", "/* a */|", "botox |"]],
];

Deno.test("what is offered depends on what stands before; names are, apart from texts and annotations", () =>
  withProject({ "db/schema.cds": SCHEMA }, (folder) => {
    const path = `${folder}/srv/a.cds`;
    for (const [first, sources] of CASES) {
      for (const marked of sources) {
        const workspace = new Workspace(folder);
        workspace.check();
        workspace.change(path, marked.replace("|", ""));
        const source = workspace.source(path)!;
        const items = completionsAt(workspace, source, marked.indexOf("|")) as readonly { label: string }[];
        const labels = items.map(({ label }) => label);
        assert.equal(labels[0], first, marked);
        const named = labels.filter((label) => label === "Books" || label === "title");
        const isNamed = first !== undefined && !first.startsWith("@");
        assert.deepEqual(named, isNamed ? ["Books", "title"] : [], marked);
      }
    }
    return Promise.resolve();
  }));

Deno.test("what is offered says what it is (LSP 3.17, CompletionItemKind), and what is written", () =>
  withProject({ "db/schema.cds": SCHEMA }, (folder) => {
    const workspace = new Workspace(folder);
    workspace.check();
    const offered = (text: string) => {
      workspace.change(`${folder}/a.cds`, text);
      return completionsAt(workspace, workspace.source(`${folder}/a.cds`)!, text.length);
    };
    assert.deepEqual(offered("@")[0], { label: "@requires:", kind: 10, insertText: "@requires: " });
    assert.deepEqual(offered("a :")[0], { label: "Association to", kind: 14, insertText: "Association to " });
    assert.deepEqual(offered("on "), [
      { label: "Books", kind: 7, detail: "entity shop.Books" },
      { label: "Label", kind: 7, detail: "type shop.Label" },
      { label: "ID", kind: 5 },
      { label: "title", kind: 5 },
    ]);
    return Promise.resolve();
  }));
