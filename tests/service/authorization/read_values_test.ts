/** Which rows of restricted queries are looked at, and where paths of subqueries lead (auth 7). */

import assert from "node:assert/strict";
import type { Query, Row, Xo } from "../../../src/cqn/cqn.ts";
import type { Csn, CsnDefinition } from "../../../src/model/csn.ts";
import { CSN, rita, type Secured, withSecured } from "./fixture.ts";

function withRestrictions(restrictions: Readonly<Record<string, unknown>>): Csn {
  const definitions = { ...CSN.definitions };
  for (const [name, restrict] of Object.entries(restrictions)) {
    definitions[name] = { ...definitions[name], "@restrict": restrict } as CsnDefinition;
  }
  return { ...CSN, definitions };
}

async function ids({ as }: Secured, where: Xo[]): Promise<unknown[]> {
  const SELECT = { from: { ref: ["S.Books"] }, where, orderBy: [{ ref: ["ID"] }] };
  const rows = await as(rita, (service) => service.run({ SELECT } as Query)) as Row[];
  return rows.map(({ ID }) => ID);
}

Deno.test("whether an association leads anywhere is seen by those who may not read where to (auth 7)", () =>
  withSecured(async (secured) => {
    const author = { ref: ["author"] };
    assert.deepEqual(await ids(secured, [author, "is", "not", "null"]), [1, 3]);
    assert.deepEqual(await ids(secured, [author, "is", "null"]), []);
    await assert.rejects(ids(secured, ["exists", author]), { status: 403 });
    await assert.rejects(ids(secured, [{ ref: ["author", "name"] }, "=", { val: "Ann" }]), { status: 403 });
  }, withRestrictions({ "S.Authors": [{ grant: "READ", to: "admin" }] })));

Deno.test("only members of $user are attributes that a user may lack", () =>
  withSecured(
    async (secured) => assert.deepEqual(await ids(secured, [{ ref: ["ID"] }, ">", { val: 0 }]), [1, 2, 3, 4]),
    withRestrictions({ "S.Books": [{ grant: "READ", where: "$at.from is not null" }] }),
  ));

Deno.test("paths behind a subquery go on from the entity that it shows", () =>
  withSecured(async ({ as }) => {
    const SELECT = {
      from: { SELECT: { from: { ref: ["S.Books", "author"] } }, as: "authors" },
      columns: [{ ref: ["authors", "books", "title"], as: "title" }],
    };
    const rows = await as(rita, (service) => service.run({ SELECT } as unknown as Query)) as Row[];
    assert.deepEqual([...new Set(rows.map(({ title }) => title))].toSorted(), ["One", "Three"]);
  }));

Deno.test("rows without any key are refused where a condition holds for them", () => {
  const csn = withRestrictions({});
  const notes: CsnDefinition = {
    kind: "entity",
    elements: { text: { type: "cds.String" } },
    "@restrict": [{ grant: ["READ", "CREATE"], where: "text = 'a'" }],
  };
  return withSecured(async ({ as }) => {
    const INSERT = { into: "S.Notes", entries: [{ text: "a" }] };
    await assert.rejects(as(rita, (service) => service.run({ INSERT } as Query)), { status: 403 });
  }, { ...csn, definitions: { ...csn.definitions, "S.Notes": notes } });
});
