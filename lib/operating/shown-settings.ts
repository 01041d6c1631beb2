import { aFlag, aText, described, orNull, record, type Shown } from '../api/schema.ts';
import { type Setting, settingNames, settings } from '../settings/settings.ts';

/** A setting of the service, as administrators see it. */
export const settingSchema = record('Setting', {
  name: described('The variable of the environment.', aText),
  value: described('The value; null for a secret.', orNull(aText)),
  is_set: described('Whether it is set; otherwise the value is the default.', aFlag),
  is_secret: described('Whether the value is a secret, which is not shown.', aFlag),
});

/**
 * The settings that operations read, and their sources. Secrets and passwords in addresses are left
 * out.
 */
export const listSettings = (environment: Record<string, string | undefined> = process.env): Shown<typeof settingSchema>[] =>
  settingNames
    .filter((name) => settings[name].where === 'service')
    .map((name) => {
      const { rule, fallback }: Setting = settings[name];
      const value = environment[name] || fallback;
      const is_secret = rule.isSecret === true && rule.shows === undefined;
      return {
        name,
        value: is_secret ? null : rule.shows ? rule.shows(value) : value.replace(/\/\/[^/@]*@/g, '//'),
        is_set: Boolean(environment[name]),
        is_secret,
      };
    });
