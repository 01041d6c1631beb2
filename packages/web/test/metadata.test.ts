import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutMetadata } from '../src/files/metadata.ts';

const bytesOf = (...parts: (string | number[] | Uint8Array)[]) =>
  new Uint8Array(
    Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part)))),
  );
const big = (value: number, size: number) =>
  Array.from({ length: size }, (_, at) => Math.floor(value / 256 ** (size - 1 - at)) % 256);
const little = (value: number, size: number) => big(value, size).reverse();
const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');

const pngChunk = (type: string, data: string) => bytesOf(big(data.length, 4), type, data, 'sum!');
const png = (...chunks: Uint8Array[]) => bytesOf([0x89], 'PNG\r\n\x1a\n', pngChunk('IHDR', 'a head of 13 '), ...chunks);

const webpChunk = (type: string, data: string) => bytesOf(type, little(data.length, 4), data, data.length % 2 ? [0] : []);
const webp = (...chunks: Uint8Array[]) => {
  const inner = bytesOf('WEBP', ...chunks);
  return bytesOf('RIFF', little(inner.length, 4), inner);
};

const box = (type: string, ...parts: Parameters<typeof bytesOf>) => {
  const inner = bytesOf(...parts);
  return bytesOf(big(inner.length + 8, 4), type, inner);
};

describe('a PNG', () => {
  it('a PNG loses where and when it was taken, and nothing else', () => {
    const kept = [pngChunk('IDAT', 'the pixels'), pngChunk('tEXt', 'Title\0Garden'), pngChunk('IEND', '')];
    const gone = [pngChunk('eXIf', 'the place'), pngChunk('iTXt', 'XML:com.adobe.xmp\0the place'), pngChunk('tIME', 'the day')];
    const raw = pngChunk('zTXt', 'Raw profile type exif\0the place');
    const [pixels, title, end] = kept as [Uint8Array, Uint8Array, Uint8Array];
    expect(withoutMetadata(png(...gone, pixels, title, raw, end))).toEqual(png(...kept));
  });

  it.each(['Creation Time', 'date:create', 'create-date', 'Source', 'Model', 'exif:GPSLatitude', 'Raw profile type 8bim'])(
    'a PNG loses a text that is called %s',
    (name) => {
      const pixels = pngChunk('IDAT', 'the pixels');
      expect(withoutMetadata(png(pngChunk('tEXt', `${name}\0told`), pixels))).toEqual(png(pixels));
    },
  );

  it('a PNG keeps the drawing that a program has put into it', () => {
    const drawing = png(pngChunk('zTXt', 'mxfile\0a drawing'), pngChunk('IDAT', 'the pixels'));
    expect(withoutMetadata(drawing)).toEqual(drawing);
  });
});

describe('a WebP', () => {
  it('a WebP loses its metadata, and the flags that announce them', () => {
    const head = (flags: number) => webpChunk('VP8X', `${String.fromCharCode(flags)}head of it`);
    const [pixels, frame] = [webpChunk('VP8 ', 'pixels'), webpChunk('ANMF', 'one more')];
    const sent = webp(head(0b11110), pixels, frame, webpChunk('EXIF', 'the place'), webpChunk('XMP ', 'the place'));
    expect(withoutMetadata(sent)).toEqual(webp(head(0b10010), pixels, frame));
  });

  it('a WebP may lack the last byte of its last chunk', () => {
    const sent = webp(webpChunk('VP8 ', 'pixel')).slice(0, -1);
    expect(withoutMetadata(sent).length).toBe(sent.length);
  });
});

describe('a GIF', () => {
  const blocks = (...texts: string[]) => bytesOf(...texts.flatMap((text) => [[text.length], text]), [0]);
  const extension = (label: number, ...texts: string[]) => bytesOf([0x21, label], blocks(...texts));
  const head = bytesOf('GIF89a', [2, 0, 1, 0, 0x80, 0, 0], 'colour');
  const frame = bytesOf([0x2c], 'nine byt', [0x80], 'others', [2], blocks('!\xfepixels', 'more pixels'));
  const kept = [extension(0xff, 'NETSCAPE2.0', '\x01\0\0'), extension(0xf9, 'time'), frame, extension(0xf9, 'time'), frame];
  const gone = [extension(0xfe, 'the camera', 'the day'), extension(0xff, 'XMP DataXMP', 'the place')];

  it('a GIF loses its comments and where it was taken, and still moves', () => {
    const [again, ...frames] = kept as [Uint8Array, ...Uint8Array[]];
    const sent = bytesOf(head, again, ...gone, ...frames, ...gone, ';', 'the place');
    expect(latin1(withoutMetadata(sent))).toBe(latin1(bytesOf(head, ...kept, ';')));
  });

  it('a GIF that ends too early keeps what there is of its pictures', () => {
    const cut = frame.slice(0, -4);
    expect(latin1(withoutMetadata(bytesOf(head, ...gone, cut)))).toBe(latin1(bytesOf(head, cut)));
    expect(latin1(withoutMetadata(bytesOf(head, frame, ...gone).slice(0, -4)))).toBe(latin1(bytesOf(head, frame)));
  });
});

