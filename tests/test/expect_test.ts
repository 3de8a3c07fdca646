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
