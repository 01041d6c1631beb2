/** Reads a secret from the place where the host keeps them, by its name. */
type ParameterReader = (name: string) => Promise<string>;

/** Set on AWS alone, where a setting can name a parameter of SSM (`ssm:/...`) in place of a secret. */
export let readParameter: ParameterReader | undefined;

/** From now on this reader is used. */
export function setParameterReader(reader: ParameterReader): void {
  readParameter = reader;
}
