import assert from "node:assert/strict";
import type { ApplicationService } from "../../../src/service/application_service.ts";
import type { ServiceRequest } from "../../../src/service/requests/service_request.ts";
import { withShop } from "../with_shop.ts";

const GOES_ON = { prefer: "continue-on-error,return=representation" };

/** Refuses changes of books by their keys. */
function register(service: ApplicationService): void {
  const refuse = (given: unknown) => {
    const req = given as ServiceRequest;
    const [{ ID } = {}] = req.params as readonly { ID?: number }[];
    const key = ID ?? (req.data as { ID?: number }).ID;
    if (key === 251) req.reject(500, "Broken");
    if (key === 252) req.reject(499, "Not now");
    if (key === 300) throw new TypeError("secret");
  };
  service.before(["CREATE", "UPDATE", "DELETE"], "Books", refuse);
}

Deno.test("with continue-on-error each change that fails is told with what it was; failures of the server are logged (Core.DataModificationException)", () =>
  withShop(async (shop) => {
    const value = [
      { ID: 201, stock: 1 },
      { ID: 251, stock: 2 },
      { ID: 252, stock: 3 },
      { ID: 300, title: "New" },
      { ID: 301, title: null },
      { "@removed": { reason: "deleted" }, "@id": "Books(252)" },
      { "@removed": { reason: "deleted" }, "ID": 251 },
    ];
    const { status, body } = await shop.send("PATCH", "Books", { body: { value }, headers: GOES_ON });
    assert.equal(status, 200);
    const told = (body as { value: Record<string, unknown>[] }).value.map((row) => {
      const { "@Core.DataModificationException": exception, ...others } = row;
      const { failedOperation, responseCode, info } = (exception ?? {}) as {
        failedOperation?: string;
        responseCode?: number;
        info?: { message: string };
      };
      return exception ? [failedOperation, responseCode, info?.message, others] : ["done", row.ID];
    });
    assert.deepEqual(told.map(([what, code]) => `${what} ${code}`), [
      "done 201",
      "upsert 500",
      "upsert 499",
      "upsert 500",
      "upsert 400",
      "delete 499",
      "delete 500",
    ]);
    assert.deepEqual(told[1]!.slice(2), ["Internal Server Error", { ID: 251 }]);
    assert.deepEqual(told[3]!.slice(2), ["Internal Server Error", { ID: 300 }]);
    assert.equal(shop.logged.length, 3, "two changes and one removal that the server failed at");
    const stock = async (ID: number) => (await shop.send("GET", `Books(${ID})/stock/$value`)).body;
    assert.deepEqual([await stock(201), await stock(251), await stock(252)], ["1", "333", "555"]);
  }, { register }));

Deno.test("without continue-on-error the first change that fails ends all, and is the answer (Protocol 11.4.12)", () =>
  withShop(async (shop) => {
    const value = [{ ID: 201, stock: 1 }, { ID: 252, stock: 3 }, { ID: 251, stock: 2 }];
    const { status, body } = await shop.send("PATCH", "Books", { body: { value } });
    assert.deepEqual([status, (body as { error: { message: string } }).error.message], [499, "Not now"]);
    assert.equal((await shop.send("GET", "Books(201)/stock/$value")).body, "12");
  }, { register }));
