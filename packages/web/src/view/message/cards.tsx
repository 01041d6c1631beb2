import { parseInline } from 'chat-service-rules/markdown/inline';
import { textOf } from 'chat-service-rules/markdown/plain';
import { fullOf, nearOf } from '../../i18n/dates.ts';
import { strings } from '../../i18n/strings.ts';
import type { Message } from '../../service/api.ts';
import { Text } from '../text/markdown.tsx';
import './cards.css';

type Card = NonNullable<Message['display']>['cards'][number];

/** Cards do not mention anybody. */
const nobody = { mentions: [], mentions_all: null };

/** The cards of another program, with the text above them. */
export const Cards = ({ display }: { display: NonNullable<Message['display']> }) => (
  <div class="cards">
    {display.text && <Text message={{ ...nobody }} text={display.text} />}
    {display.cards.map((card, at) => (
      <CardBox key={`${at}`} card={card} />
    ))}
  </div>
);

const CardBox = ({ card }: { card: Card }) => {
  const title = card.title && textOf(parseInline(card.title));
  return (
    <section class="message-card" style={card.color ? { '--bar': card.color } : undefined}>
      {card.author && (
        <p class="card-author" dir="auto">
          {card.author}
        </p>
      )}
      {title && (
        <h3 dir="auto">
          {card.url ? (
            <a href={card.url} target="_blank" rel="noopener noreferrer nofollow ugc">
              {title}
            </a>
          ) : (
            title
          )}
        </h3>
      )}
      {card.text && <Text message={{ ...nobody }} text={card.text} />}
      {card.fields.length > 0 && (
        <dl>
          {card.fields.map((field, at) => (
            <div key={`${at}`} class={field.is_short ? 'short' : ''}>
              {field.title && <dt dir="auto">{field.title}</dt>}
              <dd>
                <Text message={{ ...nobody }} text={field.value} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {card.image_url && (
        <a href={card.image_url} target="_blank" rel="noopener noreferrer nofollow ugc">
          {strings.message.picture}
        </a>
      )}
      {(card.footer || card.at) && (
        <p class="card-footer" dir="auto">
          {card.footer}
          {card.footer && card.at && ' · '}
          {card.at && (
            <time dateTime={card.at.$date} title={fullOf(new Date(card.at.$date))}>
              {nearOf(new Date(card.at.$date))}
            </time>
          )}
        </p>
      )}
    </section>
  );
};
