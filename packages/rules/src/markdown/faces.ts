/**
 * The arms of a shrug are neither escapes nor emphasis. Other chats require different numbers of
 * backslashes for it.
 */
export const shrug = /\\{1,3}(_\([^()\n]{1,24}\)|\*[oO._^]{1,3}\*)\\?(_?\/)/y;

/** The length of a face, a pattern or a program's name that begins here with a mark of emphasis. */
export function faceAt(text: string, at: number): number | undefined {
  signed.lastIndex = at;
  return signed.exec(text)?.[0].length;
}

// Names in Python, C and PHP that have this form. Others are recognised by their context.
const names =
  'init|main|name|file|dict|doc|all|class|call|str|repr|new|del|len|iter|next|enter|exit|eq|hash|getattr|setattr|getitem|setitem|version|author|path|package|module|slots|future|annotations|proto|pycache|construct|attribute|declspec|func|FILE|LINE|DIR|FUNCTION|CLASS|METHOD|DATE|TIME';

const signed = new RegExp(
  [
    // `*_*` and `*.*`; `(*°▽°*)`; `_(:3」∠)_`; sparks, as in `*:･ﾟ✧`.
    '(?<![*\\p{L}\\p{N}])\\*[_.^-]{1,3}\\*(?![*\\p{L}\\p{N}])',
    '(?<=[(（])\\*(?!\\S{0,6}[\\p{L}\\p{N}]{2})[^\\s*@:`]{1,6}\\*(?=[)）])',
    '(?<![\\p{L}\\p{N}])_\\((?!\\S{0,8}[\\p{L}\\p{N}]{2})[^\\s()@`]{1,8}\\)_(?![\\p{L}\\p{N}])',
    '\\*:[･・.。]',
    // `__name__`, `self.__x__`, `__x__.py` and `__x__()`.
    `(?<![A-Za-z0-9_])__(?:${names})__(?![A-Za-z0-9_])`,
    '(?<=[\\w)\\]]\\.)__[A-Za-z][A-Za-z0-9_]{0,40}?__(?![A-Za-z0-9_])',
    '(?<![A-Za-z0-9_])__[A-Za-z][A-Za-z0-9_]{0,40}?__(?=\\(|\\.[A-Za-z])',
  ].join('|'),
  'uy',
);
