import { isUtf8 } from 'node:buffer';
import { getFileNameLowLevel, validateFileName } from 'yauzl';

/*
 * The names of an archive's entries. Slack writes UTF-8 without the flag. macOS repacks in NFD.
 * Some Windows programs write backslashes, and others the code page of their language. Names are
 * compared in NFC, with `/` between folders.
 */

/** The raw name of an entry in a zip archive. */
export type RawName = {
  fileNameRaw: Buffer;
  generalPurposeBitFlag: number;
  extraFields: { id: number; data: Buffer }[];
};

/** The form of names for comparisons. */
export const entryName = (name: string): string =>
  name
    .normalize('NFC')
    .replaceAll('\\', '/')
    .replace(/^(\.\/+)+/, '');

/**
 * Decodes the name of a zip entry: as UTF-8 if it is valid, otherwise in the zip format's default,
 * code page 437.
 */
export function decodeName(raw: RawName): string {
  const flags = isUtf8(raw.fileNameRaw) ? raw.generalPurposeBitFlag | utf8Flag : raw.generalPurposeBitFlag;
  const name = getFileNameLowLevel(flags, raw.fileNameRaw, raw.extraFields, true);
  // In Japanese and Chinese code pages, the byte of a backslash can also be the second half of a
  // character.
  return isAmbiguous(raw) && name.includes('/') ? name.normalize('NFC') : entryName(name);
}

const utf8Flag = 0x800;

/** True if the code page of a name is unknown. */
export const isAmbiguous = ({ fileNameRaw, generalPurposeBitFlag }: RawName): boolean =>
  !(generalPurposeBitFlag & utf8Flag) && !isUtf8(fileNameRaw);

const codePages = ['ibm866', 'shift_jis', 'gb18030', 'big5', 'euc-kr', 'koi8-r', 'iso-8859-2', 'iso-8859-7'].concat(
  ['1250', '1251', '1252', '1253', '1254', '1255', '1256', '1257'].map((number) => `windows-${number}`),
);

/** The possible readings of a name in the code pages of different languages. */
export const readingsOf = (raw: Buffer): string[] => codePages.map((page) => entryName(new TextDecoder(page).decode(raw)));

/** True if an entry is a desktop's metadata of a folder, not a part of the export. */
export const isDesktopFile = (name: string): boolean =>
  /(^|\/)(__MACOSX\/|(\._[^/]*|\.DS_Store|Thumbs\.db|desktop\.ini)$)/i.test(name);

/**
 * The reason why a name is not allowed: it would leave the folder where the archive is unpacked.
 */
export const faultOfName = (name: string): string | undefined =>
  name.includes('\0') ? `invalid characters in fileName: ${name}` : (validateFileName(entryName(name)) ?? undefined);
