/**
 * The version of the indexes: a digest of their definitions, which a test checks. It is a constant,
 * because the functions and the deployment do not load the definitions.
 */
export const indexVersion = '3b5473c469312edc';
