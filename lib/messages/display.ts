import { dateSchema, showDate } from '../api/extended-json.ts';
import { shownFrom } from '../api/representation.ts';
import { aFlag, aText, described, listOf, record } from '../api/schema.ts';
import type { Card, Display } from '../collections/rooms/messages.ts';

const card = shownFrom<Card>();

const cardFieldSchema = record('CardField', {
  title: described('The name of the field.', aText),
  value: described('The value, in Markdown.', aText),
  is_short: described('Whether it can share a line with another one.', aFlag),
});

const shownCard = card.representation(
  'Card',
  {
    color: card.as(described('The colour of its edge, as `#rrggbb`.', aText), 'color'),
    author: card.as(described('The author of the card.', aText), 'author'),
    title: card.as(described('The title of the card.', aText), 'title'),
    url: card.as(described('The address that the title leads to.', aText), 'url'),
    text: card.as(described('The text, in Markdown.', aText), 'text'),
    fields: card.as(described('The fields, in the order of their sender.', listOf(cardFieldSchema)), 'fields'),
    image_url: card.as(described('The address of a picture.', aText), 'image_url'),
    footer: card.as(described('The line below the card.', aText), 'footer'),
    at: card.made(described('The time that it is about.', dateSchema), ({ at }) => at && showDate(at)),
  },
  ['color', 'author', 'title', 'url', 'text', 'image_url', 'footer', 'at'],
);

const displaySchema = record(
  'MessageDisplay',
  {
    name: described('The name that the program chose.', aText),
    icon: described('Its icon: an emoji, or the code of one, such as `:tada:`.', aText),
    text: described('The text above the cards, in Markdown; present only with cards.', aText),
    cards: described('The cards, one below the other.', listOf(shownCard.schema)),
  },
  ['name', 'icon', 'text'],
);

const { made } = shownFrom<{ display?: Display }>();

/** The field of a message that a program gave a look, which other messages lack. */
export const displayFields = {
  display: made(
    described(
      'The look of the message, from the program that posted it by a webhook. `text` has the same content for programs without cards.',
      displaySchema,
    ),
    ({ display }) => display && { ...display, cards: display.cards.map(shownCard.show) },
  ),
};
