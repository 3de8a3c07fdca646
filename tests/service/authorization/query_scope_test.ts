import assert from "node:assert/strict";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import {
  anchorOf,
  explicitSource,
  nestedScope,
  OUTSIDE,
  type Scope,
  type ScopeSource,
} from "../../../src/service/authorization/query_scope.ts";

const MODEL = linkModel(parseCdl(`service my.S {
  entity Books { key ID : Integer; title : String; author : Association to Authors; address { city : String; } }
  entity Authors { key ID : Integer; name : String; b : String; }
}`));
const [BOOKS, AUTHORS] = ["my.S.Books", "my.S.Authors"].map((name) => MODEL.entity(name)!);

function source(name: string | undefined, entity: typeof BOOKS, isExplicit: boolean): ScopeSource {
  return { name, isExplicit, elements: entity!.elements, entity, isRead: true };
}

const BY_ALIAS: Scope = { sources: [source("b", BOOKS, true)], isQuery: true };
const BY_NAME: Scope = { sources: [source("Books", BOOKS, false)], isQuery: true };

Deno.test("rows inside of a step have a name of their own where they were given one", () => {
  const named = nestedScope({ as: "x", elements: AUTHORS!.elements, entity: AUTHORS }, BY_ALIAS);
  assert.deepEqual([named.isQuery, named.parent, named.sources.length], [false, BY_ALIAS, 1]);
  const { name, isExplicit, isRead, entity } = named.sources[0]!;
  assert.deepEqual([name, isExplicit, isRead, entity], ["x", true, true, AUTHORS]);
  const unnamed = nestedScope({ elements: AUTHORS!.elements, entity: AUTHORS }, BY_ALIAS).sources[0]!;
  assert.deepEqual([unnamed.name, unnamed.isExplicit], [undefined, false]);
});

Deno.test("an alias names the innermost source of its name, and no source by its own name", () => {
  const inner = nestedScope({ as: "x", elements: AUTHORS!.elements, entity: AUTHORS }, BY_ALIAS);
  assert.equal(explicitSource("x", inner), inner.sources[0]);
  assert.equal(explicitSource("b", inner), BY_ALIAS.sources[0]);
  const shadowing = nestedScope({ as: "b", elements: AUTHORS!.elements, entity: AUTHORS }, BY_ALIAS);
  assert.equal(explicitSource("b", shadowing)!.entity, AUTHORS);
  assert.equal(explicitSource("Books", BY_NAME), undefined);
  assert.equal(
    explicitSource("Books", {
      ...BY_NAME,
      parent: { sources: [source("Books", BOOKS, true)], isQuery: true },
    }),
    undefined,
  );
  assert.equal(explicitSource("z", inner), undefined);
  assert.equal(explicitSource("b", OUTSIDE), undefined);
});

/** Where a path starts: its entity, how many steps name it, and how far out it is found. */
function anchor(path: string, scope: Scope): string | undefined {
  const found = anchorOf(path.split("/"), scope);
  if (!found) return undefined;
  const entity = found.elements === BOOKS!.elements
    ? "Books"
    : found.elements === AUTHORS!.elements
    ? "Authors"
    : "?";
  let depth = 0;
  for (let one: Scope | undefined = scope; one && one !== found.scope; one = one.parent) depth++;
  return [entity, found.prefix, depth, ...found.first ? [found.first.$localName] : []].join(" ");
}

Deno.test("a path starts at an alias, an element or the name of a source, from the inside out", () => {
  const inner = nestedScope({ elements: AUTHORS!.elements, entity: AUTHORS }, BY_ALIAS);
  const cases: readonly (readonly [path: string, scope: Scope, expected: string | undefined])[] = [
    ["title", BY_ALIAS, "Books 0 0"],
    ["b/title", BY_ALIAS, "Books 1 0"],
    ["b", BY_ALIAS, undefined],
    ["author/name", BY_ALIAS, "Books 0 0"],
    ["address/city", BY_ALIAS, "Books 0 0"],
    ["address_city", BY_ALIAS, "Books 0 0"],
    ["Books/title", BY_NAME, "Books 1 0"],
    ["nothing", BY_NAME, undefined],
    // names in full stand for sources without an alias only
    ["my.S.Books/title", BY_NAME, undefined],
    ["my/S/Books/title", BY_NAME, "Books 3 0"],
    ["my/S/Books/title", BY_ALIAS, undefined],
    ["name", inner, "Authors 0 0"],
    ["title", inner, "Books 0 1"],
    ["ID", inner, "Authors 0 0"],
    // an element of the row inside comes before the alias outside
    ["b/title", inner, "Authors 0 0"],
    ["$self/title", BY_ALIAS, "Books 1 0"],
    ["$projection/title", BY_NAME, "Books 1 0"],
    ["$it/title", inner, "Books 1 1"],
    ["$self/title", OUTSIDE, undefined],
  ];
  for (const [path, scope, expected] of cases) assert.equal(anchor(path, scope), expected, path);
});

Deno.test("an explicit alias comes before an element of its name, the name of a source behind it", () => {
  const explicit: Scope = {
    sources: [source("author", AUTHORS, true), source("x", BOOKS, true)],
    isQuery: true,
  };
  assert.equal(anchor("author/name", explicit), "Authors 1 0");
  const implicit: Scope = {
    sources: [source("author", AUTHORS, false), source("x", BOOKS, true)],
    isQuery: true,
  };
  assert.equal(anchor("author/name", implicit), "Books 0 0");
});

Deno.test("a path starts at associations that the query adds to its source", () => {
  const scope: Scope = { ...BY_ALIAS, mixins: new Map([["writer", AUTHORS!]]) };
  assert.equal(anchor("writer/name", scope), "Authors 0 0 Authors");
  assert.equal(anchor("$self/writer/name", scope), "Books 1 0 Authors");
  assert.equal(anchor("$self/title", scope), "Books 1 0");
  assert.equal(anchor("$self", scope), "Books 1 0");
});
