import { ObjectId } from 'mongodb';
import { config } from '../config.ts';
import { failClosed, keyOf, minute, networkOf, returnSlots, takeSlot } from './slots.ts';

/** Counts a sign-up of anyone at an address, whatever becomes of it, or refuses it with 429. */
export async function countSignUp(address: string): Promise<void> {
  const { areOn, signUpsPerHour, signUpsPerDay } = config.limits;
  if (!areOn) return;
  await failClosed(async () => {
    const id = new ObjectId();
    const network = networkOf(address);
    const [hour, day] = [keyOf('sign-ups of an hour', network), keyOf('sign-ups of a day', network)];
    await takeSlot(hour, id, { most: signUpsPerHour, window: 60 * minute, isSettled: true });
    try {
      await takeSlot(day, id, { most: signUpsPerDay, window: 24 * 60 * minute, isSettled: true });
    } catch (error) {
      await returnSlots([hour], id);
      throw error;
    }
  });
}
