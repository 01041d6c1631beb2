import { laterStrings } from '../../i18n/strings-later.ts';
import { Failure } from '../../service/api.ts';
import { Field } from '../shared/controls.tsx';

type Props = { kind: 'app' | 'recovery' | 'either'; name?: string; autoFocus?: boolean };

/**
 * The field for a code: six digits of the app (with a numeric keyboard), a recovery code, or
 * either.
 */
export const CodeField = ({ kind, name = 'code', autoFocus = false }: Props) => (
  <Field
    label={laterStrings.secondFactor.codes[kind]}
    name={name}
    autocomplete={kind === 'recovery' ? 'off' : 'one-time-code'}
    maxLength={40}
    autoFocus={autoFocus}
    {...(kind === 'app' && { inputmode: 'numeric' as const })}
  />
);

/**
 * Says what the service refused about a code, or a password beside it, in words of the page's
 * language.
 */
export async function inWords<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure;
    const { refused } = laterStrings.secondFactor;
    const code = failure.status === 400 ? 'incomplete' : failure.status === 503 ? 'unchecked' : failure.code;
    const said = refused[code as keyof typeof refused];
    throw said === undefined ? failure : new Failure(failure.status, said, failure.retryAfter, failure.code);
  }
}
