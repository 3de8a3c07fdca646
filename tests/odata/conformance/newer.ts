/** Clauses 13.2.1 to 13.2.3: what 4.01 adds to reading; the syntax of 13.2.1.9 has a file of its own. */

import assert from "node:assert/strict";
import {
  change,
  each,
  NEWER,
  OLDER,
  onLibrary,
  onReference,
  product,
  read,
  refused,
  type Send,
} from "./ask.ts";
import { describeClauses } from "./requirement.ts";

const clause = describeClauses(import.meta.url);

const filter = (send: Send, expression: string) =>
  each(send, `Products?$select=Name&$filter=${encodeURIComponent(expression)}`);

clause(
  "answers of 4.01 have control information of 4.01, bodies may leave odata. out [OData 13.2.1.2]",
  onReference(async (send) => {
    const { headers, body } = await send(
      "GET",
      `${product(1)}?$expand=Descriptions($count=true)`,
      undefined,
      NEWER,
    );
    assert.equal(headers.get("odata-version"), "4.01");
    const control = Object.keys(body).filter((name) => name.includes("@")).map((name) =>
      name.replace(/^.*@/, "@")
    );
    assert.ok(control.length >= 4);
    assert.ok(
      control.every((name) =>
        /^@(odata\.)?(context|etag|type|count|mediaContentType|mediaReadLink|mediaEtag)$/.test(name)
      ),
      control.join(),
    );
    const bare = {
      Name: "New",
      Price: 1,
      "Category@bind": "Categories(00000001-0000-4000-8000-000000000002)",
    };
    const created = await change(send, ["POST", "Products?$expand=Category", {
      "@type": "#reference.Reference.SpecialProduct",
      ...bare,
    }, NEWER], 201);
    assert.equal(created.body.Category.Name, "Kitchen");
    assert.equal(created.body.ProductType, "SpecialProduct");
    // Int64 and Decimal as numbers with all digits, as strings when asked for
    const exact = { accept: "application/json;IEEE754Compatible=true", ...NEWER };
    const [sample] = (await read(send, "DecimalSamples", exact)).value;
    assert.equal(sample.Amount, "123.450000000000000000");
    const minimal = { accept: "application/json;metadata=full", ...NEWER };
    assert.match(JSON.stringify(await read(send, product(1), minimal)), /SpecialProduct/);
  }),
);

clause(
  "headers and preferences without prefix do what those with prefix do [OData 13.2.1.4]",
  onReference(async (send) => {
    for (const prefix of ["", "odata."]) {
      const page = await send("GET", "Products", undefined, { prefer: `${prefix}maxpagesize=2` });
      assert.deepEqual([page.body.value.length, page.headers.get("preference-applied")], [
        2,
        `${prefix}maxpagesize=2`,
      ]);
      const tracked = await send("GET", "Products", undefined, { prefer: `${prefix}track-changes` });
      assert.equal(tracked.headers.get("preference-applied"), `${prefix}track-changes`);
      const annotated = await send("GET", product(1), undefined, {
        prefer: `${prefix}include-annotations="*"`,
      });
      assert.equal(annotated.status, 200);
      assert.equal(annotated.headers.get("preference-applied"), `${prefix}include-annotations="*"`);
      const requests = [{ id: "1", method: "GET", url: "Nothing" }, {
        id: "2",
        method: "GET",
        url: "Company",
      }];
      const batch = await send("POST", "$batch", { requests }, {
        prefer: `${prefix}continue-on-error=false`,
      });
      assert.equal(batch.body.responses.length, 1);
    }
    for (const name of ["isolation", "odata-isolation"]) {
      const isolated = { [name]: "snapshot" };
      await refused(send, ["GET", "Products", undefined, isolated], 412);
      const requests = [{ id: "1", method: "GET", url: "Company" }];
      await refused(send, ["POST", "$batch", { requests }, isolated], 412);
    }
    for (const parameter of ["metadata", "odata.metadata"]) {
      const body = await read(send, product(1), { accept: `application/json;${parameter}=none` });
      assert.deepEqual(Object.keys(body).filter((name) => name.startsWith("@")), []);
    }
  }),
);

