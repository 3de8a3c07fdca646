/** Which files of a project, variables and bindings make its configuration, and in which order (design 12). */

import assert from "node:assert/strict";
import { configurationOfModule, readConfiguration } from "../../src/deno/read_configuration.ts";
import { withProject } from "./project.ts";

const json = (value: unknown) => JSON.stringify(value);
const read = (folder: string, options: Parameters<typeof readConfiguration>[1] = {}) =>
  readConfiguration(folder, { variables: {}, ...options });
const portIn = ({ env }: Pick<ReturnType<typeof readConfiguration>, "env">) =>
  (env.server as { port: number }).port;

Deno.test("files of existing projects count before those of this runtime, variables before other variables", async () => {
  const server = (port: number) => ({ server: { port } });
  const steps: readonly (readonly [files: Record<string, string>, variables?: Record<string, string>])[] = [
    [{ "package.json": json({ cds: server(1) }) }],
    [{ "deno.json": json({ cds: server(2) }) }],
    [{ "deno.jsonc": `// a comment\n${json({ cds: server(3) })}` }],
    [{ "package.json": json({ cds: server(1), fw: server(4) }) }],
    [{ ".cdsrc.yaml": "server: {port: 5}" }],
    [{ ".cdsrc.yml": "server: {port: 6}" }],
    [{ ".cdsrc.json": json(server(7)) }],
    [{ ".cdsrc-private.json": json(server(8)) }],
    [{ ".fwrc.json": json(server(9)) }],
    [{ ".env": "cds.server.port=10" }],
    [{ ".development.env": "cds.server.port=11" }],
    [{}, { CDS_SERVER_PORT: "12" }],
    [{ ".env": "FW_SERVER_PORT=13" }],
    [{ ".development.env": "FW_SERVER_PORT=14" }],
    [{}, { FW_SERVER_PORT: "15" }],
  ];
  for (let last = 0; last < steps.length; last++) {
    const used = steps.slice(0, last + 1);
    const variables = Object.assign({}, ...used.map(([, variables]) => variables));
    await withProject(Object.assign({}, ...used.map(([files]) => files)), (folder) => {
      const found = read(folder, { variables, profiles: ["development"] });
      assert.equal(portIn(found), last + 1, json(steps[last]));
    });
  }
});

Deno.test("what becomes part of a program takes nothing that is for this machine only", async () => {
  const files = {
    ".cdsrc.json": json({ server: { port: 1 } }),
    ".cdsrc-private.json": json({ server: { port: 2 } }),
    ".env": "FW_SERVER_HOST=::1\nno variable",
  };
  await withProject(files, (folder) => {
    const found = [true, false, undefined].map((isPublished) => {
      const configuration = read(folder, { isPublished });
      const { host } = configuration.env.server as { host?: string };
      return [portIn(configuration), host, configuration.files, configuration.env.remarks.take().length];
    });
    const own = [2, "::1", [".cdsrc.json", ".cdsrc-private.json"], 1];
    assert.deepEqual(found, [[1, "127.0.0.1", [".cdsrc.json"], 0], own, own]);
    const published = read(folder, { isPublished: true, variables: { FW_SERVER_PORT: "3" } });
    assert.equal(portIn(published), 3);
  });
});

/** What existing projects take for granted: `features` and `requires.auth.id_prefix`. */
const DEFAULTS = [{ base64_binaries: false, strict_uuid: false }, ""];

