/** A seeded generator, so that a run can be repeated. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** In [0, 1); mulberry32. */
  roll(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0, less than `count`. */
  below(count: number): number {
    return Math.floor(this.roll() * count);
  }

  chance(probability: number): boolean {
    return this.roll() < probability;
  }

  /** One of a list. @throws RangeError for an empty one */
  of<T>(list: readonly T[]): T {
    const chosen = list[this.below(list.length)];
    if (chosen === undefined && list.length === 0) throw new RangeError("nothing to choose from");
    return chosen as T;
  }

  /** One of the makers' values. */
  make<T>(...makers: readonly (() => T)[]): T {
    return this.of(makers)();
  }
}

class Stranger {
  readonly field = 1;
}

function cycle(): unknown {
  const ring: Record<string, unknown> = {};
  ring["self"] = ring;
  return ring;
}

function nested(levels: number): unknown {
  let value: unknown = "core";
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { in: value };
  return value;
}

/** Longer than the bound of an input in every store; made once, for it is 17 MB. */
const huge = "x".repeat(17 * 2 ** 20);
const texts = [
  "",
  " ",
  "a",
  "latest",
  "__proto__",
  "constructor",
  "toString",
  "-0",
  "NaN",
  "\u0000",
  "\ud800",
  "\udfff\ud800",
  "é\u0301 漢字 \u{1f680}",
  "a\u202eb",
  "'; drop table rollouts; --",
  "$where",
  "a.b.$c",
  "x".repeat(512),
  "x".repeat(513),
  "y".repeat(20_000),
];
const numbers = [0, -0, 1, 2, -1, 1.5, 3.7e6, 2 ** 31, 2 ** 53, -(2 ** 53), 1e300, Number.NaN, Infinity, -Infinity];

/** A text as nobody expects it. */
export function oddText(dice: Dice): string {
  return dice.chance(0.000_2) ? huge : dice.of(texts);
}

/** A number as nobody expects it; as a duration it is over at once, or not within an hour. */
export function oddNumber(dice: Dice): number {
  return dice.of(numbers);
}

/** Any JSON value, `__proto__` as a key and negative zero included. */
export function anyJson(dice: Dice, depth: number = 3): unknown {
  const leaf = dice.make<unknown>(
    () => oddText(dice),
    () => oddNumber(dice),
    () => dice.chance(0.5),
    () => null,
  );
  if (depth === 0 || dice.chance(0.3)) return leaf;
  const count = dice.below(4);
  if (dice.chance(0.4)) return Array.from({ length: count }, () => anyJson(dice, depth - 1));
  const entries = Array.from({ length: count }, () => [oddText(dice).slice(0, 600), anyJson(dice, depth - 1)] as const);
  return Object.fromEntries(entries);
}

/** A value of the wrong kind, almost wherever it stands. */
export function junk(dice: Dice): unknown {
  return dice.make<unknown>(
    () => undefined,
    () => null,
    () => dice.chance(0.5),
    () => oddNumber(dice),
    () => oddText(dice),
    () => 10n,
    () => Symbol("odd"),
    () => () => 1,
    () => new Date(Number.NaN),
    () => new Map([["a", 1]]),
    () => new Stranger(),
    () => Object.create(null) as unknown,
    () => ({ toString: null, valueOf: null }),
    () => ({ length: 3 }),
    () => [],
    () => ({}),
    () => [null],
    () => [[undefined]],
    () => new Array(3),
    () => cycle(),
    () => nested(500),
    () => JSON.parse('{"__proto__": {"polluted": true}}') as unknown,
    () => anyJson(dice),
  );
}
