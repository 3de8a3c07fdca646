import assert from "node:assert/strict";
import { ConfigurationError } from "../../src/errors/configuration_error.ts";
import { createRuntime } from "../../src/fw/create_runtime.ts";
import { compileCdl } from "../../src/model/cdl/compile_cdl.ts";
import type { Csn } from "../../src/model/csn.ts";

function compile(text: string): Csn {
  return compileCdl(["m.cds"], {
    readFile: (path) => path === "m.cds" ? text : undefined,
    isFile: (path) => path === "m.cds",
  });
}

/** Starts a runtime with a model, without any request. */
async function start(text: string): Promise<void> {
  const env = { log: { levels: { default: "silent" } }, requires: { auth: { kind: "mocked" } } };
  const runtime = createRuntime({ model: compile(text), env });
  try {
    await runtime.start();
  } finally {
    await runtime.close();
  }
}

/** An entity with an annotation on itself, on the third line, and one on an element. */
function entity(annotation: string, element = ""): string {
  return `service S {\n  action doIt(${element} p: String);\n  ${annotation}\n  entity E {\n    key ID: Integer; ${element} name: String; to: Association to E;\n  } actions { action touch(); }\n}`;
}

async function stops(text: string, message: RegExp): Promise<void> {
  await assert.rejects(start(text), (error: unknown) => {
    assert.ok(error instanceof ConfigurationError, String(error));
    assert.match(error.message, message);
    assert.equal(error.file, "m.cds");
    assert.ok(error.line! > 0);
    return true;
  });
}

Deno.test("a runtime does not start with a restriction whose condition is no expression", () =>
  stops(entity("@restrict: [{to: 'r', where: 'name = = 1'}]"), /name = = 1.*of S\.E is no expression/));

Deno.test("a runtime does not start with a restriction of another shape", async () => {
  for (const annotation of ["@requires: [1]", "@restrict: 'all'", "@restrict: [{to: {a: 1}}]"]) {
    await stops(entity(annotation), /restriction of S\.E cannot be understood/);
  }
});

Deno.test("there is no runtime of a model with a condition that is no expression, with or without @assert.target", () => {
  for (const check of [{}, { "@assert.target": true }]) {
    const to = { type: "cds.Association", target: "S.E", on: [{ ref: ["to", "ID"] }, "=", "="], ...check };
    const elements = { ID: { key: true, type: "cds.Integer" }, to };
    const model = { definitions: { S: { kind: "service" }, "S.E": { kind: "entity", elements } } } as Csn;
    const message = /^The condition of "to" in "S\.E" is no expression: Unknown operator "="$/;
    assert.throws(() => createRuntime({ model }), { name: "ConfigurationError", message });
  }
});

Deno.test("a runtime does not start with a condition on a member of an attribute", () =>
  stops(entity("@restrict: [{to: 'r', where: 'name = $user.a.b'}]"), /\$user\.a\.b of a restriction/));

Deno.test("a runtime does not start with a condition on an unknown element", async () => {
  await stops(entity("@restrict: [{where: 'nam = $user'}]"), /"nam" .*did you mean "name"/);
  await stops(entity("@restrict: [{where: 'to.nope = 1'}]"), /"nope"/);
  await stops(entity("@restrict: [{where: (exists to[nope = 1])}]"), /"nope"/);
});

Deno.test("a runtime does not start with a condition where there are no rows", () =>
  stops(`service S {\n@restrict: [{to: 'r', where: 'a = 1'}]\naction a(); }`, /is about no rows/));

Deno.test("a runtime starts with a condition at a service, where it grants nothing", () =>
  start(`@restrict: [{to: 'r', where: 'a = 1'}]\nservice S {}`));

Deno.test("a runtime does not start with a pattern that may take exponential time in any way, or is none", async () => {
  for (const pattern of ["^(?=(a+)+$)", "(?=(a|a)*b)", "[", "(x)\\1"]) {
    await stops(entity("", `@assert.format: '${pattern}'`), /pattern/);
  }
});

Deno.test("a runtime starts with conditions on elements, paths, structures and pseudo variables", async () => {
  const conditions = [
    "name = $user or $user.level is null",
    "to.to.name = $user.id and to_ID > 1",
    "exists to[name = $user] and $self.name <> $tenant",
    "E.name in ('a', 'b') or validFrom < $now",
  ];
  const annotations = conditions.map((where) => `{to: 'r', where: '${where.replaceAll("'", "''")}'}`);
  await start(
    entity(`@restrict: [${annotations.join(", ")}]`).replace("name: String", "name: String; validFrom: Date"),
  );
});

Deno.test("mistakes in restrictions are told together, those of entities outside of services, too", async () => {
  const model = `
    @restrict: [{ to: 'r', where: (nam = $user) }] entity my.Books { key ID : Integer; name : String; title : String; }
    service S {
      entity Books as projection on my.Books;
      entity Titles as projection on my.Books { ID, title };
      @restrict: [{ to: 'r', where: (titel = $user) }] entity Own as projection on my.Books;
    }`;
  await assert.rejects(start(model), (error: unknown) => {
    assert.ok(error instanceof ConfigurationError, String(error));
    const texts = [error, ...error.others].map(({ text }) => text);
    assert.deepEqual(texts, [
      '"nam" of a restriction of my.Books is no element of my.Books, did you mean "name"',
      '"titel" of a restriction of S.Own is no element of S.Own, did you mean "title"',
    ]);
    return true;
  });
});

const TYPED =
  `@odata.typeName: 'Person' entity db_People { key ID : Integer; kind : String @odata.discriminator default 'P'; pay : Integer @odata.subtype: 'Employee'; }
annotate db_People with @odata.subtypes: [{ name: 'Employee', value: 'E' }];
`;

Deno.test("a runtime does not start with two entity types of one name in a service (CSDL 4.01, clause 5)", async () => {
  await stops(
    `${TYPED}service S { entity A as projection on db_People; entity B as projection on db_People; }`,
    /"S\.B" has the type name "Person" of "S\.A" in the same service, expected an @odata\.typeName/,
  );
  await stops(
    `${TYPED}service S { entity A as projection on db_People; @odata.typeName: 'Two' entity B as projection on db_People; }`,
    /"S\.B" has the type name "Employee" of "S\.A"/,
  );
  await stops(
    `service S { entity A { key ID : Integer; parts : Composition of many { key n : Integer; } } entity A_parts { key ID : Integer; } }`,
    /type name "A_parts" of/,
  );
  await start(
    `${TYPED}service S { entity A as projection on db_People; @odata: { typeName: 'Two', subtypes: null } entity B as projection on db_People; }
    service T { entity A as projection on db_People; }`,
  );
});
