/** The hours of each day in which somebody wants no notifications, on the clock of a time zone. Over midnight where `to` is earlier. */
export type QuietHours = {
  /** Such as `22:00`, and `07:00`. */
  from: string;
  to: string;
  /** Such as `Europe/Berlin`. */
  time_zone: string;
};

/** Whether a time is within these hours. Not where the time zone is unknown here: somebody would hear of nothing and not know why. */
export function isWithinHours({ from, to, time_zone }: QuietHours, time: Date): boolean {
  const now = clockIn(time_zone, time);
  if (now === undefined) return false;
  return from < to ? now >= from && now < to : now >= from || now < to;
}

/** The time of day on the clock of a time zone, such as `07:00`; undefined if there is no such time zone. */
export function clockIn(time_zone: string, time: Date): string | undefined {
  try {
    return formatFor(time_zone).format(time);
  } catch {
    return undefined;
  }
}

/** Made once for each time zone; there are some hundred, and as many names as people invent for none. */
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
