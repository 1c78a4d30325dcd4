export function Home(_: { [name: string]: unknown }) { return <p>Home</p>; }
