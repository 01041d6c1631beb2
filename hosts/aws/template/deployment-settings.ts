/** Settings that only AWS uses, as written in `.env.<stage>`. Each may be empty. */
export type WrittenSettings = Record<
  'vpcSubnets' | 'vpcSecurityGroups' | 'domainName' | 'socketDomainName' | 'certificate' | 'tags' | 'logKey',
  string
>;

/** The domain of an API, and its certificate. */
export type Domain = { name: string; certificate: string };

/** Parses the deployment settings. Throws an error that names the first invalid one. */
export function readDeploymentSettings(written: WrittenSettings) {
  const subnetIds = list('VPC_SUBNETS', written.vpcSubnets, /^subnet-[0-9a-f]{8,}$/, 'subnets such as subnet-0a1b2c3d');
  const securityGroupIds = list(
    'VPC_SECURITY_GROUPS',
    written.vpcSecurityGroups,
    /^sg-[0-9a-f]{8,}$/,
    'groups such as sg-0a1b2c3d',
  );
  if (subnetIds.length > 0 !== securityGroupIds.length > 0)
    throw new Error('Set both VPC_SUBNETS and VPC_SECURITY_GROUPS, or neither.');

  const certificate = one('CERTIFICATE_ARN', written.certificate, arnOf('acm', 'certificate'), 'the ARN of a certificate of ACM');
  const domain = (setting: string, text: string): Domain | undefined => {
    const name = one(setting, text, /^([a-z\d]([a-z\d-]*[a-z\d])?\.)+[a-z][a-z\d-]*[a-z\d]$/, 'a name such as chat.example.org');
    if (name !== undefined && certificate === undefined)
      throw new Error(`Set CERTIFICATE_ARN as well: ${setting} needs a certificate.`);
    return name === undefined || certificate === undefined ? undefined : { name, certificate };
  };

  return {
    vpc: subnetIds.length > 0 ? { subnetIds, securityGroupIds } : undefined,
    domain: domain('DOMAIN_NAME', written.domainName),
    socketDomain: domain('SOCKET_DOMAIN_NAME', written.socketDomainName),
    tags: tagsOf(written.tags),
    logKey: one('LOG_KEY_ARN', written.logKey, arnOf('kms', 'key'), 'the ARN of a key of KMS'),
  };
}

const arnOf = (service: string, kind: string) => new RegExp(`^arn:aws[a-z-]*:${service}:[a-z\\d-]+:\\d{12}:${kind}/[\\w-]+$`);

function one(setting: string, text: string, pattern: RegExp, what: string): string | undefined {
  if (text === '' || pattern.test(text)) return text || undefined;
  throw new Error(`Set ${setting} to ${what}, not '${text}'.`);
}

const list = (setting: string, text: string, pattern: RegExp, what: string): string[] =>
  text.split(/[\s,]+/).flatMap((word) => one(setting, word, pattern, what) ?? []);

function tagsOf(text: string): Record<string, string> {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '');
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name = '', value = ''] =
        /^\s*([\p{L}\p{N}\s_.:/+@-]{1,128}?)\s*=\s*([\p{L}\p{N}\s_.:/=+@-]{0,256}?)\s*$/u.exec(pair) ?? [];
      if (name !== '' && !/^aws:/i.test(name)) return [name, value];
      throw new Error(`Set RESOURCE_TAGS to tags such as project=chat,owner=ops, not '${pair.trim()}'.`);
    }),
  );
}