clause(
  "$schemaversion of the service and * are taken, others are 404 [OData 13.2.1.5]",
  onReference(async (send) => {
    const { "reference.Reference": schema } = await read(send, "$metadata?$format=json");
    assert.match(JSON.stringify(schema), /"@Core.SchemaVersion":"1.0"/);
    for (const version of ["1.0", "*"]) await read(send, `Products?$schemaversion=${version}&$top=1`);
    for (const url of ["Products", "$metadata", product(1)]) {
      await refused(send, ["GET", `${url}?$schemaversion=0.9`], 404);
    }
  }),
);

clause(
  "system query options work with and without $ [OData 13.2.1.6]",
  onReference(async (send) => {
    const options = [
      "filter=Price gt 20",
      "select=Name",
      "orderby=Price desc",
      "top=2",
      "skip=1",
      "count=true",
      "expand=Category(select=Name)",
    ];
    const plain = await read(send, `Products?${options.join("&")}`);
    assert.deepEqual(
      plain,
      await read(send, `Products?${options.map((one) => `$${one}`).join("&").replace("(", "($")}`),
    );
    assert.deepEqual([plain["@odata.count"], plain.value.length, plain.value[0].Category.Name], [
      6,
      2,
      "Electronics",
    ]);
    assert.equal((await read(send, "Products?search=mouse")).value.length, 2);
    assert.equal((await read(send, "Products?compute=Price mul 2 as D&select=D&top=1")).value[0].D, 1999.98);
    assert.equal((await read(send, "$metadata?format=json")).$Version, "4.0");
    await refused(send, ["GET", "Products?filter=Price gt 1&$filter=Price gt 2"]);
  }),
);

clause(
  "options, operators and functions are taken in any letter case, names of the model in their own only [OData 13.2.1.7]",
  onReference(async (send) => {
    const expected = await each(
      send,
      "Products?$filter=contains(tolower(Name),'laptop') and Price GT 1&$orderby=Price desc",
    );
    assert.deepEqual(
      await each(send, "Products?$FILTER=CONTAINS(ToLower(Name),'laptop') AND Price gt 1&OrderBy=Price DESC"),
      expected,
    );
    assert.deepEqual(await filter(send, "NOT (Price LT 1000) OR Price IN (15.5)"), [
      "Coffee Mug",
      "Premium Laptop Pro",
    ]);
    assert.deepEqual(await filter(send, "Descriptions/ANY(d:d/LanguageKey EQ 'FR')"), ["Wireless Mouse"]);
    await refused(send, ["GET", "Products?$filter=name eq 'Laptop'"]);
  }),
);

clause(
  "names in answers are spelled as in $metadata, whatever the URL says [OData 13.2.1.8]",
  onReference(async (send) => {
    const { "reference.Reference": { Product } } = await read(send, "$metadata?$format=json");
    const row = await read(send, `${product(2)}?$EXPAND=Category`);
    const names = Object.keys(row).filter((name) => !name.includes("@"));
    assert.deepEqual(names.filter((name) => !(name in Product)), []);
    assert.ok(names.includes("ShippingAddress"));
  }),
);

clause(
  "$metadata is CSDL XML and CSDL JSON with the same types, JSON also for 4.0 [OData 13.2.1.10] [OData 13.2.3.6]",
  onReference(async (send) => {
    const xml: string = await read(send, "$metadata", { accept: "application/xml", ...NEWER });
    assert.match(xml, /<edmx:Edmx Version="4.01"/);
    const { "reference.Reference": schema, $Version } = await read(send, "$metadata", {
      accept: "application/json",
      ...NEWER,
    });
    assert.equal($Version, "4.01");
    const types = Object.entries(schema).filter(([, type]) =>
      (type as { $Kind?: string }).$Kind === "EntityType"
    );
    const named = [...xml.matchAll(/<EntityType Name="(\w+)"/g)].map((match) => match[1]);
    assert.deepEqual(types.map(([name]) => name).sort(), named.sort());
    assert.equal((await read(send, "$metadata?$format=json", OLDER)).$Version, "4.0");
  }),
);

