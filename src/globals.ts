/**
 * `SELECT`, `INSERT`, `UPSERT`, `UPDATE`, `DELETE`, the tags `CQL` and `CDL`, and `cds`, as globals: `import "@fw/runtime/globals"`.
 *
 * @module
 */

import { DELETE } from "./cqn/builders/delete.ts";
import { INSERT, UPSERT } from "./cqn/builders/insert.ts";
import { SELECT } from "./cqn/builders/select.ts";
import { UPDATE } from "./cqn/builders/update.ts";
import { fw } from "./fw/facade.ts";

Object.assign(globalThis, { cds: fw, SELECT, INSERT, UPSERT, UPDATE, DELETE, CQL: fw.ql, CDL: fw.parse.cdl });
