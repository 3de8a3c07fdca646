import assert from "node:assert/strict";
import { compile } from "../../src/fw/facade_compile.ts";
import type { SecurityDescriptor } from "../../src/service/security_descriptor.ts";
import { compileText } from "../../src/deno/compiler.ts";

function descriptorOf(model: string, base?: unknown): SecurityDescriptor {
  return compile.to.securityDescriptor(compileText(model), { base });
}

const MODEL = `
  @restrict: [{ to: 'viewer', where: 'country = $user.country' }, { grant: 'WRITE', to: ['editor', 'system-user'] }]
  entity Books { key ID : Integer; country : String; owner : String; author : Association to Authors; }
    actions { @(requires: 'publisher') action publish(); @(restrict: [{ to: 'viewer' }]) function price() returns Integer; };
  entity Authors { key ID : Integer; country : String; books : Association to many Books on books.author = $self; }

  @requires: ['authenticated-user', 'clerk']
  service Shop {
    entity Titles as projection on Books;
    @restrict: [
      { grant: 'READ', to: 'any', where: (owner = $user or $user.id = owner or $user.tenant = owner) },
      { grant: 'READ', to: 'identified-user', where: (exists books[country in $user.countries and owner = $user.locale]) },
      { grant: 'DELETE', to: ['editor', 'internal-user'], where: 'upper(country) = $user.country' }
    ]
    entity Writers as projection on Authors;
    @requires: 'orderer' action order(book : Integer);
    @requires: 'listener' event Ordered { book : Integer; }
  }
  @requires: 'any' service Open { @requires: 'system-user' function ping() returns String; }
`;

Deno.test("there is one scope per role of the model, in its order, without pseudo-roles [2.6.d.scopes]", () => {
  assert.deepEqual(
    descriptorOf(MODEL).scopes,
    ["viewer", "editor", "publisher", "clerk", "orderer", "listener"].map((role) => ({
      name: `$APPNAME.${role}`,
      description: role,
    })),
  );
});

Deno.test("there is one attribute per attribute of the user in conditions [2.6.d.attr]", () => {
  assert.deepEqual(
    descriptorOf(MODEL).attributes,
    ["country", "countries", "locale"].map((name) => ({
      name,
      description: name,
      valueType: "s",
      valueRequired: false,
    })),
  );
});

Deno.test("there is one role template per scope with the exact name of the role, and one for attributes [2.6.d.templates]", () => {
  const { scopes, "role-templates": templates } = descriptorOf(MODEL);
  assert.deepEqual(
    templates.slice(0, -1),
    scopes.map(({ name, description }) => ({
      name: description,
      description: "generated",
      "scope-references": [name],
      "attribute-references": [],
    })),
  );
  assert.deepEqual(templates.at(-1), {
    name: "userattributes",
    description: "generated",
    "default-role-name": "Attributes of a User",
    "scope-references": [],
    "attribute-references": ["country", "countries", "locale"],
  });
});

Deno.test("a model without restrictions gives three empty lists in their order", () => {
  const text = JSON.stringify(descriptorOf("service S { entity E { key ID : Integer; } }"));
  assert.equal(text, '{"scopes":[],"attributes":[],"role-templates":[]}');
});

Deno.test("names of scopes are the prefix and the role as it is written [2.6.a.appname]", () => {
  const { scopes } = descriptorOf("@requires: ['Key.User', 'vice-Admin_1'] service S {}");
  assert.deepEqual(scopes.map(({ name }) => name), ["$APPNAME.Key.User", "$APPNAME.vice-Admin_1"]);
});

Deno.test("an attribute of an attribute of the user is an error", () => {
  assert.throws(
    () => descriptorOf("service S { @restrict: [{ where: 'x = $user.a.b' }] entity E { key x : String; } }"),
    {
      name: "ConfigurationError",
      message: /Expected an attribute of the user in a restriction of S\.E, but found \$user\.a\.b$/,
    },
  );
});

Deno.test("entries of the base win by name, its other members stay, and merging again changes nothing", () => {
  const base = {
    tenantMode: "dedicated",
    scopes: [{ name: "$APPNAME.extra", description: "Own" }, {
      name: "$APPNAME.editor",
      description: "May edit",
    }],
    "role-templates": [{
      name: "editor",
      description: "Editors",
      "scope-references": ["$APPNAME.editor", "$APPNAME.viewer"],
      "attribute-references": [],
    }],
  };
  const merged = descriptorOf(MODEL, base);
  assert.deepEqual(Object.keys(merged), ["tenantMode", "scopes", "attributes", "role-templates"]);
  assert.deepEqual(merged.scopes.slice(0, 2), base.scopes);
  assert.deepEqual(merged.scopes.slice(2).map(({ description }) => description), [
    "viewer",
    "publisher",
    "clerk",
    "orderer",
    "listener",
  ]);
  assert.deepEqual(merged["role-templates"][0], base["role-templates"][0]);
  assert.equal(merged["role-templates"].filter(({ name }) => name === "editor").length, 1);
  assert.equal(merged.attributes.length, 3);
  assert.equal(JSON.stringify(descriptorOf(MODEL, merged)), JSON.stringify(merged));
});

Deno.test("a role collection may name role templates that reference no attribute only [2.6.a.rc]", () => {
  const withCollection = (...references: unknown[]) =>
    descriptorOf(MODEL, {
      "role-collections": [{ name: "Staff", description: "All", "role-template-references": references }],
    });
  assert.equal("role-collections" in withCollection("$APPNAME.editor", "$APPNAME.viewer"), true);
  assert.throws(() => withCollection("$APPNAME.editor", "$APPNAME.userattributes"), {
    name: "ConfigurationError",
    message:
      `Role collection "Staff" names role template "$APPNAME.userattributes", which references attributes`,
  });
  assert.throws(() => withCollection("editor"), /names role template "editor", which does not exist$/);
  assert.throws(
    () => descriptorOf(MODEL, { "role-collections": [{ name: "A", "role-template-references": 1 }] }),
    {
      message: `"role-template-references" of role collection "A" must be a list`,
    },
  );
});

Deno.test("what is no descriptor is refused as base", () => {
  for (const base of [[], null, "x"]) {
    assert.throws(() => descriptorOf(MODEL, base), { message: "The base descriptor must be a JSON object" });
  }
  for (const scopes of [{}, [1], [{ title: "x" }]]) {
    assert.throws(() => descriptorOf(MODEL, { scopes }), {
      message: `"scopes" of the base descriptor must be a list of objects with a name`,
    });
  }
});
