/** The fixture `reference`: rows of `join`, `outerjoin` and `concat` (Data Aggregation 4.0, 3.1.2 and 3.4). */

import assert from "node:assert/strict";
import { ENGINES, type Send, withReference } from "./reference.ts";

type Row = Readonly<Record<string, unknown>>;

async function rowsOf(send: Send, query: string): Promise<readonly Row[]> {
  const { status, body } = await send("GET", `Products?${query}`);
  assert.equal(status, 200, `${query}: ${JSON.stringify(body)}`);
  return body.value;
}

/** A product as it is read, without control information. */
async function plainProduct(send: Send, name: string): Promise<Row> {
  const [row] = await rowsOf(send, `$filter=Name eq '${name}'`);
  return Object.fromEntries(Object.entries(row!).filter(([member]) => !member.startsWith("@")));
}

const NO_PARTNER = "Name eq 'Office Chair'";

for (const engine of ENGINES) {
  Deno.test(`${engine}: instances that are joined or concatenated have all members, nested (Data Aggregation 3.4)`, () =>
    withReference(async (send) => {
      const [laptop, mug, chair, pro] = await Promise.all(
        ["Laptop", "Coffee Mug", "Office Chair", "Premium Laptop Pro"].map((name) =>
          plainProduct(send, name)
        ),
      );
      const joined = await rowsOf(send, "$apply=filter(Name eq 'Laptop')/join(Descriptions as D)");
      assert.deepEqual(joined, [laptop, laptop]);
      const outer = await rowsOf(send, `$apply=outerjoin(Descriptions as D)&$filter=${NO_PARTNER}`);
      assert.deepEqual(outer, [chair]);
      const ends = await rowsOf(send, "$apply=concat(topcount(1,Price),bottomcount(1,Price))");
      assert.deepEqual(ends, [pro, mug]);
      const mixed = "$apply=concat(topcount(1,Price),aggregate(Price with max as M))";
      assert.deepEqual(await rowsOf(send, mixed), [pro, { M: 1999.99 }]);
    }, engine));

  Deno.test(`${engine}: names of join are expanded, and null without partner (Data Aggregation 3.4.1)`, () =>
    withReference(async (send) => {
      const apply = "$apply=outerjoin(Descriptions as D)&$select=Name&$expand=D";
      const both = await rowsOf(
        send,
        `${apply}($select=LanguageKey)&$filter=Name in ('Laptop','Office Chair')` +
          "&$orderby=Name,D/LanguageKey desc",
      );
      assert.deepEqual(both, [
        { Name: "Laptop", D: { LanguageKey: "EN" } },
        { Name: "Laptop", D: { LanguageKey: "DE" } },
        { Name: "Office Chair", D: null },
      ]);
      const [mug] = await rowsOf(send, `${apply}&$filter=Name eq 'Coffee Mug'`);
      const { LanguageKey, CustomName } = mug!.D as Row;
      assert.deepEqual([Object.keys(mug!), LanguageKey, CustomName], [["Name", "D"], "EN", null]);
      // null of a member is not null of the instance
      const selected = `${apply}($select=CustomName)&$filter=Name eq 'Coffee Mug'`;
      assert.deepEqual(await rowsOf(send, selected), [{ Name: "Coffee Mug", D: { CustomName: null } }]);
      const all = await rowsOf(send, "$apply=join(Category as C)&$expand=*&$select=Name&$top=1");
      assert.equal((all[0]!.C as Row).Name, "Electronics");
    }, engine));

  Deno.test(`${engine}: members of structures are paths behind join and concat (URL 5.1.1.15)`, () =>
    withReference(async (send) => {
      const query = "$apply=join(Descriptions as D)&$select=Name,ShippingAddress/City" +
        "&$filter=ShippingAddress/City eq 'Seattle' and D/LanguageKey eq 'DE'&$orderby=ShippingAddress/City";
      assert.deepEqual(await rowsOf(send, query), [{ Name: "Laptop", ShippingAddress: { City: "Seattle" } }]);
      const groups =
        "$apply=concat(topcount(1,Price),bottomcount(1,Price))/groupby((ShippingAddress/State))" +
        "&$orderby=ShippingAddress/State";
      assert.deepEqual(await rowsOf(send, groups), [
        { ShippingAddress: { State: "NY" } },
        { ShippingAddress: { State: "OR" } },
      ]);
      const special = "$apply=join(Descriptions as D)&$select=SpecialFeature&$orderby=Name desc" +
        "&$filter=Name in ('Laptop','Coffee Mug') and D/LanguageKey eq 'EN'";
      assert.deepEqual(await rowsOf(send, special), [{ SpecialFeature: "Backlit keyboard" }, {}]);
      const address =
        `$apply=outerjoin(Descriptions as D)&$filter=${NO_PARTNER}&$select=ShippingAddress/City`;
      assert.deepEqual(await rowsOf(send, address), [{ ShippingAddress: null }]);
    }, engine));
}

Deno.test("$expand of names of join refuses what it does not run, with its place (Data Aggregation 3.4.1)", () =>
  withReference(async (send) => {
    const answer = async (expand: string) => {
      const { status, body } = await send("GET", `Products?$apply=join(Descriptions as D)&$expand=${expand}`);
      return [status, body.error.message];
    };
    const offset = (path: string) =>
      "Products?$apply=join(Descriptions%20as%20D)&$expand=".length + path.length;
    assert.deepEqual(await answer("D($select=Nope)"), [
      400,
      `"D" has no property "Nope" (offset ${offset("D($select=")})`,
    ]);
    assert.equal((await answer("D($top=1)"))[0], 400);
    assert.equal((await answer("D($expand=Product)"))[0], 501);
    assert.equal((await answer("D/$ref"))[0], 501);
    assert.equal((await answer("E"))[0], 400);
    const { status } = await send("GET", "Products?$apply=join(Descriptions as D)&$filter=Location eq 1");
    assert.equal(status, 400);
  }));
