/**
 * The words of chai that take no arguments.
 *
 * @module
 */

import { Checks } from "./checks.ts";

/** Words that only make a sentence readable. */
const WORDS = [
  "to",
  "be",
  "been",
  "is",
  "at",
  "of",
  "and",
  "but",
  "has",
  "have",
  "that",
  "which",
  "does",
  "with",
  "also",
  "still",
  "same",
  "all",
] as const;

/** An assertion about a value; words like `to` and `be` only make it readable. */
export class ChaiWords extends Checks {
  /** Only makes the sentence readable. */
  declare readonly to: this;
  /** Only makes the sentence readable. */
  declare readonly be: this;
  /** Only makes the sentence readable. */
  declare readonly been: this;
  /** Only makes the sentence readable. */
  declare readonly is: this;
  /** Only makes the sentence readable. */
  declare readonly at: this;
  /** Only makes the sentence readable. */
  declare readonly of: this;
  /** Only makes the sentence readable. */
  declare readonly and: this;
  /** Only makes the sentence readable. */
  declare readonly but: this;
  /** Only makes the sentence readable. */
  declare readonly has: this;
  /** Only makes the sentence readable. */
  declare readonly have: this;
  /** Only makes the sentence readable. */
  declare readonly that: this;
  /** Only makes the sentence readable. */
  declare readonly which: this;
  /** Only makes the sentence readable. */
  declare readonly does: this;
  /** Only makes the sentence readable. */
  declare readonly with: this;
  /** Only makes the sentence readable. */
  declare readonly also: this;
  /** Only makes the sentence readable. */
  declare readonly still: this;
  /** Only makes the sentence readable. */
  declare readonly same: this;
  /** Only makes the sentence readable. */
  declare readonly all: this;
  /** Turns what follows into its opposite. */
  get not(): this {
    return this.flagged({ isNegated: !this.flags.isNegated });
  }
  /** Lets `equal`, `include` and `property` compare members. */
  get deep(): this {
    return this.flagged({ isDeep: true });
  }
  /** Lets `property` look at own members only. */
  get own(): this {
    return this.flagged({ isOwn: true });
  }
  /** Lets `property` follow paths. */
  get nested(): this {
    return this.flagged({ isNested: true });
  }
  /** One of several keys is enough. */
  get any(): this {
    return this.flagged({ isAny: true });
  }
  /** Looks at what the promise resolves to; await the assertion. */
  get eventually(): this {
    return this.flagged({ awaits: "value" });
  }
  /** The value is `true`. */
  get true(): this {
    return this.check((value) => value === true, "to be true");
  }
  /** The value is `false`. */
  get false(): this {
    return this.check((value) => value === false, "to be false");
  }
  /** The value is `null`. */
  get null(): this {
    return this.check((value) => value === null, "to be null");
  }
  /** The value is `undefined`. */
  get undefined(): this {
    return this.check((value) => value === undefined, "to be undefined");
  }
  /** The value is not a number. */
  get NaN(): this {
    return this.check((value) => Number.isNaN(value), "to be NaN");
  }
  /** The value counts as true. */
  get ok(): this {
    return this.check(Boolean, "to be truthy");
  }
  /** The value counts as true. */
  get truthy(): this {
    return this.check(Boolean, "to be truthy");
  }
  /** The value counts as false. */
  get falsy(): this {
    return this.check((value) => !value, "to be falsy");
  }
  /** The value is neither `null` nor `undefined`. */
  get exist(): this {
    return this.check((value) => value !== null && value !== undefined, "to exist");
  }
  /** The same as `exist`. */
  get exists(): this {
    return this.check((value) => value !== null && value !== undefined, "to exist");
  }
  /** The value has no members or characters. */
  get empty(): this {
    return this.check((value) => sizeOf(value) === 0, "to be empty");
  }
}

// Members that give the value itself, for all classes that follow.
for (const word of WORDS) {
  Object.defineProperty(ChaiWords.prototype, word, {
    get(this: ChaiWords) {
      return this;
    },
  });
}

function sizeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length;
  return value instanceof Map || value instanceof Set ? value.size : Object.keys(Object(value ?? {})).length;
}
