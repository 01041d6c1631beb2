/**
 * The known name that was probably meant by an unknown one. It differs only in case, by one letter,
 * or by two letters if it has at least nine. A name of up to three letters may differ only in case,
 * because it is close to many words.
 */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  const sameLetters = names.find((one) => one.toLowerCase() === name.toLowerCase());
  return sameLetters ?? names.find((one) => one.length > 3 && differences(name, one) <= (one.length < 9 ? 1 : 2));
}

/**
 * The number of letters to add, delete, replace or swap with the next to turn one word into the
 * other.
 */
function differences(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > 2) return Number.POSITIVE_INFINITY;
  const rows = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= one.length; row++) {
    rows.push([row]);
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      rows[row]?.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + Number(!isSame),
          isSwapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    // Most pairs differ in their first letters already, and no later row has a smaller number.
    if (Math.min(...(rows[row] ?? [])) > 2) return Number.POSITIVE_INFINITY;
  }
  return at(one.length, other.length);
}
