import type { ComponentChildren } from 'preact';
import { strings } from '../../i18n/strings.ts';
import { Icon } from './icon.tsx';
import './menu-pane.css';

/** A part of the menu: a few pages under a heading. */
export type MenuGroup = { title: string; pages: readonly { href: string; label: string; isShown: boolean }[] };

type MenuPaneProps = {
  title: string;
  groups: readonly MenuGroup[];
  /** The address of the menu, which is a page of its own on a narrow screen. */
  path: string;
  /** True if the address is that of the menu. On a wide screen, the first page is beside it. */
  isMenu: boolean;
  class: string;
  children: ComponentChildren;
};

/** A menu of pages with the one that is open: the settings, or the administration. */
export const MenuPane = ({ title, groups, path, isMenu, class: extra, children }: MenuPaneProps) => {
  const shown = groups.flatMap(({ pages }) => pages).find(({ isShown }) => isShown);
  return (
    <main class={`pane menu-pane ${extra} ${isMenu ? 'at-menu' : 'at-page'}`}>
      <header class="bar">
        <a class="icon-button back" href={isMenu ? '/' : path} aria-label={isMenu ? strings.app.back : title}>
          <Icon name="back" />
        </a>
        <h1 class="title">
          <span class="of-menu">{title}</span>
          <span class="of-page">{shown?.label}</span>
        </h1>
      </header>
      <nav class="menu-list" aria-label={title}>
        {groups.map((group) => (
          <section key={group.title}>
            <h2>
              <bdi>{group.title}</bdi>
            </h2>
            <ul>
              {group.pages.map(({ href, label, isShown }) => (
                <li key={href}>
                  <a href={href} aria-current={isShown && !isMenu ? 'page' : undefined} class={isShown ? 'shown' : ''}>
                    {label}
                    <Icon name="next" />
                  </a>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </nav>
      <div class="content">{children}</div>
    </main>
  );
};
