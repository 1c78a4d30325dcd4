export function WithdrawalView(_: { [name: string]: unknown }) { return <p>WithdrawalView</p>; }
