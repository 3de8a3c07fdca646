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
import { ASKED, type Asked, COMMAND_LINES, REQUESTS, STARTS } from "./cases.ts";
import { FURTHER_STARTS } from "./further_cases.ts";
import { TYPICAL_STARTS } from "./typical_cases.ts";
import {
  FURTHER_COMMANDS,
  FURTHER_PROJECT,
  FURTHER_REQUESTS,
  HANDLER_LINES,
  withHandler,
} from "./further_requests.ts";
import { findModelFiles } from "../../src/deno/find_model_files.ts";
import { loadModel } from "../../src/deno/load_model.ts";
import { readConfiguration } from "../../src/deno/read_configuration.ts";
import { inferModel } from "../../src/model/infer_model.ts";
import { modelWarnings } from "../../src/model/warnings/model_warnings.ts";
import type { Runtime } from "../../mod.ts";

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
      warnings.push(...await remarksOf(folder));
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

/** What `fw watch` prints about a model. */
async function remarksOf(folder: string): Promise<readonly string[]> {
  const files = findModelFiles(folder, readConfiguration(folder).env);
  if (files.length === 0) return [];
  const model = await loadModel(files);
  return modelWarnings(model, inferModel(model)).map(({ text, location }) =>
    `${location?.file}:${location?.line}:${location?.col}: ${text}`
  );
}

Deno.test("mistakes in models, configuration, rows and handlers are told with their place", async () => {
  const told: Told = {};
  for (const [name, files] of Object.entries({ ...STARTS, ...FURTHER_STARTS, ...TYPICAL_STARTS })) {
    told[name] = await startOf(files);
  }
  check("starts", told);
});

/** What a command tells that is typed in a folder with files. */
async function toldBy(line: string, files: Readonly<Record<string, string>>): Promise<string> {
  let told = "";
  await withProject(files, async (folder) => {
    const { code, output } = await runCommand(
      ...line.replaceAll("{}", folder).split(" ").filter((word) => word !== ""),
    );
    told = `${code}: ${settled(output, folder).split("\n")[0]}`;
  });
  return told;
}

Deno.test("mistakes on the command line are told with the nearest word", async () => {
  const told: Told = {};
  for (const line of COMMAND_LINES) told[`fw ${line}`] = await toldBy(line, {});
  for (const line of FURTHER_COMMANDS) told[`fw ${line}`] = await toldBy(line, FURTHER_PROJECT);
  check("commands", told);
});

async function answerTo(runtime: Pick<Runtime, "fetch">, [method, path, body]: Asked): Promise<string> {
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
  return parts.filter(Boolean).join(" | ");
}

Deno.test("mistakes in requests are told with what was found and what was expected", async () => {
  const told: Told = {};
  for (const [files, requests] of [[ASKED, REQUESTS], [FURTHER_PROJECT, FURTHER_REQUESTS]] as const) {
    await withProject(files, async (folder) => {
      const env = { log: { levels: { default: "silent" } } };
      const { runtime } = await loadProject(folder, { variables: {}, env });
      for (const asked of requests) {
        told[asked.filter((part) => part !== undefined).join(" ")] = await answerTo(runtime, asked);
      }
      await runtime.close();
    });
  }
  check("requests", told);
});

Deno.test("mistakes in queries of handlers are told in the log, with the line", async () => {
  const told: Told = {};
  for (const [name, line] of Object.entries(HANDLER_LINES)) {
    await withProject(withHandler(line), async (folder) => {
      const logged: string[] = [];
      const { warn, error } = console;
      console.warn = console.error = (...parts: unknown[]) => void logged.push(parts.join(" "));
      try {
        const { runtime } = await loadProject(folder, { variables: {}, env: SILENT });
        const answer = await answerTo(runtime, ["POST", "order", '{"book":1}']);
        await runtime.close();
        told[name] = [answer, ...firstLines(settled(logged.join("\n"), folder))].join(" | ");
      } finally {
        Object.assign(console, { warn, error });
      }
    });
  }
  check("queries", told);
});

/** What happened, and the first frame, where it is one of the project. */
function firstLines(text: string): readonly string[] {
  const [first = "", second = ""] = text.replace(/ \([0-9a-f-]{36}\)/g, "").split("\n");
  return [first, second.trim()].filter((line, at) => at === 0 ? line !== "" : line.includes("/srv/"));
}

Deno.test("there are three hundred of them, and none is passed over in silence", () => {
  const all = Object.values(expected).flatMap((told) => Object.entries(told));
  assert.ok(all.length >= 300, String(all.length));
  for (const [name, text] of all) {
    assert.doesNotMatch(text, /^starts without a word/, name);
    assert.ok(text.length > 20, `${name}: ${text}`);
  }
});
