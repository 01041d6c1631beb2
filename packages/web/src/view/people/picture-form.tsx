import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { changeAccount } from '../../account/own-account.ts';
import { me } from '../../account/session.ts';
import { decodePicture } from '../../files/decode.ts';
import { webpOf } from '../../files/webp.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, chat, Failure, type RoomDetails, type User } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import { learnPersons } from '../../store/people/names.ts';
import { learnAbout, loadAbout } from '../../store/rooms/topics.ts';
import { attempt } from '../shared/controls.tsx';
import { Avatar, RoomMark } from './avatar.tsx';
import './picture-form.css';

/** How many pixels wide and high a picture of a person or a room is. */
const side = 256;

/** The user's picture, which can be chosen and removed. */
export function MyPicture() {
  const user = me();
  const mine = { params: { path: { user: 'me' } } };
  const change = (body: Blob) =>
    changePicture(() => ask(chat.PUT('/api/users/{user}/avatar', { ...mine, body, headers: typeOf(body) })) as Promise<User>);
  const remove = () =>
    changePicture(async () => {
      await ask(chat.DELETE('/api/users/{user}/avatar', mine));
      const { avatar: _, ...others } = me();
      return others;
    });
  return (
    <PictureForm isThere={user.avatar !== undefined} onChange={change} onRemove={remove}>
      <Avatar person={user} id={idOf(user)} />
    </PictureForm>
  );
}

/** The form for the picture of a room. */
export function RoomPicture({ room, avatar }: { room: string; avatar: string | undefined }) {
  const params = { path: { room } };
  const change = async (body: Blob) => {
    const details = await ask(chat.PUT('/api/rooms/{room}/avatar', { params, body, headers: typeOf(body) }));
    learnAbout(room, { details: details as RoomDetails });
  };
  const remove = async () => {
    await ask(chat.DELETE('/api/rooms/{room}/avatar', { params }));
    await loadAbout(room);
  };
  return (
    <PictureForm isThere={avatar !== undefined} onChange={change} onRemove={remove}>
      {avatar && <RoomMark id={room} avatar={avatar} />}
    </PictureForm>
  );
}

const typeOf = ({ type }: Blob) => ({ 'Content-Type': type });

type PictureFormProps = {
  isThere: boolean;
  onChange: (picture: Blob) => Promise<void>;
  onRemove: () => Promise<void>;
  children: ComponentChildren;
};

function PictureForm({ isThere, onChange, onRemove, children }: PictureFormProps) {
  const picker = useRef<HTMLInputElement>(null);
  const choose = async (file: File | undefined) => {
    if (file) await onChange(await squareOf(file));
  };
  return (
    <div class="picture-form">
      {children}
      <div class="row">
        <button type="button" onClick={() => picker.current?.click()}>
          {laterStrings.settings.pictureChoose}
        </button>
        {isThere && (
          <button type="button" onClick={() => void attempt(onRemove)}>
            {laterStrings.settings.pictureRemove}
          </button>
        )}
      </div>
      <input
        ref={picker}
        type="file"
        accept="image/*"
        hidden
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          void attempt(() => choose(file));
          // Allows choosing the same file again.
          currentTarget.value = '';
        }}
      />
    </div>
  );
}

async function changePicture(call: () => Promise<User>): Promise<void> {
  const user = await changeAccount(call);
  learnPersons([{ id: idOf(user), ...user }]);
}

/** The middle of a picture, small. */
async function squareOf(file: File): Promise<Blob> {
  const picture = await decodePicture(file).catch(() => {
    throw new Failure(400, laterStrings.settings.pictureUnreadable);
  });
  const { width, height } = picture;
  const part = Math.min(width, height);
  const canvas = new OffscreenCanvas(side, side);
  const drawing = canvas.getContext('2d');
  if (drawing) drawing.imageSmoothingQuality = 'high';
  drawing?.drawImage(picture, (width - part) / 2, (height - part) / 2, part, part, 0, 0, side, side);
  picture.close();
  return webpOf(canvas, 0.85);
}
