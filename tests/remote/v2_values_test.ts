/** Answers of OData 2 in the form of OData 4 (OData 2 JSON Format). */

import assert from "node:assert/strict";
import { fromV2Body } from "../../src/odata/remote/v2/v2_values.ts";

const META = { __metadata: { uri: "Books(1)" } };
const LATER = { __deferred: { uri: "Books(1)/author" } };

/** What comes, and what it is in OData 4. */
const BODIES: readonly [body: unknown, expected: unknown, name?: string][] = [
  [{ d: [{ ...META, ID: 1 }, { ID: 2 }] }, { value: [{ ID: 1 }, { ID: 2 }] }],
  [{ d: { results: [{ ...META, ID: 1 }] } }, { value: [{ ID: 1 }] }],
  [{ d: { results: [], __count: "0" } }, { value: [], "@odata.count": "0" }],
  [{ d: { results: [], __next: "Books?$skiptoken=1" } }, {
    value: [],
    "@odata.nextLink": "Books?$skiptoken=1",
  }],
  [{ d: { ...META, ID: 1, author: LATER } }, { ID: 1 }],
  [{ d: { ID: 1, author: { ...META, ID: 2, books: LATER } } }, { ID: 1, author: { ID: 2 } }],
  [{ d: { ID: 1, tags: { results: [{ ...META, ID: 2 }] } } }, { ID: 1, tags: [{ ID: 2 }] }],
  [{ d: { ID: 1, tags: [{ ...META, ID: 2, book: LATER }] } }, { ID: 1, tags: [{ ID: 2 }] }],
  [{ d: { ID: 1, none: null } }, { ID: 1, none: null }],
  [{ d: 7 }, { value: 7 }],
  [{ d: null }, { value: null }],
  [{ d: { Sum: 3 } }, { value: 3 }, "Sum"],
  [{ d: { ...META, Best: { ...META, ID: 1 } } }, { ID: 1 }, "Best"],
  [{ d: { Ids: { results: [1, 2] } } }, { value: [1, 2] }, "Ids"],
  [{ d: { Ids: [1, 2] } }, { value: [1, 2] }, "Ids"],
  [{ d: { Sum: 3, Best: 1 } }, { Sum: 3, Best: 1 }, "Sum"],
  [{ d: { Sum: 3 } }, { Sum: 3 }, "Best"],
  [{ d: { Sum: 3 } }, { Sum: 3 }],
  [{ value: [1] }, { value: [1] }],
  [[1], [1]],
  ["text", "text"],
  [undefined, undefined],
];

Deno.test("answers of OData 2 are those of OData 4 without what only OData 2 says", () => {
  for (const [body, expected, name] of BODIES) {
    assert.deepEqual(fromV2Body(body, name), expected, JSON.stringify(body));
  }
});
