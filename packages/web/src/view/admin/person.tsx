import type { Usage } from 'chat-service-client';
import { useState } from 'preact/hooks';
import { changeAccount } from '../../account/own-account.ts';
import { me } from '../../account/session.ts';
import { notice } from '../../device/announcer.tsx';
import { shortOf } from '../../i18n/dates.ts';
import { sizeOf } from '../../i18n/sizes.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, chat, type User } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import { settings } from '../../service/settings.ts';
import { nameOf } from '../../store/people/names.ts';
import { safeName } from '../../text/names.ts';
import { Field, Form, Loading } from '../shared/controls.tsx';
import { openDialog } from '../shared/dialog.tsx';
import { useLoaded } from '../shared/use-list.ts';
import { type Action, Actions } from './actions.tsx';
import { makeLink, ShownLink } from './link.tsx';
import { useLast } from './list.tsx';
import { PersonSessions, PersonTokens } from './tokens.tsx';

type PersonPanelProps = { user: User; onChange: (changed: User | undefined) => void };

/** The details of an account, and the actions on it. */
export function PersonPanel({ user, onChange }: PersonPanelProps) {
  const path = { user: idOf(user) };
  const loaded = useLoaded(() => ask(chat.GET('/api/users/{user}/usage', { params: { path } })), [path.user]);
  const { failure, reload } = loaded;
  const value = useLast(loaded.value);
  const [turn, setTurn] = useState(0);
  if (!value) return <Loading failure={failure} onRetry={reload} />;
  const words = laterStrings.admin.people;
  const again = () => {
    setTurn((before) => before + 1);
    reload();
  };
  const name = safeName(nameOf(user));
  return (
    <>
      {failure !== undefined && <Loading failure={failure} onRetry={reload} />}
      <p class="muted">
        {[
          laterStrings.admin.rooms.since(shortOf(new Date(user.created_at.$date))),
          words.sessions(value.sessions),
          words.tokens(value.tokens),
          words.rooms(value.rooms),
          words.owned(value.owned_rooms),
          words.files(sizeOf(value.file_bytes)),
          ...(value.writes_per_second === null ? [] : [words.ownRate(value.writes_per_second)]),
          ...(value.is_held ? [laterStrings.admin.rooms.held] : []),
        ].join(' · ')}
      </p>
      <Actions actions={actionsOn(user, value, onChange, reload)} name={name} onDone={again} />
      <PersonSessions user={path.user} turn={turn} onChange={reload} />
      <PersonTokens user={path.user} turn={turn} onChange={reload} />
    </>
  );
}

/** Turns off the second factor of somebody else, by the administrator's own password. */
function ResetSecondFactor({ user, onDone }: { user: string; onDone: () => void }) {
  const words = laterStrings.admin.people;
  const reset = async ({ current: current_password = '' }: Record<string, string>) => {
    await ask(chat.DELETE('/api/second-factor', { params: { query: { user } }, body: { current_password } }));
    onDone();
    notice(laterStrings.settings.changed);
  };
  return (
    <Form onSubmit={reset} submit={laterStrings.secondFactor.turnOff}>
      <p>{words.resetFactorHint}</p>
      <Field label={words.ownPassword} name="current" type="password" autocomplete="current-password" autoFocus />
    </Form>
  );
}

// From 1 to 10,000, in the digits of the keyboards of the page's languages and of Persian ones;
// empty for the usual rate.
const ratePattern = '\\s*([1-9١-٩۱-۹][0-9٠-٩۰-۹]{0,3}|[1١۱][0٠۰]{4})\\s*';

/** A number that was typed, in ASCII digits: both other blocks begin at a multiple of 16. */
const numberOf = (typed: string) => Number(typed.replace(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) % 16)));

/** Sets how often an account may write, such as that of a busy bot. */
function Rate({ user, rate, onDone }: { user: string; rate: number | null; onDone: () => void }) {
  const words = laterStrings.admin.people;
  const set = async ({ rate: typed = '' }: Record<string, string>) => {
    const body = { writes_per_second: typed.trim() === '' ? null : numberOf(typed) };
    await ask(chat.PATCH('/api/users/{user}/usage', { params: { path: { user } }, body }));
    onDone();
    notice(laterStrings.settings.changed);
  };
  return (
    <Form onSubmit={set} submit={words.rateSubmit}>
      <Field
        label={words.rateField}
        hint={words.rateHint}
        name="rate"
        value={rate === null ? '' : String(rate)}
        inputmode="numeric"
        autocomplete="off"
        required={false}
        pattern={ratePattern}
        fault={words.rateFault}
        maxLength={8}
        autoFocus
      />
    </Form>
  );
}

