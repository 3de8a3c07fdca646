/**
 * `fw import <file or URL> [--name NAME] [--dest FILE]`
 *
 * @module
 */

import csdl from "odata-csdl";
import { makeFolder, readTextIfExists, writeText } from "../deno/text_files.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import type { Csn } from "../model/csn.ts";
import { importCsdl } from "../model/import/import_csdl.ts";
import { linkModel } from "../model/link_model.ts";
import { redact } from "../log/redact.ts";
import { readBoundedText } from "../util/bytes.ts";
import { type Command, UsageError } from "./parse_command.ts";
import { showProgress } from "./terminal_text.ts";
import { parseJson } from "../deno/parse_json.ts";

/** What `fw help import` prints. */
export const IMPORT_HELP = `Usage: fw import <file or URL> [options]

Reads the metadata document of a service (XML of version 2 or 4, or JSON) and writes its model, so that it can be
called, projected and typed: using { NAME } from './external/NAME';
Where the service wants a login, the URL has it: https://user:password@host/path

  --name NAME      name of the service in the model; default: the namespace of its entity container
  --dest FILE      default: srv/external/NAME.csn; "-" prints it

Examples: fw import https://services.odata.org/V4/Northwind/Northwind.svc
          fw import metadata.xml --name Orders --dest srv/external/orders.csn`;

/** Bytes of a metadata document at most. */
const DOCUMENT_BYTES = 64 * 1024 * 1024;

/** Imports a service. */
export async function importCommand({ words: [source], options }: Command): Promise<number> {
  if (source === undefined) {
    throw new UsageError("fw import needs the metadata of a service: a file, or a URL");
  }
  const { name, dest } = options as Readonly<Record<string, string | undefined>>; // both take values
  const file = String(redact(source));
  showProgress(`reading ${file}`);
  const text = await readDocument(source).finally(() => showProgress());
  showProgress(`importing ${Math.ceil(text.length / 1024)} kB`);
  const model = located(file, () => {
    const model = importCsdl(parse(text, file), { name });
    linkModel(model); // what does not link is of no use
    return model;
  });
  await write(model, { dest, kind: isVersion2(text) ? "odata-v2" : "odata" });
  return 0;
}

async function readDocument(source: string): Promise<string> {
  if (!/^https?:\/\//.test(source)) {
    const text = readTextIfExists(source);
    if (text === undefined) {
      throw new ConfigurationError("There is no such file: expected the metadata of a service", {
        file: source,
      });
    }
    return text;
  }
  const url = /\$metadata(?:\?|$)/.test(source) ? source : `${source.replace(/\/+$/, "")}/$metadata`;
  const file = String(redact(url));
  const response = await fetch(url).catch((error: Error) => {
    const { message } = error.cause instanceof Error ? error.cause : error;
    throw new ConfigurationError(`Cannot be reached: ${redact(message)}`, { file }, { cause: error });
  });
  if (!response.ok) {
    await response.body?.cancel();
    const hint = response.status === 401
      ? "; a login stands in the URL: https://user:password@host/path"
      : "";
    throw new ConfigurationError(`Answered with status ${response.status}${hint}`, { file });
  }
  const text = await readBoundedText(response, DOCUMENT_BYTES);
  if (text !== undefined) return text;
  throw new ConfigurationError(`Answered with more than ${DOCUMENT_BYTES} bytes`, { file });
}

/** Mistakes are those of the document. */
function located<T>(file: string, run: () => T): T {
  try {
    return run();
  } catch (cause) {
    if (!(cause instanceof ConfigurationError) || cause.file !== undefined) throw cause;
    throw new ConfigurationError(cause.message, { file }, { cause });
  } finally {
    showProgress();
  }
}

function parse(text: string, file: string): unknown {
  const document = text.replace(/^\uFEFF/, "");
  if (!/^\s*[<{]/.test(document)) {
    throw new ConfigurationError("Expected a metadata document: XML, or CSDL in JSON", { file });
  }
  if (!document.trimStart().startsWith("<")) return parseJson(document, file);
  try {
    return csdl.xml2json(document, { annotations: true });
  } catch (cause) {
    throw notXml(cause as Error, file);
  }
}

/** The parser has line and column, counted from 0, in lines of their own. */
function notXml(cause: Error, file: string): ConfigurationError {
  const [, reason, line, column] = /^(.*)\nLine: (\d+)\nColumn: (\d+)/s.exec(cause.message) ?? [];
  const place = line === undefined ? {} : { line: Number(line) + 1, column: Number(column) + 1 };
  const text = `Not a metadata document in XML: ${reason ?? cause.message}`;
  return new ConfigurationError(text, { file, ...place }, { cause });
}

/** Whether a document is one of OData 2: of version 1 of EDMX, which says so itself. */
function isVersion2(text: string): boolean {
  return /<(?:\w+:)?Edmx\b[^>]*\sVersion=["']1\.0["']/.test(text);
}

/** Where a model goes, and how its service is called. */
interface Destination {
  readonly dest: string | undefined;
  readonly kind: string;
}

async function write(model: Csn, { dest, kind }: Destination): Promise<void> {
  const text = `${JSON.stringify(model, null, 2)}\n`;
  if (dest === "-") return console.log(text.trimEnd());
  const [service] = Object.entries(model.definitions!).find(([, { kind }]) => kind === "service")!;
  const file = dest ?? `srv/external/${service}.csn`;
  // default: as models beside the folder name it
  const place = dest === undefined ? `./external/${service}` : file.replace(/\.(?:csn|json)$/, "");
  const folder = file.includes("/") ? file.slice(0, file.lastIndexOf("/")) : ".";
  await makeFolder(folder);
  await writeText(file, text);
  console.log(`wrote ${file} (${contentsOf(model)})

Use it in a model:          using { ${service} } from '${place}';
or, where none needs it:    "requires": { "${service}": { "kind": "${kind}", "model": "${
    file.replace(/\.\w+$/, "")
  }" } }
Say where the service is:   "requires": { "${service}": { "kind": "${kind}", "credentials": { "url": "https://…" } } }
Call it:                    const srv = await fw.connect.to("${service}");`);
}

/** How much there is of what services offer: "26 entities, 3 operations". */
function contentsOf({ definitions = {} }: Csn): string {
  const all = Object.values(definitions);
  const entities = all.filter(({ kind }) => kind === "entity");
  const operations = [...all, ...entities.flatMap(({ actions = {} }) => Object.values(actions))]
    .filter(({ kind }) => kind === "action" || kind === "function");
  const count = (number: number, one: string, more: string) => `${number} ${number === 1 ? one : more}`;
  return `${count(entities.length, "entity", "entities")}, ${
    count(operations.length, "operation", "operations")
  }`;
}
