import { normaliseReaction } from 'chat-service-rules/reactions';
import { gemoji, nameToEmoji } from 'gemoji';

/* Emoji by the short codes of Slack, Mattermost and Rocket.Chat. Unknown codes remain as text. */

/** Codes that `gemoji` lacks or, like `email` and `satellite`, assigns to another emoji. */
const others = new Map(
  [
    'unicorn_face 🦄 the_horns 🤘 sign_of_the_horns 🤘 spock-hand 🖖 vulcan 🖖 simple_smile 🙂 slight_smile 🙂 upside_down 🙃',
    'slight_frown 🙁 rolling_eyes 🙄 nerd 🤓 hugging 🤗 hugging_face 🤗 thermometer_face 🤒 face_palm 🤦 fingers_crossed 🤞 hand_splayed 🖐 back_of_hand 🤚 call_me 🤙',
    'hand_with_index_and_middle_fingers_crossed 🤞 i_love_you_hand_sign 🤟 reversed_hand_with_middle_finger_extended 🖕',
    'face_with_cowboy_hat 🤠 face_with_one_eyebrow_raised 🤨 grinning_face_with_star_eyes 🤩 zipper_mouth 🤐 head_bandage 🤕',
    'grinning_face_with_one_large_and_one_small_eye 🤪 face_with_finger_covering_closed_lips 🤫 money_mouth 🤑 drool 🤤',
    'serious_face_with_symbols_covering_mouth 🤬 face_with_symbols_over_mouth 🤬 face_with_open_mouth_vomiting 🤮 sick 🤢',
    'smiling_face_with_smiling_eyes_and_hand_covering_mouth 🤭 shocked_face_with_exploding_head 🤯 face_with_bags_under_eyes 🫩',
    'smiling_face_with_3_hearts 🥰 white_frowning_face ☹ person_with_pouting_face 🙎 mother_christmas 🤶 sleuth_or_spy 🕵 spy 🕵',
    'head_shaking_horizontally 🙂‍↔️ head_shaking_vertically 🙂‍↕️ liar 🤥 thumbup 👍 thumbdown 👎 left_fist 🤛 right_fist 🤜',
    'man_and_woman_holding_hands 👫 person_with_blond_hair 👱 person_with_headscarf 🧕 person_doing_cartwheel 🤸 juggling 🤹',
    'speaking_head_in_silhouette 🗣 man_in_business_suit_levitating 🕴 male-doctor 👨‍⚕️ female-doctor 👩‍⚕️ fencer 🤺 wrestlers 🤼',
    'weight_lifter 🏋 golfer 🏌 person_with_ball ⛹ handball 🤾 first_place 🥇 first_place_medal 🥇 second_place_medal 🥈',
    'third_place_medal 🥉 medal 🎖 drum_with_drumsticks 🥁 table_tennis_paddle_and_ball 🏓 racing_motorcycle 🏍 race_car 🏎',
    'badminton_racquet_and_shuttlecock 🏸 cricket_bat_and_ball 🏏 field_hockey_stick_and_ball 🏑 ice_hockey_stick_and_puck 🏒',
    'ladybug 🐞 phoenix 🐦‍🔥 flame 🔥 kiwifruit 🥝 mate_drink 🧉 lime 🍋‍🟩 brown_mushroom 🍄‍🟫 knife_fork_plate 🍽 champagne_glass 🥂',
    'mostly_sunny 🌤 sun_small_cloud 🌤 barely_sunny 🌥 sun_behind_cloud 🌥 partly_sunny_rain 🌦 rain_cloud 🌧 snow_cloud 🌨',
    'lightning 🌩 lightning_cloud 🌩 tornado_cloud 🌪 thunder_cloud_and_rain ⛈ wind_blowing_face 🌬 umbrella ☂ snowman ☃',
    'house_buildings 🏘 derelict_house_building 🏚 scooter 🛴 shopping_trolley 🛒 airplane_arriving 🛬 sleeping_accommodation 🛌',
    'waving_white_flag 🏳 waving_black_flag 🏴 octagonal_sign 🛑 dove_of_peace 🕊 om_symbol 🕉 menorah_with_nine_branches 🕎',
    'radioactive_sign ☢ biohazard_sign ☣ staff_of_aesculapius ⚕ scales ⚖ helmet_with_white_cross ⛑ broken_chain ⛓️‍💥 tools 🛠',
    'heavy_heart_exclamation_mark_ornament ❣ keycap_star *️⃣ satellite 🛰 email ✉ three_button_mouse 🖱 frame_with_picture 🖼',
    'lower_left_ballpoint_pen 🖊 lower_left_fountain_pen 🖋 lower_left_paintbrush 🖌 lower_left_crayon 🖍 compression 🗜',
    'spiral_note_pad 🗒 spiral_calendar_pad 🗓 dagger_knife 🗡 womans_flat_shoe 🥿 desktop 🖥 map 🗺 bellhop 🛎 couch 🛋 eject ⏏',
    'double_vertical_bar ⏸ black_square_for_stop ⏹ black_circle_for_record ⏺ play_pause ⏯ track_next ⏭ track_previous ⏮',
  ]
    .flatMap((line) => [...line.matchAll(/(\S+) (\S+)/g)])
    .map(([, code = '', emoji = '']) => [code, emoji]),
);

