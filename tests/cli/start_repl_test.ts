/** What is known in the loop of `fw repl`, in this process. */

import assert from "node:assert/strict";
import { startRepl } from "../../src/cli/start_repl.ts";
import { fw } from "../../src/fw.ts";
import { printedBy, withProject } from "../deno/project.ts";

const FILES = {
  "db/schema.cds": "namespace shop; entity Books { key ID : Integer; title : String; }",
  "db/data/shop-Books.csv": "ID,title\n1,Emma\n",
  "srv/shop.cds":
    "using { shop } from '../db/schema'; @requires: 'boss' service my.Cat { entity All as projection on shop.Books; }" +
    " service Object {}",
};

/** Starts the loop; a person types at a terminal, else there is an input that ends. */
async function started(
  isPerson: boolean,
  use: (output: string, unload: () => void) => Promise<void>,
  files: Readonly<Record<string, string>> = FILES,
): Promise<void> {
  const { default: user } = fw.User;
  const before = new Set(Object.keys(globalThis));
  const { isTerminal } = Deno.stdin;
  const { addEventListener, Deno: { exit, exitCode } } = globalThis;
  let unload = () => {};
  Object.assign(Deno.stdin, { isTerminal: () => isPerson });
  Object.assign(globalThis, {
    addEventListener: (type: string, listener: () => void) => {
      assert.equal(type, "unload");
      unload = listener;
    },
  });
  Object.assign(Deno, {
    exit: (code: number) => {
      throw new Error(`exit ${code}`);
    },
  });
  try {
    await withProject(files, async (folder) => {
      let failed: unknown;
      const { output } = await printedBy(() =>
        startRepl(folder).then(() => 0, (error) => {
          failed = error;
          return 1;
        })
      );
      await use(failed instanceof Error ? `${output}${failed.message}` : output, unload);
    });
  } finally {
    Object.assign(Deno, { exit });
    Deno.exitCode = exitCode;
    Object.assign(Deno.stdin, { isTerminal });
    Object.assign(globalThis, { addEventListener });
    Object.assign(fw.User, { default: user });
    for (const name of Object.keys(globalThis)) {
      if (!before.has(name)) Reflect.deleteProperty(globalThis, name);
    }
  }
}

Deno.test("a person is told what there is: services by their local names, unless something else has the name", () =>
  started(true, async (output) => {
    assert.match(
      output,
      /: fw, SELECT, INSERT, UPSERT, UPDATE, DELETE, (?:\w+, )*Cat(?:, \w+)*; Ctrl\+D ends\n$/,
    );
    assert.doesNotMatch(output, /Object/);
    assert.equal(Deno.exitCode, 0);
    const { Cat, SELECT, Object: own } = globalThis as unknown as Record<
      string,
      typeof fw.db & typeof fw.ql.SELECT
    >;
    assert.equal(Cat, fw.services["my.Cat"]);
    assert.equal(own, Object);
    assert.deepEqual(await SELECT.from("Books").columns("title"), [{ title: "Emma" }], "a local name");
    assert.deepEqual(await SELECT.from("shop.Books").columns("title"), [{ title: "Emma" }]);
    assert.equal((await Cat.read("my.Cat.All") as unknown[]).length, 1, "nobody is asked for roles");
    await fw.runtime.close();
  }));

Deno.test("an input that ends in the middle of an expression leaves a code of its own, any other end does not", () =>
  started(false, async (output, unload) => {
    assert.equal(output, "");
    assert.notEqual(Deno.exitCode, 0);
    unload();
    assert.equal(Deno.exitCode, 0);
    Deno.exitCode = 3;
    unload();
    assert.equal(Deno.exitCode, 3);
    await fw.runtime.close();
  }));

Deno.test("a project that cannot start ends the loop with its mistake", () =>
  started(true, (output) => {
    assert.match(output, /^Cannot start: .*schema\.cds:1:\d+: [^]*exit 1$/);
    return Promise.resolve();
  }, { "db/schema.cds": "entity {" }));
