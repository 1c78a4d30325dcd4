// The screens of the console's tests.

export const desktop = { width: 1440, height: 900 };
export const tablet = { width: 768, height: 1024 };
export const phone = { width: 390, height: 780 };

/** The screens for a test that runs on each. */
export const screens = [desktop, tablet, phone];