const byDescription = new Map(gemoji.map(({ description, emoji }) => [wordsOf(description), emoji]));

function wordsOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9+]+/g, '_');
}

/** The emoji of a short code, in the form of stored reactions; undefined for unknown codes. */
function emojiOf(code: string): string | undefined {
  const known = cachedEmoji.get(code);
  if (known !== undefined || cachedEmoji.has(code)) return known;
  const emoji = others.get(code) ?? named(code) ?? flagOf(code) ?? familyOf(code) ?? facingRight(code);
  if (cachedEmoji.size < mostFound) cachedEmoji.set(code, emoji);
  return emoji;
}

/** A cache of look-ups, because texts repeat a few codes. */
const cachedEmoji = new Map<string, string | undefined>();
const mostFound = 10_000;

function named(code: string): string | undefined {
  const plain = code
    .replaceAll('-', '_')
    .replace(/^male_/, 'man_')
    .replace(/^female_/, 'woman_');
  const short = plain.replace(/_face$/, '').replace(/^large_(?=[a-z]+_(circle|square)$)/, '');
  return nameToEmoji[code] ?? nameToEmoji[plain] ?? byDescription.get(plain) ?? nameToEmoji[short] ?? byDescription.get(short);
}

/** A flag by its country code: `flag-de` or `flag_de`. */
function flagOf(code: string): string | undefined {
  const [, country] = /^flag[-_]([a-z]{2})$/.exec(code) ?? [];
  return country && String.fromCodePoint(...[...country].map((letter) => letter.charCodeAt(0) - 97 + 0x1f1e6));
}

const members: Record<string, string> = { man: '👨', woman: '👩', boy: '👦', girl: '👧', heart: '❤️', kiss: '❤️‍💋' };

/** A family or a couple: `man-woman-girl`, `woman-kiss-woman`. */
function familyOf(code: string): string | undefined {
  if (!/^(man|woman)(-(man|woman|boy|girl|heart|kiss)){1,3}$/.test(code)) return undefined;
  return code
    .split('-')
    .map((one) => members[one])
    .join('\u200d');
}

function facingRight(code: string): string | undefined {
  const [, base] = /^(.+)_facing_right$/.exec(code) ?? [];
  const emoji = base === undefined ? undefined : (named(base) ?? others.get(base));
  return emoji && `${emoji}\u200d➡️`;
}

/** The reaction of a short code, as the API stores it; undefined if it is not valid. */
export function reactionOf(code: string): string | undefined {
  // A skin tone follows after two more colons.
  const [name = ''] = code.split('::');
  return normaliseReaction(emojiOf(name) ?? name);
}

/** Applies a change to the parts of a text outside of code. */
export const outsideCode = (text: string, change: (part: string) => string): string =>
  text
    .split(/(```[\s\S]*?```|`[^`\n]+`)/)
    .map((part, at) => (at % 2 === 1 ? part : change(part)))
    .join('');

/** Replaces short codes in a text with emoji, except in code. `more` has the source's own emoji. */
export const withEmoji = (text: string, more?: ReadonlyMap<string, string>): string =>
  text.includes(':')
    ? outsideCode(text, (part) => part.replaceAll(shortCode, (whole, code) => more?.get(code) ?? emojiOf(code) ?? whole))
    : text;

const shortCode = /(?<!\w):([\w+-]+):(?::skin-tone-\d:)?(?!\w)/g;
