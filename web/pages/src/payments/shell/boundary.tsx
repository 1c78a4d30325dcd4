import { Component, type ReactNode } from "react";

interface Props {
  /** The link of the view. After one that cannot be drawn, another is tried. */
  href: string;
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

  override componentDidUpdate({ href }: Props): void {
    if (this.state.failed && href !== this.props.href) this.setState({ failed: false });
  }

  override render(): ReactNode {
    return this.state.failed ? this.props.instead : this.props.children;
  }
}
