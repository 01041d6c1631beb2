import type { ComponentChildren } from 'preact';

type SectionProps = { title: string; hint?: string; children: ComponentChildren };

/** A card of the settings. */
export const Section = ({ title, hint, children }: SectionProps) => (
  <section class="section">
    <h2>{title}</h2>
    {hint !== undefined && <p class="muted">{hint}</p>}
    {children}
  </section>
);