Deno.test("existing projects are those with files, members or packages of them, and their defaults are others", async () => {
  const existing: readonly Record<string, string>[] = [
    { ".cdsrc.json": "{}" },
    { ".cdsrc.yaml": "i18n: {}" },
    { "package.json": json({ cds: {} }) },
    { "package.json": json({ name: "first" }), "deno.json": json({ cds: {} }) },
    ...["dependencies", "devDependencies", "peerDependencies"].flatMap((member) =>
      ["@sap/cds", "@cap-js/sqlite"].map((name) => ({
        "package.json": json({ [member]: { other: "*", [name]: "*" } }),
      }))
    ),
  ];
  const others: readonly Record<string, string>[] = [
    {},
    { ".fwrc.json": "{}" },
    { "package.json": json({ fw: {}, dependencies: { "@sap/cds-dk": "*", "other-@cap-js/a": "*" } }) },
    { "package.json": json({ dependencies: "@sap/cds", name: "@sap/cds" }) },
  ];
  for (const files of [...existing, ...others]) {
    await withProject(files, (folder) => {
      const { features, requires } = read(folder).env;
      const expected = existing.includes(files) ? DEFAULTS : [undefined, undefined];
      assert.deepEqual([features, requires.auth!.id_prefix], expected, json(files));
    });
  }
});

Deno.test("keys that stand twice are remarked where they are configuration, with their line", async () => {
  const files = {
    "package.json":
      '{\n"name": "a",\n"name": "b",\n"cds": {"i18n": {},\n"i18n": {}},\n"scripts": {"x": 1, "x": 2}}',
    "deno.json": '{ // c\n"fw": {"server": {"port": 1,\n"port": 2}}}',
    ".cdsrc.yaml": "server:\n  host: '::1'\n",
    ".fwrc.json": '{"log": {},\n"log": {}}',
  };
  await withProject(files, (folder) => {
    assert.deepEqual(read(folder).env.remarks.take(), [
      'package.json:5: "cds.i18n" stands here twice: only the last one counts',
      'deno.json:3: "fw.server.port" stands here twice: only the last one counts',
      '.fwrc.json:2: "log" stands here twice: only the last one counts',
    ]);
  });
});

Deno.test("PORT is a whole number that ports have, or nothing", async () => {
  await withProject({}, (folder) => {
    const portOf = (PORT: string) => read(folder, { variables: { PORT } }).port;
    assert.deepEqual(["", "0", "1", "65535"].map(portOf), [undefined, 0, 1, 65535]);
    for (const text of ["-1", "65536", "1.5", "x", "80a"]) {
      const message = `Environment variable PORT must be a port number, but is "${text}"`;
      assert.throws(() => portOf(text), { name: "ConfigurationError", message });
    }
  });
});

Deno.test("name and version are those of the last package that has them as texts", async () => {
  const described: readonly (readonly [object, object, string | undefined, string | undefined])[] = [
    [{ name: "a", version: "1.0.0" }, {}, "a", "1.0.0"],
    [{ name: "a", version: "1.0.0" }, { name: "b", version: "2.0.0" }, "b", "2.0.0"],
    [{ name: "@x/y/z" }, { version: 1 }, "y/z", undefined],
    [{ name: 1 }, {}, undefined, undefined],
  ];
  for (const [first, second, name, version] of described) {
    await withProject({ "package.json": json(first), "deno.json": json(second) }, (folder) => {
      const found = read(`${folder}//`);
      assert.deepEqual([found.name, found.version], [name ?? folder.split("/").at(-1), version], json(first));
      assert.deepEqual(found.files, ["package.json", "deno.json"]);
    });
  }
});

Deno.test("profiles that nothing is known of are warned of, also those that a file names", async () => {
  const files = { ".cdsrc.json": json({ profile: "own", "[producton]": { server: { port: 1 } } }) };
  await withProject(files, (folder) => {
    const { env, warnings } = read(folder, { variables: { CDS_ENV: "tset" } });
    assert.deepEqual(env.profiles, ["own", "tset"]);
    assert.equal(warnings.length, 3, warnings.join("\n"));
    assert.match(warnings[1], /"tset" is not known; did you mean "test"/);
    assert.match(warnings[2], /"\[producton\]" in \.cdsrc\.json has no effect/);
  });
  const own = {
    ".fwrc.json": json({ "[a]": { server: { port: 5 } } }),
    "package.json": json({ cds: { profiles: ["a", 1] } }),
  };
  await withProject(own, (folder) => {
    const configuration = read(folder, { profiles: ["a", "b"] });
    assert.deepEqual(configuration.env.profiles, ["a", "b"]);
    assert.equal(portIn(configuration), 5);
  });
});

