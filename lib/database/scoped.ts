import type {
  AggregateOptions,
  Collection,
  CountDocumentsOptions,
  DeleteOptions,
  Document,
  Filter,
  FindOneAndUpdateOptions,
  FindOptions,
  UpdateFilter,
  UpdateOptions,
  WithId,
} from 'mongodb';

/**
 * A collection whose every call has a condition, such as that a document is not being deleted. So
 * no query can forget it. For inserts, and for documents that do not match, use the plain
 * collection: `unscoped`.
 */
export function scoped<T extends Document>(unscoped: Collection<T>, condition: Document) {
  const within = (filter: Filter<T>): Filter<T> => ({ ...filter, ...condition });

  return {
    unscoped,
    find: <Found extends Document = WithId<T>>(filter: Filter<T>, options?: FindOptions) =>
      unscoped.find<Found>(within(filter), options),
    findOne: <Found extends Document = WithId<T>>(filter: Filter<T>, options?: FindOptions) =>
      unscoped.findOne<Found>(within(filter), options),
    /** `filter` is the first stage of the pipeline. */
    aggregate: <Found extends Document>(filter: Filter<T>, stages: Document[], options?: AggregateOptions) =>
      unscoped.aggregate<Found>([{ $match: within(filter) }, ...stages], options),
    countDocuments: (filter: Filter<T>, options?: CountDocumentsOptions) => unscoped.countDocuments(within(filter), options),
    updateOne: (filter: Filter<T>, update: UpdateFilter<T> | Document[], options?: Omit<UpdateOptions, 'upsert'>) =>
      unscoped.updateOne(within(filter), update, options),
    findOneAndUpdate: async <Found extends Document = WithId<T>>(
      filter: Filter<T>,
      update: UpdateFilter<T> | Document[],
      options: Omit<FindOneAndUpdateOptions, 'upsert'>,
    ) => (await unscoped.findOneAndUpdate(within(filter), update, options)) as Found | null,
    deleteMany: (filter: Filter<T>, options?: DeleteOptions) => unscoped.deleteMany(within(filter), options),
  };
}
