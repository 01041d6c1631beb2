import type { IndexDescription } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/** The bytes in use by the files of an account, or of the whole service. */
export type FileQuotaDocument = {
  /** The account's id in hexadecimal, or `service`. */
  _id: string;
  bytes: number;
  /** The outcome of the last reservation. */
  is_granted: boolean;
  /**
   * The number and the time of changes, and a flag for changes since the last comparison with the
   * files.
   */
  changes: number;
  changed_at: Date;
  is_unchecked?: true;
};

export const fileQuotaIndexes: IndexDescription[] = [
  { key: { is_unchecked: 1 }, name: 'is_unchecked', sparse: true },
  { key: { bytes: 1 }, name: 'bytes' },
];

/**
 * The bytes in use. They are not part of the accounts, because every change of an account
 * invalidates its cached copies.
 */
export const fileQuotas = collection<FileQuotaDocument>('file_quotas');