const entry = (id: number, type: string) => box('infe', [2, 0, 0, 0], big(id, 2), [0, 0], type, '\0');

/** A picture of a phone: the pixels, and the location beside them, as `iloc` lists them. */
const heic = (version: 0 | 1, place: string) => {
  const make = (offset: number) => {
    const item = (id: number, begin: number, length: number) =>
      bytesOf(big(id, 2), version ? [0, 0] : [], [0, 0], big(1, 2), big(begin, 4), big(length, 4));
    const items = [item(1, offset, 6), item(2, offset + 6, place.length), item(3, offset + 6 + place.length, 4)];
    const locations = box('iloc', [version, 0, 0, 0], [0x44, 0x00], big(items.length, 2), ...items);
    const infos = box('iinf', [0, 0, 0, 0], big(3, 2), entry(1, 'hvc1'), entry(2, 'Exif'), entry(3, 'mime'));
    return bytesOf(box('ftyp', 'heic', big(0, 4)), box('meta', [0, 0, 0, 0], box('hdlr', 'pict'), infos, locations));
  };
  return bytesOf(make(make(0).length + 8), box('mdat', 'pixels', place, 'more'));
};

describe.each([0, 1] as const)('a HEIC whose list of places has version %i', (version) => {
  it('a HEIC has its metadata wiped where it lies, so that nothing moves', () => {
    const place = '48.2 N, 16.4 E';
    const sent = heic(version, place);
    const left = withoutMetadata(sent);
    expect(latin1(left)).toBe(latin1(sent).replace(place, '\0'.repeat(place.length)).replace('more', '\0\0\0\0'));
  });
});

describe('a video', () => {
  it.each(['udta', 'meta', 'uuid'])('a video has its %s wiped, also in a track, and keeps all other bytes', (type) => {
    const track = (name: string, text: string) => box('trak', box('tref', 'turned'), box(name, text));
    const video = (name: string, [first, second]: [string, string]) =>
      bytesOf(
        box('ftyp', 'mp42', big(0, 4)),
        box('moov', box('iods', 'head'), track(name, first), box(name, second)),
        box('mdat', 'frames'),
      );
    const places: [string, string] = ['the track', '+48.2+16.4/'];
    const wiped = places.map((text) => '\0'.repeat(text.length)) as [string, string];
    expect(withoutMetadata(video(type, places))).toEqual(video('free', wiped));
  });

  it.each([0, 1])('a video loses the times at which it and its tracks were recorded (version %i)', (version) => {
    const size = version === 1 ? 8 : 4;
    const video = (time: number) => {
      const times = bytesOf([version, 0, 0, 0], big(time, size), big(time, size));
      const media = box('mdia', box('mdhd', times, 'the language'));
      return bytesOf(
        box('ftyp', 'mp42'),
        box('moov', box('mvhd', times, 'the length'), box('trak', box('tkhd', times, 'turned'), media)),
      );
    };
    expect(withoutMetadata(video(3_000_000_000))).toEqual(video(0));
  });

  it('a video may be longer than 4 GB can say, its last box may have no length, and what comes after may be no box', () => {
    const place = box('moov', box('udta', 'the place'));
    const long = bytesOf(big(1, 4), 'mdat', big(22, 8), 'frames');
    for (const last of [bytesOf(big(0, 4), 'mdat', 'frames'), bytesOf('the maker of the camera')]) {
      const sent = bytesOf(box('ftyp', 'mp42'), long, place, last);
      expect(latin1(withoutMetadata(sent))).toBe(latin1(sent).replace('udtathe place', `free${'\0'.repeat(9)}`));
    }
  });
});

