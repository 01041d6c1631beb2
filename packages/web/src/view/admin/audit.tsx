import type { AuditEntry } from 'chat-service-client';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type AuditFile, auditFiles, headOf, linesOf } from '../../files/audit-file.ts';
import { shortOf } from '../../i18n/dates.ts';
import { strings } from '../../i18n/strings.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, chat } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import { type Page, readPage } from '../../store/read-page.ts';
import { safeName } from '../../text/names.ts';
import { attempt, Form } from '../shared/controls.tsx';
import { Pages } from '../shared/pages.tsx';
import { PeopleField } from '../text/people-field.tsx';
import './audit.css';

/** Somebody or something that entries are about. */
type NamedSubject = { id: string; name: string };

/** The filter of the entries. The days are those of this browser's time zone. */
type Filter = { who?: NamedSubject; whom?: NamedSubject; action?: AuditEntry['action']; from?: string; to?: string };

/** The audit log: acts of administrators, the command line and the service. */
export function AuditTrail() {
  const [filter, setFilter] = useState<Filter>({});
  // The form is made again when the filter was not chosen in it.
  const [turn, setTurn] = useState(0);
  const change = (changed: Filter) => {
    setFilter(changed);
    setTurn(turn + 1);
  };
  const words = laterStrings.admin.audit;
  const input = JSON.stringify(filter);
  const read = (after?: string) => readPage('/api/audit', queryOf(filter), after);
  return (
    <>
      <p class="muted">{words.hint}</p>
      <FilterForm
        key={turn}
        filter={filter}
        onChange={setFilter}
        onReset={() => change({})}
        isReset={turn > 0 && input === '{}'}
      />
      <Download key={`file ${input}`} filter={filter} />
      <Pages read={read} input={input} none={laterStrings.lists.noMatches}>
        {(list) => (
          <ul class="listed">
            {list.map((entry) => (
              <Entry key={entry.seq} entry={entry} onNarrow={(some) => change({ ...filter, ...some })} />
            ))}
          </ul>
        )}
      </Pages>
    </>
  );
}

/** The query for the entries that a filter lets through. */
const queryOf = ({ who, whom, action, from, to }: Filter) => ({
  actor: who?.id,
  target: whom?.id,
  action,
  from: from ? beginOf(from, 0) : undefined,
  to: to ? beginOf(to, 1) : undefined,
});

/** The beginning, here, of a day that a field of a form has, or of one after it. */
function beginOf(day: string, later: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date + later).toISOString();
}

type FilterFormProps = {
  filter: Filter;
  onChange: (filter: Filter) => void;
  onReset: () => void;
  /** True if it was just reset: the button is gone, and the first field has the focus. */
  isReset: boolean;
};

function FilterForm({ filter, onChange, onReset, isReset }: FilterFormProps) {
  const words = laterStrings.admin.audit;
  const narrow = async ({ who = '', whom = '', action = '', from = '', to = '' }: Record<string, string>) => {
    const [actor, target] = [await personOf(who, filter.who), await personOf(whom, filter.whom)];
    onChange({
      ...(actor && { who: actor }),
      ...(target && { whom: target }),
      ...(action !== '' && { action: action as AuditEntry['action'] }),
      ...(from !== '' && { from }),
      ...(to !== '' && { to }),
    });
  };
  const isNarrow = Object.keys(filter).length > 0;
  return (
    <Form onSubmit={narrow} submit={words.show} class="audit-filter" {...(isNarrow && { onCancel: onReset, cancel: words.all })}>
      <PeopleField label={words.who} name="who" required={false} most={1} autoFocus={isReset} {...valueIn(filter.who)} />
      <PeopleField label={words.whom} name="whom" required={false} most={1} {...valueIn(filter.whom)} />
      <Labelled name="action" label={words.action}>
        <select id="field-action" name="action">
          <option value="">{words.everyAction}</option>
          {Object.entries(words.actions).map(([action, label]) => (
            <option key={action} value={action} selected={action === filter.action}>
              {label}
            </option>
          ))}
        </select>
      </Labelled>
      <Labelled name="from" label={words.from}>
        <input id="field-from" type="date" name="from" defaultValue={filter.from ?? ''} />
      </Labelled>
      <Labelled name="to" label={words.to}>
        <input id="field-to" type="date" name="to" defaultValue={filter.to ?? ''} />
      </Labelled>
    </Form>
  );
}

type LabelledProps = { name: string; label: string; children: ComponentChildren };

/** A field that is not one for text, with its label. */
const Labelled = ({ name, label, children }: LabelledProps) => (
  <div class="field">
    <label for={`field-${name}`}>{label}</label>
    {children}
  </div>
);

const valueIn = (named: NamedSubject | undefined) => (named ? { value: named.name } : {});

/**
 * Finds somebody by the username; what the filter has already may be a room, or an account that is
 * deleted.
 */
