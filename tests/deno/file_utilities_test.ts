/** The utilities of files of the facade: their paths count from the root of the project. */

import assert from "node:assert/strict";
import "../../src/deno/file_utilities.ts";
import { runWithOwner } from "../../src/context/store.ts";
import { createRuntime } from "../../src/fw/create_runtime.ts";
import { moveTo, projectPlace } from "../../src/fw/project_place.ts";
import { utilities } from "../../src/fw/utilities.ts";
import { withProject } from "./project.ts";

const FILES = { "a.json": '{"a": 1}', "b.txt": "b", "in/c.txt": "c", "in/deep/d.txt": "d" };

function inProject(test: (folder: string) => void | Promise<void>): Promise<void> {
  return withProject(FILES, async (folder) => {
    const { root } = projectPlace;
    moveTo(folder);
    try {
      await test(folder);
    } finally {
      moveTo(root);
    }
  });
}

Deno.test("files and folders are told apart, by paths in one piece or several", () =>
  inProject((folder) => {
    const { exists, isdir, isfile } = utilities;
    assert.deepEqual(["in", "in/c.txt", `${folder}/b.txt`, "none"].map(exists), [true, true, true, false]);
    assert.deepEqual([isdir("in"), isdir("in", "deep"), isdir("b.txt"), isdir("none")], [
      ...[`${folder}/in`, `${folder}/in/deep`, undefined, undefined],
    ]);
    assert.deepEqual([isfile("b.txt"), isfile("in", "c.txt"), isfile("in"), isfile("b.txt/none")], [
      ...[`${folder}/b.txt`, `${folder}/in/c.txt`, undefined, undefined],
    ]);
  }));

Deno.test("find() lists the files below a folder that a filter accepts, sorted; one that is missing has none", () =>
  inProject((folder) => {
    const { find } = utilities;
    const all = ["a.json", "b.txt", "in/c.txt", "in/deep/d.txt"].map((name) => `${folder}/${name}`);
    assert.deepEqual(find("."), all);
    assert.deepEqual(find("in"), all.slice(2));
    assert.deepEqual(find(folder, (file) => file.endsWith(".json")), all.slice(0, 1));
    assert.deepEqual(find("none"), []);
  }));

Deno.test("local() counts from the working directory, the rest from the root of the project", () =>
  inProject((folder) => {
    const { local, path, fs, inspect } = utilities;
    const join = path.join as (...parts: readonly string[]) => string;
    assert.equal(local(Deno.cwd()), ".");
    assert.equal(local(join(Deno.cwd(), "src/x.ts")), "src/x.ts");
    assert.equal(join(Deno.cwd(), local("b.txt")), `${folder}/b.txt`);
    assert.equal(
      (fs.readFileSync as (file: string, format: string) => string)(`${folder}/b.txt`, "utf8"),
      "b",
    );
    assert.equal(inspect({ a: [1] }, { compact: true }), "{ a: [ 1 ] }");
  }));

Deno.test("read() gives JSON as value and other files as text", () =>
  inProject(async () => {
    assert.deepEqual(await utilities.read("a.json"), { a: 1 });
    assert.equal(await utilities.read("in/c.txt"), "c");
    await assert.rejects(utilities.read("none"), { code: "ENOENT" });
  }));

Deno.test("write(), append() and copy() take the target beside the source, or by to(), and make its folder", () =>
  inProject(async (folder) => {
    const { write, append, copy } = utilities;
    const text = (name: string) => Deno.readTextFileSync(`${folder}/${name}`);
    await write("new/a.txt", "text");
    await write("text").to("new", "b.txt");
    await write("new/c.txt", new TextEncoder().encode("bytes"));
    await write({ a: [1] }).to("new/d.json");
    await write("new/e.json", null);
    assert.deepEqual(["a.txt", "b.txt", "c.txt", "d.json", "e.json"].map((name) => text(`new/${name}`)), [
      ...["text", "text", "bytes", '{\n  "a": [\n    1\n  ]\n}\n', "null\n"],
    ]);
    await append("new/a.txt", "+1");
    await append("+2").to("new", "a.txt");
    await append("logs/new.txt", "first");
    assert.deepEqual([text("new/a.txt"), text("logs/new.txt")], ["text+1+2", "first"]);
    await copy("in", "copied/in");
    await copy("b.txt").to("copied", "b.txt");
    assert.deepEqual([text("copied/in/deep/d.txt"), text("copied/b.txt"), text("b.txt")], ["d", "b", "b"]);
  }));

Deno.test("folders are made with those around them, and removed with what is in them", () =>
  inProject(async (folder) => {
    const { mkdirp, rm, rmdir, rimraf, exists } = utilities;
    assert.equal(await mkdirp("x", "y/z"), `${folder}/x/y/z`);
    assert.equal(await mkdirp("x/y"), `${folder}/x/y`);
    assert.ok(exists("x/y/z"));
    await rm("in", "c.txt");
    await assert.rejects(rm("in/c.txt"), { code: "ENOENT" });
    await assert.rejects(rm("in"), "a folder is no file");
    await rmdir("in");
    await assert.rejects(rmdir("in"), { code: "ENOENT" });
    await rimraf("x");
    await rimraf("x");
    assert.deepEqual(["in/c.txt", "in", "x"].map(exists), [false, false, false]);
  }));

Deno.test("folders are there before something is written to them, and when mkdirp() says so", () =>
  inProject(async (folder) => {
    const promises = utilities.fs.promises as { mkdir(...given: readonly unknown[]): Promise<unknown> };
    const { mkdir } = promises;
    promises.mkdir = async (...given) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return await mkdir(...given);
    };
    try {
      await utilities.write("late/a.txt", "a");
      assert.equal(await utilities.mkdirp("later"), `${folder}/later`);
      assert.ok(utilities.isdir("later"));
    } finally {
      promises.mkdir = mkdir;
    }
  }));

Deno.test("fw.utils.yaml reads and writes YAML, and names no file in its mistakes", () => {
  const { yaml } = utilities;
  assert.deepEqual(yaml.parse(yaml.stringify({ a: [1, "b"] })), { a: [1, "b"] });
  assert.throws(() => yaml.parse("a:\n\tb: 1"), {
    name: "ConfigurationError",
    message: /^text:2: Not valid YAML/,
  });
});

Deno.test("without a project, paths count from the root of the runtime, else from the working directory", () =>
  inProject(async (folder) => {
    moveTo(undefined);
    for (
      const [root, file, found] of [[folder, "b.txt", folder], [undefined, "deno.json", Deno.cwd()]] as const
    ) {
      const runtime = createRuntime({ model: { definitions: {} }, root });
      await runWithOwner(
        runtime,
        () => Promise.resolve(assert.equal(utilities.isfile(file), `${found}/${file}`)),
      );
    }
  }));
