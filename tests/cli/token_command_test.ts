/** Words of `fw token` that cannot be followed: nobody is asked for a token (spec 5.3). */

import assert from "node:assert/strict";
import { tokenCommand } from "../../src/cli/token_command.ts";
import { OAUTH2, OIDC } from "../auth/token_client/service_keys.ts";
import { withProject } from "../deno/project.ts";

type Options = Readonly<Record<string, string | true>>;

/** Runs the command where everything is in vain: no service is there. */
async function ended(words: readonly string[], options: Options = {}, variable?: string) {
  const told: string[] = [];
  const code = await tokenCommand({ name: "token", words, options }, {
    print: (line) => told.push(`printed ${line}`),
    hint: (line) => told.push(line),
    isPerson: false,
    readInput: () => Promise.resolve(""),
    variable: () => variable,
  });
  return [code, told.join("\n")] as const;
}

const KEYS = {
  "key.json": JSON.stringify({ ...OAUTH2, url: "http://127.0.0.1:1" }),
  "odd.json": "{",
  "oidc.json": JSON.stringify(OIDC),
};

Deno.test("mistakes of the caller end with 2, all others with 1", () =>
  withProject(KEYS, async (folder) => {
    const key = [`${folder}/key.json`];
    const more = "; see fw help token";
    const cases:
      readonly (readonly [words: readonly string[], options: Options, code: number, told: string])[] = [
        [key, { kind: "ldap" }, 2, `Expected oidc or oauth2 after --kind, but found "ldap"${more}`],
        [["a", "b"], {}, 2, `Expected one file or folder, but found 2${more}`],
        [
          key,
          { grant: "code" },
          2,
          `Expected client_credentials or password after --grant, but found "code"${more}`,
        ],
        [
          key,
          { grant: "client_credentials", user: "zoe" },
          2,
          `The grant client_credentials is for no user: leave --user out${more}`,
        ],
        [key, { grant: "password" }, 2, `The grant password needs --user${more}`],
        [
          key,
          { user: "zoe" },
          2,
          `Expected the password in FW_TOKEN_PASSWORD, or on standard input with --password-stdin${more}`,
        ],
        [
          key,
          { user: "zoe", "password-stdin": true },
          2,
          `Expected the password in FW_TOKEN_PASSWORD, or on standard input with --password-stdin${more}`,
        ],
        [key, { pem: `${folder}/pem` }, 2, `These credentials have no certificate for --pem to write${more}`],
        [[`${folder}/none.json`], {}, 1, "No such file"],
        [[`${folder}/odd.json`], {}, 1, "Not valid JSON"],
        [[`${folder}/none`], {}, 1, "There is no such folder"],
      ];
    for (const [words, options, code, told] of cases) {
      const [was, text] = await ended(words, options);
      assert.deepEqual([was, text.endsWith(told)], [code, true], text);
    }
  }));

Deno.test("credentials of each kind are taken, with and without --kind", () =>
  withProject(KEYS, async (folder) => {
    const all: readonly Options[] = [{}, { kind: "oauth2" }, { user: "zoe", grant: "password" }];
    for (const options of all) {
      const [code, text] = await ended([`${folder}/key.json`], options, "secret");
      assert.equal(code, 1);
      assert.match(text, /refused|connect|token/i);
      assert.doesNotMatch(text, /fw help token|secret|hush/);
    }
    const [code, text] = await ended([`${folder}/oidc.json`], { kind: "oidc", grant: "x" });
    assert.deepEqual([code, /after --grant/.test(text)], [2, true]);
  }));

Deno.test("--pem writes certificate and key, readable by their owner only", () =>
  withProject({ ...KEYS, "pem/key.pem": "old" }, async (folder) => {
    await Deno.chmod(`${folder}/pem/key.pem`, 0o644);
    const url = "https://127.0.0.1:1";
    await Deno.writeTextFile(`${folder}/oidc.json`, JSON.stringify({ ...OIDC, url }));
    await ended([`${folder}/oidc.json`], { pem: `${folder}/pem` }).catch(() => undefined);
    for (const [name, begin] of [["certificate", "CERTIFICATE"], ["key", "RSA PRIVATE KEY"]]) {
      const file = `${folder}/pem/${name}.pem`;
      assert.match(await Deno.readTextFile(file), new RegExp(`^-----BEGIN ${begin}-----\n`));
      assert.equal((await Deno.stat(file)).mode! & 0o777, 0o600);
    }
  }));
