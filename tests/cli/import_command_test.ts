/** How `fw import` reads metadata documents, and what it says where it cannot. */

import assert from "node:assert/strict";
import { importCommand } from "../../src/cli/import_command.ts";
import { printedBy, withProject } from "../deno/project.ts";
import { runCommand } from "./run_command.ts";

const SHOP = JSON.stringify({
  $Version: "4.01",
  $EntityContainer: "Shop.Container",
  Shop: {
    Book: { $Kind: "EntityType", $Key: ["ID"], ID: { $Type: "Edm.Int32" } },
    close: [{ $Kind: "Action" }],
    Container: {
      Books: { $Collection: true, $Type: "Shop.Book" },
      close: { $Action: "Shop.close" },
    },
  },
});

/** Runs the command with a network that answers; gives what is printed and asked for. */
async function fetched(answer: () => Response | Promise<Response>, source: string) {
  const asked: string[] = [];
  const { fetch } = globalThis;
  globalThis.fetch = (url) => (asked.push(String(url)), Promise.resolve().then(answer));
  try {
    return { ...await runCommand("import", source, "--dest", "-"), asked };
  } finally {
    globalThis.fetch = fetch;
  }
}

Deno.test("metadata is asked for at the address of a service, of which a login is never told", async () => {
  const ok = () => new Response(SHOP);
  for (
    const [source, url] of [
      ["https://h/s", "https://h/s/$metadata"],
      ["https://h/s//", "https://h/s/$metadata"],
      ["http://h/s/$metadata", "http://h/s/$metadata"],
      ["https://h/s/$metadata?sap-language=de", "https://h/s/$metadata?sap-language=de"],
    ]
  ) {
    const { code, output, asked } = await fetched(ok, source);
    assert.deepEqual([code, asked], [0, [url]], output);
    assert.equal(JSON.parse(output).definitions.Shop.kind, "service");
  }
  const text = async (answer: () => Response) => (await fetched(answer, "https://me:secret@h/s")).output;
  for (
    const [answer, told] of [
      [() => new Response("", { status: 500 }), /\$metadata: Answered with status 500\n$/],
      [() => new Response("", { status: 401 }), /: Answered with status 401; a login stands in the URL: /],
      [() => {
        throw new TypeError("failed", { cause: new Error("refused") });
      }, /: Cannot be reached: refused\n$/],
      [() => {
        throw new TypeError("failed");
      }, /: Cannot be reached: failed\n$/],
    ] as const
  ) {
    const output = await text(answer);
    assert.match(output, told);
    assert.doesNotMatch(output, /secret/);
  }
});

Deno.test("a metadata document has 64 MiB at most", async () => {
  const MOST = 64 * 1024 * 1024;
  const part = new Uint8Array(1024 * 1024).fill(32);
  const sized = (more: number) => () => {
    const parts = [...Array.from({ length: 64 }, () => part), ...more ? [part.subarray(0, more)] : []];
    return new Response(ReadableStream.from(parts));
  };
  assert.match((await fetched(sized(1), "https://h")).output, new RegExp(`more than ${MOST} bytes\n$`));
  assert.match((await fetched(sized(0), "https://h")).output, /Expected a metadata document/);
});

Deno.test("a terminal shows what is read and imported while it is, but no login", async () => {
  const { isTerminal, writeSync } = Deno.stderr;
  let shown = "";
  Object.assign(Deno.stderr, {
    isTerminal: () => true,
    writeSync: (bytes: Uint8Array) => (shown += new TextDecoder().decode(bytes), bytes.length),
  });
  try {
    await fetched(() => new Response(SHOP.padEnd(1025)), "https://me:secret@h/s");
  } finally {
    Object.assign(Deno.stderr, { isTerminal, writeSync });
  }
  assert.deepEqual(shown.split("\r\x1b[K"), ["", "reading https://***@h/s", "", "importing 2 kB", ""]);
});

Deno.test("what is no metadata document is told with its place", () =>
  withProject({
    "a.txt": "text",
    "a.xml": "<Edmx\n <b>",
    "b.xml": "<a/>",
    "a.json": "{",
    "b.json": "{}",
  }, async (folder) => {
    const told = async (name: string) => {
      const { code, output } = await runCommand("import", `${folder}/${name}`, "--dest", "-");
      assert.equal(code, 1, output);
      return output.replaceAll(`${folder}/`, "");
    };
    assert.equal(await told("none"), "none: There is no such file: expected the metadata of a service\n");
    assert.equal(await told("a.txt"), "a.txt: Expected a metadata document: XML, or CSDL in JSON\n");
    assert.equal(
      await told("a.xml"),
      "a.xml:2:3: Not a metadata document in XML: Invalid attribute name\n  2 |  <b>\n    |   ^\n",
    );
    assert.match(await told("b.xml"), /^b\.xml: Not a metadata document in XML: .*\n$/);
    assert.match(await told("a.json"), /^a\.json/);
    assert.match(await told("b.json"), /^b\.json: /);
    const { code } = await runCommand("import");
    assert.equal(code, 2);
  }));

Deno.test("the model is written where it is wanted, and what to do with it is told", () =>
  withProject({ "a.json": `\uFEFF ${SHOP}` }, async (folder) => {
    const dest = `${folder}/new/shop.csn`;
    const words = [`${folder}/a.json`];
    const { code, output } = await printedBy(() =>
      importCommand({ name: "import", words, options: { dest, name: "Remote" } })
    );
    assert.equal(code, 0);
    assert.equal(JSON.parse(await Deno.readTextFile(dest)).definitions.Remote.kind, "service");
    assert.match(await Deno.readTextFile(dest), /^\{\n {2}"[^]*\}\n$/);
    const told = output.replaceAll(folder, "").split("\n");
    assert.deepEqual(told, [
      "wrote /new/shop.csn (1 entity, 1 operation)",
      "",
      "Use it in a model:          using { Remote } from '/new/shop';",
      'or, where none needs it:    "requires": { "Remote": { "kind": "odata", "model": "/new/shop" } }',
      'Say where the service is:   "requires": { "Remote": { "kind": "odata", "credentials": { "url": "https://…" } } }',
      'Call it:                    const srv = await fw.connect.to("Remote");',
      "",
    ]);
  }));
