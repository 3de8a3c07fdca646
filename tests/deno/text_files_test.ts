/** Text files and folders: what is missing, and what cannot be read or written. */

import assert from "node:assert/strict";
import {
  fileError,
  isFile,
  listFiles,
  listFolders,
  makeFolder,
  readText,
  readTextIfExists,
  removeIfExists,
  writeText,
} from "../../src/deno/text_files.ts";
import { ConfigurationError } from "../../src/errors/configuration_error.ts";
import { withProject } from "./project.ts";

const FILES = { "b.txt": "b", "a.txt": "a", "a.md": "", "z/inner.txt": "", "c.txt/inner.md": "" };

/** A folder with files, folders, and a link that leads to itself. */
function withFiles(test: (folder: string) => void | Promise<void>): Promise<void> {
  return withProject(FILES, async (folder) => {
    await Deno.symlink(`${folder}/loop`, `${folder}/loop`);
    await test(folder);
  });
}

/** Which error says what of which file. */
function saying(what: RegExp, file: string) {
  return (error: unknown) => {
    assert.ok(error instanceof ConfigurationError);
    assert.equal(error.file, file);
    assert.match(error.text, what);
    assert.ok(error.cause instanceof Error);
    assert.ok(!error.text.includes(file), "the path is named once");
    return true;
  };
}

Deno.test("a text is read, and missing where there is no file, no folder, or a folder instead", () =>
  withFiles((folder) => {
    assert.equal(readText(`${folder}/a.txt`), "a");
    assert.equal(readTextIfExists(`${folder}/b.txt`), "b");
    for (const name of ["none", "a.txt/none", "z"]) {
      assert.equal(readTextIfExists(`${folder}/${name}`), undefined, name);
      assert.throws(() => readText(`${folder}/${name}`), saying(/^Cannot be read: /, `${folder}/${name}`));
    }
    const loop = `${folder}/loop`;
    assert.throws(() => readTextIfExists(loop), saying(/^Cannot be read: .*os error \d+\)$/, loop));
  }));

Deno.test("files and folders of a folder are sorted; a folder that is missing has none", () =>
  withFiles((folder) => {
    assert.deepEqual(listFiles(folder, ".txt"), [`${folder}/a.txt`, `${folder}/b.txt`]);
    assert.deepEqual(listFiles(folder, "a.md"), [`${folder}/a.md`]);
    assert.deepEqual(listFolders(folder), ["c.txt", "z"]);
    for (const name of ["none", "a.txt", "a.txt/none"]) {
      assert.deepEqual(
        [listFiles(`${folder}/${name}`, ""), listFolders(`${folder}/${name}`)],
        [[], []],
        name,
      );
    }
    const loop = `${folder}/loop`;
    assert.throws(() => listFolders(loop), saying(/^Cannot be read: /, loop));
    assert.throws(() => listFiles(loop, ""), saying(/^Cannot be read: /, loop));
  }));

Deno.test("what cannot be written, made or removed is told with its path", () =>
  withFiles(async (folder) => {
    await writeText(`${folder}/new.txt`, "one");
    await writeText(`${folder}/new.txt`, "+two", { append: true });
    assert.equal(readText(`${folder}/new.txt`), "one+two");
    await makeFolder(`${folder}/x/y`);
    await makeFolder(`${folder}/x/y`);
    assert.deepEqual(listFolders(`${folder}/x`), ["y"]);
    await assert.rejects(
      makeFolder(`${folder}/x`, { recursive: false }),
      saying(/^Cannot be made: /, `${folder}/x`),
    );
    const inFile = `${folder}/a.txt/inner`;
    await assert.rejects(writeText(inFile, ""), saying(/^Cannot be written: /, inFile));
    await assert.rejects(makeFolder(inFile), saying(/^Cannot be made: /, inFile));
    await assert.rejects(removeIfExists(`${folder}/x`), saying(/^Cannot be removed: /, `${folder}/x`));
    await removeIfExists(`${folder}/x`, { recursive: true });
    assert.deepEqual(listFolders(folder), ["c.txt", "z"]);
    for (const name of ["new.txt", "none", "a.txt/none"]) await removeIfExists(`${folder}/${name}`);
    assert.ok(!isFile(`${folder}/new.txt`));
  }));

Deno.test("writing, making and removing have ended when they say so", () =>
  withFiles(async (folder) => {
    const { writeTextFile, mkdir, remove } = Deno;
    const ended: string[] = [];
    const slow = (name: string) => async () => {
      await new Promise((resolve) => setTimeout(resolve, 2));
      ended.push(name);
    };
    Object.assign(Deno, { writeTextFile: slow("written"), mkdir: slow("made"), remove: slow("removed") });
    try {
      await writeText(folder, "");
      await makeFolder(folder);
      await removeIfExists(folder);
    } finally {
      Object.assign(Deno, { writeTextFile, mkdir, remove });
    }
    assert.deepEqual(ended, ["written", "made", "removed"]);
  }));

Deno.test("a path is that of a file, not of a folder or of nothing", () =>
  withFiles((folder) => {
    const found = ["a.txt", "c.txt", "none", "a.txt/none", "loop"].map((name) => isFile(`${folder}/${name}`));
    assert.deepEqual(found, [true, false, false, false, false]);
    assert.ok(isFile(new URL(`file://${folder}/a.txt`)));
  }));

Deno.test("what the platform says of a file loses its function and the paths", () => {
  const reasons = [
    ["Not there: open '/a/b'", "Not there"],
    ["Not there: rename '/a/b' -> '/c\n'", "Not there"],
    ["Not there: really: open '/a'b'", "Not there: really"],
    ["open '/a/b'", "open '/a/b'"],
  ];
  for (const [message, reason] of reasons) {
    assert.equal(fileError(new Error(message), "/a/b", "Cannot be read").text, `Cannot be read: ${reason}`);
  }
});
