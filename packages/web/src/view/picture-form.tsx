import { useRef } from 'preact/hooks';
import { ask, chat, Failure, type User } from '../api.ts';
import { idOf } from '../ids.ts';
import { begin, me } from '../session.ts';
import { learnPersons } from '../store/names.ts';
import { laterStrings } from '../strings-later.ts';
import { webpOf } from '../webp.ts';
import { Avatar } from './avatar.tsx';
import { attempt } from './controls.tsx';

const mine = { params: { path: { user: 'me' } } };

/** How many pixels wide and high a picture of a person is. */
const side = 256;

/** The user's picture, which can be chosen and removed. */
export function PictureForm() {
  const picker = useRef<HTMLInputElement>(null);
  const user = me();
  const choose = async (file: File | undefined) => {
    if (!file) return;
    const body = await squareOf(file);
    const headers = { 'Content-Type': body.type };
    take((await ask(chat.PUT('/api/users/{user}/avatar', { ...mine, body, headers }))) as User);
  };
  const remove = async () => {
    await ask(chat.DELETE('/api/users/{user}/avatar', mine));
    const { avatar: _, ...others } = me();
    take(others);
  };
  return (
    <div class="picture-form">
      <Avatar person={user} id={idOf(user)} />
      <div class="row">
        <button type="button" onClick={() => picker.current?.click()}>
          {laterStrings.settings.pictureChoose}
        </button>
        {user.avatar !== undefined && (
          <button type="button" onClick={() => void attempt(remove)}>
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
          // The same file may be chosen again.
          currentTarget.value = '';
        }}
      />
    </div>
  );
}

function take(user: User): void {
  begin(user);
  learnPersons([{ id: idOf(user), ...user }]);
}

/** The middle of a picture, small. */
async function squareOf(file: File): Promise<Blob> {
  const picture = await createImageBitmap(file).catch(() => {
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
