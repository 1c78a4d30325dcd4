// The screens that the console's tests use: a desktop, a tablet and a phone.

export const screens = [
  { width: 1440, height: 900 },
  { width: 768, height: 1024 },
  { width: 390, height: 780 },
];