clause(
  "no two names in a schema, a type or the container differ by letter case only [OData 13.2.1.11]",
  onReference(async (send) => {
    const { "reference.Reference": schema } = await read(send, "$metadata?$format=json");
    for (const scope of [schema, ...Object.values(schema)] as object[]) {
      const names = Object.keys(scope).filter((name) => !/[$@]/.test(name));
      assert.equal(new Set(names.map((name) => name.toLowerCase())).size, names.length);
    }
  }),
);

clause(
  "the metadata of 4.01 say the versions of the protocol [OData 13.2.1.12]",
  onReference(async (send) => {
    const { "reference.Reference": schema } = await read(send, "$metadata?$format=json", NEWER);
    const container = schema.$Annotations["reference.Reference.EntityContainer"];
    assert.equal(container["@Core.ODataVersions"], "4.01");
    const xml: string = await read(send, "$metadata", NEWER);
    assert.match(xml, /<Annotation Term="Core.ODataVersions" String="4.01"\/>/);
  }),
);

clause(
  "what the service can and cannot is said by the Capabilities vocabulary [OData 13.2.1.13]",
  onReference(async (send) => {
    const { "reference.Reference": schema } = await read(send, "$metadata?$format=json", NEWER);
    const container = schema.$Annotations["reference.Reference.EntityContainer"];
    assert.deepEqual(container["@Capabilities.BatchSupport"].SupportedFormats, [
      "multipart/mixed",
      "application/json",
    ]);
    assert.equal(container["@Capabilities.AsynchronousRequestsSupported"], true);
    const items = schema.$Annotations["reference.Reference.EntityContainer/ReadOnlyItems"];
    assert.equal(items["@Capabilities.InsertRestrictions"].Insertable, false);
    const products = schema.$Annotations["reference.Reference.EntityContainer/Products"];
    assert.equal(products["@Capabilities.ChangeTracking"].Supported, true);
  }),
);

clause(
  "values of annotations are operands of $filter [OData 13.2.1.14]",
  onReference(async (send) => {
    assert.equal((await filter(send, "Name/@Core.Description eq 'Product display name'")).length, 7);
    assert.deepEqual(await filter(send, "Name/@Core.Description eq 'x'"), []);
  }),
);

clause(
  "$search is an option of every collection: sets, navigations, values, counts [OData 13.2.1.16]",
  async () => {
    await onReference(async (send) => {
      for (const set of ["Products", "Categories", "ProductDescriptions", "MediaItems", "ReadOnlyItems"]) {
        assert.ok(Array.isArray((await read(send, `${set}?$search=a`)).value), set);
      }
      assert.equal(await read(send, `${product(1)}/Category/Products/$count?$search=mouse`), "2");
    })();
    await onLibrary(async (send) => {
      assert.deepEqual((await read(send, "Books(1)/tags?$search=SAL")).value, ["sale"]);
    })();
  },
);

clause(
  "syntax of 4.01 is taken from clients of 4.0 too, payloads follow OData-MaxVersion [OData 13.2.1.17]",
  onReference(async (send) => {
    for (const headers of [OLDER, NEWER, {}]) {
      const url =
        "Products?filter=Price in (15.5,29.99)&orderby=Price&compute=Price divby 2 as Half&select=Name,Half";
      const { value } = await read(send, url, headers);
      assert.deepEqual(value.map((row: { Name: string }) => row.Name), ["Coffee Mug", "Wireless Mouse"]);
    }
    const context = (headers: Record<string, string>) =>
      read(send, "Products(@k)?@k=" + product(1).slice(9, -1) + "&$select=Name", headers);
    assert.ok("@odata.context" in await context(OLDER));
    assert.equal((await send("GET", "Products", undefined, NEWER)).headers.get("odata-version"), "4.01");
  }),
);

