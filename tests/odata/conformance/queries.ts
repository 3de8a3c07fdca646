/** Clauses 13.1.2 and 13.1.3: query options and paths. */

import assert from "node:assert/strict";
import { change, each, ids, onLibrary, onReference, product, read, refused, type Send } from "./ask.ts";
import { describeClauses } from "./requirement.ts";

const clause = describeClauses(import.meta.url);

const SPECIAL = "reference.Reference.SpecialProduct";
const filter = (send: Send, expression: string) =>
  each(send, `Products?$select=Name&$filter=${encodeURIComponent(expression)}`);

clause(
  "casts in paths, $filter, $select and $orderby take the members of a derived type [OData 13.1.2.4]",
  onReference(async (send) => {
    const special = ["Laptop", "Premium Laptop Pro", "Gaming Mouse Ultra"];
    assert.deepEqual(await each(send, `Products/${SPECIAL}?$select=Name,SpecialFeature`), special);
    assert.equal((await read(send, `${product(1)}/${SPECIAL}/SpecialFeature`)).value, "Backlit keyboard");
    assert.deepEqual(await filter(send, `${SPECIAL}/SpecialFeature eq 'Backlit keyboard'`), ["Laptop"]);
    assert.deepEqual(await filter(send, `isof(${SPECIAL})`), special);
    const { value } = await read(send, `Products?$select=Name,${SPECIAL}/SpecialFeature&$top=2`);
    assert.equal(value.filter((row: object) => "SpecialFeature" in row).length, 1);
    await refused(send, ["GET", `${product(2)}/${SPECIAL}`], 404);
    await refused(send, ["GET", "Products/reference.Reference.Category"]);
  }),
);

clause(
  "$top and $skip cut the ordered rows, $count counts all of them [OData 13.1.2.5] [OData 13.1.2.12] [OData 13.1.3.6] [OData 13.1.2.13] [OData 13.1.3.7]",
  onReference(async (send) => {
    const url = "Products?$orderby=Price&$select=Name";
    const all = await each(send, url);
    assert.deepEqual(await each(send, `${url}&$top=2`), all.slice(0, 2));
    assert.deepEqual(await each(send, `${url}&$top=0`), []);
    assert.deepEqual(await each(send, `${url}&$skip=5`), all.slice(5));
    assert.deepEqual(await each(send, `${url}&$skip=2&$top=3`), all.slice(2, 5));
    assert.deepEqual(await each(send, `${url}&$skip=99`), []);
    const counted = await read(send, `${url}&$skip=2&$top=1&$filter=Price gt 20&$count=true`);
    assert.deepEqual([counted["@odata.count"], counted.value.length], [6, 1]);
    assert.equal("@odata.count" in await read(send, `${url}&$count=false`), false);
    for (const wrong of ["$top=-1", "$skip=-1", "$top=two"]) {
      await refused(send, ["GET", `Products?${wrong}`]);
    }
  }),
);

clause(
  "/$value of a media entity is its stream, of a property its text or bytes [OData 13.1.2.6]",
  onReference(async (send) => {
    const media = await send("GET", "MediaItems(00000003-0000-4000-8000-000000000001)/$value");
    assert.deepEqual([media.status, media.headers.get("content-type")], [200, "image/png"]);
    const { headers, body } = await send("GET", `${product(1)}/Price/$value`);
    assert.deepEqual([headers.get("content-type")?.split(";")[0], body], ["text/plain", "999.99"]);
    assert.equal(await read(send, `${product(1)}/ShippingAddress/City/$value`), "Seattle");
    assert.equal(await read(send, `${product(1)}/Status/$value`), "InStock,Featured");
    assert.equal((await send("GET", `${product(1)}/Description/$value`)).status, 204);
    await refused(send, ["GET", `${product(1)}/$value`]);
  }),
);

