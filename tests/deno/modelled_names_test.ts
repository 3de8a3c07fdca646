/** What is imported from the generated types of a model. */

import assert from "node:assert/strict";
import { modelledFolder, modelledNames, modelNumber } from "../../src/deno/modelled_names.ts";
import type { Csn } from "../../src/model/csn.ts";
import { withShop } from "../fw/shop.ts";

const MODEL: Csn = {
  definitions: Object.fromEntries(
    ([
      ["Top", "entity"],
      ["my.Books", "entity"],
      ["my.Category", "entity"],
      ["my.Boxes", "entity"],
      ["my.Classes", "entity"],
      ["my.News", "entity"],
      ["my.inner.Pages", "entity"],
      ["mine.Others", "entity"],
      ["my", "service"],
      ["my.ordered", "event"],
      ["my.order", "action"],
      ["my.total", "function"],
    ] as const).map(([name, kind]) => [name, kind === "entity" ? { kind, elements: {} } : { kind }]),
  ),
};

const ENUMS: Csn = {
  definitions: {
    ...MODEL.definitions,
    "my.Status": {
      kind: "type",
      type: "cds.Integer",
      enum: { open: { val: 1 }, none: { val: 0 }, closed: {} },
    },
  } as Csn["definitions"],
};

Deno.test("a namespace has its definitions in singular and plural, names of events and operations, and values of enumerations", () =>
  withShop({ model: ENUMS, data: undefined }, (runtime) => {
    const { definitions } = runtime.model;
    const { __esModule, default: whole, name, ...names } = modelledNames("my") as Record<string, unknown>;
    assert.deepEqual([__esModule, whole, name], [true, { name: "my" }, "my"]);
    const { ordered, order, total, Status } = names;
    assert.deepEqual([ordered, order, total, Status], ["my.ordered", "order", "total", {
      open: 1,
      none: 0,
      closed: "closed",
    }]);
    const forms = (entity: string) =>
      Object.keys(names).filter((form) => names[form] === definitions[`my.${entity}`]).sort();
    assert.deepEqual(forms("Books"), ["Book", "Books", "Books_", "Bookses", "Bookss"]);
    assert.deepEqual(forms("Category"), ["Categories", "Category", "Category_", "Categoryes", "Categorys"]);
    assert.deepEqual(forms("Boxes"), ["Box", "Boxes", "Boxes_", "Boxeses", "Boxess"]);
    assert.deepEqual(forms("Classes"), ["Class", "Classes", "Classes_", "Classeses", "Classess"]);
    assert.deepEqual(forms("News"), ["New", "News", "News_", "Newses", "Newss"]);
    assert.deepEqual(
      ["order_", "ordereds", "totals", "Pages", "inner", "Others", "Top"].filter((one) => one in names),
      [],
    );
    assert.deepEqual(names.Statuses, names.Status);
    assert.deepEqual(Object.keys(names).filter((one) => !/^\w+$/.test(one)), []);
  }));

Deno.test("what has no namespace stands in the folder of all, which has no name", () =>
  withShop({ model: MODEL, data: undefined }, (runtime) => {
    const { Top, Tops, name, default: whole, Books } = modelledNames("") as Record<string, unknown>;
    assert.equal(Top, runtime.model.definitions.Top);
    assert.equal(Tops, Top);
    assert.deepEqual([name, whole, Books], [undefined, undefined, undefined]);
    assert.equal(
      (modelledNames("my/inner") as Record<string, unknown>).Page,
      runtime.model.definitions["my.inner.Pages"],
    );
  }));

Deno.test("a definition has its own name even where it is another form of one before or behind it", () => {
  const entity = { kind: "entity", elements: {} } as const;
  const model = { definitions: { "a.Book": entity, "a.Books": entity } };
  return withShop({ model, data: undefined }, ({ model: { definitions } }) => {
    const names = modelledNames("a") as Record<string, unknown>;
    assert.deepEqual([names.Book, names.Books], [definitions["a.Book"], definitions["a.Books"]]);
  });
});

Deno.test("modules of generated types are told by their names and paths", () => {
  const table: readonly (readonly [string, string | undefined])[] = [
    ["#cds-models/sap/shop", "sap/shop"],
    ["#cds-models/sap/shop/index.js", "sap/shop"],
    ["#cds-models/sap/index", "sap"],
    ["/srv/@cds-models/sap/shop/index.ts", "sap/shop"],
    ["../cds-models/shop", "shop"],
    ["#cds-models/", ""],
    ["cds-models/shop", undefined],
    ["#models/shop", undefined],
  ];
  for (const [name, folder] of table) assert.equal(modelledFolder(name), folder, name);
});

Deno.test("models of runtimes are told apart by numbers", async () => {
  const numbers: number[] = [];
  const take = () => void numbers.push(modelNumber(), modelNumber());
  await withShop({}, take);
  await withShop({}, take);
  const [first, again, second, more] = numbers;
  assert.deepEqual([again, second, more], [first, first! + 1, first! + 1]);
});