/** All that can be done about an account. */
function actionsOn(user: User, usage: Usage, onChange: PersonPanelProps['onChange'], reload: () => void): (Action | false)[] {
  const words = laterStrings.admin.people;
  const id = idOf(user);
  const isMe = id === idOf(me());
  const path = { user: id };
  const change = async (body: { is_admin: boolean } | { is_active: boolean } | { is_connected: false }) => {
    const call = () => ask(chat.PATCH('/api/users/{user}', { params: { path }, body })) as Promise<User>;
    onChange(await (isMe ? changeAccount(call) : call()));
    return laterStrings.settings.changed;
  };
  const hold = async (is_held: boolean) => {
    await ask(chat.PATCH('/api/users/{user}/usage', { params: { path }, body: { is_held } }));
    return laterStrings.settings.changed;
  };
  const ends = [words.endsSessions(usage.sessions), words.stopsTokens(usage.tokens)];
  return [
    !isMe &&
      !user.is_bot &&
      user.is_active && {
        label: words.reset,
        act: async () => {
          const link = await makeLink(id);
          openDialog(words.link, () => <ShownLink {...link} />);
          return undefined;
        },
      },
    {
      label: isMe ? laterStrings.settings.endOthers : words.end,
      effects: [isMe ? words.endsOthers : words.endsSessions(usage.sessions), words.signsInAgain],
      isRare: true,
      act: async () => {
        await ask(chat.DELETE('/api/sessions', { params: { query: { user: id } } }));
        return words.ended;
      },
    },
    (usage.has_second_factor || usage.passkeys > 0) &&
      !isMe && {
        label: laterStrings.secondFactor.turnOff,
        isRare: true,
        act: async () => {
          openDialog(laterStrings.secondFactor.turnOff, (close) => (
            <ResetSecondFactor
              user={id}
              onDone={() => {
                close();
                reload();
              }}
            />
          ));
          return undefined;
        },
      },
    {
      label: words.unlimit,
      isRare: true,
      act: async () => {
        await ask(chat.DELETE('/api/users/{user}/usage', { params: { path } }));
        return words.unlimited;
      },
    },
    {
      label: words.rate,
      isRare: true,
      act: async () => {
        openDialog(words.ask(words.rate, safeName(nameOf(user))), (close) => (
          <Rate
            user={id}
            rate={usage.writes_per_second}
            onDone={() => {
              close();
              reload();
            }}
          />
        ));
        return undefined;
      },
    },
    usage.is_held
      ? { label: laterStrings.admin.rooms.release, effects: [words.releases], isRare: true, act: () => hold(false) }
      : { label: laterStrings.admin.rooms.hold, effects: [words.holds, words.holdsNobody], isRare: true, act: () => hold(true) },
    !user.is_active || user.is_bot
      ? false
      : user.is_admin
        ? { label: words.demote, effects: [words.demotes, words.forgetsMade], act: () => change({ is_admin: false }) }
        : { label: words.promote, effects: [words.promotes], act: () => change({ is_admin: true }) },
    user.is_connected === true &&
      !isMe &&
      settings.takesPasswords !== false && {
        label: words.disconnect,
        effects: [
          words.disconnects,
          words.takesGiven,
          words.endsSessions(usage.sessions),
          words.keepsTokens(usage.tokens),
          words.needsPassword,
        ],
        isDangerous: true,
        isRare: true,
        act: () => change({ is_connected: false }),
      },
    !isMe &&
      (user.is_active
        ? {
            label: words.deactivate,
            effects: [...ends, words.staysInRooms(usage.rooms), words.reversible],
            isDangerous: true,
            act: () => change({ is_active: false }),
          }
        : { label: words.reactivate, act: () => change({ is_active: true }) }),
    !isMe && {
      label: words.remove,
      effects: [
        ...ends,
        words.leavesRooms(usage.rooms, usage.owned_rooms),
        words.messagesStay,
        ...(usage.is_held ? [words.staysHeld] : []),
        words.irreversible,
      ],
      isDangerous: true,
      act: async () => {
        await ask(chat.DELETE('/api/users/{user}', { params: { path }, body: {} }));
        onChange(undefined);
        document.querySelector<HTMLElement>('.admin input[type="search"]')?.focus();
        return words.removed;
      },
    },
  ];
}
