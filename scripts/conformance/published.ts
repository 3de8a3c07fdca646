/**
 * Published model files in the suite `cdl`: each loads, gives metadata and DDL, and means the same when it is written
 * and read again.
 *
 * @module
 */

import csdl from "odata-csdl";
import { renderDdl } from "../../src/db/ddl/render_ddl.ts";
import { compileCdl } from "../../src/model/cdl/compile_cdl.ts";
import { buildCsdl } from "../../src/model/csdl/build_csdl.ts";
import { writeCsdlJson } from "../../src/model/csdl/write_csdl_json.ts";
import { writeCsdlXml } from "../../src/model/csdl/write_csdl_xml.ts";
import type { Csn } from "../../src/model/csn.ts";
import { importCsdl } from "../../src/model/import/import_csdl.ts";
import { inferModel } from "../../src/model/infer_model.ts";
import { linkModel } from "../../src/model/link_model.ts";

/** A published file that did not pass, and why. */
export interface PublishedFailure {
  readonly file: string;
  readonly reason: string;
}

/**
 * Loads all files of a folder that hold CSN, EDMX or CSDL JSON; of the latter two the imported model is taken.
 *
 * @param folder the folder `published` of the cases
 * @returns how many there are, and those that fail
 */
export function runPublished(folder: string): { total: number; failures: PublishedFailure[] } {
  const files = modelFiles(folder);
  const failures = files.flatMap((file): PublishedFailure[] => {
    try {
      const reason = checkFile(`${folder}/${file}`);
      return reason === undefined ? [] : [{ file, reason }];
    } catch (error) {
      return [{ file, reason: String(error) }];
    }
  });
  return { total: files.length, failures };
}

function modelFiles(folder: string, below = ""): string[] {
  const entries = [...Deno.readDirSync(`${folder}/${below}`)].sort((a, b) => a.name < b.name ? -1 : 1);
  return entries.flatMap(({ name, isDirectory }) => {
    if (isDirectory) return modelFiles(folder, `${below}${name}/`);
    return /\.(csn|edmx|json)$/.test(name) ? [below + name] : [];
  });
}

function checkFile(file: string): string | undefined {
  const csn = inferModel(isMetadata(file) ? imported(file) : compiled(file));
  const written = JSON.stringify(csn);
  const again = inferModel(JSON.parse(written) as Csn);
  if (JSON.stringify(again) !== written) return "means something else when it is written and read again";
  const outputs = [csn, again].map((model) => JSON.stringify(outputsOf(model)));
  return outputs[0] === outputs[1]
    ? undefined
    : "gives other metadata or DDL when it is written and read again";
}

function isMetadata(file: string): boolean {
  return file.endsWith(".edmx") || file.includes("/csdl-json/");
}

function compiled(file: string): Csn {
  return compileCdl([file], { readFile: (path) => Deno.readTextFileSync(path) });
}

function imported(file: string): Csn {
  const text = Deno.readTextFileSync(file);
  return importCsdl(file.endsWith(".edmx") ? csdl.xml2json(text, { annotations: true }) : JSON.parse(text));
}

function outputsOf(csn: Csn): unknown {
  const model = linkModel(csn);
  const services = model.services.map((service) => {
    const csdl = buildCsdl(service, model);
    return [writeCsdlXml(csdl), writeCsdlJson(csdl)];
  });
  return [services, renderDdl(model)];
}
