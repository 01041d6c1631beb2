/** A number of bytes as people read it. */
export function sizeOf(bytes: number): string {
  const at = bytes < 1_000 ? 0 : bytes < 1_000_000 ? 1 : 2;
  const number = bytes / 1_000 ** at;
  return `${number.toLocaleString(undefined, { maximumFractionDigits: number < 10 ? 1 : 0 })} ${['B', 'kB', 'MB'][at]}`;
}
