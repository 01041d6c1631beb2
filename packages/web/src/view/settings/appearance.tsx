import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { chooseLanguage, chosenLanguage, language } from '../../account/language.ts';
import { chooseTheme, chosenTheme, type Theme } from '../../device/theme.ts';
import type { Language } from '../../i18n/languages.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { isPushed, tellLanguage } from '../../notify/push.ts';
import { settings } from '../../service/settings.ts';
import { attempt } from '../shared/controls.tsx';
import { Section } from './section.tsx';

/** How this browser shows the page: its colours and its language. */
export function Appearance() {
  const [theme, setTheme] = useState(chosenTheme());
  const choose = (chosen: Theme) => {
    chooseTheme(chosen);
    setTheme(chosen);
  };
  return (
    <>
      <Section title={laterStrings.settings.theme} hint={laterStrings.settings.themeHint}>
        <fieldset class="segments">
          <legend class="visually-hidden">{laterStrings.settings.theme}</legend>
          {(['system', 'light', 'dark'] as const).map((name) => (
            <label key={name}>
              <input type="radio" name="theme" checked={theme === name} onChange={() => choose(name)} />
              {laterStrings.settings.themes[name]}
            </label>
          ))}
        </fieldset>
      </Section>
      {settings.languages.length > 1 && (
        <Section title={laterStrings.settings.language}>
          <Languages />
        </Section>
      )}
    </>
  );
}

/**
 * True while the page is drawn again after the language was changed here: the field gets the focus
 * back.
 */
let isDrawnAgain = false;

/** The choice of the page's language; each language has its own name. */
function Languages() {
  const box = useRef<HTMLFieldSetElement>(null);
  const ownNow = () => settings.languages.find((name) => name === chosenLanguage());
  const [own, setOwn] = useState(ownNow());
  useLayoutEffect(() => {
    if (isDrawnAgain) box.current?.querySelector<HTMLElement>(':checked')?.focus();
    isDrawnAgain = false;
  }, []);
  const choose = async (name: Language | undefined) => {
    const before = language.value;
    isDrawnAgain = true;
    setOwn(name);
    await attempt(() => chooseLanguage(name));
    if (language.value === before) isDrawnAgain = false;
    setOwn(ownNow());
    if (isPushed()) await tellLanguage();
  };
  return (
    <fieldset ref={box}>
      <legend class="visually-hidden">{laterStrings.settings.language}</legend>
      {[undefined, ...settings.languages].map((name) => (
        <label class="check" key={name}>
          <input type="radio" name="language" checked={own === name} onChange={() => void choose(name)} />{' '}
          {name === undefined ? (
            laterStrings.settings.languageOfBrowser
          ) : (
            <bdi lang={name}>{new Intl.DisplayNames([name], { type: 'language' }).of(name)}</bdi>
          )}
        </label>
      ))}
    </fieldset>
  );
}
