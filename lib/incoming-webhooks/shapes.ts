import { cut } from 'chat-service-rules/formats/markdown';
import { FormatError, Reader } from 'chat-service-rules/formats/reader';
import { readSlack } from 'chat-service-rules/formats/slack';
import { isObject, parseJson } from 'chat-service-rules/objects';
import { isBlank } from 'chat-service-rules/texts';
import { limits } from '../api/limits.ts';
import { optional, readParameters } from '../api/parameters.ts';
import { invalidJson, invalidParameter, missingParameter, payloadTooLarge } from '../base/errors.ts';
import type { Display } from '../collections/rooms/messages.ts';
import { decodeBody } from '../http/middleware/json-body.ts';
import { longestText, messageText, requireContent } from '../messages/messages.ts';
import { readAlerts } from './alerts.ts';
import { readGithub } from './github.ts';
import { readGitlab } from './gitlab.ts';
import { readDisplay } from './slack-display.ts';

type Headers = Record<string, string | undefined>;

/**
 * A request of another program: its shape, the text to post (undefined if there is nothing to
 * show), and its display. `isReport` is set if the text quotes people who wrote elsewhere.
 */
export type Sent = {
  shape: 'own' | 'slack' | 'other';
  text: string | undefined;
  display?: Display | undefined;
  isReport?: true;
};

/**
 * Parses a request of another program by its headers and fields. Throws 400 with the path of the
 * field that cannot be read.
 */
export function readSent(bytes: Uint8Array, headers: Headers): Sent {
  try {
    return readFormat(bytes, headers);
  } catch (error) {
    if (error instanceof FormatError) throw invalidParameter(error.path, error.rule);
    throw error;
  }
}

function readFormat(bytes: Uint8Array, headers: Headers): Sent {
  const { sent, isPayload } = parse(bytes);
  const body = new Reader(sent);
  if (headers['x-gitlab-event'] !== undefined) return report(readGitlab(body));
  const event = headers['x-github-event'];
  if (event !== undefined) return report(readGithub(event, body, isFromGitea(headers)));
  if (Array.isArray(sent.alerts)) return { shape: 'other', text: fitting(readAlerts(body)) };
  const isOwn = !isPayload && Object.keys(sent).every((name) => name === 'text') && !slackLink.test(String(sent.text));
  if (isOwn) return { shape: 'own', text: ownText(sent) };
  return { shape: 'slack', text: fitting(readSlack(body)), display: readDisplay(body) };
}

/** Gitea and Forgejo send the events of GitHub, and some of their own. */
const isFromGitea = (headers: Headers): boolean =>
  ['x-gitea-event', 'x-forgejo-event', 'x-gogs-event'].some((name) => headers[name] !== undefined);

/**
 * A link in Slack's markup; Markdown has nothing like it. Some programs send only a `text`, in
 * Slack's markup.
 */
const slackLink = /<(?:https?:\/\/|mailto:)[^<>|\s]+\|[^<>]+>/;

const report = (text: string | undefined): Sent => ({
  shape: 'other',
  text: text === undefined ? undefined : fitting(text),
  isReport: true,
});

function ownText(sent: Record<string, unknown>): string {
  const { text } = readParameters({ text: optional(messageText) }, sent);
  requireContent(text);
  return text ?? '';
}

/**
 * A text that was made from another program's request. A text that is too long is cut, because
 * nobody would read an error.
 */
function fitting(text: string): string {
  if (isBlank(text)) throw missingParameter('text');
  return cut(text, longestText);
}

/**
 * The object in a body: JSON, the field `payload` of a form, or the form itself if it has a `text`.
 */
function parse(bytes: Uint8Array): { sent: Record<string, unknown>; isPayload: boolean } {
  if (bytes.length > limits.foreignBody) throw payloadTooLarge(limits.foreignBody);
  const body = decodeBody(bytes).trim();
  if (body === '') return { sent: {}, isPayload: false };
  // The declared type is ignored: `curl -d` declares every body as a form.
  if (/^[{["]/.test(body)) return { sent: objectIn(body), isPayload: false };
  const form = new URLSearchParams(body);
  const payload = form.get('payload');
  if (payload !== null) return { sent: objectIn(payload), isPayload: true };
  const text = form.get('text');
  if (text === null) throw missingParameter('text');
  return { sent: { text }, isPayload: false };
}

function objectIn(text: string): Record<string, unknown> {
  const parsed = parseJson(text);
  if (!isObject(parsed)) throw invalidJson();
  return parsed;
}
