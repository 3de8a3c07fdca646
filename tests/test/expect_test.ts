import assert from "node:assert/strict";
import { expect } from "../../src/test/expect/expect.ts";

/** The assertion holds, and its opposite does not. */
function holds(check: (not: boolean) => unknown): void {
  check(false);
  assert.throws(() => check(true), assert.AssertionError);
}

class Point {
  readonly #hidden = 1;
  x = 1;
  /** What is hidden. */
  get hidden(): number {
    return this.#hidden;
  }
}

Deno.test("expect(): chai's words", () => {
  const begin = (value: unknown) => (not: boolean) => not ? expect(value).not : expect(value);
  holds((not) => begin(new Point())(not).to.eql({ x: 1 }));
  holds((not) => begin([1, 2])(not).to.include.members([2]));
  holds((not) => begin({ a: 1, b: 2 })(not).to.include.keys("a"));
  holds((not) => begin({ a: 1 })(not).to.have.all.keys("a"));
  holds((not) => begin([{ a: 1 }])(not).to.deep.include({ a: 1 }));
  holds((not) => begin("text")(not).to.be.a("string"));
  holds((not) => begin(new Date())(not).to.be.a("date"));
  holds((not) => begin(new Date())(not).to.be.an.instanceof(Date));
  holds((not) => begin({ a: { b: 2 } })(not).to.have.nested.property("a.b", 2));
  holds((not) => begin({ a: 1 })(not).to.have.own.property("a"));
  holds((not) => begin([1, 2, 3])(not).to.have.length.above(2));
  holds((not) => begin(3)(not).to.be.within(3, 3));
  holds((not) => begin(2)(not).to.be.oneOf([1, 2]));
  holds((not) => begin(() => assert.fail("bad thing"))(not).to.throw(/thing/));
  holds((not) => begin(() => assert.fail("bad thing"))(not).to.throw(assert.AssertionError, "bad"));
  expect({ a: { b: 1 } }).to.have.property("a").that.deep.equals({ b: 1 });
  expect([1]).to.be.an("array").of.length(1);
});

Deno.test("expect(): jest's words and matchers", () => {
  expect({ a: 1, b: undefined }).toEqual({ a: 1 });
  assert.throws(() => expect({ a: 1, b: undefined }).toStrictEqual({ a: 1 }));
  expect({ a: 1, b: [1, { c: 2 }] }).toMatchObject({ b: [1, {}] });
  assert.throws(() => expect({ b: [1, 2] }).toMatchObject({ b: [1] }));
  expect({ a: "x1", n: 2 }).toEqual({ a: expect.stringMatching(/^x/), n: expect.any(Number) });
  expect([{ a: 1 }, { b: 2 }]).toEqual(expect.arrayContaining([expect.objectContaining({ b: 2 })]));
  expect(0.1 + 0.2).toBeCloseTo(0.3);
  expect({ a: { b: 1 } }).toHaveProperty("a.b", 1);
});

Deno.test("expect(): promises", async () => {
  const rejected = () => Promise.reject(Object.assign(new Error("gone"), { code: 410 }));
  await expect(rejected()).to.be.rejected;
  await expect(rejected()).to.be.rejectedWith({ code: 410 });
  await expect(rejected()).rejects.toThrow("gone");
  await expect(rejected).rejects.toThrow(Error);
  await expect(Promise.resolve(2)).to.eventually.equal(2);
  await expect(Promise.resolve(2)).to.be.fulfilled;
  await assert.rejects(Promise.resolve(expect(Promise.resolve(2)).to.eventually.equal(3)));
  await assert.rejects(expect(Promise.resolve(2)).to.be.rejected, /to be the reason of a promise/);
  await assert.rejects(Promise.resolve(expect(rejected()).to.be.rejectedWith("here")));
  await assert.rejects(Promise.resolve(expect(rejected()).to.be.fulfilled));
});

Deno.test("awaiting that a promise rejects gives its reason", async () => {
  const reason = new Error("no");
  assert.equal(await expect(Promise.reject(reason)).rejected, reason);
});

/** What an awaited assertion gives, or the message it fails with. */
async function outcomeOf(about: unknown): Promise<unknown> {
  try {
    return await about;
  } catch (error) {
    return (error as Error).message;
  }
}

Deno.test("an assertion about a promise ends with its value or reason, or fails as that about a value", async () => {
  const gone = new Error("gone");
  const one = () => Promise.resolve(1);
  const none = () => Promise.reject(gone);
  const cases: readonly (readonly [about: unknown, outcome: unknown])[] = [
    [expect(one()).resolves.toBe(1), 1],
    [expect(one).resolves.toBe(1), 1],
    [expect(one()).to.eventually.be.above(0).and.below(2), 1],
    [expect(one()).to.eventually.be.above(0).and.below(1), "Expected 1 to be below 1"],
    [expect(one()).to.eventually.be.above(1).and.below(2), "Expected 1 to be above 1"],
    [expect(one()).not.resolves.toBe(1), "Expected 1 not to be 1"],
    [expect(none()).resolves.toBe(1), "gone"],
    [expect(none()).to.eventually.not.equal(1), "gone"],
    [expect(none()).rejects.toBe(gone), gone],
    [expect(none()).rejects.toThrow(/^gone$/), gone],
    [expect(none()).rejects.toThrow("here"), `Expected ${Deno.inspect(gone)} to throw "here"`],
    [expect(one()).rejects.toBe(1), "Expected 1 to be the reason of a promise"],
    [expect(one()).to.throw(), "Expected 1 to be the reason of a promise"],
    [expect(none()).to.throw("gone"), gone],
    [expect(none()).to.be.rejected, gone],
    [expect(one()).not.to.be.rejected, 1],
    [expect(none()).not.to.be.rejected, `Expected ${Deno.inspect(gone)} not to be rejected`],
    [expect(one()).to.be.fulfilled, true],
    [expect(none()).to.be.fulfilled, "Expected false to be a promise that is fulfilled"],
    [expect(none()).not.to.be.rejectedWith("here"), gone],
    [
      expect(none()).not.to.be.rejectedWith("gone"),
      `Expected ${Deno.inspect(gone)} not to be rejected with "gone"`,
    ],
    [expect(Promise.resolve({ a: 1 })).to.eventually.have.property("a", 1), { a: 1 }],
    [
      expect(Promise.resolve({ a: 1 })).to.eventually.have.property("b"),
      "Expected { a: 1 } to have the property b",
    ],
    [expect(() => Promise.resolve(2)).resolves.toBe(2), 2],
    [expect(() => assert.fail("at once")).rejects.toThrow("at once").then(() => "rejected"), "rejected"],
    [expect(1).to.equal(1), undefined],
  ];
  for (const [about, outcome] of cases) assert.deepEqual(await outcomeOf(about), outcome);
});

Deno.test("an assertion about a promise is one itself", async () => {
  const log: string[] = [];
  const wrong = () => expect(Promise.resolve(1)).resolves.toBe(2);
  assert.equal(await wrong().catch((error) => (error as Error).message), "Expected 1 to be 2");
  assert.equal(await wrong().then(undefined, () => "refused"), "refused");
  assert.equal(await expect(Promise.resolve(1)).resolves.toBe(1).then((value) => Number(value) + 1), 2);
  assert.equal(await expect(Promise.resolve(1)).resolves.toBe(1).finally(() => void log.push("ended")), 1);
  await assert.rejects(wrong().finally(() => void log.push("failed")), assert.AssertionError);
  assert.deepEqual(log, ["ended", "failed"]);
  assert.equal(Object.prototype.toString.call(expect(1)), "[object Assertion]");
});
