import assert from "node:assert/strict";
import { compileCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { compile, memoryHost } from "./memory_host.ts";

function names(files: Record<string, string>, ...roots: string[]): string[] {
  return Object.keys(compileCdl(roots, memoryHost(files)).definitions ?? {});
}

Deno.test("compileCdl() puts a used file before its user, and loads each file once", () => {
  const files = {
    "/p/a.cds": "using from './b'; using from './c'; entity A {}",
    "/p/b.cds": "using from './c.cds'; using from './a'; entity B {}",
    "/p/c.cds": "entity C {}",
  };
  assert.deepEqual(names(files, "/p/a.cds"), ["C", "B", "A"]);
  assert.deepEqual(names(files, "/p/c", "/p/a"), ["C", "B", "A"]);
});

Deno.test("compileCdl() finds modules by suffix, in folders, packages and cds.main", () => {
  const files = {
    "/p/srv/a.cds":
      "using from '../db'; using from '../x'; using from 'pack'; using from '@s/pack/sub'; entity A {}",
    "/p/db/index.cds": "entity Db {}",
    "/p/x.csn": '{"definitions":{"X":{"kind":"entity","elements":{}}}}',
    "/p/node_modules/pack/package.json": '{"cds":{"main":"lib/m"}}',
    "/p/node_modules/pack/lib/m.cds": "entity Pack {}",
    "/node_modules/@s/pack/sub.json": '{"definitions":{"Sub":{"kind":"entity"}},"requires":["./more"]}',
    "/node_modules/@s/pack/more.cds": "entity More {}",
  };
  assert.deepEqual(names(files, "/p/srv/a.cds"), ["Db", "X", "Pack", "More", "Sub", "A"]);
});

Deno.test("compileCdl() resolves names through aliases, blocks, namespace and globals, the nearest first", () => {
  const files = {
    "a.cds": "namespace a; entity E {} context c { type T : String; } entity E.Sub {}",
    "b.cds":
      "namespace b; using { a.E as X, a.c, a } from './a'; type T : Date; type E : Date; service S { type T : Time; " +
      "entity P { x : T; y : c.T; z : E; u : a.c.T; v : b.T } entity Q as projection on X; entity R as projection on X.Sub; }",
  };
  const { definitions } = compileCdl(["b.cds"], memoryHost(files));
  const types = Object.values(definitions?.["b.S.P"].elements ?? {}).map(({ type }) => type);
  assert.deepEqual(types, ["b.S.T", "a.c.T", "b.E", "a.c.T", "b.T"]);
  assert.deepEqual(definitions?.["b.S.Q"].projection?.from, { ref: ["a.E"] });
  assert.deepEqual(definitions?.["b.S.R"].projection?.from, { ref: ["a.E.Sub"] });
});

Deno.test("compileCdl() knows the definitions of CSN files: those without kind are types, as aspects are (csn-cqn 1)", () => {
  const elements = { pos: { key: true, type: "cds.Integer" } };
  const csn = {
    definitions: {
      "x.Whole": { kind: "entity", elements },
      "x.Part": { kind: "aspect", elements },
      "x.Plain": { elements },
      "x.Short": { type: "cds.Decimal" },
    },
  };
  const files = {
    "a.cds": `using { x } from './x'; entity E : x.Part { whole : Composition of x.Whole; short : x.Short(5);
      parts : Composition of many x.Part; plain : Composition of many x.Plain; }`,
    "x.csn": JSON.stringify(csn),
  };
  const { whole, short, parts, plain } = compileCdl(["a.cds"], memoryHost(files)).definitions!.E.elements!;
  assert.deepEqual([whole.target, whole.targetAspect], ["x.Whole", undefined]);
  assert.deepEqual([parts.targetAspect, plain.targetAspect], ["x.Part", "x.Plain"]);
  assert.deepEqual([short.type, short.precision, short.length], ["x.Short", 5, undefined]);
});

Deno.test("compileCdl() knows the definitions that extensions add, in all files", () => {
  const files = {
    "a.cds": "namespace a; service S { entity E {} }",
    "b.cds": "using { a } from './a'; extend service a.S with { entity F { x : T } type T : String; }",
    "c.cds": "using { a.S as Z } from './b'; entity V as projection on Z.F; extend Z with { type U : F; }",
  };
  const { definitions } = compileCdl(["c.cds"], memoryHost(files));
  assert.equal(definitions?.["a.S.F"].elements?.x.type, "a.S.T");
  assert.deepEqual(definitions?.V.projection, { from: { ref: ["a.S.F"] } });
  assert.equal(definitions?.["a.S.U"].type, "a.S.F");
});

Deno.test("compileCdl() lets models name entities that inference adds", () => {
  const { definitions } = compile(
    "entity O { key ID : UUID; name : localized String; Items : Composition of many { key pos : Integer; } } " +
      "entity I as projection on O.Items; entity T as projection on O.texts;",
  );
  assert.deepEqual(definitions?.I.projection, { from: { ref: ["O.Items"] } });
  assert.deepEqual(definitions?.T.projection, { from: { ref: ["O.texts"] } });
});

Deno.test("compileCdl() knows the common module without a file", () => {
  const csn = compile(
    "using { cuid, managed, Currency, sap.common.CodeList } from '@sap/cds/common'; entity E : cuid {}",
  );
  const { definitions = {} } = csn;
  assert.deepEqual(definitions.cuid.elements, { ID: { key: true, type: "cds.UUID" } });
  const { createdAt, modifiedBy } = definitions.managed.elements ?? {};
  assert.deepEqual(createdAt["@cds.on.insert"], { "=": "$now" });
  assert.equal(createdAt["@Core.Immutable"], true);
  assert.deepEqual(modifiedBy["@cds.on.update"], { "=": "$user" });
  assert.equal(modifiedBy.type, "User");
  assert.equal(definitions.Currency.target, "sap.common.Currencies");
  assert.equal(definitions["sap.common.CodeList"].elements?.name.localized, true);
  assert.deepEqual(definitions["sap.common.Languages"].elements?.code.type, "sap.common.Locale");
});

Deno.test("compileCdl() gives a single CSN file as it is", () => {
  const text = '{"definitions":{"A":{"kind":"entity"}},"meta":{"flavor":"inferred"}}';
  assert.deepEqual(compileCdl(["m.csn"], memoryHost({ "m.csn": text })), JSON.parse(text));
});

Deno.test("compileCdl() rejects unknown modules, roots and broken CSN", () => {
  const reject = (files: Record<string, string>, message: string | RegExp) =>
    assert.throws(() => names(files, "m.cds"), { name: "ConfigurationError", message });
  reject(
    { "m.cds": "\nusing from './nope';" },
    'm.cds:2:12: Unknown module "./nope": expected a .cds, .csn or .json file there, or a folder with an index file',
  );
  reject({}, 'Model file "m.cds" does not exist');
  reject({ "m.cds": "using from './x';", "x.json": "{" }, /^x\.json:1:2: Found no JSON: /);
  reject({ "m.cds": "using from './x';", "x.json": "[]" }, "x.json:1: Expected a model as JSON object");
});

Deno.test("compileCdl() warns of aliases that nothing needs, and of those that hide a definition", () => {
  const found: string[] = [];
  const files = {
    "a.cds":
      "namespace a; using { b.X, b.Y as Z, b.W } from './b';\nentity Z { key id : Integer; } type T : X;",
    "b.cds": "namespace b; type X : String; type Y : String; type W : String;",
  };
  compileCdl(["a.cds"], memoryHost(files), {
    warn: (text, { file, line, col }) => found.push(`${file}:${line}:${col}: ${text}`),
  });
  assert.deepEqual(found, [
    'a.cds:1:27: "Z" of using hides the definition "a.Z"',
    'a.cds:1:37: "W" of using is not used',
  ]);
});

Deno.test("compileCdl() refuses names of using that are not there, and aliases for two things", () => {
  const files = {
    "a.cds": "using { b.X, b.Yy } from './b';\nusing { b.Y as X } from './b';",
    "b.cds": "namespace b; type X : String; type Y : String;",
  };
  assert.throws(() => compileCdl(["a.cds"], memoryHost(files)), {
    message: 'a.cds:1:9: Duplicate alias "X" in using, also for "b.Y"\n' +
      'a.cds:1:14: Unknown definition "b.Yy" in using (did you mean "b.Y"?)',
  });
});

Deno.test("compileCdl() knows modules of CDS projects without a file", () => {
  const text = "using from '@sap/cds-common-content'; using { cds } from '@sap/cds/srv/outbox'; " +
    "using { cuid } from '@sap/cds/common.cds'; entity E : cuid {} entity M as projection on cds.outbox.Messages;";
  const { definitions = {} } = compile(text);
  assert.equal(definitions["sap.common.Countries"].kind, "entity");
  assert.deepEqual(Object.keys(definitions["cds.outbox.Messages"].elements ?? {}).slice(0, 4), [
    ...["ID", "timestamp", "target", "msg"],
  ]);
});

Deno.test("compileCdl() prefers a package with code lists to its own module", () => {
  const files = {
    "/p/a.cds": "using from '@sap/cds-common-content';",
    "/node_modules/@sap/cds-common-content/index.cds": "entity Given {}",
  };
  assert.deepEqual(names(files, "/p/a.cds"), ["Given"]);
});

Deno.test("compileCdl() loads a file once, by link and by path, and finds what it uses from either", () => {
  const files: Record<string, string> = {
    "/p/a.cds": "using from 'pack'; using from './packs/pack'; entity A {}",
    "/p/node_modules/pack/index.cds": "using from './more'; using from 'other'; entity Pack {}",
    "/p/packs/pack/index.cds": "using from './more'; using from 'other'; entity Pack {}",
    "/p/packs/pack/more.cds": "entity More {}",
    "/p/packs/node_modules/other/index.cds": "entity Other {}",
  };
  const realPath = (path: string) => path.replace("/p/node_modules/pack/", "/p/packs/pack/");
  const { definitions } = compileCdl(["/p/a.cds"], { ...memoryHost(files), realPath });
  assert.deepEqual(Object.keys(definitions ?? {}), ["More", "Other", "Pack", "A"]);
});

Deno.test("compileCdl() finds packages in folders above the working directory for relative paths, too", () => {
  const files = {
    "srv/a.cds": "using from 'pack'; entity A {}",
    "/w/node_modules/pack/index.cds": "entity Pack {}",
  };
  const host = { ...memoryHost(files), folder: "/w/apps/one" };
  assert.deepEqual(Object.keys(compileCdl(["srv/a.cds"], host).definitions ?? {}), ["Pack", "A"]);
});
