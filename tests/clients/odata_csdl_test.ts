import assert from "node:assert/strict";
import csdl from "odata-csdl";
import { ALICE } from "./generated_client.ts";
import { withProject } from "../deno/project.ts";
import { type ClientServer, serveBookshop, serveFolder, serveReference } from "./servers.ts";
import { SHOP } from "./shop.ts";

const EVERY_KIND = await Deno.readTextFile(new URL("./every_kind.cds", import.meta.url));

/** What members mean that are absent (CSDL JSON 4.01 clauses 7.2.3, 12.5 and 12.8). */
const DEFAULTS: Readonly<Record<string, unknown>> = {
  $IsBound: false,
  $IsComposable: false,
  $Scale: "variable",
};

/** Without members that have the value that they have by default. */
function withoutDefaults(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDefaults);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, inner]) => !(name in DEFAULTS && DEFAULTS[name] === inner))
      .map(([name, inner]) => [name, withoutDefaults(inner)]),
  );
}

async function compare(url: string, version: string): Promise<void> {
  const headers = { ...ALICE, "odata-maxversion": version };
  const read = async (format: string) =>
    await (await fetch(`${url}/$metadata?$format=${format}`, { headers })).text();
  const messages: unknown[] = [];
  const converted = csdl.xml2json(await read("xml"), { messages, annotations: true });
  assert.deepEqual(messages, []);
  const { $Version } = converted;
  assert.equal($Version, version);
  assert.deepEqual(withoutDefaults(JSON.parse(await read("json"))), converted);
}

/** Services of a server, their paths, and how to start it. */
const SERVERS: Readonly<Record<string, readonly [readonly string[], (run: Run) => Promise<void>]>> = {
  bookshop: [["/odata/v4/admin", "/odata/v4/catalog"], (run) => using(serveBookshop(), run)],
  reference: [[""], (run) => using(serveReference(), run)],
  "a model with every kind": [
    ["/odata/v4/every-kind"],
    (run) => withProject({ "srv/every_kind.cds": EVERY_KIND }, (folder) => using(serveFolder(folder), run)),
  ],
  shop: [["/odata/v4/shop"], (run) => withProject(SHOP, (folder) => using(serveFolder(folder), run))],
};

type Run = (server: ClientServer) => Promise<void>;

async function using(starting: Promise<ClientServer>, run: Run): Promise<void> {
  const server = await starting;
  try {
    await run(server);
  } finally {
    await server.stop();
  }
}

for (const [name, [paths, serve]] of Object.entries(SERVERS)) {
  Deno.test(`CSDL XML of ${name}, converted by odata-csdl, equals its CSDL JSON in 4.0 and 4.01`, () =>
    serve(async ({ url }) => {
      for (const path of paths) {
        for (const version of ["4.0", "4.01"]) await compare(`${url}${path}`, version);
      }
    }));
}
