/**
 * What a project consists of, as software bill of materials (CycloneDX 1.6): the packages of its lock file.
 *
 * @module
 */

import { ConfigurationError } from "../errors/configuration_error.ts";
import { decodeBase64 } from "../util/bytes.ts";
import { isPlainObject } from "../util/is_plain_object.ts";
import { parseJson } from "./parse_json.ts";
import { projectRoot } from "./project_root.ts";
import { readConfiguration } from "./read_configuration.ts";
import { makeFolder, readTextIfExists, writeText } from "./text_files.ts";

const LOCK = "deno.lock";
const BILL = "gen/sbom.json";

interface Component {
  readonly type: "library";
  readonly "bom-ref": string;
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
}

/**
 * Writes the bill of a project to `gen/sbom.json`.
 *
 * @param given root of the project
 * @returns the path written
 * @throws ConfigurationError without a lock file
 */
export async function writeSoftwareBill(given: string): Promise<string> {
  const folder = projectRoot(given);
  const file = `${folder}/${LOCK}`;
  const text = readTextIfExists(file);
  if (text === undefined) {
    throw new ConfigurationError(
      `There is no ${LOCK} that says which packages are used: "deno install" writes it`,
      {
        file,
      },
    );
  }
  const { name, version } = readConfiguration(folder);
  const lock = parseJson(text, file);
  const bill = {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: { type: "application", "bom-ref": "application", name, ...version && { version } },
    },
    components: componentsOf(isPlainObject(lock) ? lock : {}),
  };
  await makeFolder(`${folder}/gen`);
  await writeText(`${folder}/${BILL}`, `${JSON.stringify(bill, null, 2)}\n`);
  return `${folder}/${BILL}`;
}

function componentsOf(lock: Readonly<Record<string, unknown>>): readonly Component[] {
  const found = (["jsr", "npm"] as const).flatMap((registry) => {
    const packages = lock[registry];
    return Object.entries(isPlainObject(packages) ? packages : {}).map(([id, entry]) =>
      componentOf(registry, id, (entry as { readonly integrity?: unknown } | null)?.integrity)
    );
  });
  // a package that is resolved with several peers is there once
  const components = new Map(found.map((one) => [one.purl, one]));
  return [...components.keys()].sort().map((purl) => components.get(purl)!);
}

/** `@std/http@1.0.0`, or with peers behind it `vite@5.0.0_sass@1.0.0`. */
function componentOf(registry: "jsr" | "npm", id: string, integrity: unknown): Component {
  const at = id.indexOf("@", 1);
  const full = id.slice(0, at);
  const version = id.slice(at + 1).split("_")[0]!;
  const [group, name] = full.startsWith("@") ? full.split("/") as [string, string] : [undefined, full];
  const path = group === undefined ? name : `${encodeURIComponent(group)}/${name}`;
  const purl = `pkg:${registry}/${path}@${encodeURIComponent(version)}`;
  const hash = typeof integrity === "string" ? hashOf(integrity) : undefined;
  return {
    type: "library",
    "bom-ref": purl,
    ...group !== undefined && { group },
    name,
    version,
    purl,
    ...hash && { hashes: [hash] },
  };
}

/** `sha512-<base64>` of npm; JSR has the hash of its manifest in hexadecimal digits. */
function hashOf(integrity: string): { readonly alg: string; readonly content: string } | undefined {
  if (/^[\da-f]{64}$/.test(integrity)) return { alg: "SHA-256", content: integrity };
  const [, length, base64] = /^sha(256|384|512)-([\w+/]+=*)$/.exec(integrity) ?? [];
  if (base64 === undefined) return undefined;
  const content = Array.from(decodeBase64(base64), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return { alg: `SHA-${length}`, content };
}
