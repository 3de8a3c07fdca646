/**
 * Restrictions hold for every entity a request touches, whatever the model, the rows, the user and the request are
 * (auth 7).
 *
 * A read must be answered as if there were no restrictions, and no rows but those that the user may see. A write must
 * do what it does without restrictions, or nothing.
 *
 * @module
 */

import fc from "fast-check";
import { propertyRuns } from "../property_runs.ts";
import { checkCase } from "./restrictions/check_case.ts";
import { randomChanges } from "./restrictions/check_changes.ts";
import { randomSetWrite } from "./restrictions/check_sets.ts";
import { Choices } from "./restrictions/choices.ts";
import { randomRead } from "./restrictions/random_read.ts";
import { randomWorld } from "./restrictions/random_world.ts";
import { randomWrite } from "./restrictions/random_write.ts";

/** Requests sent to one model. */
const READS = 14;
const WRITES = 6;
const SETS = 2;
const CHANGES = 1;
/** Numbers that decide about a model and its rows, and about one request. */
const WORLD_NUMBERS = 500;
const REQUEST_NUMBERS = 60;

const numbers = (length: number) =>
  fc.noBias(fc.array(fc.nat(2 ** 20), { minLength: length, maxLength: length, size: "max" }));
const requests = (length: number) =>
  fc.array(numbers(REQUEST_NUMBERS), { minLength: length, maxLength: length });

Deno.test("no request sees or changes rows that restrictions deny", async () => {
  const { numRuns, seed } = propertyRuns(150, 2026);
  const property = fc.asyncProperty(
    requests(READS),
    requests(WRITES),
    requests(SETS),
    requests(CHANGES),
    fc.integer({ min: 1, max: 10 }),
    numbers(WORLD_NUMBERS),
    async (reads, writes, sets, changes, engine, decisions) => {
      const world = randomWorld(new Choices(decisions));
      const sent = {
        reads: reads.map((one) => randomRead(new Choices(one), world)),
        writes: writes.map((one) => randomWrite(new Choices(one), world)),
        sets: sets.map((one) => randomSetWrite(new Choices(one), world)),
        changes: changes.map((one) => randomChanges(new Choices(one), world)),
      };
      await checkCase(world, sent, engine === 10 ? "sqlite" : "memory");
    },
  );
  await fc.assert(property, { numRuns: Math.ceil(numRuns / (READS + WRITES)), seed });
});
