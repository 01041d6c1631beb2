import { Component, type ComponentChildren } from 'preact';
import { strings } from '../../i18n/strings.ts';

type Props = { children: ComponentChildren; fallback?: ComponentChildren };

/** Shows a replacement for a component that throws, so that one fault does not blank the page. */
export class Boundary extends Component<Props, { isBroken?: true }> {
  static override getDerivedStateFromError = () => ({ isBroken: true });

  override componentDidCatch(error: unknown) {
    console.error(error);
  }

  override render({ children, fallback = <p class="side muted">{strings.app.broken}</p> }: Props) {
    return this.state.isBroken ? fallback : children;
  }
}
