/** Makes a function that runs calls one after the other, also after one that has failed. */
export function makeTurns(): <Result>(call: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (call) => {
    const turn = last.then(call);
    last = turn.catch(() => {});
    return turn;
  };
}
