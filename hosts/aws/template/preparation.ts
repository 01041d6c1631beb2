import { indexVersion } from '../../../lib/database/index-version.ts';
import { addResources, type Serverless, type Service } from './serverless.ts';

/** Adds the resource that makes `prepare` create the indexes whenever they change. */
export function addPreparation(service: Service): void {
  addResources(service, {
    Prepared: {
      Type: 'Custom::Prepared',
      Properties: {
        ServiceToken: { 'Fn::GetAtt': ['PrepareLambdaFunction', 'Arn'] },
        ServiceTimeout: 900,
        IndexVersion: indexVersion,
        // The only setting that an index depends on.
        EventDays: service.provider.environment.EVENT_DAYS,
      },
    },
  });
}

/**
 * Makes all other functions depend on the preparation: a version serves only once its indexes
 * exist.
 */
export function waitForPreparation({ service }: Serverless): void {
  for (const [id, resource] of Object.entries(service.provider.compiledCloudFormationTemplate.Resources)) {
    if (resource.Type !== 'AWS::Lambda::Function' || id === 'PrepareLambdaFunction') continue;
    resource.DependsOn = [...[resource.DependsOn ?? []].flat(), 'Prepared'];
  }
}
