/**
 * A process of its own that compiles the example and writes all its metadata.
 *
 * @module
 */

import { compile } from "../../src/fw/facade_compile.ts";
import { loadModel } from "../../src/deno/load_model.ts";
import { linkModel } from "../../src/model/link_model.ts";

const sources = ["db/schema.cds", "srv/admin_service.cds", "srv/catalog_service.cds"];
const model = linkModel(await loadModel(sources.map((file) => `examples/bookshop/${file}`)));
for (const { name } of model.services) compile.to.edmx(model, { service: name });
