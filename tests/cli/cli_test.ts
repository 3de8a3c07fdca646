import assert from "node:assert/strict";
import { COMMANDS } from "../../src/cli/commands.ts";
import { parseCommand } from "../../src/cli/parse_command.ts";
import { REPOSITORY, SMALL, withProject } from "../deno/project.ts";
import { startCli } from "../deno/project_processes.ts";
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
  for (const short of ["-v", "-V"]) assert.equal(parseCommand([short]).name, "version");
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
      [["srve"], /^Unknown command "srve"; did you mean "serve"\? \(fw help\)$/],
      [["serve", "--prt=1"], /^Unknown option "--prt"; did you mean "--port"\? \(fw help serve\)$/],
      [
        ["build", "--port", "1"],
        /^fw build takes no option "--port", but --module, --server, .*, --profile \(fw help build\)$/,
      ],
      [["help", "srve"], /^Unknown command "srve"; did you mean "serve"\? \(fw help\)$/],
      [["xyzzy"], /^Unknown command "xyzzy": expected one of init, add, .* \(fw help\)$/],
      [
        ["init", "a", "b"],
        /^fw init takes one argument, but found "a", "b": what has blanks stands in quotes \(fw help init\)$/,
      ],
      [
        ["serve", "--port", "99999"],
        /^Expected a port number after --port, but found "99999" \(fw help serve\)$/,
      ],
      [["watch", "--port", "x"], /^Expected a port number after --port, but found "x" \(fw help watch\)$/],
      [["compile", "--to", "sq"], /^Unknown format "sq"; did you mean "sql"\? \(fw help compile\)$/],
      [["compile", "--to"], /^Expected a value after --to \(fw help compile\)$/],
      [["add", "postgre"], /^Unknown addition "postgre"; did you mean "postgres"\? \(fw help add\)$/],
      [["add"], /^fw add needs what to add: .* \(fw help add\)$/],
      [["queue", "lst"], /^Unknown action "lst"; did you mean "list"\? \(fw help queue\)$/],
      [["queue", "show"], /^fw queue show needs the id of a message \(fw help queue\)$/],
      [["completions", "bsh"], /^Unknown shell "bsh"; did you mean "bash"\? \(fw help completions\)$/],
      [["import"], /^fw import needs the metadata of a service: a file, or a URL \(fw help import\)$/],
    ] as const
  ) {
    const { code, output } = await runCommand(...args);
    assert.equal(code, 2, args.join(" "));
    assert.match(output.replace(/\n$/, ""), message, "one line, without colours where nobody sees them");
  }
});

Deno.test("fw help has usage and examples of every command", async () => {
  for (const name of Object.keys(COMMANDS)) {
    const { code, output } = await runCommand("help", name);
    assert.equal(code, 0);
    assert.match(output, new RegExp(`^Usage: fw ${name}\\b`), name);
    assert.match(output, new RegExp(`\nExamples?:(?:.*\n)*? *(?:Examples?: )?.*\\bfw ${name}\\b`), name);
  }
});

