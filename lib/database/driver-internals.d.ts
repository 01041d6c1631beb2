/** Parts of the driver without types. */
declare module 'mongodb/lib/cmap/connection.js' {
  export const Connection: { prototype: object };
}

declare module 'mongodb/lib/cmap/wire_protocol/responses.js' {
  export const CursorResponse: { prototype: object };
}

declare module 'mongodb/lib/cmap/commands.js' {
  export const OpMsgRequest: new (db: string, command: object, options: object) => { toBin: () => Uint8Array[] };
}

declare module 'mongodb/lib/operations/execute_operation.js' {
  const operations: object;
  export default operations;
}
