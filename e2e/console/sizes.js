// The screens that the panels are tested on: a desktop, a tablet, a phone.

export const sizes = [{ width: 1440, height: 900 }, { width: 768, height: 1024 }, { width: 390, height: 780 }];
