import { ask, chat, type Member } from '../api.ts';
import { forgetInvitation } from '../invitation.ts';
import { go, roomPath } from '../routes.ts';
import { strings } from '../strings.ts';
import { sync } from '../sync/sync.ts';
import { Form } from './controls.tsx';

/** Where an invitation link leads someone who is signed in: joining takes a click, because the members notice it. */
export function Join({ code }: { code: string }) {
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
      <h1>{strings.join.title}</h1>
      <p>{strings.join.text}</p>
      <Form onSubmit={join} submit={strings.join.submit} onCancel={decline} cancel={strings.join.no} />
    </main>
  );
}
