export function NotificationView(_: { [name: string]: unknown }) { return <p>NotificationView</p>; }
