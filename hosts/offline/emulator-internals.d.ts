/** A part of the emulator that it has no types for. */
declare module 'serverless-offline/lambda' {
  const Lambda: { prototype: { start: () => void } };
  export default Lambda;
}
