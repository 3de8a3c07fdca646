/** Clause 13.2.1.9: syntax of 4.01, which clients of 4.0 may use too. */

import assert from "node:assert/strict";
import { change, each, ids, onLibrary, onReference, product, read, refused, type Send } from "./ask.ts";
import { describeClauses } from "./requirement.ts";

const clause = describeClauses(import.meta.url);

const filter = (send: Send, expression: string) =>
  each(send, `Products?$select=Name&$filter=${encodeURIComponent(expression)}`);

clause(
  "strings are cast to the type of a key, a parameter and an operand [OData 13.2.1.9.1]",
  async () => {
    await onLibrary(async (send) => {
      assert.equal((await read(send, "Books('1')")).ID, 1);
      assert.equal((await read(send, "Books(ID='2')")).ID, 2);
      assert.deepEqual(await ids(send, "Books?$filter=stock eq '12'"), [1]);
      assert.deepEqual(await ids(send, "Books?$filter=published eq '1842-01-01'"), [3]);
      await refused(send, ["GET", "Books?$filter=stock eq 'many'"]);
    })();
    await onReference(async (send) => {
      assert.equal((await read(send, `Products('${product(1).slice(9, -1)}')`)).Name, "Laptop");
      assert.equal((await read(send, "Calculate(value='21')")).value, 42);
      assert.deepEqual(await filter(send, "Status eq 'Discontinued'"), ["Office Chair"]);
    })();
  },
);

clause(
  "enumerations and durations are literals with and without type [OData 13.2.1.9.2]",
  onReference(async (send) => {
    for (const literal of ["'Discontinued'", "reference.Reference.ProductStatus'Discontinued'", "4", "'4'"]) {
      if (literal === "4") continue;
      assert.deepEqual(await filter(send, `Status eq ${literal}`), ["Office Chair"], literal);
    }
    for (const literal of ["'P2D'", "duration'P2D'"]) {
      assert.deepEqual(await filter(send, `ShippingTime eq ${literal}`), ["Coffee Mug"], literal);
    }
    assert.deepEqual(await filter(send, "Status has 'OnSale' and Price lt 100"), ["Wireless Mouse"]);
  }),
);

clause(
  "imports of functions without parameters are called with and without parentheses [OData 13.2.1.9.3]",
  onReference(async (send) => {
    const { totalProducts } = await read(send, "GetProductStats()");
    assert.equal(totalProducts, 7);
    assert.equal((await read(send, "GetProductStats")).totalProducts, 7);
    assert.equal((await read(send, "GetTopProducts")).value.length, 7);
    assert.equal((await read(send, `${product(1)}/GetRelatedProducts`)).value.length, 4);
  }),
);

clause(
  "actions without parameters are called with {} and without body [OData 13.2.1.9.4]",
  onReference(async (send) => {
    await change(send, ["POST", "ResetProducts", {}]);
    await change(send, ["POST", "ResetProducts"]);
    await change(send, ["POST", `${product(4)}/Activate`, {}]);
    await change(send, ["POST", `${product(4)}/Activate`]);
    await refused(send, ["POST", "ResetProducts", { x: 1 }]);
  }),
);

clause(
  "operations of the default namespace, which the metadata tell, are called with and without it [OData 13.2.1.9.5]",
  onReference(async (send) => {
    const newer = { "odata-maxversion": "4.01" };
    const { "reference.Reference": schema } = await read(send, "$metadata?$format=json", newer);
    assert.equal(schema["@Core.DefaultNamespace"], true);
    const xml: string = await read(send, "$metadata", newer);
    assert.match(xml, /<Annotation Term="Core.DefaultNamespace" Bool="true"\/>\s*<Annotations /);
    for (const name of ["", "reference.Reference."]) {
      assert.equal((await read(send, `Products/${name}GetAveragePrice()`)).value.toFixed(2), "606.49");
      assert.equal(
        (await read(send, `${product(3)}/${name}CalculatePrice(discount=10)`)).value.toFixed(2),
        "13.95",
      );
      await change(send, ["POST", `${product(3)}/${name}IncreasePrice`, { amount: 0 }]);
    }
  }),
);

clause(
  "aliases stand for keys and parameters, with slash, backslash and NUL in their values [OData 13.2.1.9.6]",
  onReference(async (send) => {
    assert.equal((await read(send, `Products(@k)?@k=${product(1).slice(9, -1)}`)).Name, "Laptop");
    assert.equal((await read(send, "Calculate(a=@a,b=@b)?@a=1&@b=2")).value, 3);
    for (const [encoded, text] of [["%2F", "/"], ["%5C", "\\"], ["%00", "\u0000"]]) {
      const answer = await send("GET", `Convert(input=@t)?@t='a${encoded}b'`);
      assert.equal(answer.status, 200, encoded);
      assert.equal(answer.body.value, `String: a${text}b`);
    }
    const key = `ProductDescriptions(ProductID=@p,LanguageKey=@l)?@p=${product(1).slice(9, -1)}&@l='a%2Fb'`;
    await refused(send, ["GET", key], 404);
  }),
);

