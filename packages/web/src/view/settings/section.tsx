import type { Operations } from 'chat-service-client';
import type { ComponentChildren } from 'preact';
import { begin } from '../../account/session.ts';
import { ask, chat, type User } from '../../service/api.ts';

type SectionProps = { title: string; hint?: string; children: ComponentChildren };

/** A card of the settings. */
export const Section = ({ title, hint, children }: SectionProps) => (
  <section class="section">
    <h2>{title}</h2>
    {hint !== undefined && <p class="muted">{hint}</p>}
    {children}
  </section>
);

/** Changes to the user's own account. */
export type OwnChanges = Operations['PATCH /api/users/{user}']['body'];

/** Changes the user's own account. */
export async function changeMe(body: OwnChanges): Promise<void> {
  begin((await ask(chat.PATCH('/api/users/{user}', { params: { path: { user: 'me' } }, body }))) as User);
}
