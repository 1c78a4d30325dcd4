export function TransactionView(_: { [name: string]: unknown }) { return <p>TransactionView</p>; }