Deno.test("the manual names all commands", async () => {
  const page = await Deno.readTextFile(`${REPOSITORY}/docs/reference/cli.md`);
  for (const name of Object.keys(COMMANDS)) assert.match(page, new RegExp(`^\\| \`fw ${name}\\b`, "m"));
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

Deno.test("fw env says what the channel of a project promises, with all conditions [design 7]", async () => {
  const files = {
    ".fwrc.json": JSON.stringify({ requires: { messaging: { kind: "file-based-messaging" } } }),
  };
  await withProject(files, async (folder) => {
    const { output } = await runCommand("env", folder);
    const { delivery, survives, notice } = JSON.parse(output).requires.messaging.guarantees;
    assert.deepEqual({ delivery, survives }, { delivery: "at-least-once", survives: "process crash" });
    assert.match(notice, /^At least once per consumer group/);
  });
});

Deno.test("fw serve ends with code 1 for a folder without model", async () => {
  const { code, output } = await runCommand("serve", "/nowhere");
  assert.equal(code, 1);
  assert.match(
    output,
    /Cannot start: \/nowhere: There is no such folder/,
  );
});

Deno.test("fw watch leaves no gap: the old server answers until the new one does, and ends with fw watch", async () => {
  const listener = Deno.listen({ port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  await withProject(SMALL, async (folder) => {
    const watch = startCli("watch", folder, "--port", String(port));
    try {
      await watch.waitFor(/listening on/);
      const answers: string[] = [];
      // each on a connection of its own: none is kept from one server to the next
      const ask = async () => {
        const connection = await Deno.connect({ port });
        const head =
          `GET /odata/v4/cat/hello() HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`;
        await connection.write(new TextEncoder().encode(head));
        const text = await new Response(connection.readable).text();
        answers.push(/"value":"(\w+)"/.exec(text)?.[1] ?? text);
      };
      await ask();
      await Deno.writeTextFile(
        `${folder}/srv/cat_service.ts`,
        SMALL["srv/cat_service.ts"].replace('"one"', '"two"'),
      );
      while (answers.at(-1) !== "two" && answers.length < 2_000) {
        await ask();
        // a start needs the processor, too
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      await watch.waitFor(/listening on/);
      for (let i = 0; i < 20; i++) await ask();
      assert.equal(answers.at(-1), "two");
      assert.deepEqual([...new Set(answers)], ["one", "two"]);
      assert.ok(answers.indexOf("two") > 1, "the old one answered while the new one started");
      // nothing is asked to end by a kill: the server notices that its input has ended
      watch.kill("SIGKILL");
      await watch.ended;
      await assert.rejects(Deno.connect({ port }));
    } finally {
      await watch.close();
    }
  });
});

Deno.test("fw watch starts again once when a .cds, .ts or .csv file changes, not for tests, and survives a wrong model", async () => {
  const files = { ...SMALL, ".fwrc.json": JSON.stringify({ types: "srv/model.ts" }) };
  await withProject(files, async (folder) => {
    const watch = startCli("watch", folder);
    let url = "";
    const value = async (path: string, listening = /listening on (http:\S+)/) => {
      const found = await watch.waitFor(listening);
      url = found[1] ?? found[2];
      return (await (await fetch(`${url}/odata/v4/cat/${path}`)).json()).value;
    };
    const write = (file: string, from: string, to: string) =>
      Deno.writeTextFile(`${folder}/${file}`, SMALL[file].replace(from, to));
    try {
      assert.equal(await value("hello()"), "one");
      await write("srv/cat_service.ts", '"one"', '"two"');
      await watch.waitFor(/cat_service\.ts changed, starting again/);
      assert.equal(await value("hello()"), "two");
      await Deno.writeTextFile(`${folder}/srv/cat_service_test.ts`, "");
      await write("db/data/shop-Books.csv", "2;Persuasion\n", "");
      assert.deepEqual(await value("Books"), [{ ID: 1, title: "Emma" }]);
      await write("db/schema.cds", "title :", "title ;");
      await watch.waitFor(/Cannot start: \S*schema\.cds:2\b/);
      await write("db/schema.cds", "title : String(40);", "title : String(40); pages : Integer;");
      // the server starts while types are written
      const both =
        /wrote \S*model\.ts[^]*listening on (http:\S+)|listening on (http:\S+)[^]*wrote \S*model\.ts/;
      assert.deepEqual(await value("Books", both), [{ ID: 1, title: "Emma", pages: null }]);
      assert.match(await Deno.readTextFile(`${folder}/srv/model.ts`), /pages/);
      assert.equal(watch.output().match(/starting again/g)?.length, 4, "own files and tests start nothing");
      watch.kill("SIGTERM");
      assert.equal((await watch.ended).code, 0);
      await assert.rejects(fetch(url));
    } finally {
      await watch.close();
    }
  });
});