Deno.test("packages that plug themselves in are those that are installed with cds-plugin.js, each of them once", async () => {
  const files = {
    "package.json": json({
      dependencies: { plain: "*", absent: "*", bare: "*", plug: "*" },
      devDependencies: { plug: "*", dev: "*" },
      peerDependencies: { peer: "*" },
    }),
    "node_modules/plain/package.json": json({ cds: { server: { port: 1 } } }),
    "node_modules/bare/cds-plugin.js": "",
    "node_modules/plug/cds-plugin.js": "",
    "node_modules/plug/package.json": json({ cds: { server: { port: 2 } }, fw: { server: { port: 3 } } }),
    "node_modules/dev/cds-plugin.js": "",
    "node_modules/dev/package.json": json({ name: "dev" }),
    "node_modules/peer/cds-plugin.js": "",
  };
  await withProject(files, (folder) => {
    const configuration = read(folder);
    assert.deepEqual(
      configuration.plugins,
      ["bare", "plug", "dev"].map((name) => ({ name, file: `${folder}/node_modules/${name}/cds-plugin.js` })),
    );
    assert.equal(portIn(configuration), 2);
  });
});

Deno.test("a project that is one module has the configuration of the module, then variables, then bindings", () => {
  const env = { server: { port: 1, "[test]": { port: 2 } }, requires: { auth: { binding: "b" } } };
  const portOf = (profiles: readonly string[] | undefined, variables: Record<string, string>) =>
    portIn(configurationOfModule({ env, profiles }, variables));
  assert.equal(portOf(undefined, {}), 1);
  assert.equal(portOf(["test"], {}), 2);
  assert.equal(portOf(["test"], { FW_ENV: "production", FW_REQUIRES_AUTH_KIND: "mocked" }), 1);
  assert.equal(portOf(["test"], { CDS_SERVER_PORT: "3" }), 3);
  assert.equal(portOf(["test"], { CDS_SERVER_PORT: "3", FW_SERVER_PORT: "4" }), 4);
  assert.equal(configurationOfModule({}, { PORT: "5" }).port, 5);
  const binding = (name: string) => ({ name, credentials: { clientid: name } });
  const VCAP_SERVICES = json({ xsuaa: [binding("a"), binding("b")], mail: [binding("m")] });
  const { requires } = configurationOfModule({ env }, { VCAP_SERVICES }).env;
  assert.deepEqual(requires.auth, { binding: "b", kind: "oauth2", credentials: { clientid: "b" } });
  assert.deepEqual(requires.m, { credentials: { clientid: "m" } });
  assert.throws(
    () => configurationOfModule({ env: { servr: {} } }, {}),
    /the module of the project.*"fw\.servr" is unknown/,
  );
});

Deno.test("bindings in files are beside those of VCAP_SERVICES; lists and objects among them stand as JSON", async () => {
  const files = {
    "bindings/one/uri": "u",
    "bindings/one/list": "[1]",
    "bindings/one/object": '{"a": 1}',
    "bindings/one/number": "12",
    "bindings/one/broken": "[1",
    "bindings/one/quoted": '"text"',
  };
  await withProject(files, (folder) => {
    const VCAP_SERVICES = json({ mail: [{ name: "two", credentials: { a: 1 } }] });
    const { requires } =
      read(folder, { variables: { VCAP_SERVICES, SERVICE_BINDING_ROOT: `${folder}/bindings` } }).env;
    assert.deepEqual(requires.two, { credentials: { a: 1 } });
    assert.deepEqual(requires.one, {
      credentials: { uri: "u", list: [1], object: { a: 1 }, number: "12", broken: "[1", quoted: '"text"' },
    });
  });
});
