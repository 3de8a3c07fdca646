/**
 * What is beyond the levels: the transformations of OData Data Aggregation 4.0 by its clauses, and optional parts of Part 1.
 *
 * @module
 */

import type { Level } from "./requirement.ts";

/** Optional functionality. */
export const BEYOND: readonly Level[] = [
  {
    clause: "Aggregation",
    title: "Data Aggregation 4.0: `$apply`",
    requirements: [
      ["3.2.1", "MAY", "`aggregate` with all standard methods"],
      ["3.2.1.4", "MAY", "`$count` in `aggregate`"],
      ["3.2.1.5", "MAY", "`from`: aggregation in steps"],
      ["3.2.2", "MAY", "`concat`"],
      ["3.2.3.1", "MAY", "`groupby`"],
      ["3.2.3.2", "MAY", "`rollup`"],
      ["3.3.1.1", "MAY", "`topcount`, `bottomcount`"],
      ["3.3.1.2", "MAY", "`toppercent`, `bottompercent`"],
      ["3.3.1.3", "MAY", "`topsum`, `bottomsum`"],
      ["3.3.2", "MAY", "`filter`"],
      ["3.3.3", "MAY", "`orderby`"],
      ["3.3.4", "MAY", "`search`"],
      ["3.3.5", "MAY", "`skip`"],
      ["3.3.6", "MAY", "`top`"],
      ["3.4.1", "MAY", "`identity`"],
      ["3.4.2", "MAY", "`compute`"],
      ["3.4.3", "MAY", "`addnested`"],
      ["3.5.1", "MAY", "`join`, `outerjoin`"],
      ["3.5.2", "MAY", "`nest`"],
      ["3.6", "MAY", "`$these` with `aggregate` and `$count`"],
      ["3.8", "MAY", "`$apply` inside of `$expand`"],
      ["5.2", "MAY", "custom aggregates"],
      ["6.2.1", "MAY", "`ancestors`, `descendants`"],
      ["6.2.2", "MAY", "`traverse`"],
      ["6.3", "MAY", "`rolluprecursive` and `rollupnode()`"],
    ],
  },
  {
    clause: "Further",
    title: "Further optional parts of Part 1 and of the JSON format",
    requirements: [
      ["operation-options", "MAY", "query options on what operations return, entities or not (11.5.4.1)"],
      ["composition", "MAY", "keys, operations and parts of values behind functions (Part 2, 4.5.1)"],
      [
        "own-functions",
        "MAY",
        "own functions in expressions, called before the query runs, once or for each row",
      ],
      ["member-compute", "MAY", "`$compute` inside of collections of structures (11.2.5.3)"],
      ["index", "MAY", "`$index` of additions to ordered collections"],
      ["omit-values", "MAY", "`Prefer: omit-values=nulls`"],
      ["levels", "MAY", "`$levels=max`"],
      ["bind", "MAY", "`@odata.bind` and `@bind`"],
      ["batch-groups", "MAY", "JSON batches with `atomicityGroup`"],
      ["batch-depends", "MAY", "JSON batches with `dependsOn`"],
      ["batch-if", "MAY", "JSON batches with `if`"],
      ["batch-references", "MAY", "JSON batches with `$<id>` in URLs, links, `If-Match` and expressions"],
      [
        "batch-truth",
        "MUST",
        "what a part of a batch reports is in the database, a failed change set answers once",
      ],
    ],
  },
];
