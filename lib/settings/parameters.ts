/** Reads a secret by its name from the host's store. */
type ParameterReader = (name: string) => Promise<string>;

/** Only set on AWS, where a setting can name an SSM parameter (`ssm:/...`) instead of a secret. */
export let readParameter: ParameterReader | undefined;

/** Sets the reader. */
export function setParameterReader(reader: ParameterReader): void {
  readParameter = reader;
}
