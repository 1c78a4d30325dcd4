export function ListView(_: { [name: string]: unknown }) { return <p>ListView</p>; }
