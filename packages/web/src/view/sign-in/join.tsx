import { useEffect } from 'preact/hooks';
import { forgetInvitation } from '../../account/invitation.ts';
import { go, roomPath } from '../../device/routes.ts';
import { strings } from '../../i18n/strings.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, chat, Failure, type Member } from '../../service/api.ts';
import { nameOf } from '../../store/people/names.ts';
import { sync } from '../../sync/sync.ts';
import { safeName } from '../../text/names.ts';
import { Form, Loading } from '../shared/controls.tsx';
import { useLoaded } from '../shared/use-list.ts';

/** Reads the room and the author of an invitation. Forgets an invitation that has ended. */
export function useInvitation(code: string | undefined) {
  const loaded = useLoaded(
    async () => (code === undefined ? undefined : ask(chat.POST('/api/invitations', { body: { invitation: code } }))),
    [code],
  );
  const isOver = loaded.failure instanceof Failure && loaded.failure.status === 404;
  useEffect(() => {
    if (isOver) forgetInvitation();
  }, [isOver]);
  return { ...loaded, target: loaded.value, isOver };
}

/**
 * The page of an invitation link for a signed-in user. Joining takes a click, because the members
 * see it.
 */
export function Join({ code }: { code: string }) {
  const { target, failure, isOver, reload } = useInvitation(code);
  useEffect(() => {
    if (!target?.is_member) return;
    forgetInvitation();
    go(roomPath(target.room.$oid), { replace: true });
  }, [target]);
  const join = async () => {
    const { room } = (await ask(chat.POST('/api/members', { body: { invitation: code } }))) as Member;
    forgetInvitation();
    await sync.readRooms({ all: true });
    go(roomPath(room.$oid), { replace: true });
  };
  const decline = () => {
    forgetInvitation();
    go('/', { replace: true });
  };
  return (
    <main class="pane home">
      <img src="/icon.svg" alt="" width="72" height="72" />
      <h1>{isOver ? laterStrings.join.ended : laterStrings.join.title}</h1>
      {target ? (
        <>
          <p>{laterStrings.join.to(nameOf(target), safeName(target.room_name))}</p>
          <p class="muted">{laterStrings.join.text}</p>
          <Form onSubmit={join} submit={laterStrings.join.submit} onCancel={decline} cancel={laterStrings.join.no} />
        </>
      ) : isOver ? (
        <>
          <p>{laterStrings.join.over}</p>
          <a class="button primary" href="/">
            {strings.nowhere.home}
          </a>
        </>
      ) : (
        <Loading failure={failure} onRetry={reload} />
      )}
    </main>
  );
}
