/** The daily quiet hours of a user, in a time zone. They include midnight if `to` is earlier. */
export type QuietHours = {
  /** For example `22:00`. */
  from: string;
  to: string;
  /** For example `Europe/Berlin`. */
  time_zone: string;
};

/**
 * True if a time is within quiet hours. False if the time zone is unknown, because the user would
 * otherwise get no notifications without knowing why.
 */
export function isWithinHours({ from, to, time_zone }: QuietHours, time: Date): boolean {
  const now = clockIn(time_zone, time);
  if (now === undefined) return false;
  return from < to ? now >= from && now < to : now >= from || now < to;
}

/** The time of day in a time zone, e.g. `07:00`; undefined if the time zone does not exist. */
export function clockIn(time_zone: string, time: Date): string | undefined {
  try {
    return formatFor(time_zone).format(time);
  } catch {
    return undefined;
  }
}

/** One for each time zone. There are a few hundred, but invalid names are unlimited. */
const formats = new Map<string, Intl.DateTimeFormat>();
const mostFormats = 500;

function formatFor(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  if (formats.size >= mostFormats) formats.clear();
  formats.set(timeZone, made);
  return made;
}
