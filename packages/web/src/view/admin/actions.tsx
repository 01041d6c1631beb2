import { useState } from 'preact/hooks';
import { notice } from '../../device/announcer.tsx';
import { strings } from '../../i18n/strings.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { attempt } from '../shared/controls.tsx';
import { MenuButton, type MenuItem } from '../shared/menu.tsx';
import { agreed } from './list.tsx';

/** An action of an administrator on a subject. */
export type Action = {
  label: string;
  /**
   * The effects, which are shown in a question first; without effects, the action is done at once.
   */
  effects?: readonly string[];
  isDangerous?: true;
  /** In the menu instead of a button of its own. */
  isRare?: true;
  /** Runs the action; returns a notice, if there is one. */
  act: () => Promise<string | undefined>;
};

type ActionsProps = {
  actions: readonly (Action | false)[];
  /** The name of the subject. */
  name: string;
  onDone: () => void;
};

/** The actions on a subject. One runs at a time, after a question if it cannot be undone. */
export function Actions({ actions, name, onDone }: ActionsProps) {
  const [isBusy, setBusy] = useState(false);
  const run = async ({ label, effects, isDangerous, act }: Action) => {
    if (
      effects &&
      !(await agreed(laterStrings.admin.people.ask(label, name), effects, label, { isDangerous: isDangerous === true }))
    )
      return;
    setBusy(true);
    await attempt(async () => {
      const said = await act();
      if (said !== undefined) notice(said);
    });
    setBusy(false);
    onDone();
  };
  const possible = actions.filter((action) => action !== false);
  const rare = possible.filter(({ isRare }) => isRare);
  const toItem = (action: Action): MenuItem => ({ ...action, isDangerous: action.isDangerous === true, act: () => run(action) });
  return (
    <div class="admin-actions">
      {possible
        .filter(({ isRare }) => !isRare)
        .map((action) => (
          <button
            key={action.label}
            type="button"
            class={action.isDangerous ? 'dangerous' : ''}
            disabled={isBusy}
            onClick={() => void run(action)}
          >
            {action.label}
          </button>
        ))}
      {rare.length > 0 && <MenuButton label={strings.rooms.actions(name)} isDisabled={isBusy} items={() => rare.map(toItem)} />}
    </div>
  );
}
