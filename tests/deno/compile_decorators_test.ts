/** Decorators of existing projects: which files have them, and what compiles them. */

import assert from "node:assert/strict";
import { compileDecorators, hasDecorator } from "../../src/deno/compile_decorators.ts";
import { nodeModule } from "../../src/platform/node_module.ts";
import { withProject } from "./project.ts";

Deno.test("a text has decorators where an @ begins a declaration, a member or a parameter", () => {
  const yes = [
    "@A class B {}",
    "export @A class B {}",
    "export default @A class B {}",
    "class B {\n  @A() c = 1;\n}",
    "class B { constructor(@A c) {} }",
    "class B { c(d, @A e) {} }",
    "class B {\n  @_a c; }",
    "class B {\n  @$a c; }",
    "class B {\n  @(a()) c; }",
  ];
  for (const text of yes) assert.ok(hasDecorator(text), text);
  for (const text of ["", "const a = 'b@c.d';", "// see @A", "/**\n * @A */", "a = b @ c", "@1"]) {
    assert.ok(!hasDecorator(text), text);
  }
});

/** Stands in for the compiler: shows what it was asked for. */
const TYPESCRIPT = {
  convertCompilerOptionsFromJson: (options: object, folder: string) => ({ options: { ...options, folder } }),
  transpileModule: (text: string, how: { readonly compilerOptions: object; readonly fileName: string }) => ({
    outputText: JSON.stringify({ text, fileName: how.fileName, ...how.compilerOptions }),
  }),
};

function config(compilerOptions: unknown): Readonly<Record<string, string>> {
  return {
    "tsconfig.json": `{ /* with comments */ "compilerOptions": ${JSON.stringify(compilerOptions)}, }`,
  };
}

/** What the compiler is asked for a file in a project, which may have none. */
async function asked(
  files: Readonly<Record<string, string>>,
  { file = "srv/deep/a.ts", isInstalled = true } = {},
): Promise<Readonly<Record<string, unknown>> | undefined> {
  let found: string | undefined;
  const module = nodeModule("node:module");
  const { createRequire } = module;
  await withProject({ ...files, "x": "" }, (folder) => {
    const require = (name: string) => {
      assert.equal(name, "typescript");
      if (!isInstalled) throw new Error("Cannot find module 'typescript'");
      return TYPESCRIPT;
    };
    module.createRequire = ((url: URL) => {
      assert.equal(url.href, `file://${folder}/${file}`);
      return require;
    }) as typeof createRequire;
    try {
      found = compileDecorators("@A class B {}", `${folder}/${file}`)?.replaceAll(folder, "…");
    } finally {
      module.createRequire = createRequire;
    }
  });
  return found === undefined ? undefined : JSON.parse(found);
}

Deno.test("files below a tsconfig.json with experimentalDecorators are compiled by the typescript of the project", async () => {
  const usual = {
    text: "@A class B {}",
    ...{ fileName: "…/srv/deep/a.ts", folder: "…/srv/deep" },
    ...{ experimentalDecorators: true, emitDecoratorMetadata: false, useDefineForClassFields: false },
    ...{ target: "ES2022", module: "ESNext", inlineSourceMap: true, inlineSources: true },
  };
  const compiled = (options: object) => asked(config({ experimentalDecorators: true, ...options }));
  assert.deepEqual(await compiled({}), usual);
  assert.deepEqual(await compiled({ emitDecoratorMetadata: true, target: "ES5" }), {
    ...usual,
    emitDecoratorMetadata: true,
  });
  assert.deepEqual(await compiled({ useDefineForClassFields: true }), {
    ...usual,
    useDefineForClassFields: true,
  });
  assert.deepEqual(await compiled({ useDefineForClassFields: 1, emitDecoratorMetadata: 1 }), usual);
  const top = await asked(config({ experimentalDecorators: true }), { file: "a.ts" });
  assert.deepEqual([top?.fileName, top?.folder], ["…/a.ts", "…"]);
});

Deno.test("other files are left to the platform: the nearest tsconfig.json counts", async () => {
  const outer = config({ experimentalDecorators: true });
  assert.equal(await asked({}), undefined);
  for (
    const text of [
      "{}",
      "[]",
      '{ "compilerOptions": 1 }',
      '{ "compilerOptions": { "experimentalDecorators": "true" } }',
    ]
  ) {
    assert.equal(await asked({ ...outer, "srv/tsconfig.json": text }), undefined, text);
  }
  assert.ok(await asked({ ...outer, "srv/tsconfig.json/x": "" }), "a folder is no configuration");
  assert.equal(await asked({ ...outer, "srv/deep/tsconfig.json": "{}" }), undefined);
  assert.ok(await asked({ ...outer, "srv/deeper/tsconfig.json": "{}" }));
});

Deno.test("a project that asks for such decorators and has no compiler says so", async () => {
  await assert.rejects(asked(config({ experimentalDecorators: true }), { isInstalled: false }), {
    name: "ConfigurationError",
    message: /\/srv\/deep\/a\.ts: "experimentalDecorators" of tsconfig\.json needs the package "typescript"/,
  });
});
