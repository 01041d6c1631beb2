/** A part of the emulator that its own types do not declare. */
declare module 'serverless-offline/lambda' {
  type Running = { setEvent: (event: unknown) => void; runHandler: () => Promise<unknown> };
  type Emulated = { get: (name: string) => Running };
  const Lambda: { prototype: { start: (this: Emulated) => void } };
  export default Lambda;
}
