import { signal } from '@preact/signals';
import { forgetName, recall, remember } from '../device/storage.ts';
import { type Language, languageFor, localeOf } from '../i18n/languages.ts';
import { setLocale } from '../i18n/locale.ts';
import { settings } from '../service/settings.ts';

const key = 'chat-language';

/** The language that the user chose in this browser; undefined for the browser's own. */
export const chosenLanguage = (): string | undefined => recall(key);

/** The current language of the page. */
export const language = signal<Language>('en');

const load = { de: () => import('../i18n/strings-de.ts'), ar: () => import('../i18n/strings-ar.ts') };

/**
 * Switches the page to the chosen language. If its texts cannot be loaded, the page keeps its
 * language.
 */
export async function speak(): Promise<void> {
  const next = languageFor(chosenLanguage(), navigator.languages, settings.languages);
  if (next !== language.value) {
    const words = next === 'en' ? undefined : load[next]();
    (await import('../i18n/translate.ts')).translate(await words);
  }
  setLocale(localeOf(next));
  const { documentElement: root } = document;
  root.lang = next;
  root.dir = next === 'ar' ? 'rtl' : 'ltr';
  language.value = next;
}

/**
 * Sets the language, or that of the browser. If the texts cannot be loaded, it throws and keeps the
 * language.
 */
export async function chooseLanguage(chosen: string | undefined): Promise<void> {
  const before = chosenLanguage();
  storeChoice(chosen);
  try {
    await speak();
  } catch (failure) {
    storeChoice(before);
    throw failure;
  }
}

const storeChoice = (chosen: string | undefined): void => (chosen === undefined ? forgetName(key) : remember(key, chosen));
