import { laterStrings } from '../../i18n/strings-later.ts';

/* The kinds of a room, as the forms for one ask. */

const kinds = ['open', 'closed', 'hidden'] as const;
export type RoomKind = (typeof kinds)[number];

type RoomKindFieldProps = { legend: string; chosen?: RoomKind };

/** The field `kind` of a form. */
export const RoomKindField = ({ legend, chosen = 'open' }: RoomKindFieldProps) => (
  <fieldset class="choices">
    <legend>{legend}</legend>
    {kinds.map((kind) => (
      <label class="choice" key={kind}>
        <input type="radio" name="kind" value={kind} defaultChecked={kind === chosen} />
        <span>
          <strong>{laterStrings.newRoom.kinds[kind]}</strong>
          <small>{laterStrings.newRoom.kindHints[kind]}</small>
        </span>
      </label>
    ))}
  </fieldset>
);

type Flags = { is_open: boolean; is_visible: boolean };

/** The flags of a room of the kind that was chosen. */
export const flagsOf = (kind: string | undefined): Flags => ({
  is_open: kind === ('open' satisfies RoomKind),
  is_visible: kind !== ('hidden' satisfies RoomKind),
});

/** The people who may find, join and read a room, by its two flags. */
export const kindOfRoom = ({ is_open, is_visible }: Flags): RoomKind => (!is_visible ? 'hidden' : is_open ? 'open' : 'closed');
