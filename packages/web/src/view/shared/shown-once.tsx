import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { strings } from '../../i18n/strings.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { IconButton } from './controls.tsx';
import { copyOut } from './copy.tsx';

type Props = { values: (readonly [label: string, value: string])[]; children?: ComponentChildren };

/** Values that were made, each with its label, which nobody can see again. */
export const ShownOnce = ({ values, children }: Props) => (
  <div class="made" role="status">
    {laterStrings.once}
    {values.map(([label, value]) => (
      <Copied key={label + value} label={label} value={value} />
    ))}
    {children}
  </div>
);

function Copied({ label, value }: { label: string; value: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = () => void copyOut(value).then(setCopied);
  return (
    <span class="row">
      <input readOnly dir="ltr" aria-label={label} value={value} onFocus={({ currentTarget }) => currentTarget.select()} />
      <IconButton icon={isCopied ? 'check' : 'copy'} label={strings.message.copyCode} onPress={copy} />
    </span>
  );
}
