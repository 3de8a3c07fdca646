import assert from "node:assert/strict";
import fc from "fast-check";
import { propertyRuns } from "../property_runs.ts";
import type { Shop } from "./fixture_host.ts";
import { withShop } from "./with_shop.ts";

/** Pieces of references, conditions and URLs, which are joined as chance has it. */
const PIECES = [
  ...[
    "$1",
    "$2",
    "$3",
    "$g",
    "$it",
    "$nope",
    "$1/ID",
    "$2/title",
    "$1/$succeeded",
    "$g/$succeeded",
    "$",
    "%241",
  ],
  ...[
    "/",
    "?",
    "&",
    "=",
    "'",
    "''",
    "%27",
    "(",
    ")",
    " ",
    " and ",
    " or ",
    "not ",
    " eq ",
    " gt ",
    " in ",
    "null",
  ],
  ...[
    "true",
    "1",
    "'x'",
    "$filter=",
    "$select=ID",
    "$expand=author",
    "$top=1",
    "Books",
    "Books(201)",
    "Authors",
  ],
  ...[
    "/$each",
    "/$ref",
    "/$filter(ID eq 201)",
    "$deltatoken=1",
    "fw-snapshot=1",
    "$async/1",
    "ä",
    "😀",
    "\u0000",
  ],
];
const text = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 8 }).map((parts) =>
  parts.join("")
);
const row = fc.constantFrom<unknown>(
  ...[{}, null, [], 1, "$1", { ID: 9, title: "x" }, { value: [] }, {
    value: [{ ID: 201 }, { "@removed": {} }],
  }],
  ...[{ "author@odata.bind": "$1" }, { "books@delta": [{ "@id": "$1" }] }, { "@odata.id": "$2" }],
);
const request = fc.record({
  method: fc.constantFrom("GET", "POST", "PATCH", "PUT", "DELETE"),
  url: fc.oneof(
    text,
    fc.constantFrom("Books(201)", "Books", "Authors(101)", "Authors(101)/books/$ref", "Books/$each"),
  ),
  atomicityGroup: fc.constantFrom(undefined, undefined, "g"),
  if: fc.option(text, { nil: undefined, freq: 3 }),
  headers: fc.constantFrom(undefined, { "if-match": "$1" }, { "if-none-match": "$2" }, {
    prefer: "return=minimal,respond-async,track-changes,continue-on-error",
  }),
  body: fc.option(row, { nil: undefined }),
});

async function send(shop: Shop, requests: readonly object[]): Promise<void> {
  const numbered = requests.map((one, index) => ({ id: String(index + 1), ...one }));
  const { status, body } = await shop.send("POST", "$batch", { body: { requests: numbered } });
  assert.ok(status === 200 || status === 400, `${status}`);
  const { responses = [] } = body as { responses?: readonly { status: number; body?: unknown }[] };
  for (const part of responses) {
    assert.ok(part.status < 500 || part.status === 501, `${part.status} ${JSON.stringify(part.body)}`);
  }
}

Deno.test("no batch of whatever references and conditions is answered by a failure of the server (Protocol 11.7)", () =>
  withShop(async (shop) => {
    const { numRuns, seed } = propertyRuns(300, 2026);
    const property = fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 5 }), async (requests) => {
      await send(shop, requests);
      assert.deepEqual(shop.logged, []);
    });
    await fc.assert(property, { numRuns, seed });
  }));
