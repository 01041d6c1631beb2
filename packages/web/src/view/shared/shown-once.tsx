import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { strings } from '../../i18n/strings.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { copyOut } from './copy.tsx';
import { Icon } from './icon.tsx';

type Props = { values: (readonly [label: string, value: string])[]; children?: ComponentChildren };

/** Values that were made, each with its label, which nobody can see again. */
export const ShownOnce = ({ values, children }: Props) => (
  <div class="made" role="status">
    <p class="muted">{laterStrings.once}</p>
    {values.map(([label, value]) => (
      <Copied key={label + value} label={label} value={value} />
    ))}
    {children}
  </div>
);

function Copied({ label, value }: { label: string; value: string }) {
  const id = useId();
  const [isCopied, setCopied] = useState(false);
  const copy = () => void copyOut(value).then(setCopied);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <span class="row">
        <input id={id} readOnly dir="ltr" value={value} onFocus={({ currentTarget }) => currentTarget.select()} />
        <button type="button" onClick={copy}>
          <Icon name={isCopied ? 'check' : 'copy'} /> {strings.message.copyCode}
        </button>
      </span>
    </div>
  );
}
