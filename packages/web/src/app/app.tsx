import { useEffect, useLayoutEffect } from 'preact/hooks';
import { mayMakeRooms, me, session } from '../account/session.ts';
import { Announcer } from '../device/announcer.tsx';
import { loadAhead } from '../device/late-code.ts';
import { go, route } from '../device/routes.ts';
import { strings } from '../i18n/strings.ts';
import { hooks } from '../service/api.ts';
import { idOf } from '../service/ids.ts';
import { settings } from '../service/settings.ts';
import { firstRoomPath } from '../store/rooms/last-room.ts';
import { rooms } from '../store/rooms/rooms.ts';
import { roomsInOrder } from '../store/rooms/sections.ts';
import { safeName } from '../text/names.ts';
import { List } from '../view/room/list.tsx';
import { RoomView } from '../view/room/room.tsx';
import { Boundary } from '../view/shared/boundary.tsx';
import { Loading } from '../view/shared/controls.tsx';
import { Dialogs } from '../view/shared/dialog.tsx';
import { later } from '../view/shared/later.tsx';
import { Popovers } from '../view/shared/popover.tsx';
import { listenToKeys, openNewRoom } from '../view/sidebar/keys.tsx';
import { Sidebar } from '../view/sidebar/sidebar.tsx';
import { Banner } from './banner.tsx';

const Login = later(async () => (await import('../view/sign-in/login.tsx')).Login);
const Join = later(async () => (await import('../view/sign-in/join.tsx')).Join);
const Authorize = later(async () => (await import('../view/sign-in/authorize.tsx')).Authorize);
const Directory = later(async () => (await import('../view/sidebar/directory.tsx')).Directory);
const Share = later(async () => (await import('../view/sidebar/share.tsx')).Share);
const Settings = later(async () => (await import('../view/settings/settings.tsx')).Settings);
// Rejects for others, so that it is not loaded ahead for them.
const Admin = later(async () => (me().is_admin ? (await import('../view/admin/admin.tsx')).Admin : Promise.reject()));

hooks.onProofRequired = async () => (await import('../view/settings/proof.tsx')).askForProof();

/** The page. */
export function App() {
  const { state } = session.value;
  // The link of an e-mail sets a password even if a user is signed in, and an identity provider may
  // return there.
  const isInside = state === 'in' && !['password', 'oidc'].includes(route.value.name);
  return (
    <>
      {isInside && route.value.name === 'authorize' ? (
        <Authorize />
      ) : isInside ? (
        <Shell />
      ) : state === 'starting' ? null : route.value.name === 'nowhere' ? (
        <Nowhere />
      ) : (
        <Login />
      )}
      <Popovers />
      <Dialogs />
      <Announcer />
    </>
  );
}

/** The delay between the start and the loading of hidden views. */
const aheadAfterMs = 5_000;

function Shell() {
  // A layout effect, so that no key is lost after the first drawing.
  useLayoutEffect(() => listenToKeys(), []);
  useEffect(() => {
    const timer = setTimeout(loadAhead, aheadAfterMs);
    return () => clearTimeout(timer);
  }, []);
  const { value } = route;
  return (
    <div class={`shell on-${['login', 'signup', 'setup'].includes(value.name) ? 'home' : value.name}`}>
      {value.name === 'room' && (
        <a class="skip" href="#messages" target="_self">
          {strings.app.skip}
        </a>
      )}
      <Banner />
      <Sidebar />
      <Boundary key={value.name === 'room' ? value.room : value.name === 'list' ? value.list : value.name}>
        {value.name === 'room' ? (
          <RoomView key={value.room} {...value} />
        ) : value.name === 'directory' ? (
          <Directory />
        ) : value.name === 'share' ? (
          <Share />
        ) : value.name === 'settings' ? (
          <Settings tab={value.tab} />
        ) : value.name === 'list' ? (
          <List list={value.list} />
        ) : value.name === 'join' ? (
          <Join code={value.code} />
        ) : value.name === 'admin' && me().is_admin ? (
          <Admin tab={value.tab} />
        ) : value.name === 'nowhere' || value.name === 'admin' ? (
          <Nowhere />
        ) : (
          <Home />
        )}
      </Boundary>
    </div>
  );
}

/** The view of an address that leads nowhere. */
const Nowhere = () => (
  <main class="pane home">
    <h1>{strings.nowhere.title}</h1>
    <p>{strings.nowhere.text}</p>
    <a class="button primary" href="/">
      {strings.nowhere.home}
    </a>
  </main>
);

/** The page without a room: redirects to the room to read first, or explains how to get one. */
function Home() {
  const isKnown = rooms.value !== undefined;
  const path = isKnown ? firstRoomPath(idOf(me()), roomsInOrder()) : undefined;
  useLayoutEffect(() => {
    if (path !== undefined) go(path, { replace: true });
  }, [path]);
  if (!isKnown || path !== undefined)
    return (
      <main class="pane home">
        <Loading />
      </main>
    );
  const isFirst = rooms.value?.length === 0;
  return (
    <main class="pane home">
      <img src="/icon.svg" alt="" width="72" height="72" />
      <h1>{strings.rooms.welcomeTo(safeName(settings.name))}</h1>
      <p class="muted">
        {!isFirst ? strings.rooms.welcome : mayMakeRooms() ? strings.rooms.welcomeFirst : strings.rooms.welcomeNone}
      </p>
      <div class="row">
        {isFirst && mayMakeRooms() && (
          <button type="button" class="primary" onClick={() => void openNewRoom()}>
            {strings.directory.create}
          </button>
        )}
        <a class={isFirst && mayMakeRooms() ? 'button' : 'button primary'} href="/directory">
          {strings.rooms.browse}
        </a>
      </div>
    </main>
  );
}
