import { withDataset } from './dataset.ts';
import type { Bench, Figure } from './figure.ts';

/** Which collection's round trip finds the token with its user. */
const tokensCollection = 'tokens';

/** How many stages there may be behind that: a message takes its place and is then inserted, all else asks and may ask about what it found. */
const most = 2;

/** The round trips of each request, and how many of them wait for others. */
export const roundTrips = ({ progress }: Bench): Promise<Figure[]> =>
  withDataset(async (_, operations) => {
    progress('trips');
    return Object.values(operations).flatMap(({ operation: { name, status }, plan }): Figure[] => {
      const sent = plan.flat();
      const forToken = sent.filter(({ collection }) => collection === tokensCollection).length;
      if (status === 401) return [figure(`${name} for what can't be a token: round trips`, sent.length, 0)];
      return [
        figure(`${name}: for the token with its user`, forToken, 1),
        figure(`${name}: one after the other behind that`, plan.length - 1, most),
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
