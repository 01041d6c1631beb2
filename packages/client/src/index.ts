export { type ChatClient, type ClientSettings, createChatClient } from './client.ts';
export type * from './contract.ts';
export type { FollowedEvent, LeftRoom, Reset } from './cursors.ts';
export { ChatError, type ErrorBody, unwrap } from './errors.ts';
export type { EventStream, FollowSettings, LiveSettings, LiveStream, News } from './follow.ts';
export type { FollowState } from './pace.ts';
export type { ListPath, PageOf, PagesSettings } from './pages.ts';
export type { MessageStream, StreamSettings, StreamTarget } from './stream.ts';
export type { DownloadSettings, UploadSettings } from './upload.ts';
