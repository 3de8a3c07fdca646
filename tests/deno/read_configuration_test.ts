import assert from "node:assert/strict";
import { readConfiguration } from "../../src/deno/read_configuration.ts";
import { loadProject } from "../../src/deno/load_project.ts";
import { SMALL, withProject } from "./project.ts";

const json = (value: unknown) => JSON.stringify(value, null, 2);
const port = (env: Readonly<Record<string, unknown>>) => (env.server as { port: number }).port;

Deno.test("readConfiguration() lets each source win over those before it", async () => {
  const sources: readonly [Record<string, string>, Record<string, string>][] = [
    [{ "package.json": json({ fw: { server: { port: 1 } } }) }, {}],
    [{ "deno.json": json({ fw: { server: { port: 2 } } }) }, {}],
    [{ ".fwrc.json": json({ server: { port: 3 } }) }, {}],
    [{ ".env": "FW_SERVER_PORT=4" }, {}],
    [{}, { FW_SERVER_PORT: "5" }],
    [{}, { FW_CONFIG: '{"server":{"port":6}}' }],
  ];
  for (let last = 0; last < sources.length; last++) {
    const used = sources.slice(0, last + 1);
    await withProject(Object.assign({}, ...used.map(([files]) => files)), (folder) => {
      const variables = Object.assign({}, ...used.map(([, variables]) => variables));
      assert.equal(port(readConfiguration(folder, { variables }).env), last + 1);
      assert.equal(port(readConfiguration(folder, { variables, env: { server: { port: 7 } } }).env), 7);
    });
  }
});

Deno.test("readConfiguration() takes name and version from the package, else the name of the folder", async () => {
  await withProject({ "deno.json": json({ name: "@me/shop", version: "1.2.3" }) }, (folder) => {
    const { name, version, files } = readConfiguration(folder, { variables: {} });
    assert.deepEqual([name, version, files], ["shop", "1.2.3", ["deno.json"]]);
  });
  await withProject({}, (folder) => {
    assert.equal(readConfiguration(`${folder}/`, { variables: {} }).name, folder.split("/").at(-1));
  });
});

Deno.test("readConfiguration() reads the names of existing projects before its own", async () => {
  const files = {
    ".cdsrc.json": json({ server: { port: 1 }, i18n: { default_language: "de" } }),
    ".fwrc.json": json({ server: { port: 2 } }),
  };
  await withProject(files, (folder) => {
    const { env } = readConfiguration(folder, { variables: {} });
    assert.equal(port(env), 2);
    assert.deepEqual(env.i18n, { default_language: "de" });
  });
});

Deno.test("readConfiguration() applies the profiles of FW_ENV, else NODE_ENV", async () => {
  const files = {
    ".fwrc.json": json({ server: { port: 1, "[test]": { port: 2 }, "[production]": { port: 3 } } }),
  };
  await withProject(files, (folder) => {
    const at = (variables: Record<string, string>) => port(readConfiguration(folder, { variables }).env);
    assert.equal(at({}), 1);
    assert.equal(at({ NODE_ENV: "test" }), 2);
    assert.equal(at({ NODE_ENV: "test", FW_ENV: "production" }), 3);
  });
});

Deno.test("readConfiguration() takes bindings from VCAP_SERVICES and SERVICE_BINDING_ROOT", async () => {
  const vcap = { xsuaa: [{ name: "auth", label: "xsuaa", credentials: { clientid: "a" } }] };
  const files = {
    "bindings/db/type": "postgresql-db\n",
    "bindings/db/host": "pg.local\n",
    "bindings/db/hosts": '["a", "b"]\n',
    "bindings/db/password": "{secret",
  };
  await withProject(files, (folder) => {
    const variables = { VCAP_SERVICES: json(vcap), SERVICE_BINDING_ROOT: `${folder}/bindings` };
    const { requires } = readConfiguration(folder, { variables }).env;
    assert.deepEqual(requires.auth, { kind: "oauth2", credentials: { clientid: "a" } });
    assert.deepEqual(requires.db?.credentials, { host: "pg.local", hosts: ["a", "b"], password: "{secret" });
  });
});

Deno.test("readConfiguration() knows a bound service by its type, and passes over files that are none of it", async () => {
  const files = {
    "bindings/mine/type": "xsuaa\n",
    "bindings/mine/clientid": " c \n",
    "bindings/mine/.hidden": "x",
    "bindings/readme": "none",
  };
  await withProject(files, (folder) => {
    const variables = { SERVICE_BINDING_ROOT: `${folder}/bindings` };
    const { requires } = readConfiguration(folder, { variables }).env;
    assert.deepEqual(requires.auth, { kind: "oauth2", credentials: { clientid: "c" } });
    assert.throws(
      () => readConfiguration(folder, { variables: { SERVICE_BINDING_ROOT: `${folder}/nowhere` } }),
      { name: "ConfigurationError", message: /SERVICE_BINDING_ROOT names .*nowhere, which cannot be read/ },
    );
  });
});

