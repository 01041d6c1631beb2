import { Double, Int32, Long } from 'bson';
import { addDecimals, type Decimal, divideDecimals, fromBigInt, pack, toDecimal } from '../decimal.ts';
import { inLong, intOrLong } from '../numbers.ts';
import type { NumberValue } from '../value.ts';

/**
 * A sum that loses nothing on the way: whole numbers are added exactly and doubles with their rounding errors, as MongoDB does.
 * The type of the result is the widest of those added; int64 that overflows becomes a double.
 */
export class Summation {
  #whole = 0n;
  #isWide = false;
  #high = 0;
  #low = 0;
  #hasDouble = false;
  #decimal: Decimal | undefined;

  add(value: NumberValue): void {
    if (value instanceof Int32) this.#whole += BigInt(value.value);
    else if (value instanceof Double) this.#addDouble(value.value);
    else if (value instanceof Long) {
      this.#isWide = true;
      this.#whole += value.toBigInt();
    } else {
      this.#decimal = addDecimals(this.#decimal ?? fromBigInt(0n), toDecimal(value));
    }
  }

  get total(): NumberValue {
    if (this.#decimal !== undefined) return pack(this.#decimalTotal());
    if (this.#hasDouble) return new Double(this.double);
    if (!this.#isWide)
      return BigInt.asIntN(32, this.#whole) === this.#whole
        ? new Int32(Number(this.#whole))
        : (inLong(this.#whole) ?? new Double(Number(this.#whole)));
    return inLong(this.#whole) ?? new Double(Number(this.#whole));
  }

  /** The mean, as double or decimal. */
  mean(count: number): NumberValue {
    if (this.#decimal === undefined) return new Double(this.double / count);
    return pack(divideDecimals(this.#decimalTotal(), toDecimal(intOrLong(count))));
  }

  get double(): number {
    if (!this.#hasDouble) return Number(this.#whole);
    const high = Number(this.#whole);
    const [sum, error] = exactSum(this.#high, high);
    const rest = Number.isFinite(high) ? Number(this.#whole - BigInt(high)) : 0;
    return Number.isFinite(sum) ? sum + (this.#low + error + rest) : this.#high + high;
  }

  #addDouble(value: number): void {
    this.#hasDouble = true;
    const [sum, error] = exactSum(this.#high, value);
    this.#high = sum;
    // With infinities and NaN the error is no number, and the sum needs none.
    if (Number.isFinite(error)) this.#low += error;
  }

  #decimalTotal(): Decimal {
    const others = this.#hasDouble ? toDecimal(new Double(this.double)) : fromBigInt(this.#whole);
    return addDecimals(this.#decimal ?? fromBigInt(0n), others);
  }
}

/** The rounded sum of two doubles and what rounding lost. */
function exactSum(a: number, b: number): [number, number] {
  const sum = a + b;
  const part = sum - a;
  return [sum, a - (sum - part) + (b - part)];
}
