/** A result in words. Its colour only repeats them. */
export function Label({ tone, children }: { tone: "good" | "bad" | "neutral"; children: string }) {
  return <strong className="insight-label" data-tone={tone}>{children}</strong>;
}
