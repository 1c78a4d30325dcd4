// The screens of the console's tests.

export const desktop = { width: 1440, height: 900 };
export const tablet = { width: 768, height: 1024 };
export const phone = { width: 390, height: 780 };

/** Whether this run tests what can differ on every screen, as `make verify` does, or on the largest and the smallest one. */
export const all = process.env.SCREENS === 'all';

/** The screens for a test that runs on each. */
export const screens = all ? [desktop, tablet, phone] : [desktop, phone];
