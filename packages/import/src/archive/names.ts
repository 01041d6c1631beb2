import { isUtf8 } from 'node:buffer';
import { getFileNameLowLevel, validateFileName } from 'yauzl';

/*
 * The names of an archive's entries. Slack writes UTF-8 without saying so, macOS repacks in NFD, some Windows programs
 * write backslashes, and others the code page of their language. Names are compared in NFC, with `/` between folders.
 */

/** A name as a zip archive has it. */
export type RawName = {
  fileNameRaw: Buffer;
  generalPurposeBitFlag: number;
  extraFields: { id: number; data: Buffer }[];
};

/** The form in which names of entries are compared. */
export const entryName = (name: string): string =>
  name
    .normalize('NFC')
    .replaceAll('\\', '/')
    .replace(/^(\.\/+)+/, '');

/** The name of a zip entry: UTF-8 if its bytes are that, otherwise in the format's own code page 437. */
export function decodeName(raw: RawName): string {
  const flags = isUtf8(raw.fileNameRaw) ? raw.generalPurposeBitFlag | utf8Flag : raw.generalPurposeBitFlag;
  const name = getFileNameLowLevel(flags, raw.fileNameRaw, raw.extraFields, true);
  // In Japanese and Chinese code pages, the byte of a backslash is also the second half of some characters.
  return isAmbiguous(raw) && name.includes('/') ? name.normalize('NFC') : entryName(name);
}

const utf8Flag = 0x800;

/** Whether nothing says in which code page a name was written. */
export const isAmbiguous = ({ fileNameRaw, generalPurposeBitFlag }: RawName): boolean =>
  !(generalPurposeBitFlag & utf8Flag) && !isUtf8(fileNameRaw);

const codePages = ['ibm866', 'shift_jis', 'gb18030', 'big5', 'euc-kr', 'koi8-r', 'iso-8859-2', 'iso-8859-7'].concat(
  ['1250', '1251', '1252', '1253', '1254', '1255', '1256', '1257'].map((number) => `windows-${number}`),
);

/** What an ambiguous name may be, by the code pages of languages. */
export const readingsOf = (raw: Buffer): string[] => codePages.map((page) => entryName(new TextDecoder(page).decode(raw)));

/** Whether an entry describes a folder to a desktop, and is no part of what was exported. */
export const isDesktopFile = (name: string): boolean =>
  /(^|\/)(__MACOSX\/|(\._[^/]*|\.DS_Store|Thumbs\.db|desktop\.ini)$)/i.test(name);

/** Why no archive may have a name: it would leave the folder in which the archive is unpacked. */
export const faultOfName = (name: string): string | undefined =>
  name.includes('\0') ? `invalid characters in fileName: ${name}` : (validateFileName(entryName(name)) ?? undefined);
