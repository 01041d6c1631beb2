import { Double, Int32, Long } from 'bson';
import { inLong, toBigInt } from '../values/numbers.ts';
import type { NumberValue } from '../values/value.ts';

/**
 * A sum without accumulated rounding errors: integers are added exactly, and doubles with error
 * compensation, as in MongoDB. The result has the widest type of the addends. An int64 that
 * overflows becomes a double.
 */
export class Summation {
  #whole = 0n;
  #isWide = false;
  #high = 0;
  #low = 0;
  #hasDouble = false;

  add(value: NumberValue): void {
    if (value instanceof Double) {
      this.#addDouble(value.value);
      return;
    }
    this.#isWide ||= value instanceof Long;
    this.#whole += toBigInt(value);
  }

  get total(): NumberValue {
    if (this.#hasDouble) return new Double(this.#double);
    if (!this.#isWide && BigInt.asIntN(32, this.#whole) === this.#whole) return new Int32(Number(this.#whole));
    return inLong(this.#whole) ?? new Double(Number(this.#whole));
  }

  get #double(): number {
    const high = Number(this.#whole);
    const [sum, error] = exactSum(this.#high, high);
    const rest = Number.isFinite(high) ? Number(this.#whole - BigInt(high)) : 0;
    return Number.isFinite(sum) ? sum + (this.#low + error + rest) : this.#high + high;
  }

  #addDouble(value: number): void {
    this.#hasDouble = true;
    const [sum, error] = exactSum(this.#high, value);
    this.#high = sum;
    // For infinities and NaN, the error is NaN and must not be added.
    if (Number.isFinite(error)) this.#low += error;
  }
}

/** The rounded sum of two doubles, and the rounding error. */
function exactSum(a: number, b: number): [number, number] {
  const sum = a + b;
  const part = sum - a;
  return [sum, a - (sum - part) + (b - part)];
}
