/**
 * The known name that was probably meant by an unknown one: it differs in case alone, by one letter, or by two if it
 * has nine letters or more. A name of three letters or fewer may differ in case alone, because it is near to many words.
 */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  const sameLetters = names.find((one) => one.toLowerCase() === name.toLowerCase());
  return sameLetters ?? names.find((one) => one.length > 3 && differences(name, one) <= (one.length < 9 ? 1 : 2));
}

/** How many letters must be added, left out, replaced or swapped with the next one to make one word of the other. */
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
  }
  return at(one.length, other.length);
}
