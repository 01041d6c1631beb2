import { withDataset } from './dataset.ts';
import type { Bench, Figure } from './figure.ts';

/** The collection whose round trip finds the token with its user. */
const tokensCollection = 'tokens';

/** How many sequential stages may follow: a message takes its place and is inserted; all else reads, and may look up what it found. */
const most = 2;

/** The round trips of each request, and how many of them are sequential. */
export const roundTrips = ({ progress }: Bench): Promise<Figure[]> =>
  withDataset(async (_, operations) => {
    progress('trips');
    return Object.values(operations).flatMap(({ operation: { name, status }, plan }): Figure[] => {
      const sent = plan.flat();
      const forToken = sent.filter(({ collection }) => collection === tokensCollection).length;
      if (status === 401) return [figure(`${name} for what can't be a token: round trips`, sent.length, 0)];
      return [
        figure(`${name}: for the token with its user`, forToken, 1),
        figure(`${name}: sequential after that`, plan.length - 1, most),
        { name: `${name}: all`, unit: 'round trips', value: sent.length },
      ];
    });
  });

const figure = (name: string, value: number, atMost: number): Figure => ({
  name,
  unit: 'round trips',
  value,
  goal: { of: 'value', atMost },
});
