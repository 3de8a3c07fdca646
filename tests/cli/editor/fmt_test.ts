import assert from "node:assert/strict";
import { formatCdl } from "../../../src/cli/editor/format_cdl.ts";
import { editorTokens } from "../../../src/cli/editor/cdl_tokens.ts";
import { REPOSITORY, withProject } from "../../deno/project.ts";
import { runCommand } from "../run_command.ts";

const UGLY = `namespace shop;
/**
   * Books.
 */
@requires: [
'a', 'b'
]
entity Books {
key ID : Integer;  
      title : String;


  author : Association to Authors
on author.ID = 1;
}
`;

const NICE = `namespace shop;
/**
   * Books.
 */
@requires: [
  'a', 'b'
]
entity Books {
  key ID : Integer;
  title : String;

  author : Association to Authors
    on author.ID = 1;
}
`;

Deno.test("formatCdl() indents by brackets, and leaves comments and texts as they are", () => {
  assert.equal(formatCdl(UGLY), NICE);
  assert.equal(formatCdl(""), "");
});

Deno.test("formatCdl() moves the stars of comments one blank in, and leaves their other lines as they are", () => {
  assert.equal(
    formatCdl("/**\n* a\n   * b\n  text  \n*/\ntype A : String;"),
    "/**\n * a\n   * b\n  text  \n */\ntype A : String;\n",
  );
});

Deno.test("formatCdl() changes no token, and nothing that it wrote itself", () => {
  const models = [...Deno.readDirSync(`${REPOSITORY}examples/bookshop/srv`)].map(({ name }) => name)
    .filter((name) => name.endsWith(".cds")).map((name) => `${REPOSITORY}examples/bookshop/srv/${name}`);
  for (const file of [...models, `${REPOSITORY}examples/bookshop/db/schema.cds`]) {
    const source = Deno.readTextFileSync(file);
    const formatted = formatCdl(source);
    const texts = (text: string) => editorTokens(text).map((token) => token.text.replace(/\n\s*/g, "\n"));
    assert.deepEqual(texts(formatted), texts(source), file);
    assert.equal(formatCdl(formatted), formatted, file);
  }
});

Deno.test("fw fmt writes, --check only tells", () =>
  withProject({ "db/a.cds": UGLY, "node_modules/b.cds": UGLY }, async (folder) => {
    const checked = await runCommand("fmt", folder, "--check");
    assert.equal(checked.code, 1);
    assert.match(checked.output, /db\/a\.cds is not formatted: fw fmt[\s\S]*1 file, 1 to format/);
    assert.equal((await runCommand("fmt", folder)).code, 0);
    assert.equal(await Deno.readTextFile(`${folder}/db/a.cds`), NICE);
    assert.equal(await Deno.readTextFile(`${folder}/node_modules/b.cds`), UGLY);
    assert.equal((await runCommand("fmt", folder, "--check")).code, 0);
    const missing = await runCommand("fmt", `${folder}/nothing.cds`);
    assert.deepEqual([missing.code, /There is no such file/.test(missing.output)], [1, true]);
  }));

Deno.test("fw completions prints what shells read, and refuses others", async () => {
  for (const shell of ["bash", "zsh", "fish"]) {
    const { code, output } = await runCommand("completions", shell);
    assert.equal(code, 0);
    assert.match(output, /serve[\s\S]*(?:--port|-l port)/);
  }
  const other = await runCommand("completions", "fisch");
  assert.equal(other.code, 2);
  assert.match(
    other.output,
    /^Unknown shell "fisch"; did you mean "fish"\? \(fw help completions\)\n$/,
  );
  const { output } = await runCommand("completions", "bash");
  const script = `${output}\nCOMP_WORDS=(fw se); COMP_CWORD=1; _fw; echo "found: \${COMPREPLY[*]}"`;
  const { stdout } = await new Deno.Command("bash", { args: ["-c", script] }).output();
  assert.equal(new TextDecoder().decode(stdout).trim(), "found: serve");
});
