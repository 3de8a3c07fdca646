import assert from "node:assert/strict";
import { type CompileOptions, compileTargets } from "../../src/fw/compile_targets.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { csnOf } from "./shop.ts";

const ONE = csnOf(`
  @path: '/cat' service Catalog { entity Books { key ID : Integer; @title: '{i18n>Title}' title : String(50); } event sold { ID : Integer; } }
`);
const TWO = csnOf(`
  service First { entity A { key ID : Integer; } event ev { x : Integer; } }
  @rest service Second { entity B { key ID : Integer; } }
  @protocol: 'none' service Third { entity C { key ID : Integer; } }
`);
const to = compileTargets();
const texts = (key: string) => key === "Title" ? "Titel" : undefined;

Deno.test("edmx says the version of OData that is asked for, and has the texts that are given", () => {
  const version = (options?: CompileOptions) =>
    /<edmx:Edmx Version="([\d.]+)"/.exec(to.edmx(ONE, options))?.[1];
  assert.deepEqual([version(), version({}), version({ odataVersion: "4.01" }), version({ version: "v4" })], [
    "4.0",
    "4.0",
    "4.01",
    "4.0",
  ]);
  for (const options of [{ odataVersion: "2.0" }, { version: "v2" }]) {
    assert.match(to.edmx(ONE, options), /DataServiceVersion="2\.0"/, JSON.stringify(options));
  }
  assert.doesNotMatch(to.edmx(ONE, { odataVersion: "4.0", version: "v2" }), /DataServiceVersion/);
  for (const odataVersion of ["3.0", "2", ""]) {
    assert.throws(() => to.edmx(ONE, { odataVersion }), {
      name: "ConfigurationError",
      message: `Expected 4.0 or 4.01 (of edmx also 2.0) as version of OData, found "${odataVersion}"`,
    });
  }
  assert.match(to.edmx(ONE, { texts }), /String="Titel"/);
  assert.match(to.edmx(ONE), /String="\{i18n&gt;Title\}"|String="\{i18n>Title\}"/);
});

Deno.test("edm is the same as object, of one service or of each", () => {
  const edm = to.edm(ONE, { texts, odataVersion: "4.01" });
  assert.deepEqual([edm.$Version, edm.$EntityContainer], ["4.01", "Catalog.EntityContainer"]);
  assert.equal(to.edm(ONE).$Version, "4.0");
  assert.match(JSON.stringify(edm), /"Titel"/);
  assert.throws(() => to.edm(ONE, { odataVersion: "2.0" }), /Expected 4\.0 or 4\.01/);
  const all = [...to.edm(TWO, { service: "all" })].map(([content, file]) => [content.$EntityContainer, file]);
  assert.deepEqual(
    all,
    ["First", "Second", "Third"].map((file) => [`${file}.EntityContainer`, { file, suffix: ".json" }]),
  );
  const files = [...to.edmx(TWO, { service: "all" })].map((
    [text, file],
  ) => [/Namespace="(\w+)"/.exec(text)?.[1], file]);
  assert.deepEqual(files, ["First", "Second", "Third"].map((file) => [file, { file, suffix: ".xml" }]));
});

Deno.test("the service of a model with several is named, with the nearest name or all where there is none", () => {
  const message = (model: typeof ONE, service?: string) => {
    try {
      to.edm(model, { service });
    } catch (error) {
      return (error as Error).message;
    }
  };
  assert.equal(message(TWO, "Second"), undefined);
  assert.equal(
    message(TWO),
    'The model has several services, name one (--service, in code "service"): First, Second, Third',
  );
  assert.equal(message(TWO, "Secnd"), 'The model has no service "Secnd"; did you mean "Second"?');
  assert.equal(message(TWO, "Nothing"), 'The model has no service "Nothing", but First, Second, Third');
  assert.equal(message(csnOf("entity A { key ID : Integer; }")), "The model has no service");
  assert.equal(
    message(csnOf("entity A { key ID : Integer; }"), "S"),
    'The model has no service "S", but none',
  );
});

