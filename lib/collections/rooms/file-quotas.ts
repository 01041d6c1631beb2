import type { IndexDescription } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/** The bytes that the files of an account, or of the whole service, take. */
export type FileQuotaDocument = {
  /** The account's id in hexadecimal, or `service`. */
  _id: string;
  bytes: number;
  /** Whether the last reservation was granted. */
  is_granted: boolean;
  /** How often and when it has changed, and whether it has since it was compared with the files. */
  changes: number;
  changed_at: Date;
  is_unchecked?: true;
};

export const fileQuotaIndexes: IndexDescription[] = [
  { key: { is_unchecked: 1 }, name: 'is_unchecked', sparse: true },
  { key: { bytes: 1 }, name: 'bytes' },
];

/** The bytes that are used: apart from the accounts, whose every change makes what is remembered of them old. */
export const fileQuotas = collection<FileQuotaDocument>('file_quotas');
