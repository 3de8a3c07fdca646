/**
 * What people are told about typical mistakes; `-- --update` writes it down, to be read: does it say what, where, and what to
 * do?
 */

import assert from "node:assert/strict";
import { loadProject } from "../../src/deno/load_project.ts";
import { describeFailure } from "../../src/cli/describe_mistakes.ts";
import { shownError } from "../../src/cli/terminal_text.ts";
import { withProject } from "../deno/project.ts";
import { runCommand } from "../cli/run_command.ts";
import { ASKED, COMMAND_LINES, REQUESTS, STARTS } from "./cases.ts";

const FILE = new URL("./messages.json", import.meta.url);
const updates = Deno.args.includes("--update");
const SILENT = { log: { levels: { default: "warn" } } };

type Told = Record<string, string>;
const expected: Record<string, Told> = updates ? {} : JSON.parse(Deno.readTextFileSync(FILE));

/** Compares what is told with what is written down. */
function check(group: string, told: Told): void {
  if (!updates) return assert.deepEqual(told, expected[group]);
  expected[group] = told;
  Deno.writeTextFileSync(FILE, `${JSON.stringify(expected, null, 2)}\n`);
}

/** Without what differs by run and version of Deno: folders, colours, and what Deno shows of a file that is no module. */
function settled(text: string, folder: string): string {
  const plain = stripAnsiCode(text).replace(/(?<=cannot be loaded: [^\n]*)\n[\s\S]*/, "");
  return plain.replaceAll(Deno.realPathSync(folder), "").replaceAll(folder, "").replaceAll(Deno.cwd(), "")
    .trim();
}

function stripAnsiCode(text: string): string {
  // deno-lint-ignore no-control-regex -- that is what colours are made of
  return text.replace(/\x1b\[[0-9;]*m/g, "");
}

async function startOf(files: Readonly<Record<string, string>>): Promise<string> {
  let told = "";
  await withProject(files, async (folder) => {
    const warnings: string[] = [];
    const { warn } = console;
    console.warn = (...parts: unknown[]) => void warnings.push(parts.join(" "));
    try {
      const project = await loadProject(folder, { variables: {}, env: SILENT });
      await project.runtime.start();
      await project.runtime.close();
      told = settled(warnings.join("\n"), folder) || "starts without a word";
    } catch (error) {
      told = settled(describeFailure(error) ?? shownError(error).split("\n")[0]!, folder);
    } finally {
      console.warn = warn;
    }
  });
  return told;
}

Deno.test("mistakes in models, configuration, rows and handlers are told with their place", async () => {
  const told: Told = {};
  for (const [name, files] of Object.entries(STARTS)) told[name] = await startOf(files);
  check("starts", told);
});

Deno.test("mistakes on the command line are told with the nearest word", async () => {
  const told: Told = {};
  for (const line of COMMAND_LINES) {
    await withProject({}, async (folder) => {
      const { code, output } = await runCommand(...line.split(" ").filter((word) => word !== ""));
      told[`fw ${line}`] = `${code}: ${settled(output, folder).split("\n")[0]}`;
    });
  }
  check("commands", told);
});

Deno.test("mistakes in requests are told with what was found and what was expected", () =>
  withProject(ASKED, async (folder) => {
    const told: Told = {};
    const { runtime } = await loadProject(folder, {
      variables: {},
      env: { log: { levels: { default: "silent" } } },
    });
    for (const [method, path, body] of REQUESTS) {
      const headers: HeadersInit = body === undefined ? [] : [["content-type", "application/json"]];
      const request = new Request(`http://localhost/odata/v4/cat/${path}`, { method, body, headers });
      const response = await runtime.fetch(request);
      const { error } = JSON.parse(await response.text() || "{}");
      const { code, message, target, details } = error ?? {};
      const parts = [
        String(response.status),
        code,
        target,
        message,
        ...details?.map((one: { message: string }) => one.message) ?? [],
      ];
      told[[method, path, body].filter((part) => part !== undefined).join(" ")] = parts.filter(Boolean).join(
        " | ",
      );
    }
    await runtime.close();
    check("requests", told);
  }));

Deno.test("there are a hundred and twenty of them, and none is passed over in silence", () => {
  const all = Object.values(expected).flatMap((told) => Object.entries(told));
  assert.ok(all.length >= 120, String(all.length));
  for (const [name, text] of all) {
    assert.doesNotMatch(text, /^starts without a word/, name);
    assert.ok(text.length > 20, `${name}: ${text}`);
  }
});
