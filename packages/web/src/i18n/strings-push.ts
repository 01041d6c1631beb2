/** The texts of notifications, for the page and its service worker, which lacks the other texts. */
export const pushStrings = {
  from: (name: string, room: string) => `${name} in ${room}`,
  repliedIn: (name: string, room: string) => `${name} in a thread in ${room}`,
  reminder: (title: string) => `Reminder: ${title}`,
  more: (number: number) => `and ${number} ${number === 1 ? 'message' : 'messages'} more`,
  hidden: 'New message',
  test: 'Notifications reach this device.',
};
