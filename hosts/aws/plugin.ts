import { addAlarms } from './template/alarms.ts';
import { checkSettings, requireSettings } from './template/check-settings.ts';
import { readDeploymentSettings } from './template/deployment-settings.ts';
import { configureFunctions } from './template/functions.ts';
import { throttleRoutes, useDomains, useGatewayRole } from './template/gateway.ts';
import { addPreparation, waitForPreparation } from './template/preparation.ts';
import type { Serverless } from './template/serverless.ts';

/**
 * A serverless plugin that checks the settings as the server does. It adds the parts of the
 * template that `serverless.yml` does not have: roles, secrets, shares of the connections, alarms
 * and route limits.
 */
export default class DeploymentPlugin {
  readonly hooks: Record<string, () => Promise<void>>;

  constructor(serverless: Serverless) {
    const inOneSentence = (work: () => void | Promise<void>) => async () => {
      try {
        await work();
      } catch (error) {
        // For its own class of errors, serverless prints the message without a stack.
        throw new serverless.classes.Error((error as Error).message, 'DEPLOYMENT');
      }
    };
    this.hooks = {
      initialize: inOneSentence(() => requireSettings(serverless)),
      'before:package:initialize': inOneSentence(async () => {
        useDomains(serverless);
        await checkSettings(serverless);
        configureFunctions(serverless);
        addPreparation(serverless.service);
        addAlarms(serverless);
        tagAndEncrypt(serverless);
        throttleRoutes(serverless);
      }),
      'after:package:compileEvents': inOneSentence(() => {
        useGatewayRole(serverless);
        waitForPreparation(serverless);
      }),
    };
  }
}

/** Tags every resource, directly or through the stack, and encrypts the gateway's log. */
function tagAndEncrypt({ service }: Serverless): void {
  const { tags, logKey } = readDeploymentSettings(service.custom.deployment);
  service.provider.tags = { ...service.provider.tags, ...tags };
  service.provider.stackTags = { ...service.provider.stackTags, ...tags };
  if (logKey) service.resources.extensions.HttpApiLogGroup = { Properties: { KmsKeyId: logKey } };
}
