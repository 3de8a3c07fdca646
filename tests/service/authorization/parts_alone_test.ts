/** Parts that are asked for by themselves are open to whom what they are parts of is open (auth 7). */

import assert from "node:assert/strict";
import { withApp } from "../../data/app.ts";

const MODEL = `service Test {
  @requires: 'any' entity Orders { key ID : Integer;
    lines : Composition of many { key pos : Integer; notes : Composition of many { key no : Integer; }; };
    parts : Composition of many Parts on parts.order = $self;
    shared : Composition of many Shared on shared.order = $self; }
  @fw.part.by: ['order'] entity Parts { key ID : Integer; order : Association to Orders; }
  entity Closed { key ID : Integer; lines : Composition of many { key pos : Integer; };
    parts : Composition of many Kept on parts.whole = $self;
    shared : Composition of many Shared on shared.closed = $self; }
  @fw.part.by: ['whole'] entity Kept { key ID : Integer; whole : Association to Closed; }
  @fw.part.by: ['order', 'closed']
  entity Shared { key ID : Integer; order : Association to Orders; closed : Association to Closed; }
  entity Apart { key ID : Integer; }
}`;

/** Statuses of reads without login; 405: whoever may ask is told that only paths lead there. */
const STATUSES = {
  Orders: 200,
  Orders_lines: 405,
  Orders_lines_notes: 405,
  Parts: 200,
  Shared: 200,
  Closed: 401,
  Closed_lines: 401,
  Kept: 401,
  Apart: 401,
};

const SERVICES: readonly (readonly [name: string, model: string, env: Record<string, unknown>])[] = [
  ["a service that is open to any", `@requires: 'any' ${MODEL}`, {}],
  ["a service that needs a login", MODEL, { security: { authentication: { mode: "standard" } } }],
];

for (const [name, model, env] of SERVICES) {
  Deno.test(`parts need a login by themselves where what they are parts of does, in ${name} (auth 7)`, () =>
    withApp({ model, env, rows: { "Test.Orders": [{ ID: 1 }] } }, async ({ get, post }) => {
      const found: Record<string, number> = {};
      for (const set of Object.keys(STATUSES)) found[set] = (await get(set)).status;
      assert.deepEqual(found, STATUSES);
      const headers = { authorization: `Basic ${btoa("ann:")}` };
      for (const set of ["Closed_lines", "Orders_lines"]) assert.equal((await get(set, headers)).status, 405);
      assert.equal((await post("Parts", { ID: 1, order_ID: 1 })).status, 201);
      assert.equal((await post("Kept", { ID: 1, whole_ID: 1 })).status, 401);
    }));
}
