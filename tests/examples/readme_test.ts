import assert from "node:assert/strict";
import { snippets } from "./manual.ts";
import { REPOSITORY } from "../deno/project.ts";
import { type RunningProcess, startProcess, urlOf } from "../deno/project_processes.ts";

/** Starts both examples and removes what they leave behind. */
async function withExamples(test: (bookshop: string, reviews: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "fw-examples-" });
  const start = (example: string) =>
    startProcess({
      args: [`examples/${example}/main.ts`],
      variables: { FW_REQUIRES_MESSAGING_FILE: `${folder}/box` },
    });
  const processes: readonly RunningProcess[] = [start("bookshop"), start("reviews")];
  try {
    await test(await urlOf(processes[0]), await urlOf(processes[1]));
  } finally {
    for (const process of processes) await process.close();
    await Deno.remove(folder, { recursive: true });
  }
}

/** A text with the addresses of here in place of those printed; both at once, as one may begin like the other. */
function atHere(text: string, urls: Readonly<Record<string, string>>): string {
  return text.replace(/http:\/\/localhost:(\d+)/g, (printed, port) => urls[port] ?? printed);
}

/** A command of the README, and what its output must show. */
const EXPECTED: readonly (readonly [command: RegExp, output: RegExp])[] = [
  [
    /contains\(title,'Time'\)/,
    /"value":\[\{"ID":221,"title":"The Time Machine","author":\{"name":"H\. G\. Wells"/,
  ],
  [/curl -i http\S+admin/, /^HTTP\/1\.1 401 [\s\S]*\{"error":\{"code":"401","message":"Unauthorized"\}\}/],
  [/curl -i -u bob:/, /^HTTP\/1\.1 403 [\s\S]*\{"error":\{"code":"403","message":"Forbidden"\}\}/],
  [/The Moonstone/, /"createdBy":"mock\/alice".*"ID":\d+,"title":"The Moonstone"/],
  [/"quantity":2\}/, /"stock":10\}/],
  [/-u fred:/, /"title":"Wuthering Heights","isbn":"9780141439556"/],
  [/Accept-Language: de/, /"code":"SOLD_OUT","message":"Nur noch 10 Exemplare sind da"/],
  [/\$batch/, /"title":"Jane Eyre".*"id":"2","status":200/],
  [/\$metadata/, /<Schema Namespace="CatalogService"/],
  [/"rating":5/, /"createdBy":"mock\/bob".*"rating":5/],
  [/select=rating,reviews/, /"rating":4\.7,"reviews":3/],
];

async function run(command: string): Promise<string> {
  const { stdout } = await new Deno.Command("sh", { args: ["-c", command], stderr: "null" }).output();
  return new TextDecoder().decode(stdout);
}

const hasCurl = (await run("command -v curl")) !== "";
if (!hasCurl) console.log("skipped: the lines of the README need curl, which is not installed here");

Deno.test({
  name: "the curl lines of the manual and the README work as printed",
  ignore: !hasCurl,
  fn: () =>
    withExamples(async (bookshop, reviews) => {
      const pages = ["docs/guides/first_requests.md", "docs/guides/events.md"];
      const commands = snippets("sh").filter(({ page }) => pages.includes(page))
        .toSorted((a, b) => pages.indexOf(a.page) - pages.indexOf(b.page))
        .map(({ text }) => text.trim()).filter((text) => text.startsWith("curl "));
      assert.equal(commands.length, EXPECTED.length);
      const shown = snippets("sh").filter(({ page }) => page === "README.md");
      for (const { text } of shown.filter(({ text }) => text.startsWith("curl "))) {
        assert.ok(commands.includes(text.trim()), "the README shows requests of the manual");
      }
      for (const [i, command] of commands.entries()) {
        const [pattern, expected] = EXPECTED[i];
        assert.match(command, pattern);
        const here = atHere(command, { 4004: bookshop, 4005: reviews });
        let output = await run(here);
        // events arrive a little later
        for (let tries = 0; /rating,reviews/.test(here) && tries < 600 && !expected.test(output); tries++) {
          await new Promise((resolve) => setTimeout(resolve, 100));
          output = await run(here);
        }
        assert.match(output, expected, command);
      }
    }),
});

/** Requests of an `.http` file: separated by `###`, a line, headers, an empty line, a body. */
function parseHttpFile(text: string): readonly { readonly title: string; readonly request: Request }[] {
  return text.split(/^###/m).filter((part) => part.trim() !== "").map((part) => {
    const [head, ...body] = part.split(/\n\n/);
    const [title, line, ...headers] = head.trim().split("\n");
    const [, method, url] = /^(\w+) (.+)$/.exec(line)!;
    // editors encode the login
    const entries = headers.map((header) => {
      const [, name, value] = /^([^:]+): (.*)$/.exec(header)!;
      return [name, value.replace(/^Basic (.*)$/, (_, login) => `Basic ${btoa(login)}`)] as [string, string];
    });
    const text = body.join("\n\n").trim();
    return { title, request: new Request(url, { method, headers: entries, body: text || undefined }) };
  });
}

Deno.test("the requests of requests.http are answered as their titles say", () =>
  withExamples(async (bookshop, reviews) => {
    const file = await Deno.readTextFile(`${REPOSITORY}examples/bookshop/requests.http`);
    const text = atHere(file, { 4004: bookshop, 4005: reviews });
    const found: Record<string, number> = {};
    for (const { title, request } of parseHttpFile(text)) {
      const response = await fetch(request);
      const body = await response.text();
      if (/German/.test(title)) assert.match(body, /Sturmhöhe|Nur noch/);
      found[title] = response.status;
    }
    assert.deepEqual(Object.values(found), [200, 200, 401, 403, 201, 200, 409, 200, 201]);
  }));
