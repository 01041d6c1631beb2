export { type ChatClient, type ClientSettings, createChatClient } from './client.ts';
export type * from './contract.ts';
export { ChatError, type ErrorBody, unwrap } from './errors.ts';
export type { FollowAllSettings, Following, FollowSettings } from './follow.ts';
export type { FollowState } from './pace.ts';