async function personOf(typed: string, before: NamedSubject | undefined): Promise<NamedSubject | undefined> {
  const name = typed.trim().replace(/^@/, '');
  if (name === '' || name === before?.name) return name === '' ? undefined : before;
  const [found] = await ask(chat.GET('/api/users', { params: { query: { username: name } } }));
  return found ? { id: idOf(found), name: found.username } : { id: nobody, name };
}

/** An account that is not there: nothing is found for a name that nobody has. */
const nobody = '0'.repeat(24);

type EntryProps = { entry: AuditEntry; onNarrow: (filter: Filter) => void };

function Entry({ entry, onNarrow }: EntryProps) {
  const { seq, at, actor, action, target, details, source, failed } = entry;
  const words = laterStrings.admin.audit;
  const shown = Object.entries(details).map(
    ([name, value]) => `${words.details[name as keyof typeof words.details] ?? name}: ${value}`,
  );
  return (
    <li class="card audit-entry">
      <div class="body">
        <p>
          <strong>{words.actions[action]}</strong>
          {failed !== null && <small class="tag">{words.failed(failed)}</small>}
        </p>
        <dl>
          <Fact label={words.who}>
            <Name
              named={actor}
              kind={actor.kind === 'user' ? undefined : words.kinds[actor.kind]}
              onPick={(who) => onNarrow({ who })}
            />
          </Fact>
          {target && target.kind !== 'data' && (
            <Fact label={target.kind === 'room' ? words.room : words.whom}>
              <Name named={target} onPick={(whom) => onNarrow({ whom })} />
            </Fact>
          )}
          {shown.length > 0 && (
            <Fact label={words.more}>
              {shown.map((text) => (
                <bdi key={text}>{text}</bdi>
              ))}
            </Fact>
          )}
        </dl>
        <p class="muted">
          <time dateTime={at.$date}>{shortOf(new Date(at.$date))}</time>
          {source !== null && (
            <>
              {' · '}
              <bdi>{source}</bdi>
            </>
          )}
          {' · '}
          {words.number(seq)}
        </p>
      </div>
    </li>
  );
}

const Fact = ({ label, children }: { label: string; children: ComponentChildren }) => (
  <div>
    <dt class="muted">{label}</dt>
    <dd>{children}</dd>
  </div>
);

type NameProps = {
  named: { _id: { $oid: string } | null; name: string | null };
  kind?: string | undefined;
  onPick: (named: NamedSubject) => void;
};

/** A name. If it has an id, it narrows the list to its entries. */
function Name({ named: { _id, name }, kind, onPick }: NameProps) {
  const text = safeName(name || laterStrings.admin.audit.unnamed);
  if (kind !== undefined)
    return (
      <>
        {kind}
        {name !== null && (
          <>
            {' '}
            (<bdi>{text}</bdi>)
          </>
        )}
      </>
    );
  if (!_id) return <bdi>{text}</bdi>;
  return (
    <button
      type="button"
      class="link"
      title={laterStrings.admin.audit.narrow(text)}
      onClick={() => onPick({ id: _id.$oid, name: name ?? '' })}
    >
      <bdi>{text}</bdi>
    </button>
  );
}

/** As many entries as a file has at most: a browser can hold them. */
const mostEntries = 100_000;

/** Writes the entries that the filter lets through into a file. */
function Download({ filter }: { filter: Filter }) {
  const [count, setCount] = useState<number>();
  const collecting = useRef<AbortController>(undefined);
  useEffect(() => () => collecting.current?.abort(), []);
  const words = laterStrings.admin.audit;
  const write = async (kind: AuditFile) => {
    const ending = new AbortController();
    collecting.current = ending;
    setCount(0);
    await attempt(async () => {
      const parts = [new Blob([headOf(kind)])];
      let [written, next]: [number, string | undefined] = [0, undefined];
      do {
        const page: Page<AuditEntry> = await readPage('/api/audit', { ...queryOf(filter), limit: 200 }, next);
        parts.push(new Blob([linesOf(kind, page.list)]));
        written += page.list.length;
        next = page.next;
        setCount(written);
      } while (next !== undefined && written < mostEntries && !ending.signal.aborted);
      if (!ending.signal.aborted) save(new Blob(parts, { type: auditFiles[kind] }), kind);
    });
    setCount(undefined);
  };
  if (count !== undefined)
    return (
      <div class="row">
        <span role="status">{words.read(count)}</span>
        <button type="button" onClick={() => collecting.current?.abort()}>
          {strings.app.cancel}
        </button>
      </div>
    );
  return (
    <div class="row">
      <button type="button" onClick={() => void write('jsonl')}>
        {words.asLines}
      </button>
      <button type="button" onClick={() => void write('csv')}>
        {words.asTable}
      </button>
    </div>
  );
}

function save(bytes: Blob, kind: AuditFile): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(bytes);
  link.download = `audit-${new Date().toISOString().slice(0, 10)}.${kind}`;
  link.click();
  // The browser has begun by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
