/**
 * How sources become one configuration: profiles, shorthands, kinds, names in other case, other components.
 */

import assert from "node:assert/strict";
import { type ConfigurationSource, createEnvironment, toEnvironment } from "../../src/config/environment.ts";

type Members = Record<string, unknown>;

function source(value: Members, more: Partial<ConfigurationSource> = {}): ConfigurationSource {
  return { name: "deno.json", value, text: JSON.stringify({ fw: value }, null, 2), ...more };
}

Deno.test("createEnvironment() applies profiles in their order, also inside of one another, and keeps no block", () => {
  const value = {
    "[a]": { query: { limit: { max: 1, default: 1 } }, "[b]": { name: "ab" } },
    "[b]": { query: { limit: { max: 2 } }, name: "b" },
    query: { limit: { max: 3 } },
    requires: { x: { kind: "one", "[b]": { kind: "two" } } },
  };
  const namesOf = (...profiles: string[]) => {
    const { query, name, requires } = createEnvironment([source(value)], profiles);
    return [(query as Members).limit, name, requires.x];
  };
  assert.deepEqual(namesOf("a", "b"), [{ max: 2, default: 1 }, "b", { kind: "two" }]);
  assert.deepEqual(namesOf("b", "a"), [{ max: 1, default: 1 }, "ab", { kind: "two" }]);
  assert.deepEqual(namesOf("a"), [{ max: 1, default: 1 }, undefined, { kind: "one" }]);
  assert.deepEqual(namesOf(), [{ max: 3 }, undefined, { kind: "one" }]);
  assert.deepEqual(createEnvironment([], ["a", "b"]).profiles, ["a", "b"]);
  assert.deepEqual([createEnvironment([]).profiles, createEnvironment([]).production], [
    ["development"],
    false,
  ]);
});

Deno.test("createEnvironment() takes texts, true and false for whole entries of requires", () => {
  const requires = {
    a: "rest",
    b: "postgres://h/d",
    c: true,
    d: false,
    e: { kind: "odata" },
    multitenancy: true,
  };
  const env = createEnvironment([source({ requires })]);
  assert.deepEqual({ ...env.requires, auth: 0, db: 0 }, {
    auth: 0,
    db: 0,
    a: { kind: "rest" },
    b: { kind: "postgres", credentials: { url: "postgres://h/d" } },
    c: {},
    d: false,
    e: { kind: "odata" },
    multitenancy: true,
  });
  const objects = createEnvironment([source({ requires: { multitenancy: { any: 1 } } })]);
  assert.equal(objects.requires.multitenancy as unknown, true);
  assert.equal(
    createEnvironment([source({ requires: { multitenancy: false } })]).requires.multitenancy as unknown,
    false,
  );
});

Deno.test("an entry inherits from the kind with its name in front, then from what is described for its own name", () => {
  const kinds = {
    "files-db": { kind: "sqlite", credentials: { url: "f" }, file: "f" },
    files: { group: "g", file: "g" },
    db: "no object",
  };
  const { requires } = createEnvironment([
    source({ requires: { kinds: { ...kinds, db: {} }, files: { kind: "db-x" } } }),
  ]);
  assert.deepEqual(requires.files, { kind: "db-x", group: "g", file: "g" });
  const { "files-db": described, files } = kinds;
  const own = createEnvironment([
    source({
      requires: {
        kinds: { "files-db": described, files },
        files: { kind: "db", credentials: { user: "u" } },
        off: false,
      },
    }),
  ]).requires;
  assert.deepEqual(own.files, {
    kind: "sqlite",
    credentials: { url: "f", user: "u" },
    file: "f",
    group: "g",
  });
  assert.equal(own.off as unknown, false);
  assert.equal(own.kinds, undefined);
});

Deno.test("names of environment variables mean those of earlier sources, at any depth, where these have them", () => {
  const earlier = source({ requires: { ShopService: { credentials: { clientId: "a" } } } });
  const later = source({
    requires: { shopservice: { credentials: { CLIENTID: "b", other: "c" } }, New: { kind: "rest" } },
  }, { anyCase: true });
  const { requires } = createEnvironment([earlier, later]);
  assert.deepEqual(requires.ShopService, { credentials: { clientId: "b", other: "c" } });
  assert.deepEqual(requires.New, { kind: "rest" });
  const exact = createEnvironment([earlier, { ...later, anyCase: undefined }]).requires;
  assert.deepEqual(exact.ShopService, { credentials: { clientId: "a" } });
  const both = { a: { kind: "rest" }, A: { kind: "odata" } };
  const twice = createEnvironment([
    source({ requires: both }),
    source({ requires: { A: { path: "p" } } }, { anyCase: true }),
  ]);
  assert.deepEqual([twice.requires.a, twice.requires.A], [{ kind: "rest" }, { kind: "odata", path: "p" }]);
});

