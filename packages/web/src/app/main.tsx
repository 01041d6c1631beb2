import { render } from 'preact';
import { language, speak } from '../account/language.ts';
import { restoreSession } from '../account/session.ts';
import { startFont } from '../device/font.ts';
import { go, startRouting } from '../device/routes.ts';
import { applyTheme } from '../device/theme.ts';
import { takeFiles } from '../files/files.ts';
import { showNews } from '../notify/news.ts';
import { settings } from '../service/settings.ts';
import { followSession } from '../sync/start.ts';
import { Boundary } from '../view/shared/boundary.tsx';
import { isTouched } from '../view/shared/popover.tsx';
import { watchInstall } from '../view/sidebar/install.ts';
import { App } from './app.tsx';
import { followClicks, keepOffline } from './worker.ts';

applyTheme(settings.color);
const spoken = speak().catch(() => {});
const isFontReady = startFont();
startRouting();
followClicks(go);
showNews();
void restoreSession();

/** The page; all of it is drawn again in another language. */
const Page = () => (
  <Boundary>
    <App key={language.value} />
  </Boundary>
);

// The first drawing includes stored content and the texts of the language: drawing twice takes
// longer.
void followSession().finally(async () => {
  await Promise.all([spoken, isFontReady]);
  render(<Page />, document.getElementById('app') as HTMLElement);
});
watchInstall();
keepOffline();
takeFiles();
// Only a finger presses long. Without it, the menu of a message has its button.
if (isTouched()) import('./long-press.ts').catch(() => {});
