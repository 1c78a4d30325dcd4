/** The forms of ids, which both pages read. */

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

export function isUUID(text: string): boolean {
  return uuid.test(text);
}

/** Whether a text can be an id of the dispatcher, whose form is not documented: letters and at least one digit. */
export function mayBeNotification(text: string): boolean {
  return /^(?=.*\d)[\w-]{8,64}$/.test(text);
}
