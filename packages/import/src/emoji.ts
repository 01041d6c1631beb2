import { normaliseReaction } from 'chat-service-rules/reactions';

/** The short codes that are used most, as Slack and Mattermost have them. Any other stays the word that it is. */
const codes = new Map(
  [
    '+1 👍 -1 👎 heart ❤ tada 🎉 eyes 👀 joy 😂 pray 🙏 white_check_mark ✅ heavy_check_mark ✔ rocket 🚀 fire 🔥 100 💯',
    'clap 👏 raised_hands 🙌 wave 👋 smile 😄 smiley 😃 grin 😁 grinning 😀 laughing 😆 slightly_smiling_face 🙂 wink 😉',
    'blush 😊 heart_eyes 😍 thinking_face 🤔 sob 😭 cry 😢 disappointed 😞 confused 😕 upside_down_face 🙃 sweat_smile 😅',
    'rolling_on_the_floor_laughing 🤣 sunglasses 😎 muscle 💪 ok_hand 👌 point_up ☝ point_right 👉 point_left 👈',
    'point_down 👇 point_up_2 👆 x ❌ warning ⚠ exclamation ❗ question ❓ bulb 💡 star ⭐ star2 🌟 sparkles ✨ zap ⚡',
    'boom 💥 bug 🐛 hammer 🔨 wrench 🔧 memo 📝 books 📚 calendar 📆 date 📅 hourglass ⌛ coffee ☕ beer 🍺 beers 🍻 pizza 🍕',
    'cake 🍰 birthday 🎂 trophy 🏆 checkered_flag 🏁 arrow_up ⬆ arrow_down ⬇ arrow_right ➡ arrow_left ⬅ red_circle 🔴',
    'large_blue_circle 🔵 large_green_circle 🟢 heavy_plus_sign ➕ heavy_minus_sign ➖ no_entry ⛔ no_entry_sign 🚫',
    'lock 🔒 unlock 🔓 key 🔑 mag 🔍 link 🔗 computer 💻 email ✉ inbox_tray 📥 outbox_tray 📤 chart_with_upwards_trend 📈',
    'chart_with_downwards_trend 📉 bar_chart 📊 pushpin 📌 paperclip 📎 hankey 💩 skull 💀 ghost 👻 robot_face 🤖',
    'see_no_evil 🙈 hear_no_evil 🙉 speak_no_evil 🙊 dog 🐶 cat 🐱 unicorn_face 🦄 bear 🐻 panda_face 🐼 penguin 🐧',
    'turtle 🐢 snail 🐌 bee 🐝 owl 🦉 octopus 🐙 whale 🐳 sunny ☀ cloud ☁ rainbow 🌈 snowflake ❄ christmas_tree 🎄 gift 🎁',
    'balloon 🎈 confetti_ball 🎊 tea 🍵 yum 😋 stuck_out_tongue 😛 open_mouth 😮 scream 😱 flushed 😳 relieved 😌',
    'sleeping 😴 mask 😷 nerd_face 🤓 hugging_face 🤗 shrug 🤷 bow 🙇 raising_hand 🙋 handshake 🤝 v ✌ crossed_fingers 🤞',
    'the_horns 🤘 spock-hand 🖖 orange_heart 🧡 yellow_heart 💛 green_heart 💚 blue_heart 💙 purple_heart 💜',
    'black_heart 🖤 broken_heart 💔 two_hearts 💕 recycle ♻ construction 🚧 rotating_light 🚨 bell 🔔 loudspeaker 📢',
    'mega 📣 speech_balloon 💬 thought_balloon 💭 zzz 💤 information_source ℹ soon 🔜 new 🆕 ok 🆗 sos 🆘 saluting_face 🫡',
    'melting_face 🫠 face_with_monocle 🧐 partying_face 🥳 pleading_face 🥺 exploding_head 🤯 star-struck 🤩 shield 🛡',
    'thumbsup 👍 thumbsdown 👎 poop 💩 thinking 🤔 simple_smile 🙂 rofl 🤣 satisfied 😆 face_with_rolling_eyes 🙄',
    'facepalm 🤦',
  ]
    .flatMap((line) => [...line.matchAll(/(\S+) (\S+)/g)])
    .map(([, code = '', emoji = '']) => [code, emoji]),
);

/** The reaction with a short code, as the API stores it; undefined for what can't be one. */
export function reactionOf(code: string): string | undefined {
  // Skin tones follow two more colons.
  const [name = ''] = code.split('::');
  return normaliseReaction(codes.get(name) ?? name);
}

/** A text in which what stands outside of code is changed. */
export const outsideCode = (text: string, change: (part: string) => string): string =>
  text
    .split(/(```[\s\S]*?```|`[^`\n]+`)/)
    .map((part, at) => (at % 2 === 1 ? part : change(part)))
    .join('');

/** A text with emoji in place of their short codes, except in code; `more` has those of the source itself. */
export const withEmoji = (text: string, more?: ReadonlyMap<string, string>): string =>
  text.includes(':')
    ? outsideCode(text, (part) => part.replaceAll(shortCode, (whole, code) => more?.get(code) ?? codes.get(code) ?? whole))
    : text;

const shortCode = /(?<!\w):([\w+-]+):(?::skin-tone-\d:)?(?!\w)/g;
