import { link, list, paragraphs } from 'chat-service-rules/formats/markdown';
import type { Reader } from 'chat-service-rules/formats/reader';
import { isObject } from 'chat-service-rules/objects';
import { firstCharacters } from 'chat-service-rules/shortened';

/** The most alerts of a group that are shown. */
const mostAlerts = 10;

/** Formats a group of alerts from Alertmanager or Grafana. */
export function readAlerts(sent: Reader): string {
  const alerts = sent.at('alerts');
  const state = sent.at('status').line();
  const name = sent.at('commonLabels', 'alertname').line() || sent.at('groupLabels', 'alertname').line();
  const title = sent.at('title').line() || `${state.toUpperCase()}: ${name || 'alerts'}`;
  const shown = alerts.list(mostAlerts);
  const message = sent.at('message').text().trim();
  return paragraphs(
    `${signs[state] ?? '⚪'} **${link(title, sent.at('externalURL').address())}**`,
    isOfGrafana.test(message) ? '' : message,
    list(shown.map(alert), alerts.length - shown.length),
  );
}

/** Grafana's default message. It repeats the list of alerts, so it is not shown. */
const isOfGrafana = /^\*\*(Firing|Resolved)\*\*\s*\n\s*(Value|Labels)\b/;

const signs: Record<string, string | undefined> = { firing: '🔴', resolved: '🟢' };

function alert(sent: Reader): string {
  const name = sent.at('labels', 'alertname').line() || 'Alert';
  const where = labelsOf(sent.at('labels'));
  const state = sent.at('status').line();
  const about = sent.at('annotations').first('summary', 'description', 'message').line();
  const named = `**${link(name, sent.at('generatorURL').address())}**${where && ` (${where})`}`;
  return [named, state && `${state}${about && ':'}`, about].filter(Boolean).join(' ');
}

/** The most labels of an alert that are shown. */
const mostLabels = 10;

/**
 * The labels that distinguish an alert from others of its name. `instance` comes first, as a value
 * without its name.
 */
function labelsOf(labels: Reader): string {
  const names = isObject(labels.value) ? Object.keys(labels.value) : [];
  const others = names.filter((name) => !/^(alertname|instance|grafana_folder|__.*)$/.test(name)).slice(0, mostLabels);
  const shown = others.map((name) => `${plain(name)}: ${labels.at(name).line()}`);
  return [labels.at('instance').line(), ...shown].filter(Boolean).join(', ');
}

const plain = (name: string): string => firstCharacters(name.replaceAll(/[^\p{L}\p{N}_.-]/gu, ''), 50);
