/** Clauses 13.1.1 (18 to 33) and 13.2.1 (18 to 27): changes. */

import assert from "node:assert/strict";
import { change, each, ids, NEWER, onLibrary, onReference, product, read, refused } from "./ask.ts";
import { describeClauses } from "./requirement.ts";

const clause = describeClauses(import.meta.url);

const NEW_KEY = "Products(00000002-0000-4000-8000-000000000099)";
const KITCHEN = "Categories(00000001-0000-4000-8000-000000000002)";
const FURNITURE = "Categories(00000001-0000-4000-8000-000000000003)";
const SPECIAL = "reference.Reference.SpecialProduct";

clause(
  "what the server computes stays, what is immutable stays, what is left out keeps its value, a refused change changes nothing [OData 13.1.1.10]",
  onReference(async (send) => {
    const created = await change(send, ["POST", "Products", {
      ...{ Name: "New", Price: 1, SerialNumber: "S1", CreatedAt: "1999-01-01T00:00:00Z" },
    }], 201);
    const url = `Products(${created.body.ID})`;
    assert.notEqual(created.body.CreatedAt.slice(0, 4), "1999");
    const changed = await change(send, ["PATCH", url, { SerialNumber: "S2", Price: 2 }], 200);
    assert.deepEqual([changed.body.SerialNumber, changed.body.Price, changed.body.Name], ["S1", 2, "New"]);
    await refused(send, ["PATCH", url, { Price: 3, Rating: 256 }]);
    await refused(send, ["PATCH", url, { Price: 3, Nothing: 1 }]);
    await refused(send, ["POST", "Products", { Price: 1 }]);
    assert.equal((await read(send, url)).Price, 2);
  }),
);

clause(
  "with full metadata a row says its edit link, otherwise the link follows from the key [OData 13.1.1.18]",
  onReference(async (send) => {
    const full = await read(send, product(2), { accept: "application/json;odata.metadata=full" });
    assert.equal(full["@odata.editLink"] ?? full["@odata.id"], product(2));
    const { ID } = (await read(send, "Products?$top=1&$filter=Name eq 'Smartphone'")).value[0];
    await change(send, ["PATCH", `Products(${ID})`, { Price: 1 }], 200);
    await change(send, ["DELETE", `Products(${ID})`]);
  }),
);

clause(
  "POST to a set creates an entity and answers 201 with it and its Location [OData 13.1.1.19] [OData 13.1.1.27]",
  onReference(async (send) => {
    const { headers, body } = await change(send, ["POST", "Products", { Name: "New", Price: 1.5 }], 201);
    const location = `Products(${body.ID})`;
    assert.ok(headers.get("location")!.endsWith(location));
    assert.equal(headers.get("etag"), body["@odata.etag"]);
    assert.deepEqual([body["@odata.context"], body.Name, body.Rating], [
      "$metadata#Products/$entity",
      "New",
      0,
    ]);
    assert.equal((await read(send, location)).Price, 1.5);
    await refused(send, ["POST", "Products", { ID: body.ID, Name: "Twice", Price: 1 }], 409);
    await refused(send, ["POST", "ReadOnlyItems", { Name: "No" }], 405);
  }),
);