/** A video with a track of places beside the one that is seen. */
const drive = (places: string[], isShort: boolean, isTold: boolean) => {
  const numbers = (...all: number[]) => bytesOf(...all.map((one) => big(one, 4)));
  const head = box('ftyp', 'mp42');
  const data = box('mdat', 'frame', places[0] as string, 'frame', places[1] as string, places[2] as string);
  const [one, two, three] = places.map(({ length }) => length) as [number, number, number];
  const offset = head.length + 8 + 5;
  const at = [offset, offset + one + 5].flatMap((place) => big(place, isShort ? 4 : 8));
  const table = box(
    'stbl',
    box('stsz', numbers(0, 0, 3, one, two, three)),
    box('stsc', numbers(0, 2, 1, 1, 1, 2, 2, 1)),
    box(isShort ? 'stco' : 'co64', numbers(0, 2), at),
  );
  const media = box('mdia', box('hdlr', numbers(0, 0), isTold ? 'meta' : 'vide', 'by'), box('minf', table));
  return { head, data, media };
};

describe('a track of a video that tells where the camera was', () => {
  it.each([true, false])(
    'a track of a video with the positions of the camera is wiped, with its times (short offsets: %s)',
    (isShort) => {
      const places = ['48.2 N', '48.3 N, 16.4 E', '48.4'];
      const wiped = places.map((text) => '\0'.repeat(text.length));
      const { head, data, media } = drive(places, isShort, true);
      const sent = bytesOf(head, data, box('moov', box('trak', media), box('trak', 'seen')));
      const left = bytesOf(
        head,
        drive(wiped, isShort, true).data,
        box('moov', box('free', new Uint8Array(media.length)), box('trak', 'seen')),
      );
      expect(latin1(withoutMetadata(sent))).toBe(latin1(left));
    },
  );

  it('a track of a video that is seen keeps its moments', () => {
    const { head, data, media } = drive(['one', 'two', 'three'], true, false);
    const sent = bytesOf(head, data, box('moov', box('trak', media)));
    expect(withoutMetadata(sent)).toEqual(sent);
  });
});

it('a picture loses the video that a phone writes after it', () => {
  const place = box('moov', box('udta', 'the place'));
  const left = withoutMetadata(bytesOf(heic(1, 'here'), box('mpvd', box('ftyp', 'mp42'), place)));
  expect(latin1(left)).not.toContain('the place');
});

describe('a WebM', () => {
  const element = (id: number[], ...parts: Parameters<typeof bytesOf>) => {
    const inner = bytesOf(...parts);
    return bytesOf(id, inner.length < 127 ? [0x80 | inner.length] : [0x01, ...big(inner.length, 7)], inner);
  };
  const nothing = (length: number) =>
    length <= 128
      ? element([0xec], new Uint8Array(length - 2))
      : bytesOf([0xec, 0x01], big(length - 9, 7), new Uint8Array(length - 9));
  const head = element([0x1a, 0x45, 0xdf, 0xa3], 'webm');
  const frames = element([0x1f, 0x43, 0xb6, 0x75], 'frames');

  it.each(['the place', `the place ${'and more'.repeat(40)}`])(
    'a WebM has its tags and its time wiped, and nothing moves',
    (told) => {
      const [tags, sum, time] = [
        element([0x12, 0x54, 0xc3, 0x67], told),
        element([0xbf], 'sum!'),
        element([0x44, 0x61], 'the time'),
      ];
      const title = element([0x7b, 0xa9], 'title');
      const video = (tagged: Uint8Array, ...about: Uint8Array[]) =>
        bytesOf(head, element([0x18, 0x53, 0x80, 0x67], element([0x15, 0x49, 0xa9, 0x66], ...about), tagged, frames));
      const left = video(nothing(tags.length), nothing(sum.length), nothing(time.length), title);
      expect(withoutMetadata(video(tags, sum, time, title))).toEqual(left);
    },
  );

  it('a WebM without a duration, such as a new recording, has its tags wiped', () => {
    const tags = element([0x12, 0x54, 0xc3, 0x67], 'the place');
    const video = (tagged: Uint8Array) =>
      bytesOf(head, [0x18, 0x53, 0x80, 0x67, 0x01], Array(7).fill(0xff), tagged, [0x1f, 0x43, 0xb6, 0x75, 0xff], 'frames');
    expect(withoutMetadata(video(tags))).toEqual(video(nothing(tags.length)));
  });
});

