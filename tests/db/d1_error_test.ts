/** What clients see of errors of Cloudflare D1 and SQL in Durable Objects, which are known by their text only. */

import assert from "node:assert/strict";
import { d1Error } from "../../src/db/d1/commit_statements.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";

const MODEL = linkModel(parseCdl(`
  entity my.Books { key ID : Integer; title : String(20); isbn : String(13); }
  entity my.Places { key book : Integer; key shelf : Integer; }
`));

/** What is told of an error. */
interface Told {
  readonly status?: number;
  readonly code?: string;
  readonly message?: string;
  readonly target?: string;
  readonly args?: readonly unknown[];
  readonly cause?: unknown;
}

const VIOLATIONS: readonly (readonly [text: string, told: Told])[] = [
  ["UNIQUE constraint failed: my_Books.ID", {
    status: 409,
    code: "ENTITY_ALREADY_EXISTS",
    args: ["my.Books"],
  }],
  ["UNIQUE constraint failed: my_Places.book, my_Places.shelf", {
    status: 409,
    code: "ENTITY_ALREADY_EXISTS",
    args: ["my.Places"],
  }],
  ["UNIQUE constraint failed: my_Places.book", {
    status: 409,
    code: "UNIQUE_CONSTRAINT_VIOLATION",
    target: "book",
  }],
  ["UNIQUE constraint failed: my_Books.isbn, my_Books.title", {
    status: 409,
    code: "UNIQUE_CONSTRAINT_VIOLATION",
    target: "isbn",
  }],
  ["UNIQUE constraint failed: other.ID", {
    status: 409,
    code: "UNIQUE_CONSTRAINT_VIOLATION",
    target: "ID",
  }],
  ["NOT NULL constraint failed: my_Books.title", {
    status: 400,
    code: "ASSERT_NOT_NULL",
    target: "title",
  }],
  ["FOREIGN KEY constraint failed", {
    status: 400,
    code: "FK_CONSTRAINT_VIOLATION",
    target: undefined,
  }],
];

Deno.test("constraints that D1 tells of are refused as by the other engines (db/d1/README, constraints)", () => {
  for (const [text, told] of VIOLATIONS) {
    for (const given of [text, `D1_ERROR: ${text}: SQLITE_CONSTRAINT`]) {
      const error = new Error(given);
      const found = d1Error(error, MODEL) as Told;
      for (const [name, value] of Object.entries({ ...told, cause: error })) {
        assert.deepEqual(found[name as keyof Told], value, `${given}: ${name}`);
      }
    }
  }
});

const STATUS: readonly (readonly [text: string, status: number])[] = [
  [`bad JSON path: 'fw_conflict'`, 409],
  ["no such function: nothing at offset 7", 501],
  ["wrong number of arguments to function abs() at offset 7", 501],
  ["integer overflow", 400],
  ["ESCAPE expression must be a single character", 400],
  ["at most 64 tables in a join", 400],
  ["Expression tree is too large (maximum depth 100)", 400],
  ["parser stack overflow", 400],
  ["too many SQL variables at offset 1", 400],
  ["too many terms in compound SELECT", 400],
  ["string or blob too big", 400],
  ["LIKE or GLOB pattern too complex", 400],
  ["Statement too long", 400],
  ["D1 DB is overloaded. Requests queued for too long.", 503],
  ["database is locked", 503],
  ["Exceeded maximum DB size.", 503],
  ["Your account has exceeded D1's maximum account storage limit", 503],
  ["database or disk is full", 503],
  ["D1 DB reset because its code was updated.", 503],
  ["Internal error in D1 DB storage caused object to be reset.", 503],
  ["D1 DB exceeded its memory limit and was reset.", 503],
  ["Durable Object reset because its code was updated.", 503],
  ["Cannot resolve D1 DB due to transient issue on remote node.", 503],
  ["Network connection lost.", 503],
];

Deno.test("errors of D1 have the status of what caused them: the request, others at the same time, or the platform", () => {
  for (const [text, status] of STATUS) {
    const error = new Error(`D1_ERROR: ${text}: SQLITE_ERROR`);
    const found = d1Error(error, MODEL) as Told;
    assert.deepEqual([found.status, found.cause], [status, error], text);
  }
});

Deno.test("a function that D1 does not know is named", () => {
  const { message } = d1Error(new Error("D1_ERROR: no such function: nothing at offset 7"), MODEL) as Told;
  assert.equal(message, 'The function "nothing" is not supported');
});

Deno.test("errors of D1 that no request causes stay as they are", () => {
  for (
    const error of [
      new Error("no such table: my_Books"),
      new Error("CHECK constraint failed: c"),
      "text",
      null,
    ]
  ) {
    assert.equal(d1Error(error, MODEL), error, String(error));
  }
});
