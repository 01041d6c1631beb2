import { collection } from '../../database/bounded.ts';

/** An app that an administrator registered, because it lacks a client metadata document. */
export type AppDocument = {
  /** The client id. */
  _id: string;
  name: string;
  redirect_uris: string[];
  created_at: Date;
};

/** The registered apps. */
export const apps = collection<AppDocument>('apps');