clause(
  "eq and ne compare properties of every type, null and structures' members [OData 13.1.2.7.1]",
  onReference(async (send) => {
    const laptop = [
      ...["Name eq 'Laptop'", "Price eq 999.99", "Rating eq 200", "Quantity eq 1200", "Weight eq 3.14"],
      ...[
        "Temperature eq -10",
        "Data eq binary'dGVzdA=='",
        "ReleaseDate eq 2024-01-15",
        "OpenTime eq 09:30:00",
      ],
      ...[
        "ShippingTime eq duration'P1D'",
        "CreatedAt eq 2024-01-15T10:30:00Z",
        "CreatedAt eq 2024-01-15T11:30:00+01:00",
      ],
      ...[
        `ID eq ${product(1).slice(9, -1)}`,
        "ShippingAddress/City eq 'Seattle'",
        "Category/Name ne 'Kitchen' and Rating eq 200",
      ],
    ];
    for (const expression of laptop) assert.deepEqual(await filter(send, expression), ["Laptop"], expression);
    assert.deepEqual(await filter(send, "ReleaseDate eq null and Rating ne 0"), []);
    assert.equal((await filter(send, "ReleaseDate ne null")).length, 4);
    assert.equal((await filter(send, "Name ne 'Laptop'")).length, 6);
    assert.deepEqual(await filter(send, "null eq Description and Name eq 'It''s'"), []);
    await refused(send, ["GET", "Products?$filter=Price eq 'x'"]);
    await refused(send, ["GET", "Products?$filter=Nothing eq 1"]);
  }),
);

clause(
  "aliases stand for values in $filter and $orderby [OData 13.1.2.7.2]",
  onReference(async (send) => {
    const url =
      "Products?$filter=Price gt @low and contains(Name,@text)&@low=100&@text='Laptop'&$select=Name";
    assert.deepEqual(await each(send, url), ["Laptop", "Premium Laptop Pro"]);
    assert.deepEqual(await each(send, "Products?$filter=Price in @p&@p=[15.5,29.99]&$orderby=Price"), [
      "Coffee Mug",
      "Wireless Mouse",
    ]);
    // an alias without value is null
    assert.deepEqual(await each(send, "Products?$filter=Name eq @none"), []);
  }),
);

clause(
  "comparison, logical and arithmetic operators, has, and grouping [OData 13.1.2.7.3]",
  onReference(async (send) => {
    const cases: Record<string, string[]> = {
      "Price gt 799.99 and Price le 999.99": ["Laptop"],
      "Price lt 20 or Price ge 1999.99": ["Coffee Mug", "Premium Laptop Pro"],
      "not (Price gt 20)": ["Coffee Mug"],
      "Quantity add 100 eq 1300": ["Laptop"],
      "Quantity sub 100 eq 1100": ["Laptop"],
      "Rating mul 2 eq 400": ["Laptop"],
      "Quantity div 7 eq 171": ["Laptop"],
      "Rating mod 7 eq 5": ["Wireless Mouse"],
      "-Temperature eq 10": ["Laptop"],
      "Price add Price mul 2 eq 46.5": ["Coffee Mug"],
      "(Price add Price) mul 2 eq 62": ["Coffee Mug"],
      "Status has reference.Reference.ProductStatus'InStock,Featured' and Rating eq 200": ["Laptop"],
      "Status has reference.Reference.ProductStatus'Discontinued'": ["Office Chair"],
      "CreatedAt add duration'P1D' eq 2024-01-16T10:30:00Z": ["Laptop"],
      "CreatedAt sub 2024-01-14T10:30:00Z eq duration'P1D'": ["Laptop"],
      "ShippingTime mul 2 eq duration'P4D'": ["Coffee Mug"],
    };
    for (const [expression, expected] of Object.entries(cases)) {
      assert.deepEqual(await filter(send, expression), expected, expression);
    }
    for (const wrong of ["Name add 1 eq 2", "Price has 1", "Price like 'x'", "not Price"]) {
      await refused(send, ["GET", `Products?$filter=${wrong}`]);
    }
  }),
);

