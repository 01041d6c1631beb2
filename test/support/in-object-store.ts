/** Whether the process of a test file has its files in an object store. */
export const isInObjectStore = process.env.FILES?.startsWith('s3:') === true;
