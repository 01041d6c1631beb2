import { link, list, paragraphs } from 'chat-service-rules/formats/markdown';
import type { Reader } from 'chat-service-rules/formats/reader';

/** How many alerts of a group are shown. */
const mostAlerts = 10;

/** What Alertmanager and Grafana send in a shape of their own: a group of alerts. */
export function readAlerts(sent: Reader): string {
  const alerts = sent.at('alerts');
  const state = sent.at('status').line();
  const name = sent.at('commonLabels', 'alertname').line() || sent.at('groupLabels', 'alertname').line();
  const title = sent.at('title').line() || `${state.toUpperCase()}: ${name || 'alerts'}`;
  const shown = alerts.list(mostAlerts);
  return paragraphs(
    `${signs[state] ?? '⚪'} **${link(title, sent.at('externalURL').address())}**`,
    list(shown.map(alert), alerts.length - shown.length),
  );
}

const signs: Record<string, string | undefined> = { firing: '🔴', resolved: '🟢' };

function alert(sent: Reader): string {
  const name = sent.at('labels', 'alertname').line() || 'Alert';
  const where = sent.at('labels', 'instance').line();
  const state = sent.at('status').line();
  const about = sent.at('annotations').first('summary', 'description', 'message').line();
  const named = `**${link(name, sent.at('generatorURL').address())}**${where && ` (${where})`}`;
  return [named, state && `${state}:`, about].filter(Boolean).join(' ');
}
