import { describe, expect, it } from 'vitest';
import { about, flag, optional, type Parameters } from '../../../lib/api/parameters.ts';
import { aFlag, aText, described, record } from '../../../lib/api/schema.ts';
import { operation } from '../../../lib/http/operation.ts';
import { describeService } from '../../../tools/openapi/document.ts';

/** The description of a service with one operation. */
const describeOne = (parts: { query?: Parameters; answer?: ReturnType<typeof record> }) => {
  const GET = operation({ summary: 'Show a lamp', access: 'anyone', status: 200, ...parts, run: async () => ({}) });
  return describeService([{ path: '/api/health', operations: { GET } }]);
};

describe('a field', () => {
  it('a field stands in the document with the description beside it', () => {
    const lamp = record('Lamp', { is_on: described('Whether it shines.', aFlag) });
    const room = record('Room', { lamp: described('What lights it.', lamp) });
    expect(describeOne({ answer: room }).components.schemas).toMatchObject({
      Lamp: { properties: { is_on: { description: 'Whether it shines.', type: 'boolean' } } },
      Room: { properties: { lamp: { description: 'What lights it.', $ref: '#/components/schemas/Lamp' } } },
    });
  });

  it('a field without a description is an error that names it', () => {
    const lamp = record('Lamp', { is_on: described('Whether it shines.', aFlag), color: aText });
    expect(() => describeOne({ answer: lamp })).toThrow("Lamp.color lacks a description: declare it with 'described'");
  });
});

describe('a parameter', () => {
  it('a parameter stands in the document with its description and its rule', () => {
    const query = { is_on: optional(about('Whether it shines.', flag)) };
    expect(describeOne({ query }).paths).toMatchObject({
      '/api/health': {
        get: { parameters: [{ name: 'is_on', required: false, description: 'Whether it shines. Must be true or false.' }] },
      },
    });
  });

  it('a parameter without a description is an error that names it', () => {
    expect(() => describeOne({ query: { is_on: flag } })).toThrow(
      "'is_on' of GET /api/health lacks a description: declare it with 'about'",
    );
  });
});
