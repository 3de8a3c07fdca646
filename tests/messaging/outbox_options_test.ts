/** What an outbox tells of its databases, before it reads any row (messaging 6). */

import assert from "node:assert/strict";
import { Outbox, type OutboxOptions } from "../../src/messaging/outbox/outbox.ts";

/** An outbox over a database that is opened for `asked` tenants. */
function outboxOf(given: Partial<OutboxOptions> & { readonly isVolatile?: boolean } = {}) {
  const { isVolatile, ...options } = given;
  const asked: unknown[] = [];
  const db = {
    database: (tenant: unknown) => Promise.resolve((asked.push(tenant), { isVolatile })),
  } as unknown as OutboxOptions["db"];
  const outbox = new Outbox({
    ...{ db, multitenancy: false, application: "shop", log: undefined as never },
    connect: () => Promise.reject(new Error("nobody is asked")),
    ...options,
  });
  return { outbox, asked };
}

Deno.test("there is a database for work of tenants, and for other work unless each tenant has its own", () => {
  for (
    const [multitenancy, tenant, expected] of [
      [false, undefined, true],
      [false, "t1", true],
      [true, "t1", true],
      [true, undefined, false],
    ] as const
  ) {
    assert.equal(outboxOf({ multitenancy }).outbox.isFor(tenant), expected, `${multitenancy} ${tenant}`);
  }
});

Deno.test("stored work goes with the process where its only database says so; nobody asks those of tenants", async () => {
  for (const [isVolatile, expected] of [[true, true], [false, false], [undefined, false]] as const) {
    const { outbox, asked } = outboxOf(isVolatile === undefined ? {} : { isVolatile });
    assert.equal(await outbox.isVolatile(), expected);
    assert.deepEqual(asked, [undefined]);
  }
  const { outbox, asked } = outboxOf({ multitenancy: true, isVolatile: true });
  assert.deepEqual([await outbox.isVolatile(), asked], [undefined, []]);
});

Deno.test("a worker may be silent for 30 seconds, unless told otherwise", () => {
  assert.deepEqual([outboxOf().outbox.leaseMs, outboxOf({ leaseMs: 7 }).outbox.leaseMs], [30_000, 7]);
});

Deno.test("an outbox that was not started looks at no rows of tenants that come or go", async () => {
  const { outbox, asked } = outboxOf({ multitenancy: true });
  await outbox.open("t1");
  await outbox.leave("t1");
  await outbox.flush();
  assert.deepEqual([await outbox.states(), asked], [[], []]);
  await outbox.stop(1_000);
});