clause(
  "canonical functions for strings, dates, numbers and types; unknown ones are 400 [OData 13.1.2.7.4]",
  onReference(async (send) => {
    const laptop = [
      ...[
        "startswith(Name,'Lapt')",
        "endswith(Name,'aptop') and length(Name) eq 6",
        "indexof(Name,'ptop') eq 2 and Rating gt 0",
      ],
      ...["concat(Name,'!') eq 'Laptop!'", "substring(Name,1,3) eq 'apt'", "tolower(Name) eq 'laptop'"],
      ...["toupper(Name) eq 'LAPTOP'", "trim(concat(' ',Name)) eq 'Laptop'", "matchesPattern(Name,'^L.*p$')"],
      ...[
        "year(CreatedAt) eq 2024 and month(CreatedAt) eq 1",
        "day(ReleaseDate) eq 15",
        "hour(OpenTime) eq 9",
      ],
      ...[
        "minute(CreatedAt) eq 30 and hour(CreatedAt) eq 10",
        "second(OpenTime) eq 0 and minute(OpenTime) eq 30",
      ],
      ...[
        "date(CreatedAt) eq 2024-01-15",
        "time(CreatedAt) eq 10:30:00",
        "fractionalseconds(CreatedAt) eq 0 and Rating eq 200",
      ],
      ...["totaloffsetminutes(CreatedAt) eq 0 and Rating eq 200", "totalseconds(ShippingTime) eq 86400"],
      ...[
        "CreatedAt lt now() and CreatedAt gt mindatetime() and CreatedAt lt maxdatetime() and Rating eq 200",
      ],
      ...["round(Price) eq 1000 and Rating eq 200", "floor(Price) eq 999", "ceiling(Weight) eq 4"],
      ...[
        "cast(Rating,Edm.String) eq '200'",
        `isof(${SPECIAL}) and Rating eq 200`,
        "isof(Price,Edm.Double) and Rating eq 200",
      ],
      ...["case(Rating eq 200:1,true:0) eq 1"],
    ];
    for (const expression of laptop) assert.deepEqual(await filter(send, expression), ["Laptop"], expression);
    await refused(send, ["GET", "Products?$filter=sqrt(Price) eq 1"]);
    await refused(send, ["GET", "Products?$filter=length(Price) eq 1"]);
    // executed, or refused as the standard wants it
    const near = "Products?$filter=geo.distance(Location,geography'SRID=4326;Point(-122.3 47.6)') lt 1e6";
    const { status } = await send("GET", `${near}&$select=Name`);
    assert.ok(status === 200 || status === 501, String(status));
  }),
);

clause(
  "$filter of expanded rows, and of rows by what they are related with [OData 13.1.2.7.5] [OData 13.1.3.9.2]",
  onReference(async (send) => {
    const { value } = await read(
      send,
      "Categories?$expand=Products($filter=Price gt 500;$select=Name)&$select=Name",
    );
    const found = value.map((row: { Products: { Name: string }[] }) => row.Products.map(({ Name }) => Name));
    assert.deepEqual(found, [["Laptop", "Smartphone", "Premium Laptop Pro"], [], []]);
    assert.equal((await filter(send, "Category/Name eq 'Electronics'")).length, 5);
  }),
);

clause(
  "$search joins words by AND, OR, NOT, phrases and parentheses [OData 13.1.2.11] [OData 13.1.3.10]",
  onReference(async (send) => {
    const search = (text: string) => each(send, `Products?$select=Name&$search=${encodeURIComponent(text)}`);
    assert.deepEqual(await search("laptop"), ["Laptop", "Premium Laptop Pro"]);
    assert.deepEqual(await search("laptop premium"), ["Premium Laptop Pro"]);
    assert.deepEqual(await search("laptop AND NOT premium"), ["Laptop"]);
    assert.deepEqual(await search('"Coffee Mug" OR chair'), ["Coffee Mug", "Office Chair"]);
    assert.deepEqual(await search("mouse AND (gaming OR wireless) AND NOT ultra"), ["Wireless Mouse"]);
    assert.equal(await read(send, "Products/$count?$search=laptop"), "2");
  }),
);

clause(
  "any and all look into navigations and collections of values [OData 13.1.2.15] [OData 13.1.3.5]",
  onLibrary(async (send) => {
    const cases: Record<string, number[]> = {
      "loans/any(l:l/days gt 10)": [1, 3],
      "loans/all(l:l/days gt 10)": [1, 3, 4],
      "loans/any()": [1, 2, 3],
      "tags/any(t:t eq 'sale')": [1],
      "marks/all(m:m gt 4)": [2, 3, 4],
      "places/any(p:p/city eq 'Oslo' and p/floor gt 3)": [3],
      "places/any(p:p/rooms/any(r:r eq 2))": [1],
      "author/books/any(b:b/stock lt 10)": [2, 3],
      "not tags/any(t:startswith(t,'n'))": [3, 4],
    };
    for (const [expression, expected] of Object.entries(cases)) {
      assert.deepEqual(await ids(send, `Books?$filter=${expression}&$orderby=ID`), expected, expression);
    }
  }),
);

clause(
  "/$count of sets, navigations and collections of values, also in expressions [OData 13.1.2.16] [OData 13.1.3.4]",
  onLibrary(async (send) => {
    const { headers, body } = await send("GET", "Books/$count");
    assert.deepEqual([headers.get("content-type")?.split(";")[0], body], ["text/plain", "4"]);
    assert.equal(await read(send, "Authors(2)/books/$count"), "2");
    assert.equal(await read(send, "Books(1)/tags/$count"), "2");
    assert.equal(await read(send, "Books(1)/places/$count"), "2");
    assert.equal(await read(send, "Books/$count?$filter=stock gt 10"), "2");
    assert.deepEqual(await ids(send, "Books?$filter=tags/$count eq 2"), [1]);
    assert.deepEqual(await ids(send, "Authors?$filter=books/$count gt 1"), [2]);
    assert.deepEqual(await ids(send, "Authors?$orderby=books/$count desc,ID"), [2, 1, 3]);
  }),
);

