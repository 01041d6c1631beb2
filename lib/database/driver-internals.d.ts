/** A part of the driver that it has no types for. */
declare module 'mongodb/lib/cmap/connection.js' {
  export const Connection: { prototype: object };
}

declare module 'mongodb/lib/cmap/wire_protocol/responses.js' {
  export const MongoDBResponse: { make: (bson: Uint8Array) => unknown };
  export const CursorResponse: { prototype: object };
}
