import type { Document } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { freshDb } from './support/database.ts';

const PERSON = {
  $jsonSchema: {
    required: ['name'],
    properties: { name: { bsonType: 'string', minLength: 2 }, age: { bsonType: 'int', minimum: 0 } },
  },
};

describe('a validator', () => {
  it.each<[string, Document, Document, Document]>([
    [
      'a missing property',
      PERSON,
      { age: 5 },
      {
        operatorName: '$jsonSchema',
        schemaRulesNotSatisfied: [{ operatorName: 'required', specifiedAs: { required: ['name'] }, missingProperties: ['name'] }],
      },
    ],
    [
      'a property of the wrong type',
      PERSON,
      { name: 7 },
      {
        operatorName: '$jsonSchema',
        schemaRulesNotSatisfied: [
          {
            operatorName: 'properties',
            propertiesNotSatisfied: [
              {
                propertyName: 'name',
                details: [
                  {
                    operatorName: 'bsonType',
                    specifiedAs: { bsonType: 'string' },
                    reason: 'type did not match',
                    consideredValue: 7,
                    consideredType: 'int',
                  },
                ],
              },
            ],
          },
        ],
      },
    ],
    [
      'a comparison',
      { age: { $gte: 18 } },
      { age: 5 },
      { operatorName: '$gte', specifiedAs: { age: { $gte: 18 } }, reason: 'comparison failed', consideredValue: 5 },
    ],
    [
      'one of several conditions',
      { age: { $gte: 18 }, name: { $type: 'string' } },
      { age: 20 },
      {
        operatorName: '$and',
        clausesNotSatisfied: [
          {
            index: 1,
            details: { operatorName: '$type', specifiedAs: { name: { $type: 'string' } }, reason: 'field was missing' },
          },
        ],
      },
    ],
  ])('refuses %s and says why', async (_, validator, document, details) => {
    const db = await freshDb();
    const people = await db.createCollection<{ _id: number }>('people', { validator });
    const refused = people.insertOne({ _id: 1, ...document });
    await expect(refused).rejects.toMatchObject({ code: 121, errInfo: { failingDocumentId: 1, details } });
    await people.insertOne({ _id: 1, ...document }, { bypassDocumentValidation: true });
    expect(await people.countDocuments()).toBe(1);
  });

  it('that is moderate lets documents be that were wrong before', async () => {
    const db = await freshDb();
    const people = await db.createCollection('people');
    await people.insertMany([{ name: 'X' }, { name: 'Ada' }]);
    await db.command({ collMod: 'people', validator: PERSON, validationLevel: 'moderate' });
    expect(await people.updateOne({ name: 'X' }, { $set: { name: 'Y' } })).toMatchObject({ modifiedCount: 1 });
    await expect(people.updateOne({ name: 'Ada' }, { $set: { name: 'A' } })).rejects.toMatchObject({ code: 121 });
  });
});
