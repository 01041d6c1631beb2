import { useEffect, useRef, useState } from 'preact/hooks';
import { me } from '../../account/session.ts';
import { strings } from '../../i18n/strings.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, chat, sentenceOf } from '../../service/api.ts';
import { settings } from '../../service/settings.ts';
import { nameOf } from '../../store/people/names.ts';
import { safeName } from '../../text/names.ts';
import { Form, Loading, Problem } from '../shared/controls.tsx';
import { useLoaded } from '../shared/use-list.ts';
import { type AppRequest, findRequest } from './app-request.ts';
import { useAttention } from './use-attention.ts';
import './login.css';
import './authorize.css';

/** Asks whether an app may use the account. Nothing leads to the app without a click. */
export function Authorize() {
  const [request] = useState(findRequest);
  return (
    <main class="login authorize">
      <p class="brand">
        <img src="/icon.svg" alt="" width="40" height="40" />
        <bdi>{settings.name}</bdi>
      </p>
      <div class="card">{request ? <Decision request={request} /> : <Dead text={laterStrings.authorize.incomplete} />}</div>
    </main>
  );
}

function Decision({ request }: { request: AppRequest }) {
  const words = laterStrings.authorize;
  const [isDone, setDone] = useState(false);
  const { value: app, failure } = useLoaded(() => ask(chat.GET('/api/oauth/authorization', { params: { query: request } })), []);
  const title = useRef<HTMLHeadingElement>(null);
  const hasAttention = useAttention(app);
  // A screen reader starts at the question.
  useEffect(() => title.current?.focus(), [app, isDone]);
  if (failure !== undefined) return <Dead text={sentenceOf(failure)} />;
  if (!app) return <Loading />;
  const allow = async () => {
    const { url } = await ask(chat.POST('/api/oauth/authorization', { body: request }));
    setDone(true);
    location.assign(url);
  };
  if (isDone)
    return (
      <>
        <h1 ref={title} tabIndex={-1}>
          {words.done}
        </h1>
        <p>{words.close}</p>
      </>
    );
  if (app.error !== undefined)
    return (
      <>
        <Problem text={words.invalid} />
        <p class="muted" dir="ltr" lang="en">
          {app.error}
        </p>
        <a class="button" href={app.refusal} target="_self">
          {words.return(app.returns_to)}
        </a>
      </>
    );
  return (
    <>
      <h1 ref={title} tabIndex={-1}>
        {words.title(safeName(app.name))}
      </h1>
      <p class="muted client-id">
        <bdi dir="ltr">{request.client_id}</bdi>
      </p>
      <p>{app.host === undefined ? words.registered : words.from(app.host)}</p>
      <p>{words.as(nameOf(me()), safeName(settings.name))}</p>
      <p id="app-scopes">{words.may}</p>
      <ul aria-labelledby="app-scopes">
        {app.scopes.map((scope) => (
          <li key={scope}>{words.scopes[scope]}</li>
        ))}
      </ul>
      <p class="muted">{app.is_on_device ? words.onDevice : words.back(app.returns_to)}</p>
      <p class="muted">{words.named}</p>
      <Form
        onSubmit={allow}
        submit={words.allow}
        early={hasAttention ? undefined : words.again}
        onCancel={() => location.assign(app.refusal)}
        cancel={words.refuse}
      />
    </>
  );
}

/** The end of a request that cannot go on: the reason, and the way to the rooms. */
const Dead = ({ text }: { text: string }) => (
  <>
    <Problem text={text} />
    <a href="/" target="_self">
      {strings.nowhere.home}
    </a>
  </>
);
