export { type ChatClient, type ClientSettings, createChatClient } from './client.ts';
export type * from './contract.ts';
export type { Followed, Left, Reset } from './cursors.ts';
export { ChatError, type ErrorBody, unwrap } from './errors.ts';
export type { Following, FollowSettings, Live, LiveSettings, News } from './follow.ts';
export type { FollowState } from './pace.ts';
export type { ListPath, PageOf, PagesSettings } from './pages.ts';
export type { DownloadSettings, UploadSettings } from './upload.ts';
