/* The parts of `oidc-provider` that tests use. The package does not include types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  type Interaction = { uid: string; prompt: { name: string }; params: Record<string, string | undefined> };
  type Client = { backchannelLogout: (accountId: string, sid: string) => Promise<void> };

  export default class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>);
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>;
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
    // biome-ignore lint/style/useNamingConvention: the library's own
    Client: { find: (id: string) => Promise<Client | undefined> };
    // biome-ignore lint/style/useNamingConvention: the library's own
    Grant: new (of: {
      accountId: string;
      clientId: string;
    }) => {
      addOIDCScope: (scope: string) => void;
      save: () => Promise<string>;
    };
    on(event: string, listener: (...parameters: never[]) => void): void;
  }
}
