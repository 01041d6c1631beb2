import type { IndexDescription, ObjectId } from 'mongodb';
import { collection } from '../database/bounded.ts';

/** How far a member has read in a room: up to which `seq`, and how many messages that was. Away from the room, which every message writes. */
export type ReadMarkerDocument = { _id: { room: ObjectId; user: ObjectId }; seq: number; ordinal: number };

export const readMarkerIndexes: IndexDescription[] = [{ key: { '_id.room': 1 }, name: '_id.room' }];

/** The read markers of all members. */
export const readMarkers = collection<ReadMarkerDocument>('reads');