clause(
  "$select inside of $select [OData 13.2.2.5]",
  onReference(async (send) => {
    const row = await read(
      send,
      `${product(1)}?$select=Name,ShippingAddress($select=City,State),Dimensions($select=Unit)`,
    );
    assert.deepEqual(row.ShippingAddress, { City: "Seattle", State: "WA" });
    assert.deepEqual([row.Dimensions, "Price" in row], [{ Unit: "cm" }, false]);
  }),
);

clause(
  "$filter, $orderby, $count, $top, $skip and $search inside of $select [OData 13.2.2.9] [OData 13.2.3.5.1] [OData 13.2.3.5.2] [OData 13.2.3.5.3] [OData 13.2.3.5.4] [OData 13.2.3.5.5]",
  onLibrary(async (send) => {
    const select = (text: string) => read(send, `Books(1)?$select=${text}`);
    assert.deepEqual((await select("marks($filter=$this gt 4)")).marks, [5]);
    assert.deepEqual((await select("places($filter=floor eq null;$select=city)")).places, [{ city: "Rome" }]);
    assert.deepEqual((await select("marks($orderby=$this desc)")).marks, [5, 3]);
    assert.deepEqual((await select("marks($orderby=$this asc)")).marks, [3, 5]);
    assert.equal((await select("tags($count=true)"))["tags@odata.count"], 2);
    assert.deepEqual((await select("marks($top=1)")).marks, [3]);
    assert.deepEqual((await select("marks($skip=1)")).marks, [5]);
    assert.deepEqual((await select("tags($search=SAL)")).tags, ["sale"]);
    assert.deepEqual((await select("tags($search=SAL OR new;$top=1;$count=true)"))["tags@odata.count"], 2);
  }),
);

clause(
  "aliases are assigned inside of $select and $expand [OData 13.2.2.10] [OData 13.2.3.9]",
  onLibrary(async (send) => {
    const authors =
      (await read(send, "Authors(2)?$select=name&$expand=books($filter=stock gt @n;@n=10;$select=ID)")).books;
    assert.deepEqual(authors.map((row: { ID: number }) => row.ID), [3]);
    assert.deepEqual((await read(send, "Books(1)?$select=marks($filter=$this gt @n;@n=4)")).marks, [5]);
  }),
);

clause(
  "/$filter(…) in paths narrows sets, navigations and what follows [OData 13.2.2.11] [OData 13.2.3.8]",
  onReference(async (send) => {
    assert.deepEqual(await each(send, "Products/$filter(Price lt 20)"), ["Coffee Mug"]);
    assert.deepEqual(await each(send, "Products/$filter(@c)?@c=Price lt 20"), ["Coffee Mug"]);
    assert.equal(await read(send, "Categories/$filter(Name eq 'Kitchen')/$count"), "1");
    assert.deepEqual(
      await each(send, `${product(1)}/Category/Products/$filter(Price gt 500)/$filter(Price lt 900)`),
      ["Smartphone"],
    );
    await refused(send, ["GET", `${product(1)}/$filter(true)`]);
  }),
);

clause.refused(
  "names of the model in another letter case are unknown: 400, in paths 404, with the name that is meant [OData 13.2.3.10]",
  onReference(async (send) => {
    await refused(send, ["GET", "products"], 404);
    await refused(send, ["GET", "Products?$select=name"]);
    await refused(send, ["POST", "Products", { name: "x", Price: 1 }]);
    assert.match((await send("GET", "products")).body.error.message, /did you mean "Products"/);
  }),
);
