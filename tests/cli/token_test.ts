import assert from "node:assert/strict";
import { parseCommand } from "../../src/cli/parse_command.ts";
import { tokenCommand, type TokenTerminal } from "../../src/cli/token_command.ts";
import { ANSWER, OAUTH2, OIDC } from "../auth/token_client/service_keys.ts";
import { withMutualTlsServer, withPlainServer } from "../auth/token_client/token_server.ts";
import { withProject } from "../deno/project.ts";
import { startCli, startProcess } from "../deno/project_processes.ts";
import { runCommand } from "./run_command.ts";

/** Runs the command in this process. */
async function run(args: readonly string[], terminal: Partial<TokenTerminal> = {}) {
  const out: string[] = [];
  const hints: string[] = [];
  const code = await tokenCommand(parseCommand(["token", ...args]), {
    print: (line) => out.push(line),
    hint: (line) => hints.push(line),
    isPerson: false,
    readInput: () => Promise.resolve(""),
    variable: () => undefined,
    ...terminal,
  });
  return { code, out, hints };
}

/** Runs a test with a service key file of a plain endpoint. */
function withKey(
  test: (file: string, server: Parameters<Parameters<typeof withPlainServer>[0]>[0]) => Promise<void>,
): Promise<void> {
  return withPlainServer((server) =>
    withProject(
      { "key.json": JSON.stringify({ ...OAUTH2, url: server.url }) },
      (folder) => test(`${folder}/key.json`, server),
    )
  );
}

Deno.test("fw token prints the token of a technical user alone, so that a shell can take it [5.3.4]", () =>
  withKey(async (file, server) => {
    const { code, output } = await startCli("token", file).ended;
    assert.equal(output, "aaa.bbb.ccc\n");
    assert.equal(code, 0);
    assert.deepEqual(server.calls, [{
      path: "/oauth/token",
      form: {
        grant_type: "client_credentials",
        client_id: OAUTH2.clientid,
        client_secret: OAUTH2.clientsecret,
      },
      subject: undefined,
    }]);
  }));

Deno.test("fw token tells a person the lifetime and how to send the token [8.3]", () =>
  withKey(async (file) => {
    const { out, hints } = await run([file], { isPerson: true });
    assert.deepEqual(out, ["aaa.bbb.ccc"]);
    assert.deepEqual(hints, [
      "",
      "expires in 3600 s; send it with",
      '  curl -H "Authorization: Bearer $TOKEN" https://<application>.<domain>/',
    ]);
    assert.deepEqual(await run([file, "--export"]), {
      code: 0,
      out: ["export ACCESS_TOKEN=aaa.bbb.ccc"],
      hints: [],
    });
  }));

Deno.test("fw token takes the password of a user from a variable or standard input", () =>
  withKey(async (file, server) => {
    const user = [file, "--user", "zoe@shop.test"];
    const variable = (name: string) => name === "FW_TOKEN_PASSWORD" ? "from variable" : undefined;
    assert.equal((await run(user, { variable })).code, 0);
    const readInput = () => Promise.resolve(" from input \r\n");
    assert.equal((await run([...user, "--password-stdin"], { readInput, variable })).code, 0);
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", "-A", "--no-lock", "src/cli/mod.ts", "token", ...user, "--password-stdin"],
      cwd: new URL("../..", import.meta.url).pathname,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode("piped\n"));
    await writer.close();
    const { stdout } = await child.output();
    assert.equal(new TextDecoder().decode(stdout), "aaa.bbb.ccc\n");
    assert.deepEqual(server.calls.map(({ form }) => [form.grant_type, form.username, form.password]), [
      ["password", "zoe@shop.test", "from variable"],
      ["password", "zoe@shop.test", " from input "],
      ["password", "zoe@shop.test", "piped"],
    ]);
  }));

Deno.test("fw token refuses wrong commands with code 2, before anything is sent", () =>
  withKey(async (file, server) => {
    for (
      const [args, message] of [
        [
          ["--user", "zoe"],
          "Expected the password in FW_TOKEN_PASSWORD, or on standard input with --password-stdin",
        ],
        [
          ["--user", "zoe", "--grant", "client_credentials"],
          "The grant client_credentials is for no user: leave --user out",
        ],
        [["--grant", "password"], "The grant password needs --user"],
        [
          ["--grant", "implicit"],
          'Expected client_credentials or password after --grant, but found "implicit"',
        ],
        [["--kind", "ldap"], 'Expected oidc or oauth2 after --kind, but found "ldap"'],
        [["other.json"], "Expected one file or folder, but found 2"],
        [["--pem", "x"], "These credentials have no certificate for --pem to write"],
      ] as const
    ) {
      assert.deepEqual(await run([file, ...args]), {
        code: 2,
        out: [],
        hints: [`${message}; see fw help token`],
      });
    }
    assert.deepEqual(server.calls, []);
    assert.throws(() => parseCommand(["token", file, "--password", "hush"]), (error: Error) => {
      assert.equal(error.message, 'Unknown option "--password"');
      return true;
    });
    const { code, output } = await runCommand("token", file, "--password=hush");
    assert.equal(code, 2);
    assert.doesNotMatch(output, /hush/);
  }));