Deno.test("readConfiguration() lets every source pin one of two bindings", async () => {
  const binding = (name: string) => ({ name, credentials: { clientid: name } });
  const variables = { VCAP_SERVICES: json({ xsuaa: [binding("a"), binding("b")] }) };
  const pin = { requires: { auth: { binding: "b" } } };
  await withProject({ ".fwrc.json": json(pin) }, (folder) => {
    const { requires } = readConfiguration(folder, { variables }).env;
    assert.deepEqual(requires.auth, { binding: "b", kind: "oauth2", credentials: { clientid: "b" } });
  });
  await withProject({}, (folder) => {
    assert.deepEqual(readConfiguration(folder, { variables, env: pin }).env.requires.auth?.credentials, {
      clientid: "b",
    });
    assert.throws(() => readConfiguration(folder, { variables }), /at most one binding/);
  });
});

Deno.test("readConfiguration() names source, line and reason of what is wrong", async () => {
  const cases: readonly [Record<string, string>, Record<string, string>, RegExp][] = [
    [
      { "deno.json": json({ fw: { servr: {} } }) },
      {},
      /^deno\.json:3: "fw\.servr" is unknown; did you mean "server"\?$/,
    ],
    [{ ".fwrc.json": '{\n  "server": {\n}' }, {}, /^\.fwrc\.json:3: Not valid JSON/],
    [{ ".fwrc.json": "[]" }, {}, /^\.fwrc\.json:1: Expected a JSON object$/],
    [
      { ".fwrc.json": json({ server: { port: 70000 } }) },
      {},
      /^\.fwrc\.json:3: "fw\.server\.port" must be a whole number from 0 to 65535, but is 70000$/,
    ],
    [
      { ".fwrc.json": json({ limits: { bodyBytes: -1 } }) },
      {},
      /^\.fwrc\.json:3: "fw\.limits\.bodyBytes" must be a whole number of at least 0, but is -1$/,
    ],
    [{}, { FW_SERVR_PORT: "1" }, /^Environment variable FW_SERVR_PORT names no key/],
    [{}, { FW_CONFIG: "{" }, /^Environment variable FW_CONFIG is not valid JSON/],
    [{}, { FW_CONFIG: "etc/fw.json" }, /: the configuration itself is expected, not the path of a file$/],
    [{}, { PORT: "http" }, /^Environment variable PORT must be a port number, but is "http"$/],
    [{}, { VCAP_SERVICES: "{" }, /^VCAP_SERVICES is not valid JSON$/],
    [
      {},
      { SERVICE_BINDING_ROOT: "/nowhere" },
      /^SERVICE_BINDING_ROOT names \/nowhere, which cannot be read$/,
    ],
  ];
  for (const [files, variables, message] of cases) {
    await withProject(files, (folder) => {
      assert.throws(() => readConfiguration(folder, { variables }), { name: "ConfigurationError", message });
    });
  }
});

Deno.test("readConfiguration() keeps PORT apart from the configuration, zero included", async () => {
  await withProject({}, (folder) => {
    assert.equal(readConfiguration(folder, { variables: { PORT: "0" } }).port, 0);
    assert.equal(readConfiguration(folder, { variables: { PORT: "" } }).port, undefined);
  });
});

Deno.test("readConfiguration() reads .cdsrc.yaml, and names the file of its mistakes", async () => {
  await withProject({
    ".cdsrc.yaml": "requires:\n  db:\n    kind: memory # small\nlog: {levels: {x: debug}}\n",
  }, (folder) => {
    const { env, files } = readConfiguration(folder, { variables: {} });
    assert.equal(env.requires.db?.kind, "memory");
    assert.deepEqual((env.log as { levels: unknown }).levels, { x: "debug" });
    assert.deepEqual(files, [".cdsrc.yaml"]);
  });
  await withProject({ ".cdsrc.yaml": "a: 1\n  b: secret" }, (folder) => {
    assert.throws(() => readConfiguration(folder, { variables: {} }), {
      message: /^\.cdsrc\.yaml:2: Not valid YAML$/,
    });
  });
  await withProject({ ".cdsrc.yaml": "requires:\n\tdb: memory\n" }, (folder) => {
    assert.throws(() => readConfiguration(folder, { variables: {} }), {
      message: /^\.cdsrc\.yaml:2: Not valid YAML: lines are indented by spaces, not by tabs$/,
    });
  });
  await withProject({ ".cdsrc.yaml": '{\n\t"requires": {"db": "memory"}\n}\n' }, (folder) => {
    assert.equal(readConfiguration(folder, { variables: {} }).env.requires.db?.kind, "memory");
  });
});