Deno.test("for() gives the configuration of other components with the same profiles, and this one for fw and cds", () => {
  const others = (name: string) => [
    source({ own: name, at: 1, "[test]": { at: 2 } }),
    source({ more: { a: 1 } }),
  ];
  const env = createEnvironment([source({ name: "shop" })], ["test"], others);
  assert.equal(env.for("fw"), env);
  assert.equal(env.for("cds"), env);
  assert.deepEqual(env.for("other"), { own: "other", at: 2, more: { a: 1 } });
  assert.ok(Object.isFrozen(env.for("other").more));
  assert.deepEqual(createEnvironment([]).for("other"), {});
});

Deno.test("what programs print of the configuration has no functions and no remarks, and nothing can be changed", () => {
  const env = createEnvironment([source({ name: "shop" })]);
  assert.deepEqual(
    Object.keys(env).filter((name) => ["for", "remarks", "isLenient", "placeOf"].includes(name)),
    [],
  );
  assert.ok(Object.isFrozen(env) && Object.isFrozen(env.query));
});

Deno.test("isLenient holds for existing projects outside production only", () => {
  const cds = source({}, { dialect: "cds" });
  assert.equal(createEnvironment([cds, source({})]).isLenient, true);
  assert.equal(createEnvironment([source({})]).isLenient, false);
  assert.equal(createEnvironment([cds], ["production"]).isLenient, false);
});

Deno.test("placeOf() finds the line of a key in the last source that has it", () => {
  const env = createEnvironment([source({ name: "a" }), source({ version: "1" }, { name: ".fwrc.json" })]);
  assert.deepEqual(env.placeOf?.(["name"]), { file: "deno.json", line: 3 });
  assert.deepEqual(env.placeOf?.(["version"]), { file: ".fwrc.json", line: 3 });
  assert.equal(env.placeOf?.(["query"]), undefined);
});

Deno.test("unknown keys that others wrote are not said, and those of a list of files are said file by file", () => {
  const cds = (name: string, value: Members, isForeign = false) =>
    source(value, { name, dialect: "cds", isForeign });
  const env = createEnvironment([
    cds("theirs.json", { zzz: 1, querry: {} }, true),
    cds("one.json", { zzz: 1, yyyy: 2 }),
    cds("two.json", { zzz: 1, requires: { queue: { chunk: 2 } } }),
  ]);
  assert.deepEqual(env.remarks.take(), [
    'two.json:6: "cds.requires.queue.chunk" has no effect',
    'one.json: "cds.zzz", "cds.yyyy" have no effect here; "cds.env" gives the values',
    'two.json: "cds.zzz" has no effect here; "cds.env" gives the values',
  ]);
  assert.deepEqual([env.zzz, env.yyyy, env.querry], [1, 2, {}]);
});

Deno.test("members of credentials beside them are told where they belong, at their place only", () => {
  const messageOf = (value: Members): string => {
    try {
      createEnvironment([source(value, { text: undefined })]);
    } catch (error) {
      return (error as Error).message;
    }
    return "";
  };
  for (const name of ["uri", "host", "port", "user", "username", "password", "database"]) {
    assert.match(
      messageOf({ requires: { x: { [name]: "x" } } }),
      /^deno\.json: "fw\.requires\.x\.\w+" is unknown; /,
    );
  }
  assert.equal(
    messageOf({ requires: { db: { password: "p" } } }),
    'deno.json: "fw.requires.db.password" is unknown; it belongs into "credentials"',
  );
  assert.equal(
    messageOf({ security: { mock: { password: "p" } } }),
    'deno.json: "fw.security.mock.password" is unknown',
  );
  assert.equal(
    messageOf({ requires: { db: { zzzzz: "p" } } }),
    'deno.json: "fw.requires.db.zzzzz" is unknown',
  );
  assert.equal(
    messageOf({ development: {} }),
    'deno.json: "fw.development" is unknown; names of profiles stand in brackets: "[development]"',
  );
  assert.equal(messageOf({ testing: {} }), 'deno.json: "fw.testing" is unknown');
});

Deno.test("toEnvironment() takes a merged configuration as it is, and what stands below fw without a place", () => {
  const env = createEnvironment([]);
  assert.equal(toEnvironment(env), env);
  const given = toEnvironment({ name: "shop", profiles: undefined }, ["test"]);
  assert.deepEqual([given.name, given.profiles, given.placeOf?.(["name"])], ["shop", ["test"], undefined]);
  assert.deepEqual(toEnvironment(undefined).profiles, ["development"]);
  assert.throws(() => toEnvironment({ nme: "shop" }), {
    message: 'code: "fw.nme" is unknown; did you mean "name"?',
  });
});
