import { Component, type ReactNode } from "react";

interface Props {
  /** What is shown in place of a view that cannot be drawn. */
  instead: ReactNode;
  children: ReactNode;
}

/** Keeps the page, and with it the token, if a view cannot be drawn. */
export class Boundary extends Component<Props, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    return this.state.failed ? this.props.instead : this.props.children;
  }
}
