import { locale } from '../../i18n/locale.ts';
import { laterStrings } from '../../i18n/strings-later.ts';

const numberOf = (number: number) => number.toLocaleString(locale);

/** The messages of each of the last days: `today` is the last of them. */
export function DailyMessages({ today, counts }: { today: string; counts: readonly (number | null)[] }) {
  const words = laterStrings.admin.overview;
  const start = Date.parse(today);
  const days = counts.map((count, index) => ({
    count,
    day: new Date(start - (counts.length - 1 - index) * 86_400_000).toLocaleDateString(locale, {
      day: 'numeric',
      month: 'short',
      timeZone: 'UTC',
    }),
  }));
  const known = days.filter((one): one is { count: number; day: string } => one.count !== null);
  const most = Math.max(1, ...known.map(({ count }) => count));
  const peak = known.findLast(({ count }) => count === most);
  const all = known.reduce((sum, { count }) => sum + count, 0);
  return (
    <section aria-labelledby="daily">
      <h2 id="daily">{words.daily}</h2>
      <p class="muted">
        {words.inAll(all, counts.length)} {peak && words.peak(most, peak.day)} {known.length < days.length && words.partly}
      </p>
      {/* The sentence before it and the table after it have its content. */}
      <div class="daily" aria-hidden="true">
        {days.map(({ count, day }) => (
          <span
            key={day}
            class={count === null ? 'unknown' : undefined}
            title={`${day}: ${count === null ? words.uncounted : numberOf(count)}`}
            style={{ blockSize: `${count === null ? 100 : (100 * count) / most}%` }}
          />
        ))}
      </div>
      <p class="daily-ends muted" aria-hidden="true">
        <span>{days[0]?.day}</span>
        <span>{days.at(-1)?.day}</span>
      </p>
      <details>
        <summary>{words.table}</summary>
        <table class="daily-table">
          <thead>
            <tr>
              <th scope="col">{words.day}</th>
              <th scope="col">{words.messages}</th>
            </tr>
          </thead>
          <tbody>
            {days.toReversed().map(({ count, day }) => (
              <tr key={day}>
                <th scope="row">{day}</th>
                <td>{count === null ? words.uncounted : numberOf(count)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  );
}
