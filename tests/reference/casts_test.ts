/** The fixture `reference`: type casts in paths, expressions and options (URL 4.11). */

import assert from "node:assert/strict";
import { product, withReference } from "./reference.ts";

Deno.test("a type cast follows no other one (ABNF collectionNavigation, singleNavigation)", () =>
  withReference(async (send) => {
    const { body } = await send("GET", "$metadata?$format=json");
    const schema = Object.keys(body).find((name) => body[name].SpecialProduct)!;
    const cast = `${schema}.SpecialProduct`;
    const keyed = `${cast}(00000002-0000-4000-8000-000000000001)`;
    const status = async (url: string) => (await send("GET", url)).status;
    const accepted = [
      `Products/${cast}`,
      `Products/${cast}/$filter(true)/${cast}`,
      `${product(1)}/${cast}/SpecialProperty`,
      `Products/${keyed}/${cast}`,
      `Products?$filter=${cast}/SpecialProperty ne null`,
      `Products?$select=${cast}/SpecialProperty`,
      `Categories?$expand=Products/${cast}`,
      `Categories?$filter=Products/${keyed}/${cast}/SpecialProperty eq 'x'`,
    ];
    for (const url of accepted) assert.equal(await status(url), 200, url);
    const rejected = [
      `Products/${cast}/${cast}`,
      `Products/${schema}.Product/${cast}`,
      `${product(1)}/${cast}/${cast}/SpecialProperty`,
      `Products?$filter=${cast}/${cast}/SpecialProperty ne null`,
      `Products?$orderby=${schema}.Product/${cast}/SpecialProperty`,
      `Products?$select=${cast}/${cast}/SpecialProperty`,
      `Products?$expand=${cast}/${cast}/Category`,
      `Categories?$expand=Products/${cast}/${cast}`,
      `Categories?$filter=Products/${cast}/${cast}/any()`,
      `Categories?$filter=Products/${cast}/${keyed}/Name eq 'x'`,
      `Categories?$filter=Products/${schema}.Product/${keyed}/any()`,
    ];
    for (const url of rejected) assert.equal(await status(url), 400, url);
  }));

Deno.test("members of a collection behind a type cast have the properties of the derived type, others do not (URL 4.11)", () =>
  withReference(async (send) => {
    const { body } = await send("GET", "$metadata?$format=json");
    const schema = Object.keys(body).find((name) => body[name].SpecialProduct)!;
    const cast = `${schema}.SpecialProduct`;
    const keyed = `${cast}(00000002-0000-4000-8000-000000000001)`;
    const ofCategories = [
      `Products/${keyed}/SpecialProperty ne null`,
      `Products/${cast}/any(p:p/SpecialProperty ne null)`,
      `Products/${cast}/any(p:p/SpecialProperty ne null and p/Category/Products/any(q:p/SpecialProperty ne null))`,
      `Products/${cast}/$filter(SpecialProperty ne null)/$count gt 0`,
      `Products/${cast}/$count($filter=SpecialProperty ne null) gt 0`,
    ];
    for (const filter of ofCategories) {
      const { status, body } = await send("GET", `Categories?$select=Name&$filter=${filter}`);
      assert.equal(status, 200, filter);
      assert.deepEqual(body.value.map(({ Name }: { Name: string }) => Name), ["Electronics"], filter);
    }
    const status = async (url: string) => (await send("GET", url)).status;
    assert.equal(
      await status(`Products/${cast}?$filter=Category/Products/any(p:SpecialProperty ne null)`),
      200,
    );
    assert.equal(
      await status(`Products/${cast}?$filter=Category/Products/any(p:p/Name ne $it/SpecialProperty)`),
      200,
    );
    const rejected = [
      "Categories?$filter=Products/any(p:p/SpecialProperty ne null)",
      "Categories?$filter=Products/$filter(SpecialProperty ne null)/$count gt 0",
      "Products?$filter=Category/Products/any(p:p/Name ne $it/SpecialProperty)",
      `Products/${cast}?$filter=Category/Products/any(p:p/SpecialProperty ne null)`,
      `Categories?$filter=Products/${cast}/any(p:p/Category/Products/any(q:q/SpecialProperty ne null))`,
      `Categories?$filter=Products/${keyed}/Category/Products/any(p:p/SpecialProperty ne null)`,
    ];
    for (const url of rejected) assert.equal(await status(url), 400, url);
  }));

Deno.test("$entity takes $select and $expand behind a type cast (URL 4.3.4)", () =>
  withReference(async (send) => {
    const { body } = await send("GET", "$metadata?$format=json");
    const schema = Object.keys(body).find((name) => body[name].SpecialProduct)!;
    const get = (url: string) => send("GET", url);
    const selected = await get(`$entity/${schema}.SpecialProduct?$id=${product(1)}&$select=Name`);
    assert.equal(selected.body.Name, "Laptop");
    assert.equal((await get(`$entity?$id=${product(1)}`)).body.Name, "Laptop");
    for (const options of ["$format=json", `$id=${product(1)}&$select=Name`, `$id=${product(1)}&$top=1`]) {
      assert.equal((await get(`$entity?${options}`)).status, 400, options);
    }
  }));
