export function DepositView(_: { [name: string]: unknown }) { return <p>DepositView</p>; }
