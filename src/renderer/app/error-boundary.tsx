import { Component, type ReactNode } from 'react';

interface Props {
  /** a change (another screen) tries again */
  readonly resetKey: string;
  readonly fallback: (error: Error, again: () => void) => ReactNode;
  readonly children: ReactNode;
}

interface State {
  readonly error: Error | null;
  readonly resetKey: string;
}

/** The renderer's net: a screen that throws is replaced by words, the frame around it stays. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: null, resetKey: this.props.resetKey };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  static getDerivedStateFromProps(props: Props, state: State): Partial<State> | null {
    return props.resetKey === state.resetKey ? null : { error: null, resetKey: props.resetKey };
  }

  override render(): ReactNode {
    const { error } = this.state;
    return error === null ? this.props.children : this.props.fallback(error, () => this.setState({ error: null }));
  }
}
