import { shortOf } from '../../i18n/dates.ts';
import { locale } from '../../i18n/locale.ts';
import { sizeOf } from '../../i18n/sizes.ts';
import { strings } from '../../i18n/strings.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, chat } from '../../service/api.ts';
import { Loading } from '../shared/controls.tsx';
import { useLoaded } from '../shared/use-list.ts';
import { DailyMessages } from './chart.tsx';

const numberOf = (number: number) => number.toLocaleString(locale);

/** How the service is: what needs attention first, then what there is. */
export function ServiceOverview() {
  const { value, failure, reload } = useLoaded(() => ask(chat.GET('/api/overview')), []);
  if (!value) return <Loading failure={failure} onRetry={reload} />;
  const words = laterStrings.admin.overview;
  const { attention, database_problem, started_at, backup_at } = value;
  const figures: (readonly [label: string, value: string] | false)[] = [
    [laterStrings.admin.groups.people, numberOf(value.people)],
    [words.activeToday, numberOf(value.active_today)],
    [words.activeWithin(7), numberOf(value.active_7_days)],
    [words.activeWithin(30), numberOf(value.active_30_days)],
    [strings.rooms.title, numberOf(value.rooms)],
    [words.conversations, numberOf(value.conversations)],
    [words.messages, numberOf(value.messages)],
    [laterStrings.admin.tabs.files, words.of(sizeOf(value.file_bytes), sizeOf(value.file_bytes_limit))],
    [words.version, value.version],
    started_at !== null && [words.started, shortOf(new Date(started_at.$date))],
    backup_at !== null && [words.backup, shortOf(new Date(backup_at.$date))],
  ];
  return (
    <>
      <section aria-labelledby="attention">
        <h2 id="attention">{words.attention}</h2>
        {attention.length === 0 && <p class="muted">{words.nothing}</p>}
        <ul class="effects">
          {attention.map((concern) => (
            <li key={concern}>
              {words.concerns[concern]}
              {concern.startsWith('database_') && database_problem !== null && (
                <>
                  {' '}
                  <bdi class="muted">{database_problem}</bdi>
                </>
              )}
              {concern === 'webhooks_off' && (
                <>
                  {' '}
                  <a href="/admin/webhooks?off">{laterStrings.admin.tabs.webhooks}</a>
                </>
              )}
            </li>
          ))}
        </ul>
      </section>
      <DailyMessages today={value.today} counts={value.messages_by_day} />
      <section aria-labelledby="figures">
        <h2 id="figures">{words.figures}</h2>
        <dl class="figures">
          {figures
            .filter((figure) => figure !== false)
            .map(([label, shown]) => (
              <div key={label}>
                <dt>{label}</dt>
                <dd>
                  <bdi>{shown}</bdi>
                </dd>
              </div>
            ))}
        </dl>
      </section>
    </>
  );
}
