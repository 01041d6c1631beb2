/** The style of the pages, for light and dark mode, phones and desktops. */
export const style = `
:root { color-scheme: light dark; --line: light-dark(#d9dde3, #3a414b); --soft: light-dark(#f4f6f8, #1c2127); --link: light-dark(#0b57d0, #8ab4f8); }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0 auto; padding: 1rem; max-width: 60rem; font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1, h2, h3 { line-height: 1.2; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); padding-bottom: .3rem; }
a { color: var(--link); }
code, pre, textarea, input { font: .875rem/1.45 ui-monospace, monospace; }
code { background: var(--soft); padding: .1em .3em; border-radius: 4px; }
pre { background: var(--soft); padding: .75rem; border-radius: 8px; overflow-x: auto; overflow-wrap: normal; }
pre code { padding: 0; }
nav h2 { font-size: 1.1rem; margin-top: 1.25rem; border: 0; padding: 0; }
.skip { position: absolute; left: -100vw; }
.skip:focus { position: static; }
nav ul { columns: 16rem; padding: 0; list-style: none; }
nav li { break-inside: avoid; padding: .15rem 0; }
details { border: 1px solid var(--line); border-radius: 8px; margin: .75rem 0; padding: 0 1rem; }
summary { margin: 0 -1rem; padding: .75rem 1rem; cursor: pointer; }
.method { display: inline-block; min-width: 4.2rem; font-weight: 700; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .35rem .5rem .35rem 0; border-top: 1px solid var(--line); }
th { white-space: nowrap; }
label { display: block; margin: .5rem 0; }
input, textarea { display: block; width: 100%; padding: .5rem; border: 1px solid var(--line); border-radius: 6px; background: Canvas; color: CanvasText; }
textarea { min-height: 6rem; resize: vertical; }
button { font: inherit; padding: .5rem 1.25rem; border: 0; border-radius: 6px; background: var(--link); color: Canvas; cursor: pointer; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
`;