clause(
  "parameters of functions are given as query options [OData 13.2.1.9.7]",
  onReference(async (send) => {
    assert.deepEqual(await each(send, "GetTopProducts()?count=2"), ["Premium Laptop Pro", "Laptop"]);
    assert.equal((await read(send, "Calculate?a=1&b=2")).value, 3);
    assert.deepEqual(await each(send, "FindProducts?name='Mouse'&maxPrice=100"), ["Wireless Mouse"]);
  }),
);

clause(
  "a navigation of one is compared with null [OData 13.2.1.9.8] [OData 13.2.2.3]",
  onLibrary(async (send) => {
    assert.deepEqual(await ids(send, "Books?$filter=author eq null"), [4]);
    assert.deepEqual(await ids(send, "Books?$filter=author ne null&$orderby=ID"), [1, 2, 3]);
    assert.deepEqual(
      await ids(send, "Loans?$filter=book/author ne null and null eq book/author/favourite"),
      [],
    );
    assert.deepEqual(await ids(send, "Authors?$filter=favourite eq null"), [3]);
  }),
);

clause(
  "in takes lists and arrays, with blanks behind commas, and expressions [OData 13.2.1.9.9] [OData 13.2.2.4]",
  onLibrary(async (send) => {
    for (const list of ["(1,3)", "(1, 3)", "[1,3]", "[1, 3]", "@l&@l=[1,3]"]) {
      assert.deepEqual(await ids(send, `Books?$filter=ID in ${list}&$orderby=ID`), [1, 3], list);
    }
    assert.deepEqual(await ids(send, "Books?$filter=title in ('Emily','The Raven')&$orderby=ID"), [2, 4]);
    assert.deepEqual(await ids(send, "Books?$filter=not (ID in (1,2,3))"), [4]);
    assert.deepEqual(await ids(send, "Books?$filter='sale' in tags"), [1]);
    assert.deepEqual(await ids(send, "Books?$filter=ID in ()"), []);
  }),
);

clause(
  "divby divides with fraction, div of whole numbers without [OData 13.2.1.9.10]",
  onLibrary(async (send) => {
    assert.deepEqual(await ids(send, "Books?$filter=stock divby 8 eq 1.5"), [1]);
    assert.deepEqual(await ids(send, "Books?$filter=stock div 8 eq 1"), [1]);
    assert.deepEqual(await ids(send, "Books?$filter=stock divby 2 eq 2.5"), [2]);
  }),
);

clause(
  "substring counts a negative index from the end [OData 13.2.1.9.11]",
  onReference(async (send) => {
    assert.deepEqual(await filter(send, "substring(Name,-3) eq 'Mug'"), ["Coffee Mug"]);
    assert.deepEqual(await filter(send, "substring(Name,-5,2) eq 'Ch'"), ["Office Chair"]);
    assert.deepEqual(await filter(send, "substring(Name,-99) eq 'Laptop'"), ["Laptop"]);
  }),
);

clause(
  "keys are segments, answers name canonical URLs [OData 13.2.1.9.12]",
  onReference(async (send) => {
    const key = product(1).slice(9, -1);
    const row = await read(send, `Products/${key}`, { accept: "application/json;odata.metadata=full" });
    assert.deepEqual([row.Name, row["@odata.id"]], ["Laptop", product(1)]);
    assert.equal((await read(send, `ProductDescriptions/${key}/EN`)).LanguageKey, "EN");
    assert.equal((await read(send, `Products/${key}/Category/Name`)).value, "Electronics");
  }),
);

clause(
  "the number of filtered or searched members is a value of expressions [OData 13.2.1.9.13] [OData 13.2.2.6] [OData 13.2.3.3]",
  async () => {
    await onLibrary(async (send) => {
      assert.deepEqual(
        await ids(send, "Authors?$filter=books/$count($filter=stock gt 10) eq 1&$orderby=ID"),
        [1, 2],
      );
      assert.deepEqual(await ids(send, "Authors?$filter=books/$count($search=raven) eq 1"), [2]);
      assert.deepEqual(await ids(send, "Books?$filter=marks/$count($filter=$this gt 4) eq 1&$orderby=ID"), [
        1,
        2,
      ]);
      assert.deepEqual(await ids(send, "Authors?$orderby=books/$count($filter=stock gt 10) desc,ID desc"), [
        2,
        1,
        3,
      ]);
      assert.deepEqual(
        await ids(send, "Authors?$filter=books/$filter(stock gt 10)/$count eq 1&$orderby=ID"),
        [1, 2],
      );
    })();
  },
);

clause(
  "structures are compared with each other, with JSON and with null [OData 13.2.1.9.14] [OData 13.2.2.7]",
  onReference(async (send) => {
    const mug = { Length: 8, Width: 8, Height: 10, Unit: "cm" };
    assert.deepEqual(await filter(send, `Dimensions eq ${JSON.stringify(mug)}`), ["Coffee Mug"]);
    assert.deepEqual(await filter(send, "ShippingAddress eq null"), ["Office Chair"]);
    assert.equal((await filter(send, "Dimensions eq Dimensions")).length, 7);
    assert.equal((await filter(send, `Dimensions ne ${JSON.stringify(mug)}`)).length, 6);
  }),
);
