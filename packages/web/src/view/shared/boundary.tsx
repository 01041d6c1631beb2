import { Component, type ComponentChildren } from 'preact';
import { strings } from '../../i18n/strings.ts';

type Props = { children: ComponentChildren; fallback?: ComponentChildren };

/**
 * Shows something else in place of what throws while it is drawn, so that one fault does not blank
 * all that is around it.
 */
export class Boundary extends Component<Props, { isBroken?: true }> {
  static override getDerivedStateFromError = () => ({ isBroken: true });

  override componentDidCatch(error: unknown) {
    console.error(error);
  }

  override render({ children, fallback = <p class="side muted">{strings.app.broken}</p> }: Props) {
    return this.state.isBroken ? fallback : children;
  }
}