describe('a JPEG that is not drawn again', () => {
  const segment = (type: number, text: string) => bytesOf([0xff, type], big(text.length + 2, 2), text);
  const scan = (pixels: string) => bytesOf(segment(0xda, 'how'), pixels, [0xff, 0], 'more', [0xff, 0xd0], 'pixels');
  const [begin, end] = [bytesOf([0xff, 0xd8]), bytesOf([0xff, 0xd9])];

  it('a JPEG that is not drawn again loses its metadata and its comments, and keeps its picture and the colours of it', () => {
    const shown = [segment(0xe0, 'JFIF'), segment(0xe2, 'ICC_PROFILE'), segment(0xee, 'Adobe'), segment(0xdb, 'a table')];
    const kept = [...shown, scan('pixels'), segment(0xc4, 'a table'), scan('finer')];
    const gone = [0xe1, 0xe2, 0xe5, 0xe6, 0xec, 0xed, 0xfe].map((type) => segment(type, 'Exif\0\0the place'));
    const sent = bytesOf(begin, ...kept.flatMap((one) => [one, ...gone]), end);
    expect(latin1(withoutMetadata(sent))).toBe(latin1(bytesOf(begin, ...kept, end)));
  });

  it('a JPEG that is not drawn again loses the pictures and videos that cameras write after it', () => {
    const second = bytesOf(begin, segment(0xe1, 'Exif\0\0the place'), scan('small'), end);
    const first = bytesOf(begin, segment(0xdb, 'a table'), scan('pixels'), end);
    expect(latin1(withoutMetadata(bytesOf(first, second, 'the place')))).toBe(latin1(first));
  });

  it('a JPEG that is not drawn again may end too early, and may have more than segments before its picture', () => {
    const sent = bytesOf(
      begin,
      'some',
      segment(0xe1, 'the place'),
      'more',
      [0xff, 0xff],
      segment(0xdb, 'a table'),
      scan('pixels'),
    );
    expect(latin1(withoutMetadata(sent))).toBe(latin1(bytesOf(begin, segment(0xdb, 'a table'), scan('pixels'))));
  });
});

it.each([
  ['a PNG', png(pngChunk('eXIf', 'the place'), pngChunk('IDAT', 'pixels'), pngChunk('IEND', ''))],
  ['a WebP', webp(webpChunk('VP8 ', 'pixels'), webpChunk('EXIF', 'the place!'))],
])('%s with something after its end loses its metadata as well', (_what, picture) => {
  expect(latin1(withoutMetadata(bytesOf(picture, 'the place')))).not.toContain('the place');
});

it('a file that is neither a picture nor a video does not change', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (sent) => {
      expect(withoutMetadata(new Uint8Array(sent))).toEqual(new Uint8Array(sent));
    }),
  );
});

it('a picture that is broken anywhere is never an error, and never becomes longer', () => {
  const samples = [
    png(pngChunk('eXIf', 'the place'), pngChunk('IDAT', 'pixels')),
    webp(webpChunk('VP8X', '\x0chead of it'), webpChunk('EXIF', 'the place')),
    bytesOf('GIF89a', [2, 0, 1, 0, 0, 0, 0, 0x21, 0xfe, 3], 'day', [0, 0x2c], 'nine byte', [2, 2], 'px', [0], ';'),
    bytesOf([0xff, 0xd8, 0xff, 0xe1, 0, 6], 'here', [0xff, 0xda, 0, 3, 1], 'pixels', [0xff, 0xd9], 'the place'),
    heic(0, 'the place'),
    heic(1, 'the place'),
    bytesOf([
      0x1a, 0x45, 0xdf, 0xa3, 0x80, 0x18, 0x53, 0x80, 0x67, 0x8d, 0x15, 0x49, 0xa9, 0x66, 0x83, 0x44, 0x61, 0x80, 0xec, 0x80,
    ]),
    bytesOf(box('ftyp', 'mp42'), box('mdat', 'frames'), box('moov', box('trak', drive(['a', 'b', 'c'], true, true).media))),
    bytesOf(box('ftyp', 'mp42'), box('moov', box('trak', box('udta', 'here')), box('udta', 'the place'))),
  ];
  const flips = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { maxLength: 4 });
  fc.assert(
    fc.property(fc.constantFrom(...samples), flips, fc.nat(), (sample, changes, cut) => {
      const broken = sample.slice(0, sample.length - (cut % sample.length));
      for (const [at, value] of changes) broken[at % broken.length] = value;
      expect(withoutMetadata(broken).length).toBeLessThanOrEqual(broken.length + 1);
    }),
    { numRuns: 3_000 },
  );
});