clause(
  "$orderby by properties, paths and expressions, asc and desc [OData 13.1.2.17] [OData 13.1.3.8]",
  onReference(async (send) => {
    const first = async (orderby: string) =>
      (await each(send, `Products?$select=Name&$orderby=${orderby}`))[0];
    assert.equal(await first("Price"), "Coffee Mug");
    assert.equal(await first("Price asc"), "Coffee Mug");
    assert.equal(await first("Price desc"), "Premium Laptop Pro");
    assert.equal(await first("Category/Name,Price desc"), "Premium Laptop Pro");
    assert.equal(await first("ShippingAddress/City desc"), "Laptop");
    assert.equal(await first("length(Name) desc"), "Premium Laptop Pro");
    assert.equal(await first("Price mul -1"), "Premium Laptop Pro");
    assert.equal(await first("Descriptions/$count desc,Name"), "Laptop");
    // null is lowest
    assert.deepEqual((await each(send, "Products?$orderby=ReleaseDate", "ReleaseDate"))[0], null);
    await refused(send, ["GET", "Products?$orderby=Nothing"]);
  }),
);

clause(
  "$expand=…/$ref gives references [OData 13.1.3.9.1]",
  onReference(async (send) => {
    const { Category, Descriptions } = await read(
      send,
      `${product(1)}?$expand=Category/$ref,Descriptions/$ref`,
    );
    assert.deepEqual(Object.keys(Category), ["@odata.id"]);
    assert.match(Category["@odata.id"], /^Categories\(/);
    assert.deepEqual(Descriptions.map((row: object) => Object.keys(row).length), [1, 1]);
    await refused(send, ["GET", `${product(1)}?$expand=Category/$ref($select=Name)`]);
  }),
);

clause(
  "$expand takes casts before and behind a navigation [OData 13.1.3.9.3]",
  onReference(async (send) => {
    const { value } = await read(
      send,
      `Categories?$expand=Products/${SPECIAL}($select=Name,SpecialFeature)&$top=1`,
    );
    const found = value[0].Products.map((row: { Name: string }) => row.Name);
    assert.deepEqual(found, ["Laptop", "Premium Laptop Pro", "Gaming Mouse Ultra"]);
    const rows = (await read(send, `Products?$expand=${SPECIAL}/Category&$top=2&$select=Name`)).value;
    assert.deepEqual(rows.map((row: object) => "Category" in row), [true, false]);
    const counted = `Categories?$top=1&$expand=Products/${SPECIAL}/$count($filter=Price gt 500)`;
    assert.equal((await read(send, counted)).value[0]["Products@odata.count"], 2);
    const references = (await read(send, `Categories?$top=1&$expand=Products/${SPECIAL}/$ref`)).value[0];
    assert.equal(references.Products.length, 3);
    await refused(send, ["GET", "Categories?$expand=Products/reference.Reference.Category"]);
  }),
);

clause(
  "$orderby, $top, $skip, $count and $search inside of $expand [OData 13.1.3.9.4] [OData 13.1.3.9.5] [OData 13.1.3.9.6] [OData 13.1.3.9.7]",
  onReference(async (send) => {
    const expand = async (options: string) => {
      const url = `Categories?$top=1&$expand=Products($select=Name;${options})`;
      const row = (await read(send, url)).value[0];
      return [row.Products.map(({ Name }: { Name: string }) => Name), row["Products@odata.count"]];
    };
    const descending = ["Premium Laptop Pro", "Laptop", "Smartphone", "Gaming Mouse Ultra", "Wireless Mouse"];
    assert.deepEqual(await expand("$orderby=Price desc"), [descending, undefined]);
    assert.deepEqual(await expand("$orderby=Price asc"), [descending.toReversed(), undefined]);
    assert.deepEqual(await expand("$orderby=Price desc;$skip=1;$top=2;$count=true"), [
      descending.slice(1, 3),
      5,
    ]);
    assert.deepEqual(await expand("$search=mouse;$orderby=Price;$count=true"), [[
      "Wireless Mouse",
      "Gaming Mouse Ultra",
    ], 2]);
    const counted =
      (await read(send, "Categories?$top=1&$expand=Products/$count($filter=Price gt 500)")).value[0];
    assert.equal(counted["Products@odata.count"], 3);
  }),
);

clause(
  "$levels expands as deep as it says, or as far as there are rows [OData 13.1.3.9.8]",
  onLibrary(async (send) => {
    const depth = async (levels: string) => {
      let row = await read(send, `Nodes(1)?$select=ID&$expand=children($select=ID;$levels=${levels})`);
      let found = 0;
      while (row.children?.length) [row, found] = [row.children[0], found + 1];
      return found;
    };
    assert.deepEqual([await depth("1"), await depth("2"), await depth("max")], [1, 2, 3]);
    await refused(send, ["GET", "Nodes?$expand=children($levels=-1)"]);
  }),
);

clause(
  "$compute beside $select, $filter and $orderby, on sets, entities and inside of $expand [OData 13.1.3.9.9] [OData 13.1.3.16] [OData 13.2.1.15] [OData 13.2.2.8] [OData 13.2.3.4]",
  onReference(async (send) => {
    const url = "Products?$compute=Price mul 2 as Double,length(Name) as Size&$select=Name,Double,Size";
    const rows = (await read(send, `${url}&$filter=Double lt 100&$orderby=Size desc`)).value;
    assert.deepEqual(rows.map((row: Record<string, unknown>) => [row.Name, row.Double, row.Size]), [
      ["Wireless Mouse", 59.98, 14],
      ["Coffee Mug", 31, 10],
    ]);
    assert.equal((await read(send, `${product(3)}?$compute=Price add 1 as More&$select=More`)).More, 16.5);
    const expand = "Products($compute=Price mul 2 as Double;$select=Double;$filter=Double gt 3000)";
    assert.deepEqual(
      (await read(send, `Categories?$top=1&$expand=${expand}`)).value[0].Products.map(
        (row: { Double: number }) => row.Double,
      ),
      [3999.98],
    );
    await refused(send, ["GET", "Products?$compute=Price as Name"]);
  }),
);

clause(
  "paths of Part 2: keys, navigations, properties, $ref, $entity, $all, casts, /$count, /$value, operations, metadata [OData 13.1.3.12]",
  onReference(async (send) => {
    assert.equal((await read(send, `${product(1)}/Category/Name`)).value, "Electronics");
    assert.equal(await read(send, `${product(1)}/Category/Products/$count`), "5");
    const key = `ProductDescriptions(ProductID=${product(1).slice(9, -1)},LanguageKey='EN')`;
    assert.equal((await read(send, key)).LanguageKey, "EN");
    assert.equal(
      (await read(send, `${product(1)}/Descriptions(ProductID=${product(1).slice(9, -1)},LanguageKey='DE')`))
        .LanguageKey,
      "DE",
    );
    assert.equal((await read(send, `$entity?$id=${product(1)}`)).Name, "Laptop");
    assert.equal(
      (await read(send, `$entity/${SPECIAL}?$id=${product(1)}`)).SpecialFeature,
      "Backlit keyboard",
    );
    assert.equal((await read(send, "Categories/$ref")).value.length, 3);
    const types = (await read(send, "$all")).value.map((row: Record<string, string>) => row["@odata.type"]);
    assert.ok(new Set(types).size >= 6);
    assert.ok((await read(send, `$all/${SPECIAL}`)).value.length === 3);
    assert.equal((await read(send, "Products/GetTopProducts(count=1)")).value[0].Name, "Premium Laptop Pro");
    assert.equal((await send("GET", "$metadata")).status, 200);
    await refused(send, ["GET", `${product(1)}/Nothing`], 404);
    await change(send, ["POST", "Products/$query", "$filter=Price lt 20&$select=Name", {
      "content-type": "text/plain",
    }], 200);
  }),
);

clause(
  "$crossjoin pairs the rows of sets [OData 13.1.3.15]",
  onReference(async (send) => {
    const url =
      "$crossjoin(Products,Categories)?$filter=Products/CategoryID eq Categories/ID and Products/Price lt 300&$expand=Products($select=Name),Categories($select=Name)";
    const { value, "@odata.context": context } = await read(send, url);
    assert.match(context, /#Collection\(Edm.ComplexType\)$/);
    const pairs = value.map((row: Record<string, { Name: string }>) =>
      `${row.Products.Name} in ${row.Categories.Name}`
    );
    assert.deepEqual(pairs.sort(), [
      "Coffee Mug in Kitchen",
      "Gaming Mouse Ultra in Electronics",
      "Office Chair in Furniture",
      "Wireless Mouse in Electronics",
    ]);
  }),
);
