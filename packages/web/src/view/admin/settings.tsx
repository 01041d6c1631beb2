import { useState } from 'preact/hooks';
import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, chat } from '../../service/api.ts';
import { Loading } from '../shared/controls.tsx';
import { useLoaded } from '../shared/use-list.ts';
import { Search } from './list.tsx';

/** How the service is set up: the variables of its environment, which only its operator changes. */
export function ServiceSettings() {
  const [wanted, setWanted] = useState('');
  const { value, failure, reload } = useLoaded(() => ask(chat.GET('/api/settings')), []);
  const words = laterStrings.admin.settings;
  if (!value) return <Loading failure={failure} onRetry={reload} />;
  const shown = value.filter(({ name }) => name.includes(wanted.toUpperCase().replaceAll(' ', '_')));
  return (
    <>
      <p class="muted">{words.hint}</p>
      <Search label={words.search} onSearch={setWanted} />
      {shown.length === 0 && <p class="muted center">{laterStrings.lists.noMatches}</p>}
      <dl class="variables">
        {shown.map(({ name, value, is_set, is_secret }) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd>
              {!is_secret && value !== '' && <bdi>{value}</bdi>}
              <span class="muted">{is_secret ? (is_set ? words.secret : words.unset) : is_set ? words.set : words.standard}</span>
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
