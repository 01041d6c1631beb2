/** Collects and prints the result of each row. After an interruption, further rows throw. */
export function reporter(print: (line: string) => void, interrupted: AbortSignal) {
  let passed = 0;
  let failed = 0;

  /** Runs a row even after an interruption. */
  async function last(name: string, check: () => Promise<void>): Promise<boolean> {
    try {
      await check();
      passed++;
      print(`ok    ${name}`);
      return true;
    } catch (error) {
      failed++;
      print(`FAIL  ${name}: ${(error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ').slice(0, 500)}`);
      return false;
    }
  }

  return {
    /** Runs a row, which fails by throwing. Returns true if it passed. */
    row(name: string, check: () => Promise<void>): Promise<boolean> {
      interrupted.throwIfAborted();
      return last(name, check);
    },
    last,
    /** Prints the summary. Returns true if all rows passed. */
    end(): boolean {
      print(`\n${passed} of ${passed + failed} rows conform${failed > 0 ? `, ${failed} do not` : ''}.`);
      return failed === 0;
    },
  };
}

export type Report = ReturnType<typeof reporter>;
