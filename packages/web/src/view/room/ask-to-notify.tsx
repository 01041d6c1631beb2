import { laterStrings } from '../../i18n/strings-later.ts';
import { setNotifications } from '../../notify/notify.ts';
import { closeNotifyQuestion, isNotifyAsked } from '../../store/notify-question.ts';
import { attempt } from '../shared/controls.tsx';
import { Icon } from '../shared/icon.tsx';
import './ask-to-notify.css';
import { composeNext } from '../shared/focus.ts';

/** The question whether to notify, above the field for a message. */
export function AskToNotify() {
  if (!isNotifyAsked.value) return null;
  const close = () => {
    closeNotifyQuestion();
    composeNext();
  };
  const turnOn = async () => {
    close();
    await attempt(() => setNotifications(true));
  };
  const words = laterStrings.askToNotify;
  return (
    <aside class="ask-to-notify" aria-label={words.title}>
      <Icon name="bell" />
      <p>
        <strong>{words.title}</strong> <span class="muted">{words.text}</span>
      </p>
      <span class="row">
        <button type="button" class="link" onClick={() => void turnOn()}>
          {laterStrings.welcome.turnOn}
        </button>
        <button type="button" class="link muted" onClick={close}>
          {words.notNow}
        </button>
      </span>
    </aside>
  );
}