clause(
  "POST to a navigation creates an entity that is related [OData 13.1.1.20]",
  onReference(async (send) => {
    const text = await change(send, ["POST", `${product(4)}/Descriptions`, {
      ...{ LanguageKey: "EN", Description: "To sit on" },
    }], 201);
    assert.match(text.headers.get("location")!, /ProductDescriptions\(/);
    assert.deepEqual(await each(send, `${product(4)}/Descriptions`, "Description"), ["To sit on"]);
    await change(send, ["POST", `${KITCHEN}/Products`, { Name: "Pan", Price: 9 }], 201);
    assert.deepEqual(await each(send, `${KITCHEN}/Products?$orderby=Price`), ["Pan", "Coffee Mug"]);
    await change(send, ["POST", `${product(4)}/RelatedProducts`, { Name: "Stool", Price: 9 }], 201);
    assert.deepEqual(await each(send, `${product(4)}/RelatedProducts`), ["Stool"]);
    await refused(send, ["POST", `${NEW_KEY}/Descriptions`, { LanguageKey: "EN", Description: "x" }], 404);
  }),
);

clause(
  "POST, PUT and DELETE of $ref relate entities and unrelate them [OData 13.1.1.21] [OData 13.1.1.22] [OData 13.1.1.25]",
  onReference(async (send) => {
    const many = `${product(1)}/RelatedProducts`;
    await change(send, ["POST", `${many}/$ref`, { "@odata.id": product(2) }]);
    await change(send, ["POST", `${many}/$ref`, { "@odata.id": `http://localhost/${product(5)}` }]);
    assert.deepEqual(await each(send, many), ["Wireless Mouse", "Smartphone"]);
    await change(send, ["DELETE", `${many}/$ref?$id=${product(2)}`]);
    assert.deepEqual(await each(send, many), ["Smartphone"]);
    assert.equal((await read(send, product(2))).Name, "Wireless Mouse");
    await change(send, ["PUT", `${product(1)}/Category/$ref`, { "@odata.id": KITCHEN }]);
    assert.equal((await read(send, `${product(1)}/Category`)).Name, "Kitchen");
    await change(send, ["DELETE", `${product(1)}/Category/$ref`]);
    assert.equal((await send("GET", `${product(1)}/Category`)).status, 204);
    await refused(send, ["POST", `${many}/$ref`, { "@odata.id": NEW_KEY }], 404);
    await refused(send, ["POST", `${many}/$ref`, {}]);
  }),
);

clause(
  "PATCH changes entities behind every URL that edits them: sets, navigations, casts, singletons [OData 13.1.1.23]",
  onReference(async (send) => {
    const urls = [product(1), `${product(1)}/${SPECIAL}`, `Products/${SPECIAL}(${product(1).slice(9, -1)})`];
    for (const [index, url] of [...urls, `${product(1).replace("(", "/").replace(")", "")}`].entries()) {
      await change(send, ["PATCH", url, { Quantity: index }], 200);
      assert.equal((await read(send, product(1))).Quantity, index, url);
    }
    await change(send, ["PATCH", `${product(1)}/Category`, { Description: "changed" }], 200);
    assert.equal((await read(send, `${product(1)}/Category`)).Description, "changed");
    await change(send, ["PATCH", "Company", { CEO: "Nobody" }], 200);
    assert.equal((await read(send, "Company")).CEO, "Nobody");
    await refused(send, ["PATCH", "ReadOnlyItems(00000004-0000-4000-8000-000000000001)", { Name: "x" }], 405);
  }),
);

clause(
  "DELETE removes entities behind every URL that edits them [OData 13.1.1.24]",
  onReference(async (send) => {
    await change(send, ["DELETE", product(2)]);
    await change(send, ["DELETE", `${product(1)}/${SPECIAL}`]);
    await change(send, ["DELETE", `${KITCHEN}/Products(${product(3).slice(9, -1)})`]);
    assert.deepEqual(await each(send, "Products?$orderby=Name&$top=2"), [
      "Gaming Mouse Ultra",
      "Office Chair",
    ]);
    await refused(send, ["GET", product(2)], 404);
    await refused(send, ["DELETE", product(2)], 404);
    await refused(send, ["DELETE", "Company"], 405);
  }),
);

clause(
  "If-Match lets changes and deletions through for the version read only [OData 13.1.1.26]",
  onReference(async (send) => {
    const tag = (await read(send, product(1)))["@odata.etag"];
    const old = { "if-match": tag };
    const { headers } = await change(send, ["PATCH", product(1), { Price: 1 }, old], 200);
    assert.notEqual(headers.get("etag"), tag);
    for (
      const [method, url, body] of [
        ["PATCH", product(1), { Price: 2 }],
        ["PUT", product(1), { Name: "x", Price: 2 }],
        ["PUT", `${product(1)}/Price`, { value: 2 }],
        ["DELETE", `${product(1)}/Description`],
        ["PUT", `${product(1)}/Photo`, "x"],
        ["POST", `${product(1)}/ApplyDiscount`, { percentage: 1 }],
        ["PUT", `${product(1)}/Category/$ref`, { "@odata.id": KITCHEN }],
        ["DELETE", `${product(1)}/Category/$ref`],
        ["POST", `${product(1)}/RelatedProducts/$ref`, { "@odata.id": product(2) }],
        ["PUT", `${product(1)}/RelatedProducts/$ref`, { value: [] }],
        ["DELETE", product(1)],
      ] as const
    ) await refused(send, [method, url, body, old], 412);
    assert.equal((await read(send, product(1))).Price, 1);
    assert.equal((await read(send, `${product(1)}/Category`)).Name, "Electronics");
    assert.deepEqual(await each(send, `${product(1)}/RelatedProducts`), []);
    const recent = { "if-match": headers.get("etag")! };
    await change(send, ["POST", `${product(1)}/RelatedProducts/$ref`, { "@odata.id": product(2) }, recent]);
    await change(
      send,
      ["PATCH", product(1), { Price: 3 }, { "if-match": `W/"x", ${headers.get("etag")}` }],
      200,
    );
    await change(send, ["DELETE", product(1), undefined, { "if-match": "*" }]);
    await refused(send, ["DELETE", product(1), undefined, { "if-match": "*" }], 412);
    const read304 = await send("GET", product(2), undefined, { "if-none-match": 'W/"1"' });
    assert.equal(read304.status, 304);
  }),
);

clause(
  "a create and an upsert that answer 204 say the entity in OData-EntityId [OData 13.1.1.28]",
  onReference(async (send) => {
    const minimal = { prefer: "return=minimal" };
    const created = await change(send, ["POST", "Products", { Name: "New", Price: 1 }, minimal]);
    assert.match(created.headers.get("odata-entityid")!, /Products\([0-9a-f-]{36}\)$/);
    assert.equal(created.headers.get("location"), created.headers.get("odata-entityid"));
    assert.equal(created.headers.get("preference-applied"), "return=minimal");
    for (const [method, key] of [["PUT", NEW_KEY], ["PATCH", NEW_KEY.replace("99)", "98)")]] as const) {
      const upserted = await change(send, [method, key, { Name: "Up", Price: 1 }, minimal]);
      assert.ok(upserted.headers.get("odata-entityid")!.endsWith(key), method);
    }
  }),
);

clause(
  "PUT and PATCH of a key that is missing create, If-Match: * forbids it, If-None-Match: * forbids a change [OData 13.1.1.29]",
  onReference(async (send) => {
    const body = { Name: "Up", Price: 1 };
    for (const [index, method] of ["PUT", "PATCH"].entries()) {
      const url = NEW_KEY.replace("99)", `9${index})`);
      await refused(send, [method, url, body, { "if-match": "*" }], 412);
      const created = await change(send, [method, url, body, { "if-none-match": "*" }], 201);
      assert.ok(created.headers.get("location")!.endsWith(url));
      await refused(send, [method, url, { ...body, Price: 2 }, { "if-none-match": "*" }], 412);
      assert.equal((await read(send, url)).Price, 1);
      const changed = await change(send, [method, url, { ...body, Price: 3 }, { "if-match": "*" }], 200);
      assert.equal(changed.body.Price, 3);
    }
  }),
);

clause(
  "PUT of a property, PATCH and PUT of a structure [OData 13.1.1.30]",
  onReference(async (send) => {
    const address = `${product(1)}/ShippingAddress`;
    await change(send, ["PUT", `${product(1)}/Price`, { value: 5 }], 200);
    await change(send, ["PUT", `${product(1)}/Name/$value`, "Named", { "content-type": "text/plain" }]);
    const patched = await change(send, ["PATCH", address, { City: "Tacoma" }], 200);
    assert.deepEqual([patched.body.City, patched.body.State], ["Tacoma", "WA"]);
    const put = await change(send, ["PUT", address, { City: "Yakima" }], 200);
    assert.deepEqual([put.body.City, put.body.State], ["Yakima", null]);
    await change(send, ["PUT", `${address}/State`, { value: "WA" }], 200);
    const row = await read(send, product(1));
    assert.deepEqual([row.Price, row.Name, row.ShippingAddress.State], [5, "Named", "WA"]);
    await refused(send, ["PUT", `${product(1)}/Price`, { value: "much" }]);
    // what clients cannot change is refused when it is all that they ask for
    for (const name of ["ID", "CreatedAt", "SerialNumber", "Version", "ProductType"]) {
      for (const url of [`${product(1)}/${name}`, `${product(1)}/${name}/$value`]) {
        const { headers } = await change(send, ["PUT", url, { value: "x" }], 405);
        assert.equal(headers.get("allow"), "GET, HEAD, OPTIONS", url);
        await refused(send, ["DELETE", url], 405);
      }
    }
  }),
);

clause(
  "DELETE sets a property, a structure and a stream to null, and refuses where null is not allowed [OData 13.1.1.31]",
  onReference(async (send) => {
    for (const name of ["ReleaseDate", "ShippingAddress/City", "ShippingAddress", "OpenTime/$value"]) {
      await change(send, ["DELETE", `${product(1)}/${name}`]);
      assert.equal((await send("GET", `${product(1)}/${name}`)).status, 204, name);
    }
    await change(send, ["DELETE", `${product(1)}/Photo`]);
    await refused(send, ["DELETE", `${product(1)}/Name`]);
    assert.equal((await read(send, product(1))).Name, "Laptop");
  }),
);

clause(
  "a deep insert creates all levels and links existing entities, or nothing [OData 13.1.1.32]",
  onReference(async (send) => {
    const { body } = await change(send, ["POST", "Products?$expand=Category,Descriptions,RelatedProducts", {
      Name: "Deep",
      Price: 1,
      Category: { Name: "Garden" },
      Descriptions: [{ LanguageKey: "EN", Description: "deep" }],
      RelatedProducts: [{ Name: "Deeper", Price: 2, "Category@odata.bind": KITCHEN }],
      "RelatedProducts@odata.bind": [product(1)],
    }], 201);
    assert.deepEqual([body.Category.Name, body.Descriptions.length], ["Garden", 1]);
    assert.deepEqual(body.RelatedProducts.map((row: { Name: string }) => row.Name).sort(), [
      "Deeper",
      "Laptop",
    ]);
    assert.deepEqual(await each(send, `${KITCHEN}/Products?$orderby=Name`), ["Coffee Mug", "Deeper"]);
    const before = await read(send, "Products/$count");
    await refused(send, ["POST", "Products", { Name: "No", Price: 1, RelatedProducts: [{ Name: "No" }] }]);
    assert.equal(await read(send, "Products/$count"), before);
  }),
);

clause(
  "PATCH and DELETE of /$each change the members that the path leaves [OData 13.1.1.33] [OData 13.2.1.24]",
  onReference(async (send) => {
    await change(send, ["PATCH", "Products/$filter(Price lt 100)/$each", { Quantity: 7 }]);
    assert.deepEqual(await each(send, "Products?$filter=Quantity eq 7&$orderby=Name"), [
      "Coffee Mug",
      "Wireless Mouse",
    ]);
    const answered = await send("PATCH", "Products/$filter(Quantity eq 7)/$each?$select=Name", {
      Quantity: 8,
    }, {
      prefer: "return=representation",
    });
    assert.equal(answered.body.value.length, 2);
    await change(send, ["DELETE", "Products/$filter(Quantity eq 8)/$each"]);
    assert.equal(await read(send, "Products/$count"), "5");
    await change(send, ["DELETE", `${KITCHEN}/Products/$each`]);
  }),
);

clause(
  "DELETE of a member's $ref, the member named by its key [OData 13.2.1.19]",
  onReference(async (send) => {
    const many = `${product(1)}/RelatedProducts`;
    for (const number of [2, 3]) await change(send, ["POST", `${many}/$ref`, { "@id": product(number) }]);
    await change(send, ["DELETE", `${many}(${product(2).slice(9, -1)})/$ref`]);
    await change(send, ["DELETE", `${KITCHEN}/Products(${product(3).slice(9, -1)})/$ref`]);
    assert.deepEqual(await each(send, many), ["Coffee Mug"]);
    assert.deepEqual(await each(send, `${KITCHEN}/Products`), []);
    assert.equal((await read(send, product(3))).CategoryID, null);
  }),
);

clause(
  "PUT with nested content replaces the nested rows: those that are missing go [OData 13.2.1.20]",
  onReference(async (send) => {
    const answer = await change(send, ["PUT", `${product(1)}?$expand=Descriptions`, {
      Name: "Put",
      Price: 1,
      Descriptions: [{ LanguageKey: "DE", Description: "neu" }, {
        LanguageKey: "FR",
        Description: "nouveau",
      }],
    }, NEWER], 200);
    const keys = answer.body.Descriptions.map((row: { LanguageKey: string }) => row.LanguageKey);
    assert.deepEqual(keys, ["DE", "FR"]);
    assert.deepEqual(await each(send, `${product(1)}/Descriptions`, "Description"), ["neu", "nouveau"]);
    assert.equal((await read(send, product(1))).Quantity, 0);
  }),
);

clause(
  "PATCH updates nested rows, with @delta adds, changes and removes some of them [OData 13.2.1.21]",
  onReference(async (send) => {
    const texts = () => each(send, `${product(1)}/Descriptions?$orderby=LanguageKey`, "Description");
    const [german] = await texts();
    const key = `ProductDescriptions(ProductID=${product(1).slice(9, -1)},LanguageKey='EN')`;
    await change(send, ["PATCH", product(1), {
      Price: 2,
      "Descriptions@delta": [
        { LanguageKey: "FR", Description: "nouveau" },
        { "@removed": { reason: "deleted" }, "@id": key },
      ],
    }, NEWER], 200);
    assert.deepEqual(await texts(), [german, "nouveau"]);
    await change(send, [
      "PATCH",
      product(1),
      { Descriptions: [{ LanguageKey: "DE", Description: "nur" }] },
      NEWER,
    ], 200);
    assert.deepEqual(await texts(), ["nur"]);
    await change(
      send,
      ["POST", "Categories", { Name: "New", Products: [{ Name: "P", Price: 1 }] }, NEWER],
      201,
    );
  }),
);

clause(
  "PUT and DELETE of $ref of a collection replace and clear all references [OData 13.2.1.22]",
  onReference(async (send) => {
    const many = `${product(1)}/RelatedProducts`;
    const value = [product(2), product(3)].map((id) => ({ "@id": id }));
    await change(send, ["PUT", `${many}/$ref`, { value }]);
    assert.deepEqual(await each(send, many), ["Wireless Mouse", "Coffee Mug"]);
    await change(send, ["PUT", `${many}/$ref`, { value: value.slice(1) }]);
    assert.deepEqual(await each(send, many), ["Coffee Mug"]);
    await change(send, ["DELETE", `${many}/$ref`]);
    assert.deepEqual(await each(send, many), []);
    await change(send, ["DELETE", `${FURNITURE}/Products/$ref`]);
    assert.equal((await read(send, product(4))).CategoryID, null);
  }),
);

clause(
  "POST to a collection of values adds one at the end, or where $index says [OData 13.2.1.23]",
  onLibrary(async (send) => {
    const { body } = await change(send, ["POST", "Books(1)/tags", { value: "last" }], 200);
    assert.deepEqual(body.value, ["new", "sale", "last"]);
    await change(send, ["POST", "Books(1)/tags?$index=0", { value: "first" }], 200);
    await change(send, ["POST", "Books(1)/tags?$index=-2", { value: "third" }, { prefer: "return=minimal" }]);
    assert.deepEqual((await read(send, "Books(1)")).tags, ["first", "new", "sale", "third", "last"]);
    await change(send, ["POST", "Books(4)/places", { city: "Bonn", floor: 1, rooms: [7] }], 200);
    assert.deepEqual((await read(send, "Books(4)/places/0")).rooms, [7]);
    await refused(send, ["POST", "Books(1)/marks", { value: "x" }]);
    await refused(send, ["POST", "Books(1)/marks?$index=9", { value: 1 }]);
    await refused(send, ["POST", "Books(9)/marks", { value: 1 }], 404);
    assert.deepEqual((await read(send, "Books(1)")).marks, [3, 5]);
  }),
);

clause(
  "POST, PATCH and DELETE behind a cast mean the rows of that type [OData 13.2.1.25]",
  onReference(async (send) => {
    const { body } = await change(send, ["POST", `Products/${SPECIAL}`, {
      ...{ Name: "Special", Price: 1, SpecialFeature: "glows" },
    }], 201);
    assert.equal(body.SpecialFeature, "glows");
    assert.equal(await read(send, `Products/${SPECIAL}/$count`), "4");
    await change(send, ["PATCH", `Products/${SPECIAL}/$each`, { Quantity: 9 }]);
    assert.equal(await read(send, "Products/$count?$filter=Quantity eq 9"), "4");
    await change(send, ["DELETE", `Products/${SPECIAL}/$each`]);
    assert.deepEqual(await read(send, "Products/$count"), "4");
    await refused(send, ["POST", "Products", { Name: "x", Price: 1, SpecialFeature: "no" }]);
  }),
);

clause(
  "PATCH of a set takes a delta payload: rows are added, changed and removed, or none [OData 13.2.1.26]",
  onReference(async (send) => {
    await change(send, ["PATCH", "Products", {
      "@context": "#$delta",
      value: [
        { ID: product(2).slice(9, -1), Price: 1 },
        { Name: "New", Price: 2 },
        { "@removed": { reason: "deleted" }, "@id": product(3) },
      ],
    }, NEWER]);
    assert.deepEqual(await each(send, "Products?$filter=Price lt 3&$orderby=Price"), [
      "Wireless Mouse",
      "New",
    ]);
    await refused(send, ["GET", product(3)], 404);
    const value = [{ ID: product(2).slice(9, -1), Price: 5 }, { Name: "No" }];
    await refused(send, ["PATCH", "Products", { "@context": "#$delta", value }, NEWER]);
    assert.equal((await read(send, product(2))).Price, 1);
  }),
);

clause(
  "POST, PATCH and PUT answer what $select and $expand ask for [OData 13.2.1.27]",
  onReference(async (send) => {
    const options = "$select=Name&$expand=Category($select=Name)";
    const body = { Name: "New", Price: 1, "Category@odata.bind": KITCHEN };
    const created = await change(send, ["POST", `Products?${options}`, body], 201);
    for (
      const answer of [
        created,
        await change(send, ["PATCH", `Products(${created.body.ID})?${options}`, { Price: 2 }], 200),
        await change(send, ["PUT", `Products(${created.body.ID})?${options}`, body], 200),
      ]
    ) {
      assert.deepEqual([answer.body.Name, answer.body.Category.Name], ["New", "Kitchen"]);
      assert.equal("Price" in answer.body, false);
    }
    assert.deepEqual((await ids(send, `Products?$filter=ID eq ${created.body.ID}`)).length, 1);
  }),
);
