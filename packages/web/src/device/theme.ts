import { recall, remember } from './storage.ts';

/** How the page looks: as the device does, light, or dark. */
export type Theme = 'system' | 'light' | 'dark';

const key = 'chat-theme';

/** The theme chosen on this device. */
export const chosenTheme = (): Theme => (recall(key) as Theme | undefined) ?? 'system';

/** Chooses. */
export function chooseTheme(theme: Theme): void {
  remember(key, theme);
  showTheme();
}

/** The colours of what a phone draws around the page, as the sidebar has them. */
const barColors = { light: '#f7f6f3', dark: '#101113' };

/** Shows the page, and what a phone draws around it, in the chosen colours. */
export function showTheme(): void {
  const theme = chosenTheme();
  document.documentElement.dataset.theme = theme;
  const bars = document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]');
  for (const bar of bars) {
    const ofDevice = bar.media.includes('dark') ? 'dark' : 'light';
    bar.content = barColors[theme === 'system' ? ofDevice : theme];
  }
}

/** Applies the chosen theme and the service's brand colour. */
export function applyTheme(brand: string): void {
  showTheme();
  const root = document.documentElement;
  root.style.setProperty('--brand', brand);
  root.style.setProperty('--on-brand', luminanceOf(brand) > 0.3 ? '#101414' : '#ffffff');
}

/** The relative luminance of WCAG 2. */
function luminanceOf(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
