import { render } from 'preact';
import { takeFiles } from './files.ts';
import { language, speak } from './language.ts';
import { showNews } from './news.ts';
import { go, startRouting } from './routes.ts';
import { restoreSession } from './session.ts';
import { settings } from './settings.ts';
import { followSession } from './start.ts';
import { applyTheme } from './theme.ts';
import { App } from './view/app.tsx';
import { Boundary } from './view/boundary.tsx';
import { isTouched } from './view/popover.tsx';
import { followClicks, keepOffline } from './worker.ts';

applyTheme(settings.color);
const spoken = speak().catch(() => {});
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

// The first picture has what this browser keeps, and the words of its language: to draw it twice takes longer.
void followSession().finally(async () => {
  await spoken;
  render(<Page />, document.getElementById('app') as HTMLElement);
});
keepOffline();
takeFiles();
// Only a finger presses long. Without it, the menu of a message has its button.
if (isTouched()) import('./view/long-press.ts').catch(() => {});
