/** Clause 13.1.1: reading. */

import assert from "node:assert/strict";
import { change, each, NEWER, OLDER, onReference, product, read, refused } from "./ask.ts";
import { describeClauses } from "./requirement.ts";

const clause = describeClauses(import.meta.url);

clause(
  "the root answers a service document with sets and singleton [OData 13.1.1.1]",
  onReference(async (send) => {
    const { "@odata.context": context, value } = await read(send, "");
    assert.equal(context, "$metadata");
    const kinds = Object.fromEntries(
      value.map(({ name, kind = "EntitySet" }: { name: string; kind?: string }) => [name, kind]),
    );
    assert.deepEqual([kinds.Products, kinds.Company], ["EntitySet", "Singleton"]);
    assert.ok(value.every(({ url }: { url: string }) => typeof url === "string"));
  }),
);

clause(
  "entities, collections, properties, references and errors are OData JSON [OData 13.1.1.2] [OData 13.1.2.9] [OData 13.1.3.3]",
  onReference(async (send) => {
    const { headers, body } = await send("GET", "Products?$top=1&$count=true");
    assert.equal(headers.get("content-type"), "application/json");
    assert.equal(body["@odata.context"], "$metadata#Products");
    assert.deepEqual([body["@odata.count"], body.value.length], [7, 1]);
    const [row] = body.value;
    assert.deepEqual([row.Name, row.Price, row["@odata.etag"]], ["Laptop", 999.99, 'W/"1"']);
    assert.equal((await read(send, product(1)))["@odata.context"], "$metadata#Products/$entity");
    const property = await read(send, `${product(1)}/Price`);
    assert.deepEqual([property["@odata.context"], property.value], [
      `../$metadata#${product(1)}/Price`,
      999.99,
    ]);
    const reference = await read(send, `${product(1)}/Category/$ref`);
    assert.match(reference["@odata.id"], /Categories\(/);
    assert.equal(
      (await send("GET", `${product(4)}/Category?$filter=1`)).headers.get("content-type"),
      "application/json",
    );
    await refused(send, ["GET", "Products?$filter"]);
  }),
);

clause(
  "a page that is not all links to the rest, and all pages are all rows once [OData 13.1.1.3]",
  onReference(async (send) => {
    const found: string[] = [];
    let url = "Products?$orderby=Price&$select=Name";
    let pages = 0;
    for (let isMore = true; isMore;) {
      const { status, headers, body } = await send("GET", url, undefined, { prefer: "odata.maxpagesize=3" });
      assert.equal(status, 200);
      assert.equal(headers.get("preference-applied"), "odata.maxpagesize=3");
      found.push(...body.value.map((row: { Name: string }) => row.Name));
      isMore = "@odata.nextLink" in body;
      if (isMore) assert.match(url = body["@odata.nextLink"], /[$]skiptoken=/);
      pages++;
    }
    assert.deepEqual([pages, found.length], [3, 7]);
    assert.deepEqual(found, await each(send, "Products?$orderby=Price&$select=Name"));
    // a page that the client cuts has no link
    assert.equal((await read(send, "Products?$top=2"))["@odata.nextLink"], undefined);
  }),
);

clause(
  "every answer says its version: bodies, none, errors and parts of batches [OData 13.1.1.4]",
  onReference(async (send) => {
    const version = async (...given: Parameters<typeof send>) =>
      (await send(...given)).headers.get("odata-version");
    for (
      const url of ["", "$metadata", "Products", product(1), "Products/$count", "Nothing", "Products?$top=x"]
    ) {
      assert.equal(await version("GET", url), "4.0", url);
      assert.equal(await version("GET", url, undefined, NEWER), "4.01", url);
    }
    assert.equal(await version("DELETE", product(2)), "4.0");
    const requests = [{ id: "1", method: "GET", url: "Products" }, {
      id: "2",
      method: "GET",
      url: "Nothing",
    }];
    const { body } = await send("POST", "$batch", { requests }, OLDER);
    for (const part of body.responses) assert.equal(part.headers["odata-version"], "4.0");
  }),
);

clause(
  "Accept and $format choose format, metadata and number form, else 406 [OData 13.1.1.5.1]",
  onReference(async (send) => {
    const type = async (url: string, accept: string) => {
      const { status, headers } = await send("GET", url, undefined, { accept });
      return status === 200 ? headers.get("content-type") : status;
    };
    assert.equal(await type("Products", "*/*"), "application/json");
    assert.equal(await type("Products", "application/xml, application/json;q=0.5"), "application/json");
    for (const level of ["minimal", "full", "none"]) {
      const given = `application/json;odata.metadata=${level}`;
      assert.equal(await type("Products", given), given);
    }
    assert.equal(await type("Products", "application/json;charset=utf-8"), "application/json;charset=utf-8");
    assert.equal(await type("$metadata", "application/xml"), "application/xml");
    assert.equal(await type("$metadata", "application/json"), "application/json");
    assert.equal(await type("$metadata?$format=xml", "application/json"), "application/xml");
    for (
      const accept of [
        "application/xml",
        "text/html",
        "application/json;q=0",
        "application/json;odata.metadata=some",
      ]
    ) {
      assert.equal(await type("Products", accept), 406, accept);
    }
    const none = await read(send, product(1), { accept: "application/json;odata.metadata=none" });
    assert.deepEqual(Object.keys(none).filter((name) => name.includes("@")), []);
    const full = await read(send, product(1), { accept: "application/json;odata.metadata=full" });
    assert.equal(full["@odata.type"], "#reference.Reference.SpecialProduct");
    assert.match(full["Category@odata.navigationLink"], /Category$/);
  }),
);

clause(
  "OData-MaxVersion decides on the version of the answer, below 4.0 is refused [OData 13.1.1.5.2]",
  onReference(async (send) => {
    for (const [asked, answered] of [["4.0", "4.0"], ["4.01", "4.01"], ["4.02", "4.01"], ["5.0", "4.01"]]) {
      const { headers, body } = await send("GET", "Products?$top=1", undefined, {
        "odata-maxversion": asked,
      });
      assert.equal(headers.get("odata-version"), answered, asked);
      assert.equal("@odata.context" in body, answered === "4.0" || !("@context" in body));
    }
    await refused(send, ["GET", "Products", undefined, { "odata-maxversion": "3.0" }], 406);
  }),
);

clause(
  "options, headers and annotations of others change nothing; unknown options with $ are refused [OData 13.1.1.6]",
  onReference(async (send) => {
    const plain = await read(send, "Products?$top=2");
    assert.deepEqual(await read(send, "Products?$top=2&mine=1&x-y=%24z", { "x-mine": "1" }), plain);
    await refused(send, ["GET", "Products?$mine=1"]);
    const created = await change(send, ["POST", "Products", {
      "@mine.note": "of others",
      "Name": "New",
      "Name@mine.note": 1,
      "Price": 1,
    }], 201);
    assert.equal(created.body.Name, "New");
    assert.equal((await send("GET", "Products", undefined, { prefer: "mine=1" })).status, 200);
  }),
);

clause(
  "options are parsed by the grammar: what breaks it is 400 with the place, what is not executed 501 [OData 13.1.1.7] [OData 13.1.2.2]",
  onReference(async (send) => {
    for (
      const query of [
        ...[
          "$filter=Name eq",
          "$filter=Name eq 'x",
          "$filter=(Price gt 1",
          "$filter=Price gt 1 foo 2",
          "$filter=",
        ],
        ...[
          "$top=-1",
          "$top=1.5",
          "$skip=x",
          "$count=yes",
          "$orderby=Price up",
          "$select=",
          "$expand=Category(",
        ],
        ...[
          "$search=AND)",
          "$format=",
          "$filter=Price gt 1&$filter=Price lt 2",
          "$levels=1",
          "$compute=Price",
        ],
      ]
    ) {
      await refused(send, ["GET", `Products?${query}`]);
    }
    const { body } = await send("GET", "Products?$filter=Price gt gt 1");
    assert.match(body.error.message, /offset \d+/);
    for (
      const path of [
        "Products(",
        "Products('1'",
        "Products//Name",
        "Products($it)",
        `${product(1)}/Name/Name`,
      ]
    ) {
      const { status } = await send("GET", path);
      assert.ok(status === 400 || status === 404, `${path}: ${status}`);
    }
    await refused(send, ["GET", "Products?$expand=Photo"], 501);
    await refused(send, ["GET", "Products?$filter=FindProducts(name='x',maxPrice=1)/$count gt 0"], 501);
  }),
);

clause(
  "all types in the metadata are primitive types of CSDL or declared there [OData 13.1.1.8]",
  onReference(async (send) => {
    const { "reference.Reference": schema } = await read(send, "$metadata?$format=json");
    const used = [...JSON.stringify(schema).matchAll(/"\$Type":"([^"]+)"/g)].map((match) => match[1]);
    assert.ok(used.length > 50);
    const primitive =
      /^Edm\.(Binary|Boolean|Byte|Date|DateTimeOffset|Decimal|Double|Duration|Guid|Int16|Int32|Int64|SByte|Single|Stream|String|TimeOfDay|Geography(Point|LineString|Polygon))$/;
    const unknown = used.filter((type) =>
      !primitive.test(type) && schema[type.replace("reference.Reference.", "")] === undefined
    );
    assert.deepEqual(unknown, []);
  }),
);

clause(
  "no annotation or header is needed to read, change and page [OData 13.1.1.9]",
  onReference(async (send) => {
    const none = { accept: "application/json;odata.metadata=none" };
    const { ID } = (await read(send, "Products?$top=1&$filter=Price gt 1000", none)).value[0];
    await change(send, ["PATCH", `Products(${ID})`, { Price: 1001 }], 200);
    assert.equal((await read(send, `Products(${ID})`, none)).Price, 1001);
    const page = await read(send, "Products", { ...none, prefer: "maxpagesize=4" });
    // the link to the rest is the one control information that is never left out
    assert.equal((await read(send, page["@odata.nextLink"], none)).value.length, 3);
    assert.deepEqual(await each(send, `Products?$filter=ID eq ${ID}&$select=Name`), ["Premium Laptop Pro"]);
  }),
);

clause(
  "$select answers what was asked for, with keys, version and control information; $search knows NOT [OData 13.1.1.11] [OData 13.1.2.3]",
  onReference(async (send) => {
    const [row] = (await read(send, "Products?$select=Name,Price&$top=1")).value;
    assert.deepEqual(Object.keys(row).sort(), [
      "@odata.etag",
      "@odata.type",
      "ID",
      "Name",
      "Price",
      "Version",
    ]);
    const star = (await read(send, "Products?$select=*&$top=1")).value[0];
    assert.ok("Description" in star && !("Category" in star));
    const nested = (await read(send, "Products?$select=ShippingAddress/City&$top=1")).value[0];
    assert.deepEqual(nested.ShippingAddress, { City: "Seattle" });
    await refused(send, ["GET", "Products?$select=Nothing"]);
    const all = await each(send, "Products?$select=Name");
    const mice = await each(send, "Products?$select=Name&$search=Mouse");
    const isMouse = (name: unknown) => String(name).includes("Mouse");
    assert.deepEqual(mice, all.filter(isMouse));
    const others = await each(send, "Products?$select=Name&$search=NOT Mouse");
    assert.deepEqual(others, all.filter((name) => !isMouse(name)));
  }),
);

clause(
  "$expand of one and of many, over two levels, with options [OData 13.1.1.12] [OData 13.1.2.14]",
  onReference(async (send) => {
    const laptop = await read(send, `${product(1)}?$expand=Category,Descriptions($select=LanguageKey)`);
    assert.equal(laptop.Category.Name, "Electronics");
    assert.deepEqual(laptop.Descriptions.map((row: { LanguageKey: string }) => row.LanguageKey), [
      "DE",
      "EN",
    ]);
    const deep = await read(send, "Categories?$expand=Products($expand=Descriptions;$top=1)&$top=1");
    assert.equal(deep.value[0].Products[0].Descriptions.length, 2);
    assert.equal((await read(send, `${product(1)}?$expand=*`)).RelatedProducts.length, 0);
    await refused(send, ["GET", "Products?$expand=Name"]);
  }),
);

clause(
  "$metadata is CSDL XML and, if asked for, CSDL JSON [OData 13.1.1.13] [OData 13.1.2.8] [OData 13.1.3.2]",
  onReference(async (send) => {
    const xml = await send("GET", "$metadata");
    assert.deepEqual([xml.status, xml.headers.get("content-type")], [200, "application/xml"]);
    assert.match(xml.body, /^<\?xml version="1.0" encoding="utf-8"\?>\s*<edmx:Edmx Version="4.0"/i);
    assert.match(xml.body, /<EntitySet Name="Products" EntityType="reference.Reference.Product">/);
    const json = await read(send, "$metadata", { accept: "application/json" });
    assert.deepEqual([json.$Version, json.$EntityContainer], ["4.0", "reference.Reference.EntityContainer"]);
  }),
);

clause(
  "preferences and headers with the prefix of 4.0 are followed [OData 13.1.1.14]",
  onReference(async (send) => {
    const page = await send("GET", "Products", undefined, { prefer: "odata.maxpagesize=2" });
    assert.deepEqual([page.body.value.length, page.headers.get("preference-applied")], [
      2,
      "odata.maxpagesize=2",
    ]);
    const tracked = await send("GET", "Products", undefined, { prefer: "odata.track-changes" });
    assert.equal(tracked.headers.get("preference-applied"), "odata.track-changes");
    assert.match(tracked.body["@odata.deltaLink"], /deltatoken/);
    const annotated = await send("GET", product(1), undefined, { prefer: 'odata.include-annotations="*"' });
    assert.equal(annotated.status, 200);
    assert.equal(annotated.headers.get("preference-applied"), 'odata.include-annotations="*"');
    const reference = await send("GET", product(1), undefined, { prefer: "odata.allow-entityreferences" });
    assert.equal(reference.status, 200);
    const requests = [{ id: "1", method: "GET", url: "Nothing" }, {
      id: "2",
      method: "GET",
      url: "Categories",
    }];
    const { body } = await send("POST", "$batch", { requests }, { prefer: "odata.continue-on-error=false" });
    assert.equal(body.responses.length, 1);
    const minimal = await send("POST", "Products", { Name: "x", Price: 1 }, { prefer: "return=minimal" });
    assert.equal(minimal.status, 204);
    assert.match(minimal.headers.get("odata-entityid")!, /Products\(/);
  }),
);

clause(
  "literals of enumerations and durations with their type select rows [OData 13.1.1.15]",
  onReference(async (send) => {
    const filter = (text: string) => each(send, `Products?$select=Name&$filter=${text}`);
    assert.deepEqual(await filter("Status eq reference.Reference.ProductStatus'Discontinued'"), [
      "Office Chair",
    ]);
    assert.deepEqual(
      await filter("Status has reference.Reference.ProductStatus'OnSale' and Price lt 100"),
      ["Wireless Mouse"],
    );
    assert.deepEqual(await filter("ShippingTime gt duration'P1DT2H'"), ["Coffee Mug", "Office Chair"]);
  }),
);