Deno.test("fw token ends with code 1 and a reason without secrets when no token comes", () =>
  withKey(async (file, server) => {
    const endpoint = `${server.url}/oauth/token`;
    for (
      const [error, reason] of [
        ["invalid_client", "the client id, secret or certificate is wrong, or the service key was deleted"],
        ["invalid_grant", "the user or the password is wrong"],
        ["unauthorized_client", "this client may not use this grant"],
      ]
    ) {
      server.answer = { status: 401, body: { error, error_description: "hush & co = 1" } };
      assert.deepEqual(await run([file]), {
        code: 1,
        out: [],
        hints: [`The token endpoint ${endpoint} answered 401 (${error}): ${reason}`],
      });
    }
    server.answer = { status: 200, body: {} };
    assert.deepEqual((await run([file])).hints, [
      `The answer of the token endpoint ${endpoint} has no "access_token" that can be sent`,
    ]);
  }));

Deno.test("fw token says what is wrong with a service key, without showing it", () =>
  withProject({
    "broken.json": '{"clientsecret": "hush',
    "empty.json": "{}",
    ".fwrc.json": "{}",
  }, async (folder) => {
    for (
      const [file, message] of [
        [`${folder}/broken.json`, `${folder}/broken.json: Not valid JSON`],
        [`${folder}/empty.json`, `The credentials lack "clientid"`],
        [`${folder}/nowhere.json`, `${folder}/nowhere.json: No such file`],
        [
          folder,
          'The application is bound to no identity service: "fw.requires.auth" has no credentials of one (fw add oidc)',
        ],
      ]
    ) {
      assert.deepEqual(await run([file]), { code: 1, out: [], hints: [message] });
    }
  }));

Deno.test("fw token finds credentials behind the words of the platform's command line", () =>
  withPlainServer((server) => {
    const key = JSON.stringify({ credentials: { ...OAUTH2, url: server.url } });
    return withProject(
      { "key.json": `Getting key test for service instance auth ...\n\n${key}` },
      async (folder) => {
        assert.deepEqual((await run([`${folder}/key.json`])).out, ["aaa.bbb.ccc"]);
      },
    );
  }));

Deno.test("fw token uses the binding of a project; of two it wants to know which", () =>
  withPlainServer((server) => {
    const oauth2 = { ...OAUTH2, url: server.url };
    const project = (auth: unknown) => ({ ".fwrc.json": JSON.stringify({ requires: { auth } }) });
    return withProject(project({ kind: "xsuaa", credentials: oauth2 }), async (folder) => {
      assert.deepEqual((await run([folder])).out, ["aaa.bbb.ccc"]);
      assert.deepEqual((await run([folder, "--kind", "oidc"])).hints, [
        "The application is bound to no identity service of kind oidc",
      ]);
      await withProject(
        project({ kind: ["oidc", "oauth2"], credentials: { oidc: OIDC, oauth2 } }),
        async (both) => {
          assert.deepEqual((await run([both])).hints, [
            "The application is bound to two identity services: choose oidc or oauth2",
          ]);
          assert.deepEqual((await run([both, "--kind", "oauth2"])).out, ["aaa.bbb.ccc"]);
        },
      );
      await withProject({}, async (empty) => {
        const bound = await startProcess({
          args: ["src/cli/mod.ts", "token", empty],
          variables: { VCAP_SERVICES: JSON.stringify({ xsuaa: [{ name: "auth", credentials: oauth2 }] }) },
        }).ended;
        assert.deepEqual(bound, { code: 0, output: "aaa.bbb.ccc\n" });
      });
    });
  }));

Deno.test("fw token speaks mutual TLS with a key of the OIDC service, and writes its PEM files [5.3.1] [5.3.3]", () =>
  withMutualTlsServer((server, { authority, client }) => {
    const oneLine = (text: string) => text.replaceAll("\n", "\\n");
    const key = { ...OIDC, url: server.url, certificate: oneLine(client.pem), key: oneLine(client.key) };
    const files = { "key.json": JSON.stringify(key), "authority.pem": authority.pem, "pem/key.pem": "old" };
    return withProject(files, async (folder) => {
      await Deno.chmod(`${folder}/pem/key.pem`, 0o644);
      const writePem = (to: string) =>
        startProcess({
          args: ["src/cli/mod.ts", "token", `${folder}/key.json`, "--pem", `${folder}/${to}`],
          variables: { DENO_CERT: `${folder}/authority.pem` },
        }).ended;
      const [{ code, output }] = await Promise.all([writePem("pem"), writePem("new")]);
      assert.equal((await Deno.stat(`${folder}/new`)).mode! & 0o777, 0o700);
      assert.equal(output, `${ANSWER.access_token}\n`);
      assert.equal(code, 0);
      assert.deepEqual(server.calls.map(({ path, subject }) => ({ path, subject })), [
        ...Array(2).fill({ path: "/oauth2/token", subject: "bookshop" }),
      ]);
      for (const to of ["pem", "new"]) {
        for (const [name, text] of [["certificate", client.pem], ["key", client.key]]) {
          const path = `${folder}/${to}/${name}.pem`;
          assert.equal(await Deno.readTextFile(path), text);
          assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
        }
      }
      const { code: failed, hints } = await run([`${folder}/key.json`]);
      assert.equal(failed, 1);
      assert.match(hints[0], /\/oauth2\/token could not be reached: .*certificate/);
    });
  }));

Deno.test("fw help token tells that service keys are not shared and are deleted after tests [5.2.13]", async () => {
  const { code, output } = await runCommand("help", "token");
  assert.equal(code, 0);
  assert.match(
    output,
    /Service keys and tokens belong to one person: share neither, and delete a\s+key that was made/,
  );
  assert.equal((await runCommand("token", "--help")).output, output);
});