Deno.test("readConfiguration() tells the first line of a file of variables that holds none, and not what it holds", async () => {
  const files = {
    ".env": "# c\n\nFW_ENV=test\nFW_SERVER_PORT 5\nsecret\n",
    ".test.env": "FW_SERVER_PORT=6\n",
  };
  await withProject(files, (folder) => {
    const { env } = readConfiguration(folder, { variables: {} });
    assert.equal((env.server as { port: number }).port, 6);
    assert.deepEqual(env.remarks.take(), [
      ".env:4: Expected NAME=value in one line, and comments behind #: the line is left out",
    ]);
  });
});

Deno.test("readConfiguration() takes defaults of packages with a cds-plugin.js before those of the project", async () => {
  const files = {
    "package.json": json({
      dependencies: { "@acme/plug": "*", "@acme/other": "*" },
      cds: { requires: { plug: { b: 2 } } },
    }),
    "node_modules/@acme/plug/package.json": json({ cds: { requires: { plug: { a: 1, b: 1 } }, unheard: 1 } }),
    "node_modules/@acme/plug/cds-plugin.js": "",
    "node_modules/@acme/other/package.json": json({ cds: { server: { port: 9 } } }),
  };
  await withProject(files, (folder) => {
    const { env } = readConfiguration(folder, { variables: {} });
    assert.deepEqual(env.requires.plug, { a: 1, b: 2 });
    assert.equal(env.unheard, 1);
    assert.equal(port(env), 4004);
    assert.deepEqual(env.remarks.take(), [
      'package.json: "cds.requires.plug.b" has no effect here; "cds.env" gives the values',
    ]);
  });
});

Deno.test("readConfiguration() adds the profiles that an existing project names, but never production", async () => {
  const files = {
    "package.json": json({ cds: { profile: "mtx", profiles: undefined, server: { "[mtx]": { port: 5 } } } }),
    ".cdsrc.json": json({ profiles: ["production"] }),
    ".hybrid.env": "cds.server.host=::1\n",
  };
  await withProject(files, (folder) => {
    const { env } = readConfiguration(folder, { variables: { CDS_ENV: "hybrid" } });
    assert.deepEqual(env.profiles, ["mtx", "hybrid"]);
    assert.deepEqual(env.remarks.take(), [
      '.cdsrc.json: "cds.profiles" has no effect here; "cds.env" gives the values',
    ]);
    assert.equal(port(env), 5);
    assert.equal((env.server as { host: string }).host, "::1");
  });
});

Deno.test("mistakes that a start finds name the source that counts, and the line of the key", async () => {
  const wrong = { server: { explain: { requires: "any" } } };
  const { requires: _requires, ...none } = wrong.server.explain;
  const cases: readonly [Record<string, string>, Record<string, string>, Record<string, unknown>, RegExp][] =
    [
      [{ ".fwrc.json": json(wrong) }, {}, {}, /^\.fwrc\.json:4: "fw\.server\.explain\.requires" must name/],
      // a key that is missing: where the rest of its path is
      [
        { ".fwrc.json": json({ server: { explain: none } }) },
        {},
        {},
        /^\.fwrc\.json:3: "fw\.server\.explain\.requires"/,
      ],
      [
        { ".fwrc.json": json(wrong) },
        { FW_CONFIG: json(wrong) },
        {},
        /^environment variable FW_CONFIG:4: "fw\./i,
      ],
      [{ ".fwrc.json": json(wrong) }, {}, wrong, /^"fw\.server/],
    ];
  for (const [files, variables, env, message] of cases) {
    await withProject({ ...SMALL, ...files }, async (folder) => {
      const { runtime } = await loadProject(folder, { variables, env });
      await assert.rejects(runtime.start(), { name: "ConfigurationError", message });
    });
  }
});

Deno.test("what is no object under fw or cds is refused with the file and line where it stands", async () => {
  for (
    const [key, value, line] of [["fw", '"text"', 4], ["cds", "[]", 4], ["fw", "null", 4], [
      "cds",
      "1",
      4,
    ]] as const
  ) {
    const text = `{\n  "name": "shop",\n  "version": "1.0.0",\n  "${key}": ${value}\n}\n`;
    await withProject({ "package.json": text }, (folder) => {
      assert.throws(() => readConfiguration(folder, { variables: {} }), {
        name: "ConfigurationError",
        message: new RegExp(`package\\.json:${line}.*"${key}" must be an object`),
      }, text);
    });
  }
});