Deno.test("openapi has the paths of OData, of REST where the service is served by nothing else", () => {
  const serverOf = (options?: CompileOptions) =>
    (to.openapi(options ? TWO : ONE, options).servers as { url: string }[])[0]!.url;
  assert.deepEqual([serverOf(), serverOf({ service: "First" }), serverOf({ service: "Second" })], [
    ...["/cat", "/odata/v4/first", "/rest/second"],
  ]);
  const paths = (service: string) => Object.keys(to.openapi(TWO, { service }).paths as object);
  assert.ok(paths("First").includes("/A({ID})"), paths("First").join());
  assert.ok(paths("Second").includes("/B/{ID}"), paths("Second").join());
  assert.match(JSON.stringify(to.openapi(ONE, { texts })), /"Titel"/);
});

Deno.test("asyncapi has the events of a service, or of all", () => {
  const channels = (options?: CompileOptions) => Object.keys(to.asyncapi(TWO, options).channels as object);
  assert.equal(channels().length, 1);
  assert.equal(channels({ service: "First" }).length, 1);
  assert.equal(channels({ service: "Second" }).length, 0);
  assert.throws(() => to.asyncapi(TWO, { service: "Nothing" }), /has no service "Nothing"/);
});

Deno.test("sql has statements of a dialect, as list or as one text", () => {
  const statements = to.sql(ONE);
  assert.ok(
    statements.length > 0 && statements.every((one) => /^CREATE (TABLE|VIEW)/.test(one)),
    statements.join("\n"),
  );
  assert.deepEqual(to.sql(ONE, { dialect: "sqlite" }), statements);
  assert.deepEqual(to.sql(ONE, { dialect: "plain" }), statements);
  assert.notDeepEqual(to.sql(ONE, { dialect: "postgres" }), statements);
  assert.equal(to.sql(ONE, { as: "str" }), `${statements.join(";\n\n")};\n`);
  for (const dialect of ["hana", "toString"]) {
    assert.throws(() => to.sql(ONE, { dialect }), {
      name: "ConfigurationError",
      message: `Expected one of sqlite, plain, postgres as dialect, found "${dialect}"`,
    });
  }
});

Deno.test("json is the inferred model, indented where it is asked for", () => {
  const csn = to.csn(ONE);
  assert.deepEqual(JSON.parse(to.json(ONE)), JSON.parse(JSON.stringify(csn)));
  assert.equal(to.json(ONE, { indents: 2 }), JSON.stringify(csn, undefined, 2));
  assert.equal(to.json(linkModel(ONE)), to.json(ONE));
});

Deno.test("serviceinfo tells paths and protocols of services", () => {
  const info = (name: string, urlPath: string, ...endpoints: readonly { kind: string; path: string }[]) => ({
    ...{ name, urlPath, destination: "srv-api", runtime: "Node.js", endpoints },
  });
  assert.deepEqual(to.serviceinfo(TWO), [
    info("First", "odata/v4/first/", { kind: "odata", path: "odata/v4/first" }),
    info("Second", "rest/second/", { kind: "rest", path: "rest/second" }),
    info("Third", ""),
  ]);
});

Deno.test("openapi of a service with several protocols has the path of OData, whichever comes first", () => {
  const model = csnOf("@protocol: ['rest', 'odata'] service Both { entity A { key ID : Integer; } }");
  const { servers, paths } = to.openapi(model) as { servers: { url: string }[]; paths: object };
  assert.deepEqual([servers[0]!.url, Object.keys(paths).includes("/A({ID})")], ["/odata/v4/both", true]);
});

Deno.test("a security descriptor is that of the model, whose members give way to those of another one", () => {
  const model = csnOf("@requires: 'reader' service Main { entity A { key ID : Integer; } }");
  const scopes = (base?: unknown) =>
    (to.securityDescriptor(model, base === undefined ? undefined : { base }).scopes ?? []).map(({ name }) =>
      name
    );
  assert.deepEqual(scopes(), ["$APPNAME.reader"]);
  assert.deepEqual(scopes({}), ["$APPNAME.reader"]);
  assert.deepEqual(scopes({ scopes: [{ name: "own", description: "" }] }).toSorted(), [
    "$APPNAME.reader",
    "own",
  ]);
});
