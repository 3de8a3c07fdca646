import assert from "node:assert/strict";
import { findFile, nearestModule, resolveModule, type SourceHost } from "../../src/model/resolve_module.ts";

/** A host with files, which knows what its folders hold. */
function hostOf(files: Readonly<Record<string, string>>, more: Partial<SourceHost> = {}): SourceHost {
  return {
    readFile: (path) => files[path],
    namesIn: (folder) => {
      const start = folder === "" || folder.endsWith("/") ? folder : `${folder}/`;
      const names = Object.keys(files).filter((path) => path.startsWith(start)).map((path) =>
        path.slice(start.length).split("/")[0]!
      );
      return [...new Set(names)];
    },
    ...more,
  };
}

const FILES = {
  "db/schema.cds": "",
  "db/index.cds": "",
  "db/data.json": "",
  "srv/cat-service.cds": "",
  "srv/models.v2/index.csn": "",
  "node_modules/@co/reuse/package.json": '{ "cds": { "main": "./lib/main" } }',
  "node_modules/@co/reuse/lib/main.cds": "",
  "node_modules/common/index.cds": "",
  "node_modules/broken/package.json": "{",
  "node_modules/empty/package.json": "null",
  "node_modules/wrong/package.json": '{ "cds": { "main": 5 } }',
  "/abs/model.csn": "",
};

Deno.test("findFile() adds suffixes and the index of a folder, and follows cds.main of packages (csn-cqn 8)", () => {
  const host = hostOf(FILES);
  const cases: Readonly<Record<string, string | undefined>> = {
    ...{
      "db/schema": "db/schema.cds",
      "db/schema.cds": "db/schema.cds",
      "db": "db/index.cds",
      "db/": "db/index.cds",
    },
    ...{
      "db/data": "db/data.json",
      "srv/models.v2": "srv/models.v2/index.csn",
      "/abs/model": "/abs/model.csn",
    },
    ...{ "node_modules/@co/reuse": "node_modules/@co/reuse/lib/main.cds", "node_modules/broken": undefined },
    ...{ "node_modules/empty": undefined, "node_modules/wrong": undefined, "db/nothing": undefined },
    ...{ "db/schema.csn": undefined, "srv": undefined },
  };
  for (const [path, file] of Object.entries(cases)) assert.equal(findFile(path, host), file, path);
  const asked: string[] = [];
  const isFile = (path: string) => (asked.push(path), path === "a/index.json");
  assert.equal(findFile("a", hostOf({}, { isFile })), "a/index.json");
  assert.deepEqual(asked, ["a.cds", "a.csn", "a.json", "a/index.cds", "a/index.csn", "a/index.json"]);
});

Deno.test("resolveModule() looks beside the file, in packages of its folder and those above, and behind links", () => {
  const host = hostOf(FILES);
  const cases: readonly (readonly [name: string, from: string, file: string | undefined])[] = [
    ["./schema", "db/index.cds", "db/schema.cds"],
    ["../db/schema", "srv/cat-service.cds", "db/schema.cds"],
    ["..", "db/sub/x.cds", "db/index.cds"],
    [".", "db/x.cds", "db/index.cds"],
    ["/abs/model", "db/index.cds", "/abs/model.csn"],
    ["common", "srv/deep/er/x.cds", "node_modules/common/index.cds"],
    ["common", "x.cds", "node_modules/common/index.cds"],
    ["@co/reuse", "srv/x.cds", "node_modules/@co/reuse/lib/main.cds"],
    ["./common", "x.cds", undefined],
    ["schema", "db/index.cds", undefined],
    ["./schema", "index.cds", undefined],
  ];
  for (const [name, from, file] of cases) {
    assert.equal(resolveModule(name, from, host), file, `${name} from ${from}`);
  }
});

Deno.test("resolveModule() finds packages above the folder that relative paths start from", () => {
  const files = { "/project/node_modules/above/index.cds": "", "/node_modules/top/index.cds": "" };
  const host = hostOf(files, { folder: "/project/app" });
  assert.equal(resolveModule("above", "srv/x.cds", host), "/project/node_modules/above/index.cds");
  assert.equal(resolveModule("top", "srv/x.cds", host), "/node_modules/top/index.cds");
  assert.equal(
    resolveModule("above", "/project/app/x.cds", hostOf(files)),
    "/project/node_modules/above/index.cds",
  );
  assert.equal(resolveModule("above", "srv/x.cds", hostOf(files)), undefined);
});

Deno.test("resolveModule() looks where a linked file really is, where there is nothing beside the link", () => {
  const files = { "/real/other.cds": "", "/real/node_modules/dep/index.cds": "", "lib/own.cds": "" };
  const host = hostOf(files, {
    realPath: (path) => path === "lib/linked.cds" ? "/real/linked.cds" : undefined,
  });
  assert.equal(resolveModule("./other", "lib/linked.cds", host), "/real/other.cds");
  assert.equal(resolveModule("dep", "lib/linked.cds", host), "/real/node_modules/dep/index.cds");
  assert.equal(resolveModule("./own", "lib/linked.cds", host), "lib/own.cds");
  assert.equal(resolveModule("./other", "lib/own.cds", host), undefined);
});

Deno.test("nearestModule() proposes a name that leads to a file, with a suffix where one was given", () => {
  const host = hostOf(FILES);
  const cases: readonly (readonly [name: string, from: string, near: string | undefined])[] = [
    ["./schma", "db/index.cds", "./schema"],
    ["./schma.cds", "db/index.cds", "./schema.cds"],
    ["../dbb/schema", "srv/x.cds", "../db/schema"],
    ["../db/shema.cds", "srv/x.cds", "../db/schema.cds"],
    ["./models.v3", "srv/x.cds", "./models.v2"],
    ["comon", "srv/x.cds", "common"],
    ["@co/resue", "srv/x.cds", "@co/reuse"],
    ["/abs/modl", "srv/x.cds", "/abs/model"],
    ["./nothing-like-it", "db/index.cds", undefined],
    ["./zzz/schema", "db/index.cds", undefined],
    ["brokn", "srv/x.cds", undefined],
  ];
  for (const [name, from, near] of cases) {
    assert.equal(nearestModule(name, from, host), near, `${name} from ${from}`);
  }
  assert.equal(nearestModule("./schma", "db/index.cds", { readFile: host.readFile }), undefined);
});
