import { useState } from 'preact/hooks';
import { notice } from '../../device/announcer.tsx';
import { attempt } from '../shared/controls.tsx';
import { agreed } from './list.tsx';

/** An action of an administrator on a subject. */
export type Action = {
  label: string;
  /**
   * The effects, which are shown in a question first; without effects, the action is done at once.
   */
  effects?: readonly string[];
  isDangerous?: true;
  /** Runs the action; returns a notice, if there is one. */
  act: () => Promise<string | undefined>;
};

type ActionsProps = {
  actions: readonly (Action | false)[];
  /** Makes the title of the question from the label of an action. */
  titleOf: (label: string) => string;
  onDone: () => void;
};

/** The actions on a subject. One runs at a time, after a question if it cannot be undone. */
export function Actions({ actions, titleOf, onDone }: ActionsProps) {
  const [isBusy, setBusy] = useState(false);
  const run = async ({ label, effects, isDangerous, act }: Action) => {
    if (effects && !(await agreed(titleOf(label), effects, label, { isDangerous: isDangerous === true }))) return;
    setBusy(true);
    await attempt(async () => {
      const said = await act();
      if (said !== undefined) notice(said);
    });
    setBusy(false);
    onDone();
  };
  return (
    <div class="admin-actions">
      {actions
        .filter((action) => action !== false)
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
    </div>
  );
}
