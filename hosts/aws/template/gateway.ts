import { loginBurst } from './concurrency.ts';
import { type Domain, readDeploymentSettings } from './deployment-settings.ts';
import { gatewayRole } from './roles.ts';
import { addResources, type Serverless, type Service } from './serverless.ts';

/** Public routes that hash a password or send an e-mail. */
const throttledRoutes = { users: 'POST /api/users', sessions: 'POST /api/sessions', codes: 'POST /api/codes' };

/** Limit for all callers together on such a route: requests per second, and burst. */
const throttling = { ThrottlingRateLimit: 5, ThrottlingBurstLimit: loginBurst };

/** Gives the expensive routes their own limit. */
export function throttleRoutes(serverless: Serverless): void {
  const { functions, resources } = serverless.service;
  const { naming } = serverless.getProvider('aws');
  for (const [name, route] of Object.entries(throttledRoutes)) functions[name]?.events.push({ httpApi: route });
  const { HttpApiStage } = resources.extensions;
  HttpApiStage.Properties.RouteSettings = Object.fromEntries(Object.values(throttledRoutes).map((route) => [route, throttling]));
  // The gateway rejects settings for routes that do not exist yet.
  HttpApiStage.DependsOn = Object.values(throttledRoutes).map(naming.getHttpApiRouteLogicalId.bind(naming));
}

/** Gives the gateways one role to invoke functions, which replaces a permission per function. */
export function useGatewayRole(serverless: Serverless): void {
  const { service } = serverless;
  const { Resources } = service.provider.compiledCloudFormationTemplate;
  addResources(service, { GatewayRole: gatewayRole(`${service.service}-${serverless.getProvider('aws').getStage()}`) });
  for (const [id, { Type, Properties }] of Object.entries(Resources)) {
    if (Type === 'AWS::ApiGatewayV2::Integration') Properties.CredentialsArn = { 'Fn::GetAtt': ['GatewayRole', 'Arn'] };
    if (Type === 'AWS::Lambda::Permission' && Properties.Principal === 'apigateway.amazonaws.com') delete Resources[id];
  }
}

/** Adds the domains of the APIs, and sets the service's addresses accordingly. */
export function useDomains({ service }: Serverless): void {
  const { domain, socketDomain, tags } = readDeploymentSettings(service.custom.deployment);
  const { environment } = service.provider;
  if (domain) environment.PUBLIC_URL ||= `https://${domain.name}`;
  if (socketDomain && environment.SOCKET_URL === '/socket') environment.SOCKET_URL = `wss://${socketDomain.name}`;
  if (domain) addDomain(service, { id: '', domain, tags, api: 'HttpApi', stage: 'HttpApiStage' });
  if (socketDomain)
    addDomain(service, { id: 'Socket', domain: socketDomain, tags, api: 'WebsocketsApi', stage: 'WebsocketsDeploymentStage' });
}

type ApiDomain = { id: string; domain: Domain; tags: Record<string, string>; api: string; stage: string };

/**
 * Adds a domain for a stage of an API, and outputs the target of its DNS record. `id` prefixes the
 * resource names.
 */
function addDomain(service: Service, { id, domain: { name, certificate }, tags, api, stage }: ApiDomain): void {
  addResources(service, {
    [`${id}Domain`]: {
      Type: 'AWS::ApiGatewayV2::DomainName',
      Properties: {
        DomainName: name,
        DomainNameConfigurations: [{ CertificateArn: certificate, EndpointType: 'REGIONAL', SecurityPolicy: 'TLS_1_2' }],
        Tags: tags,
      },
    },
    [`${id}DomainMapping`]: {
      Type: 'AWS::ApiGatewayV2::ApiMapping',
      Properties: { ApiId: { Ref: api }, DomainName: { Ref: `${id}Domain` }, Stage: { Ref: stage } },
    },
  });
  service.resources.Outputs = {
    ...service.resources.Outputs,
    [`${id}DomainTarget`]: {
      Description: `The target of the DNS record of ${name}`,
      Value: { 'Fn::GetAtt': [`${id}Domain`, 'RegionalDomainName'] },
    },
  };
}
