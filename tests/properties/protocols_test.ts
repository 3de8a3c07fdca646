/**
 * By HCQL and by tools nobody reads more than by OData: what is answered is what an application without restrictions answers
 * that holds only what the user may see (auth 7).
 *
 * @module
 */

import assert from "node:assert/strict";
import fc from "fast-check";
import { propertyRuns } from "../property_runs.ts";
import { App } from "./restrictions/apps.ts";
import { layeredCdl } from "./restrictions/cdl.ts";
import { Choices } from "./restrictions/choices.ts";
import { Oracle } from "./restrictions/evaluate.ts";
import { randomWorld } from "./restrictions/random_world.ts";
import { type Association, type View, viewOf, type World } from "./restrictions/world.ts";

type Json = Record<string, unknown>;

const READS = 16;
const VALUES = ["x", "y", "X", ""];
const OPERATORS = ["=", "<>", ">", "<="];

/** Random queries and calls, and the views whose rows they look at. */
class ReadMaker {
  readonly touched: Set<View> = new Set();
  readonly #choices: Choices;
  readonly #world: World;

  constructor(choices: Choices, world: World) {
    this.#choices = choices;
    this.#world = world;
  }

  query(): Json {
    const { view, ref } = this.#source();
    const choices = this.#choices;
    return {
      SELECT: {
        from: { ref },
        columns: this.#columns(view, 2),
        ...(choices.chance(60) ? { where: this.#condition(view, 2) } : {}),
        ...(choices.chance(30)
          ? { orderBy: [{ ...this.#operand(view), sort: choices.pick(["asc", "desc"]) }] }
          : {}),
        ...(choices.chance(20) ? { limit: { rows: { val: choices.int(4) } } } : {}),
      },
    };
  }

  call(): Json {
    const choices = this.#choices;
    const view = this.#touch(choices.pick(this.#roots()));
    const expanded = choices.chance(50) ? this.#association(view) : undefined;
    if (expanded) this.#target(expanded);
    const one = choices.chance(50) ? this.#association(view, false) : undefined;
    const filter = one
      ? `${one.name}/${choices.pick(this.#target(one).texts)} ne '${choices.pick(VALUES)}'`
      : undefined;
    return {
      entity: view.name,
      ...(expanded ? { expand: expanded.name } : {}),
      ...(filter ? { filter } : {}),
      ...(choices.chance(50) ? { count: true } : {}),
      ...(choices.chance(30) ? { top: choices.int(4) } : {}),
    };
  }

  #roots(): readonly View[] {
    return this.#world.views.filter(({ authority, isExposed }) => authority === undefined && isExposed);
  }

  #source(): { view: View; ref: unknown[] } {
    const choices = this.#choices;
    let view = this.#touch(choices.pick(this.#roots()));
    const ref: unknown[] = [this.#step(view.name, view)];
    for (let steps = 0; steps < 2 && choices.chance(30); steps++) {
      const next = this.#association(view);
      if (!next) break;
      view = this.#target(next);
      ref.push(this.#step(next.name, view));
    }
    return { view, ref };
  }

  #step(id: string, view: View): unknown {
    return this.#choices.chance(25) ? { id, where: this.#condition(view, 1) } : id;
  }

  #columns(view: View, depth: number): unknown[] {
    const choices = this.#choices;
    const columns: unknown[] = [...view.keys, choices.pick(view.texts)].map((name) => ({ ref: [name] }));
    if (choices.chance(30)) columns.push({ ...this.#operand(view), as: "more" });
    const nested = depth > 0 && choices.chance(60) ? this.#association(view) : undefined;
    if (nested) {
      const target = this.#target(nested);
      columns.push({
        ref: [nested.name],
        expand: this.#columns(target, depth - 1),
        ...(nested.many && choices.chance(30) ? { where: this.#condition(target, 1) } : {}),
        ...(nested.many ? { orderBy: target.keys.map((name) => ({ ref: [name] })) } : {}),
      });
    }
    return columns;
  }

  /** A path to a value, along associations to one. */
  #operand(view: View): { ref: unknown[] } {
    const ref: unknown[] = [];
    let at = view;
    for (let steps = 0; steps < 2 && this.#choices.chance(40); steps++) {
      const next = this.#association(at, false);
      if (!next) break;
      at = this.#target(next);
      ref.push(next.name);
    }
    return { ref: [...ref, this.#choices.pick(at.texts)] };
  }

  #condition(view: View, depth: number): unknown[] {
    const choices = this.#choices;
    const kind = depth > 0 ? choices.int(5) : 0;
    const many = kind === 1 ? this.#association(view) : undefined;
    if (many) {
      const target = this.#target(many);
      const exists = ["exists", { ref: [this.#step(many.name, target)] }];
      return choices.chance(30) ? ["not", ...exists] : exists;
    }
    if (kind === 2) {
      const sides = [this.#condition(view, depth - 1), this.#condition(view, depth - 1)];
      return [{ xpr: sides[0] }, choices.pick(["and", "or"]), { xpr: sides[1] }];
    }
    if (kind === 3) return [this.#operand(view), "is", "null"];
    return [this.#operand(view), choices.pick(OPERATORS), { val: choices.pick(VALUES) }];
  }

  #touch(view: View): View {
    if (view.authority === undefined) this.touched.add(view);
    return view;
  }

  #target({ target }: Association): View {
    return this.#touch(viewOf(this.#world, target));
  }

  #association(view: View, many?: boolean): Association | undefined {
    const found = view.associations.filter((one) => many === undefined || one.many === many);
    return found.length === 0 ? undefined : this.#choices.pick(found);
  }
}

const numbers = (length: number) =>
  fc.noBias(fc.array(fc.nat(2 ** 20), { minLength: length, maxLength: length, size: "max" }));

Deno.test("HCQL and tools show no rows that restrictions deny", async () => {
  const { numRuns, seed } = propertyRuns(150, 2027);
  const property = fc.asyncProperty(
    fc.array(numbers(60), { minLength: READS, maxLength: READS }),
    numbers(500),
    async (reads, decisions) => {
      const world = randomWorld(new Choices(decisions));
      const [restricted, reduced] = [App.restricted(world, "memory"), App.reduced(world, "memory")];
      try {
        for (const [index, read] of reads.entries()) {
          const maker = new ReadMaker(new Choices(read), world);
          if (index % 4 === 3) await checkCall(world, maker, { restricted, reduced });
          else await checkQuery(world, maker, { restricted, reduced });
        }
      } finally {
        await restricted.close();
        await reduced.close();
      }
    },
  );
  await fc.assert(property, { numRuns: Math.ceil(numRuns / READS), seed, endOnFailure: true });
});

interface Pair {
  readonly restricted: App;
  readonly reduced: App;
}

function isPermitted(world: World, { touched }: ReadMaker): boolean {
  const oracle = new Oracle(world, world.rows);
  return oracle.isServiceOpen && [...touched].every((view) => oracle.hasRole(view, "READ"));
}

async function checkQuery(world: World, maker: ReadMaker, { restricted, reduced }: Pair): Promise<void> {
  const query = maker.query();
  const found = await restricted.post("/hcql/s/", query);
  const expected = await reduced.post("/hcql/s/", query);
  const shown = `${layeredCdl(world, true)}\n${JSON.stringify(world.caller)}\n${JSON.stringify(query)}\n${
    JSON.stringify(found)
  }`;
  const isUnknown = expected.status === 400 || expected.status === 501;
  if (isPermitted(world, maker) || (isUnknown && found.status === expected.status)) {
    assert.equal(found.status, expected.status, shown);
    if (found.status === 200) assert.deepEqual(found.body, expected.body, shown);
  } else assert.equal(found.status, world.caller ? 403 : 401, shown);
}

async function checkCall(world: World, maker: ReadMaker, { restricted, reduced }: Pair): Promise<void> {
  const params = { name: "read", arguments: maker.call() };
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
  const found = await restricted.post("/mcp/s", message);
  const expected = await reduced.post("/mcp/s", message);
  const shown = `${layeredCdl(world, true)}\n${JSON.stringify(world.caller)}\n${JSON.stringify(params)}\n${
    JSON.stringify(found)
  }`;
  if (isPermitted(world, maker)) {
    // the models have their elements in orders of their own
    assert.deepEqual(shownBy(found), shownBy(expected), shown);
    return;
  }
  if (found.status !== 200) return assert.equal(found.status, world.caller ? 403 : 401, shown);
  const { result } = found.body as { result: { isError?: boolean } };
  assert.equal(result.isError, true, shown);
}

function shownBy({ status, body }: { readonly status: number; readonly body: unknown }): unknown {
  const { result } = body as {
    result?: { readonly isError?: boolean; readonly structuredContent?: unknown };
  };
  return { status, isError: result?.isError, shown: result?.structuredContent };
}
