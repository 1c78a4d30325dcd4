// Whom the sandbox's issuer offers to be, by the values of the buttons of its page.

export const fullAccess = 'full';
export const withoutDispatcher = 'without-dispatcher';
export const expiresSoon = 'expires-soon';
