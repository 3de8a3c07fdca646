/** The fixture `reference`: fractions of seconds (URL 5.1.1.1, CSDL 7.2.3). */

import assert from "node:assert/strict";
import { ENGINES, product, type Send, withReference } from "./reference.ts";

const LAPTOP = "OpenTime eq 09:30:00 and ";
const TIME = "2024-01-15T10:30:00";

/** Conditions and the numbers of the products that meet them. */
const FOUND: Readonly<Record<string, readonly number[]>> = {
  "OpenTime eq 09:30:00": [1],
  "OpenTime eq 09:30:00.000": [1],
  "OpenTime eq 09:30:00.123": [],
  "09:30:00.123 eq OpenTime": [],
  "OpenTime ne 09:30:00.123": [1, 2, 3, 4, 5, 6, 7],
  "OpenTime lt 09:30:00.123": [1, 2, 3],
  "OpenTime le 09:30:00.123": [1, 2, 3],
  "OpenTime gt 09:30:00.123": [4],
  "OpenTime ge 09:30:00.123": [4],
  "09:30:00.123 gt OpenTime": [1, 2, 3],
  "09:30:00.123 le OpenTime": [4],
  "OpenTime gt 09:29:59.999999999999": [1, 4],
  "not (OpenTime gt 09:30:00.5)": [1, 2, 3, 5, 6, 7],
  "not (OpenTime eq 09:30:00.5)": [1, 2, 3, 4, 5, 6, 7],
  "OpenTime in (09:30:00.5,08:15:00)": [2],
  "OpenTime in (09:30:00.5)": [],
  "not (OpenTime in (09:30:00.5))": [1, 2, 3, 4, 5, 6, 7],
  "OpenTime in (09:30:00.5,null)": [5, 6, 7],
  "OpenTime eq @t&@t=09:30:00.5": [],
  [`CreatedAt eq ${TIME}Z`]: [1],
  [`CreatedAt eq ${TIME}.000Z`]: [1],
  [`CreatedAt eq ${TIME}.0000000Z`]: [1],
  [`CreatedAt eq ${TIME}.0009Z`]: [],
  [`CreatedAt eq ${TIME}.001Z`]: [],
  [`${LAPTOP}CreatedAt lt ${TIME}.0009Z`]: [1],
  [`${LAPTOP}CreatedAt le ${TIME}.0000001Z`]: [1],
  [`${LAPTOP}CreatedAt gt ${TIME}.0009Z`]: [],
  [`${LAPTOP}CreatedAt ge ${TIME}.0009Z`]: [],
  [`${LAPTOP}CreatedAt gt 2024-01-15T10:29:59.9999Z`]: [1],
  [`${LAPTOP}CreatedAt lt 2024-01-15T10:29:59.9999Z`]: [],
  [`${LAPTOP}CreatedAt eq 2024-01-15T12:30:00.0009%2B02:00`]: [],
  [`${LAPTOP}time(CreatedAt) lt 10:30:00.5`]: [1],
};

async function numbersOf(send: Send, query: string): Promise<readonly number[]> {
  const [filter, alias = ""] = query.split("&");
  const url = `Products?$select=ID&$orderby=ID&$filter=${filter!.replaceAll(" ", "%20")}&${alias}`;
  const { status, body } = await send("GET", url);
  assert.equal(status, 200, `${query}: ${JSON.stringify(body)}`);
  return body.value.map(({ ID }: { ID: string }) => Number(ID.slice(-2)));
}

for (const engine of ENGINES) {
  Deno.test(`${engine}: times are compared as they are written (URL 5.1.1.1)`, () =>
    withReference(async (send) => {
      for (const [filter, expected] of Object.entries(FOUND)) {
        assert.deepEqual(await numbersOf(send, filter), expected, filter);
      }
    }, engine));
}

Deno.test("plans are not shared by times with and without finer fractions (URL 5.1.1.1)", () =>
  withReference(async (send) => {
    const url = (time: string) => `CreatedAt le ${time}`;
    const times = [`${TIME}Z`, `${TIME}.0009Z`, `${TIME}Z`, "2024-01-15T10:29:59.999Z", `${TIME}.000Z`];
    const found = [];
    for (const time of times) found.push((await numbersOf(send, url(time))).includes(1));
    assert.deepEqual(found, [true, true, true, false, true]);
  }));

Deno.test("fractions that a time of day does not have are refused where it is written (CSDL 7.2.3)", () =>
  withReference(async (send) => {
    const refused = await send("PATCH", product(1), { OpenTime: "09:30:00.123" });
    assert.deepEqual([refused.status, refused.body.error.code, refused.body.error.target], [
      400,
      "ASSERT_DATA_TYPE",
      "OpenTime",
    ]);
    const body = { Name: "Late", Price: 1, OpenTime: "09:30:00.5" };
    assert.equal((await send("POST", "Products", body)).status, 400);
    assert.equal((await send("PUT", `${product(1)}/OpenTime`, { value: "09:30:00.5" })).status, 400);
    assert.equal((await send("GET", product(1))).body.OpenTime, "09:30:00");
    const whole = await send("PATCH", product(1), { OpenTime: "09:31:00.000" });
    assert.deepEqual([whole.status, whole.body.OpenTime], [200, "09:31:00"]);
    assert.equal((await send("GET", "Products?$filter=OpenTime eq '09:31:00.5'")).status, 400);
  }));
