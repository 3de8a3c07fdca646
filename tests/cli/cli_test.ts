import assert from "node:assert/strict";
import { COMMANDS } from "../../src/cli/commands.ts";
import { parseCommand } from "../../src/cli/parse_command.ts";
import { REPOSITORY, SMALL, startCli, withProject } from "../deno/project.ts";
import { runCommand } from "./run_command.ts";

Deno.test("parseCommand() splits name, words and options", () => {
  assert.deepEqual(parseCommand(["serve", "shop", "--port", "8080", "--profile=test"]), {
    name: "serve",
    words: ["shop"],
    options: { port: "8080", profile: "test" },
  });
  assert.equal(parseCommand(["serve", "--help"]).name, "help");
  assert.equal(parseCommand([]).name, "");
});

Deno.test("parseCommand() refuses unknown options and missing values", () => {
  assert.throws(() => parseCommand(["serve", "--prot", "1"]), {
    message: 'Unknown option "--prot"; did you mean "--port"?',
  });
  assert.throws(() => parseCommand(["serve", "--port"]), { message: "Expected a value after --port" });
  assert.throws(() => parseCommand(["deploy", "--to", "--dry-run"]), {
    message: "Expected a value after --to",
  });
  assert.throws(() => parseCommand(["deploy", "--allow-loss=false"]), {
    message: 'The option "--allow-loss" takes no value',
  });
  assert.throws(() => parseCommand(["init", "-f"]), { message: 'Unknown option "-f"' });
});

Deno.test("parseCommand() knows the short forms, and passes over the -- of tasks", () => {
  assert.deepEqual(parseCommand(["init", "-h"]).words, ["init"]);
  assert.equal(parseCommand(["-V"]).name, "version");
  assert.deepEqual(parseCommand(["watch", "--", "--port", "1"]), {
    name: "watch",
    words: [],
    options: { port: "1" },
  });
  assert.deepEqual(parseCommand(["import", "a", "--dest", "-"]).options, { dest: "-" });
});

Deno.test("fw explains itself, and ends with code 2 for what it does not know", async () => {
  const help = await startCli("help").ended;
  assert.equal(help.code, 0);
  assert.match(help.output, /^Usage: fw <command> \[folder\] \[options\]\n\n {2}fw /);
  for (const name of Object.keys(COMMANDS)) assert.match(help.output, new RegExp(`\n {2}fw ${name} +\\S`));
  for (
    const [args, message] of [
      [["srve"], /^Unknown command "srve"; did you mean "serve"\?\n\nUsage/],
      [["serve", "--prt=1"], /^Unknown option "--prt"; did you mean "--port"\?\n\nUsage/],
      [["build", "--port", "1"], /^fw build takes no option "--port"\n\nUsage: fw build/],
      [["help", "srve"], /^Unknown command "srve"; did you mean "serve"\?\n\nUsage/],
      [["init", "a", "b"], /^fw init takes one argument, but found "a", "b"\n\nUsage: fw init/],
      [["serve", "--port", "99999"], /^Expected a port number after --port, but found "99999"/],
      [["watch", "--port", "x"], /^Expected a port number after --port, but found "x"/],
    ] as const
  ) {
    const { code, output } = await runCommand(...args);
    assert.equal(code, 2);
    assert.match(output, message);
  }
});

Deno.test("the README names all commands", async () => {
  const readme = await Deno.readTextFile(`${REPOSITORY}/README.md`);
  for (const name of Object.keys(COMMANDS)) assert.match(readme, new RegExp(`^\\| \`fw ${name}\\b`, "m"));
});

Deno.test("fw env prints what is in effect and masks secrets", async () => {
  const files = {
    ".fwrc.json": JSON.stringify({
      requires: {
        auth: { kind: "mocked", users: { zoe: { password: "pw-1", attr: { countries: [["DE"]] } } } },
        db: { kind: "sqlite", credentials: { url: "postgres://me:pw-2@host/db" } },
        remote: { kind: "odata", credentials: { clientid: "c", clientsecret: "pw-3", apiKey: "pw-4" } },
      },
    }),
  };
  await withProject(files, async (folder) => {
    const { code, output } = await runCommand("env", folder);
    assert.equal(code, 0);
    const { requires, server } = JSON.parse(output);
    assert.equal(server.messages_header, "fw-messages");
    assert.deepEqual(requires.auth.users.zoe, { password: "***", attr: { countries: [["DE"]] } });
    assert.equal(requires.db.credentials.url, "postgres://***@host/db");
    assert.deepEqual(requires.remote.credentials, { clientid: "c", clientsecret: "***", apiKey: "***" });
    assert.doesNotMatch(output, /pw-/);
  });
  await withProject({ ".fwrc.json": "{" }, async (folder) => {
    const { code, output } = await runCommand("env", folder);
    assert.equal(code, 1);
    assert.match(output, /^\.fwrc\.json:1: Not valid JSON/);
  });
});

Deno.test("fw env names the kinds that count where none is named, of the profile asked for", async () => {
  const configuration = {
    requires: { messaging: { "[production]": {} }, db: { "[production]": { kind: "postgres" } } },
  };
  await withProject({ ".fwrc.json": JSON.stringify(configuration) }, async (folder) => {
    const kinds = async (...args: string[]) => {
      const { output } = await startCli("env", folder, ...args).ended;
      const { requires: { db, messaging } } = JSON.parse(output);
      return [db.kind, messaging.kind];
    };
    assert.deepEqual(await kinds(), ["sqlite", "file-based-messaging"]);
    assert.deepEqual(await kinds("--profile", "production"), ["postgres", "enterprise-messaging"]);
  });
});

Deno.test("fw serve ends with code 1 for a folder without model", async () => {
  const { code, output } = await runCommand("serve", "/nowhere");
  assert.equal(code, 1);
  assert.match(
    output,
    /Cannot start: No model found: expected \.cds files in \/nowhere\/db or \/nowhere\/srv/,
  );
});

Deno.test("fw watch starts again when a .cds, .ts or .csv file changes, and survives a wrong model", async () => {
  await withProject(SMALL, async (folder) => {
    const watch = startCli("watch", folder);
    let url = "";
    const value = async (path: string) => {
      url = (await watch.waitFor(/listening on (http:\S+)/))[1];
      return (await (await fetch(`${url}/odata/v4/cat/${path}`)).json()).value;
    };
    const write = (file: string, from: string, to: string) =>
      Deno.writeTextFile(`${folder}/${file}`, SMALL[file].replace(from, to));
    try {
      assert.equal(await value("hello()"), "one");
      await write("srv/cat_service.ts", '"one"', '"two"');
      await watch.waitFor(/cat_service\.ts changed, starting again/);
      assert.equal(await value("hello()"), "two");
      await write("db/data/shop-Books.csv", "2;Persuasion\n", "");
      assert.deepEqual(await value("Books"), [{ ID: 1, title: "Emma" }]);
      await write("db/schema.cds", "title :", "titel :");
      await watch.waitFor(/Cannot start: \S*shop-Books\.csv:1\b/);
      await write("db/schema.cds", "title : String(40);", "title : String(40); pages : Integer;");
      assert.deepEqual(await value("Books"), [{ ID: 1, title: "Emma", pages: null }]);
      watch.kill("SIGTERM");
      assert.equal((await watch.ended).code, 0);
      await assert.rejects(fetch(url));
    } finally {
      await watch.close();
    }
  });
});
