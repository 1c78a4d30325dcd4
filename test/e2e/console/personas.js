// The personas of the sandbox's issuer, by the values of the buttons on its page.

export const fullAccess = 'full';
export const withoutDispatcher = 'without-dispatcher';
export const expiresSoon = 'expires-soon';
